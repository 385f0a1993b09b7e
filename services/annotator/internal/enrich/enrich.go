// Package enrich asks a model what it proposes for each chunk of a version: topic, tags, actors, kind of
// content, type and legal cues (contracts#enrichment). It decides nothing: the chunker holds the proposals
// against the chunks.
package enrich

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/annotator/internal/entities"
)

// Catalog is what the stage reads and writes of the record.
type Catalog interface {
	// Run returns a run; none is fault.ErrNoRow, and so it is of Enrichment.
	Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error)
	Enrichment(ctx context.Context, snapshotID, extractionID string, redo int, chunkerVersion string) (model.Enrichment, error)
	// ChunkContents returns language, content and content_text_hash of the chunks of a generation.
	ChunkContents(ctx context.Context, docHash string, generation int) ([]model.Chunk, error)
	// HeldContents returns the same of the chunks to be of a run that waits for the answer; none where it waits no more.
	HeldContents(ctx context.Context, snapshotID, extractionID string, redo int, chunkerVersion string) ([]model.Chunk, error)
	// PutEnrichment records proposals, unless others were first, and returns what counts.
	PutEnrichment(ctx context.Context, e model.Enrichment) (model.Enrichment, error)
}

// Answers keeps what a model said.
type Answers interface {
	entities.Answers
	// KeepAs is Keep, and returns which object counts.
	KeepAs(ctx context.Context, a model.LLMAnswer, said []byte) (model.LLMAnswer, error)
}

// Stage handles ir.enrich_requested.
type Stage struct {
	Catalog  Catalog
	Chat     entities.Chat // nil: no model is set
	Answers  Answers
	Budget   entities.Budget
	Daily    int64         // tokens of a source and day; 0: without bound
	Parallel int           // chunks that are asked about at once; 0 is 1
	Most     time.Duration // after which the chunks that are left wait for the event again; 0: no bound
	Log      *slog.Logger
	Count    func(ctx context.Context, outcome string) // of answers; nil: none are counted
}

var (
	errNoChunks = errors.New("the chunks that are to be enriched are not in the catalog")
	errMore     = errors.New("chunks are left to be asked about")
)

// budgetWait is how long chunks of a source wait whose budget of the day is spent, before it is looked at again.
const budgetWait = 10 * time.Minute

// Handle asks about the chunks of a version and tells where the proposals are. Repeated, it asks nobody again
// who has answered, and tells the same.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	d, err := event.As[event.IREnrichRequested](e)
	if err != nil {
		return err
	}
	counts, err := s.Catalog.Enrichment(ctx, d.SnapshotID, d.ExtractionID, d.Redo, d.ChunkerVersion)
	if err != nil && !errors.Is(err, fault.ErrNoRow) {
		return err
	}
	if counts.Digest == "" {
		// Who waits is told that no model is set, too.
		if counts, err = s.proposeForRun(ctx, e, d); err != nil || counts.SnapshotID == "" || counts.Digest == "" && d.Generation > 0 {
			return err
		}
	}
	if err := emit(ctx, event.IREnriched{
		SnapshotID: d.SnapshotID, SourceID: counts.SourceID, ExtractionID: d.ExtractionID, Redo: d.Redo, ChunkerVersion: d.ChunkerVersion,
		ObjectKey: counts.ObjectKey, Digest: counts.Digest,
	}); err != nil {
		return fmt.Errorf("telling proposals for %s: %w", d.SnapshotID, err)
	}
	faultpoint.Reach("annotate.proposals.told")
	return nil
}

// Fail leaves the chunks as the rules have made them; the dead letter is the runner's.
func (s *Stage) Fail(context.Context, event.Event, fault.Reason, string, stream.Emit) error {
	return nil
}

// proposeForRun asks about the chunks and records what counts; nothing for a run that another has taken the place of.
func (s *Stage) proposeForRun(ctx context.Context, e event.Event, d event.IREnrichRequested) (model.Enrichment, error) {
	run, err := s.Catalog.Run(ctx, d.SnapshotID, d.ExtractionID)
	switch {
	case errors.Is(err, fault.ErrNoRow):
		return model.Enrichment{}, stream.Absent(e, err)
	case err != nil:
		return model.Enrichment{}, err
	case run.State == model.RunSuperseded || run.State == model.RunRemoved || run.Redo != d.Redo:
		return model.Enrichment{}, nil
	}
	of := model.Enrichment{SnapshotID: d.SnapshotID, ExtractionID: d.ExtractionID, Redo: d.Redo, ChunkerVersion: d.ChunkerVersion,
		SourceID: run.SourceID, DocumentID: run.DocumentID}
	if s.Chat == nil {
		s.Log.WarnContext(ctx, "the source wants its chunks enriched, and no chat model is set: they are as the rules have them",
			slog.String("source_id", run.SourceID), slog.String("snapshot_id", run.SnapshotID))
		return s.Catalog.PutEnrichment(ctx, of)
	}
	chunks, err := s.listChunks(ctx, d)
	switch {
	case err != nil:
		return of, err
	case len(chunks) == 0 && d.Generation == 0:
		return model.Enrichment{}, nil // it waits no more: another request is about the chunks that have landed
	case len(chunks) == 0:
		return of, stream.Absent(e, errNoChunks)
	}
	kept, err := s.storeProposals(ctx, run, chunks)
	if err != nil {
		return of, err
	}
	of.Model, of.ObjectKey, of.Digest = kept.Model, kept.ObjectKey, kept.Digest
	counts, err := s.Catalog.PutEnrichment(ctx, of)
	faultpoint.Reach("annotate.proposals.recorded")
	return counts, err
}

// listChunks returns the chunks that a request is about.
func (s *Stage) listChunks(ctx context.Context, d event.IREnrichRequested) ([]model.Chunk, error) {
	if d.Generation == 0 {
		return s.Catalog.HeldContents(ctx, d.SnapshotID, d.ExtractionID, d.Redo, d.ChunkerVersion)
	}
	return s.Catalog.ChunkContents(ctx, d.DocHash, d.Generation)
}

// storeProposals asks about all chunks and keeps the proposals as one object.
func (s *Stage) storeProposals(ctx context.Context, run model.Run, chunks []model.Chunk) (model.LLMAnswer, error) {
	chunks = slices.Clone(chunks)
	slices.SortFunc(chunks, func(a, b model.Chunk) int { return strings.Compare(a.ContentTextHash, b.ContentTextHash) })
	chunks = slices.CompactFunc(chunks, func(a, b model.Chunk) bool { return a.ContentTextHash == b.ContentTextHash })
	proposals := model.ChunkProposals{Chunks: make(map[string]model.ChunkProposal, len(chunks))}
	parts := []string{"proposals"}
	var mu sync.Mutex
	began := time.Now()
	asking, askCtx := errgroup.WithContext(ctx)
	asking.SetLimit(max(1, s.Parallel))
	for i, c := range chunks {
		q := questionAbout(c)
		parts = append(parts, c.ContentTextHash, q.system, q.user)
		asking.Go(func() error {
			if i > 0 && s.Most > 0 && time.Since(began) > s.Most {
				return fault.Defer(0, errMore)
			}
			p, err := s.findOrAsk(askCtx, run, q)
			if err == nil && !p.Empty() {
				mu.Lock()
				defer mu.Unlock()
				proposals.Chunks[c.ContentTextHash] = p
			}
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return model.LLMAnswer{}, err
	}
	data, err := json.Marshal(proposals)
	if err != nil {
		return model.LLMAnswer{}, err
	}
	key := s.newAnswer(run)
	key.InputHash = digest.HexParts(parts...)
	kept, err := s.Answers.KeepAs(ctx, key, data)
	faultpoint.Reach("annotate.proposals.kept")
	return kept, err
}

func (s *Stage) newAnswer(run model.Run) model.LLMAnswer {
	return model.LLMAnswer{SourceID: run.SourceID, SnapshotID: run.SnapshotID, Model: s.Chat.Name(), PromptVersion: promptVersion}
}

// transcript is what was said about a chunk, as it is kept.
type transcript struct {
	Answers []string `json:"answers"`           // in their order; the last one that can be read counts
	Refused string   `json:"refused,omitempty"` // why there is none
}

// findOrAsk returns what the model proposes for a chunk: what it said before, if it was asked.
func (s *Stage) findOrAsk(ctx context.Context, run model.Run, q question) (model.ChunkProposal, error) {
	key := s.newAnswer(run)
	key.InputHash = digest.HexParts(q.system, q.user, string(answerSchema()))
	data, found, err := s.Answers.Find(ctx, key)
	if err != nil {
		return model.ChunkProposal{}, err
	}
	if !found {
		t, err := s.askModel(ctx, run.SourceID, q)
		if err != nil {
			return model.ChunkProposal{}, err
		}
		if data, err = json.Marshal(t); err != nil {
			return model.ChunkProposal{}, err
		}
		if data, err = s.Answers.Keep(ctx, key, data); err != nil {
			return model.ChunkProposal{}, err
		}
		faultpoint.Reach("annotate.proposal.kept")
	}
	var t transcript
	if err := json.Unmarshal(data, &t); err != nil {
		return model.ChunkProposal{}, fault.Permanent(fault.Internal, fmt.Errorf("a stored answer of %s: %w", key.Model, err))
	}
	p, outcome := t.readProposals()
	if found {
		outcome = entities.OutcomeRemembered
	}
	if s.Count != nil {
		s.Count(ctx, outcome)
	}
	return p, nil
}

// readProposals returns what the answers propose, which may be nothing, and their outcome.
func (t transcript) readProposals() (model.ChunkProposal, string) {
	if t.Refused != "" {
		return model.ChunkProposal{}, entities.OutcomeRefused
	}
	for _, text := range slices.Backward(t.Answers) {
		if p, err := readProposal(text); err == nil {
			return p, entities.OutcomeUsed
		}
	}
	return model.ChunkProposal{}, entities.OutcomeInvalid
}

// askModel asks the model about a chunk, and once more where its answer is of no use. An endpoint that is of no use now is
// Unavailable, and a spent budget deferred.
func (s *Stage) askModel(ctx context.Context, sourceID string, q question) (t transcript, err error) {
	if s.Daily > 0 {
		spent, err := s.Budget.Spent(ctx, sourceID)
		if err != nil {
			return t, err
		}
		if spent >= s.Daily {
			return t, fault.Defer(budgetWait, fmt.Errorf("what models say for source %s has cost %d tokens today, limit %d", sourceID, spent, s.Daily))
		}
	}
	talk := []entities.Message{{Role: "system", Text: q.system}, {Role: "user", Text: q.user}}
	for range 2 {
		a, err := s.Chat.Ask(ctx, talk, answerSchema())
		if a.QuestionTokens > 0 {
			if err := s.Budget.Spend(ctx, sourceID, s.Chat.Name(), a.QuestionTokens, a.AnswerTokens); err != nil {
				return t, err
			}
		}
		switch {
		case errors.Is(err, entities.ErrRefused):
			t.Refused = err.Error()
			return t, nil
		case errors.Is(err, entities.ErrOdd):
			a.Text = ""
		case err != nil:
			return t, err
		}
		t.Answers = append(t.Answers, a.Text)
		wrong := err
		if wrong == nil {
			if _, wrong = readProposal(a.Text); wrong == nil {
				return t, nil
			}
		}
		talk = append(talk[:2:2], entities.Message{Role: "user", Text: "Your answer cannot be read: " + wrong.Error() + ". Write the JSON object alone."})
	}
	return t, nil
}
