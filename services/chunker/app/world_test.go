package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

const extractionID = "0123456789abcdef"

// world is a world with the stage over it, and what somebody knows who has heard all
// that it has said.
type world struct {
	*stagetest.World
	stage *stage.Stage

	mu   sync.Mutex
	told map[string]told // by chunk_ref: what somebody has who keeps the highest rev
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return over(stagetest.New(t))
}

func over(w *stagetest.World) *world {
	return &world{World: w, stage: Stage(w.DB, w.Blobs, slog.New(slog.DiscardHandler), config.Enrichment{Wait: time.Hour})}
}

// Emit hears an event, and keeps what it says of a chunk.
func (w *world) Emit(ctx context.Context, d event.Data) error {
	if err := w.World.Emit(ctx, d); err != nil || !strings.HasPrefix(d.Type(), "colophon.chunk.") {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	raw, err := json.Marshal(d)
	if err != nil {
		return err
	}
	var t told
	if err := json.Unmarshal(raw, &t); err != nil {
		return err
	}
	ref := t.ChunkRef + t.Chunk.ChunkRef // one of the two
	t.ChunkRef, t.Chunk.ChunkRef = "", ""
	if w.told == nil {
		w.told = make(map[string]told)
	}
	if t.Rev >= w.told[ref].Rev {
		w.told[ref] = t
	}
	return nil
}

// told is what chunk events say of a chunk's state, in the words that all of them
// have in common.
type told struct {
	ChunkRef string `json:"chunk_ref"`
	Chunk    struct {
		ChunkRef string `json:"chunk_ref"`
	} `json:"chunk"`
	Rev         int64       `json:"rev"`
	Layer       model.Layer `json:"layer"`
	Since       string      `json:"since"`
	Repeats     string      `json:"repeats"`
	DuplicateOf string      `json:"duplicate_of"`
}

// version is one version of a document: what one capture of it finds.
type version struct {
	source string // source_id; default s
	doc    string // its URL
	day    int    // of January 2026: retrieved and last modified
	date   int    // last modified, when it is another day
	pages  []string
	kind   model.FinalType
	layer  model.Layer // of its source at capture; default hot
	bytes  string      // captures with the same have equal bytes; default: none has
	place  string      // the territory, if any
}

// page makes the units of a page: paragraphs divided by "|", "# " a heading. A
// page that begins with "!" has failed for that reason.
func (w *world) page(s model.Snapshot, pageNo int, text string) segment.Frame {
	f := segment.Frame{Page: model.Page{PageID: digest.PageID(s.SnapshotID, pageNo), SnapshotID: s.SnapshotID,
		ExtractionID: extractionID, ParserVersion: "1", PageNo: pageNo, Status: model.PageProcessed,
		Language: &model.Language{Lang: "en", Confidence: 1}}}
	if reason, failed := strings.CutPrefix(text, "!"); failed {
		f.Page.Status, f.Page.Reason, f.Page.Message = model.PageFailed, reason, fmt.Sprintf("page %d: it is %s", pageNo, reason)
		return f
	}
	for i, part := range strings.Split(text, "|") {
		u := model.Unit{IRID: fmt.Sprintf("ir_%s_%d_%d", s.SnapshotID[5:13], pageNo, i), SourceID: s.SourceID,
			SnapshotID: s.SnapshotID, Type: model.UnitParagraph, ParserVersion: "1"}
		u.FieldsRaw = model.Fields{Text: part, Verbatim: true}
		if heading, ok := strings.CutPrefix(part, "# "); ok {
			u.Type, u.FieldsRaw.Level, u.FieldsRaw.Text = model.UnitHeading, 1, heading
		}
		f.Units = append(f.Units, u)
	}
	return f
}

// capture records the version's snapshot and its run.
func (w *world) capture(v version) model.Run {
	w.Helper()
	s := w.record(v, func(model.Standing) bool { return false })
	return w.begin(s, v)
}

// begin starts the run of a snapshot.
func (w *world) begin(s model.Snapshot, v version) model.Run {
	w.Helper()
	return w.Start(model.Run{SnapshotID: s.SnapshotID, ExtractionID: extractionID, SourceID: s.SourceID,
		DocumentID: s.DocumentID, PageCount: len(v.pages), ParserVersion: "1", Why: "capture"})
}

// snapshotOf is the snapshot of a version.
func (w *world) snapshotOf(v version) model.Snapshot {
	source := v.source
	if source == "" {
		source = "s"
	}
	at := time.Date(2026, 1, v.day, 12, 0, 0, 0, time.UTC)
	modified := at
	if v.date != 0 {
		modified = time.Date(2026, 1, v.date, 12, 0, 0, 0, time.UTC)
	}
	layer := v.layer
	if layer == "" {
		layer = model.LayerHot
	}
	kind := v.kind
	if kind == "" {
		kind = model.TypeHTML
	}
	request := fmt.Sprintf("%s@%d", v.doc, v.day)
	hash := digest.Content([]byte(request + strings.Join(v.pages, "\f")))
	if v.bytes != "" {
		hash = digest.Content([]byte(v.bytes))
	}
	return model.Snapshot{
		SnapshotID: digest.SnapshotID(source, request, hash), DocumentID: digest.DocumentID(source, v.doc), RequestID: request,
		SourceID: source, SourceName: "Source", SnapshotKind: kindOf(kind), FinalType: kind, URL: v.doc, URLCanonical: v.doc,
		ExternalID: v.doc, RetrievedAt: at, ContentHash: hash, LastModified: modified, LastModifiedOrigin: "http_header",
		SourceType: "official", Domain: "civics", Territory: v.place, Layer: layer, RuleVersions: map[string]string{"urlcanon": "urlcanon_v1"},
	}
}

// record records the version's snapshot.
func (w *world) record(v version, unchanged func(model.Standing) bool) model.Snapshot {
	w.Helper()
	s := w.snapshotOf(v)
	if _, err := w.DB.RegisterSource(w.Context(), model.DefaultSource(s.SourceID)); err != nil {
		w.Fatal(err)
	}
	w.Record(s, unchanged)
	return s
}

// kindOf is how documents of a type are kept.
func kindOf(t model.FinalType) model.SnapshotKind {
	if t == model.TypeZIP {
		return model.KindContainer
	}
	return model.SnapshotKind(t)
}

// extract stores the segment of one range and returns its event.
func (w *world) extract(run model.Run, r model.PageRange, redo int, pages []string) event.Event {
	w.Helper()
	s, err := w.DB.Snapshot(w.Context(), run.SnapshotID)
	if err != nil {
		w.Fatal(err)
	}
	var frames []segment.Frame
	for no := r.From; no <= r.To; no++ {
		frames = append(frames, w.page(s, no, pages[no-1]))
	}
	return w.Event(w.Extract(run, r, redo, frames))
}

// land captures a version and handles the events of all its ranges.
func (w *world) land(v version) (model.Run, event.Event) {
	w.Helper()
	run := w.capture(v)
	var last event.Event
	for _, r := range model.Ranges(run.PageCount) {
		last = w.extract(run, r, 0, v.pages)
		if err := w.stage.Handle(w.Context(), last, w.Emit); err != nil {
			w.Fatal(err)
		}
	}
	return w.Run(run), last
}

func (w *world) document(run model.Run) model.Document {
	w.Helper()
	d, err := w.DB.Document(w.Context(), run.DocumentID)
	if err != nil {
		w.Fatal(err)
	}
	return d
}

// chunks returns the chunks of a document, of all when it is empty, with their
// states.
func (w *world) chunks(documentID string) []catalog.ChunkWithState {
	w.Helper()
	var out []catalog.ChunkWithState
	for group, err := range w.DB.ChunkGroups(w.Context(), nil, documentID) {
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, group...)
	}
	return out
}

// of returns the only chunk of a run that contains text.
func (w *world) of(run model.Run, text string) catalog.ChunkWithState {
	w.Helper()
	var found []catalog.ChunkWithState
	for _, c := range w.chunks(run.DocumentID) {
		if c.Chunk.SnapshotID == run.SnapshotID && strings.Contains(c.Chunk.Content, text) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		w.Fatalf("%d chunks of %s contain %q", len(found), run.SnapshotID, text)
	}
	return found[0]
}

// settled holds all chunks against contracts#chunks and contracts#current: they are valid, each
// text that is current has one chunk that stands for it and the others point
// there, and nothing is left to publish.
func (w *world) settled(runs ...model.Run) {
	w.Helper()
	all := w.chunks("")
	w.mu.Lock()
	for _, c := range all {
		want := told{Rev: c.State.Rev, Layer: c.State.Layer, Since: c.State.Since, Repeats: c.State.Repeats, DuplicateOf: c.State.DuplicateOf}
		if got := w.told[c.Chunk.ChunkRef]; got != want && w.told != nil { // else a bus has what was said
			w.Errorf("of %s was told\n%+v, the catalog has\n%+v", c.Chunk.ChunkRef, got, want)
		}
	}
	w.mu.Unlock()
	keys := map[model.KnowledgeKey][]catalog.ChunkWithState{}
	byRef := map[string]catalog.ChunkWithState{}
	for _, c := range all {
		if err := c.Chunk.Validate(); err != nil {
			w.Error(err)
		}
		key := model.KnowledgeKey{TextHash: c.Chunk.TextHash, SourceType: c.Chunk.SourceType}
		keys[key] = append(keys[key], c)
		byRef[c.Chunk.ChunkRef] = c
	}
	standing := w.standing(keys)
	for key, chunks := range keys {
		stands := standing[key]
		current := 0
		for _, c := range chunks {
			participates := c.State.Layer != model.LayerArchive && c.State.Repeats == ""
			if participates {
				current++
			}
			want := ""
			if participates && c.Chunk.ChunkRef != stands {
				want = stands
			}
			if c.State.DuplicateOf != want {
				w.Errorf("%s (%.20q): duplicate_of %q, want %q", c.Chunk.ChunkRef, c.Chunk.Content, c.State.DuplicateOf, want)
			}
			if r := c.State.Repeats; r != "" && (byRef[r].Chunk.ContentTextHash != c.Chunk.ContentTextHash ||
				byRef[r].State.Layer != c.State.Layer || byRef[r].State.Since != c.State.Since) {
				w.Errorf("%s repeats %s, which is another chain", c.Chunk.ChunkRef, r)
			}
		}
		if (current > 0) != (stands != "") {
			w.Errorf("%d chunks of a text are current, %q stands for them", current, stands)
		}
	}
	for _, run := range runs {
		left, err := w.DB.UnpublishedLog(w.Context(), run.SnapshotID, run.ExtractionID, 10)
		if err != nil || len(left) > 0 {
			w.Errorf("unpublished: %v, %v", left, err)
		}
	}
}

var errRollback = errors.New("only a look")

func (w *world) standing(keys map[model.KnowledgeKey][]catalog.ChunkWithState) (standing map[model.KnowledgeKey]string) {
	w.Helper()
	var document string
	all := make(map[model.KnowledgeKey]string, len(keys))
	for key, chunks := range keys {
		all[key], document = "", chunks[0].Chunk.DocumentID
	}
	err := w.DB.LockDocument(w.Context(), document, time.Second, func(tx *catalog.DocumentTx) error {
		var err error
		standing, err = tx.LockKnowledge(w.Context(), all)
		return errors.Join(err, errRollback)
	})
	if !errors.Is(err, errRollback) || fault.KindOf(err) != fault.KindTransient {
		w.Fatal(err)
	}
	return standing
}

func types(said []event.Data) string {
	var out []string
	for _, d := range said {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(d.Type(), "colophon."), ".v1"))
	}
	if n := len(out); n > 0 { // chunk events come in any order, before the rest
		slices.Sort(out[:n-1])
	}
	return strings.Join(out, " ")
}
