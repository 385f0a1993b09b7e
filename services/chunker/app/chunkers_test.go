package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

// registers is a chunker that somebody might add: of documents with tables, from sources
// about civics, it makes a chunk of each paragraph and of each row.
type registers struct{}

func (registers) Name() string { return "registers" }

func (registers) Takes(source split.Source, d split.Document) (why string, ok bool) {
	return "it is about civics and has tables", source.Domain == "civics" && d.Units[model.UnitTable] > 0
}

func (registers) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	return oneEach{o, out}, nil
}

type oneEach struct {
	o   split.Options
	out func(split.Draft) error
}

func (s oneEach) Close() error { return nil }

func (s oneEach) Add(b assemble.Block) error {
	for _, line := range b.Lines {
		d := split.Draft{Text: s.o.Header, Content: line.Text(), PageHint: b.Page, Segments: []model.Segment{{End: len(s.o.Header), Synthetic: model.SyntheticHeader}}}
		for _, run := range line {
			seg := model.Segment{Start: len(d.Text), End: len(d.Text) + len(run.Text), Synthetic: run.Synthetic}
			if run.Synthetic == "" {
				seg.IRID, seg.Page, seg.From, seg.To = run.IRID, run.Page, run.From, run.From+len(run.Text)
			}
			d.Text, d.Segments = d.Text+run.Text, append(d.Segments, seg)
		}
		var err error
		if d.Tokens, err = s.o.Count(d.Text); err != nil {
			return err
		}
		if err := s.out(d); err != nil {
			return err
		}
	}
	return nil
}

const (
	withTable = `<!DOCTYPE html><html lang="en"><title>Levels</title><h1>Levels</h1><p>The lake rose in spring.</p>
		<table><tr><th>Year</th><th>Level</th></tr><tr><td>2025</td><td>3 cm</td></tr><tr><td>2026</td><td>5 cm</td></tr></table></html>`
	withoutTable = `<!DOCTYPE html><html lang="en"><title>Levels</title><h1>Levels</h1><p>The lake rose in spring.</p><p>It fell again.</p></html>`
)

// captureHTML captures a document, extracts it, and lets the stage make its chunks.
func (w *world) captureHTML(raw, domain string) (model.Snapshot, model.Run) {
	w.Helper()
	return w.captureOf(raw, domain, "official")
}

// captureOf is captureHTML for a source of a type, of which more may be said.
func (w *world) captureOf(raw, domain, sourceType string, more ...func(*model.Snapshot)) (model.Snapshot, model.Run) {
	w.Helper()
	s := w.Capture(raw, model.KindHTML, func(s *model.Snapshot) {
		for _, say := range more {
			say(s)
		}
		s.SourceType, s.Domain, s.LastModifiedOrigin = sourceType, domain, "http_header"
		s.RequestID += domain
		s.SnapshotID = digest.SnapshotID(s.SourceID, s.RequestID, s.ContentHash)
		s.ExternalID += domain
		s.DocumentID = digest.DocumentID(s.SourceID, s.ExternalID)
	})
	rules, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil {
		w.Fatal(err)
	}
	run := w.Start(model.Run{SnapshotID: s.SnapshotID, ExtractionID: digest.ExtractionID(extract.ParserVersion, rules, ""),
		SourceID: s.SourceID, DocumentID: s.DocumentID, PageCount: 1, ParserVersion: extract.ParserVersion, RulesDigest: rules, Why: "capture"})
	frame, err := extract.Extractors{model.KindHTML: html.Extractor{}}.Extract(w.Context(), extract.Input{Raw: []byte(raw), Snapshot: s, ExtractionID: run.ExtractionID}, 1)
	if err != nil {
		w.Fatal(err)
	}
	e := w.Event(w.Extract(run, model.PageRange{From: 1, To: 1}, 0, []segment.Frame{frame}))
	if err := w.stage.Handle(w.Context(), e, w.Emit); err != nil {
		w.Fatal(err)
	}
	return s, w.Run(run)
}

// shelf is what a proof reads, out of the world's stores.
type shelf struct {
	*catalog.DB
	w *world
}

func (r shelf) Object(ctx context.Context, key string) ([]byte, error) {
	return r.w.Blobs.Get(ctx, blobstore.Derived, key, "")
}

func (r shelf) raw(ctx context.Context, s model.Snapshot) ([]byte, error) {
	return r.w.Blobs.Get(ctx, blobstore.Raw, r.w.RawKey(s), "")
}

func (r shelf) RawDigest(ctx context.Context, s model.Snapshot) (string, int64, error) {
	raw, err := r.raw(ctx, s)
	return digest.Content(raw), int64(len(raw)), err
}

func (r shelf) RawSlice(ctx context.Context, s model.Snapshot, start, end int64) ([]byte, error) {
	raw, err := r.raw(ctx, s)
	if err != nil {
		return nil, err
	}
	return raw[start:end], nil
}

func (r shelf) MemberDigest(context.Context, model.Snapshot, string) (string, error) {
	return "", proof.ErrGone
}

func (r shelf) OCRResult(context.Context, string, model.PageOCR) ([]byte, error) {
	return nil, proof.ErrGone
}

func (r shelf) Chunks(context.Context, []string) ([]proof.Item, error) { return nil, nil }

func (r shelf) Points(context.Context, []proof.Item) (map[string]string, error) { return nil, nil }

func (r shelf) Remake(ctx context.Context, s model.Snapshot, run model.Run, _ []byte, _ model.PageRange, _ []proof.PageRead) ([][]byte, error) {
	raw, err := r.raw(ctx, s)
	if err != nil {
		return nil, err
	}
	f, err := extract.Extractors{model.KindHTML: html.Extractor{}}.Extract(ctx, extract.Input{Raw: raw, Snapshot: s, ExtractionID: run.ExtractionID}, 1)
	if err != nil {
		return nil, err
	}
	frame, err := segment.EncodeFrame(f)
	return [][]byte{frame}, err
}

// proves walks the chunks of a run down to the bytes, with chunks cut again by the
// chunkers of a table, and returns its manifest, its chunks and all that is broken.
func (w *world) proves(run model.Run, chunkers split.Table) (m model.Manifest, contents, broken []string) {
	w.Helper()
	m, err := w.DB.RunManifest(w.Context(), run.SnapshotID, run.ExtractionID, run.Redo)
	if err != nil {
		w.Fatal(err)
	}
	g, err := proof.Open(w.Context(), shelf{w.DB, w}, m, stage.Again(chunkers))
	if err != nil {
		w.Fatal(err)
	}
	defer g.Close()
	for chunks, err := range w.DB.GenerationChunks(w.Context(), m.DocHash, m.Generation) {
		if err != nil {
			w.Fatal(err)
		}
		items := make([]proof.Item, len(chunks))
		for i, c := range chunks {
			items[i] = proof.Item{Chunk: c.Chunk, State: c.State}
			contents = append(contents, c.Chunk.Content)
		}
		proofs, err := g.Prove(w.Context(), items)
		if err != nil {
			w.Fatal(err)
		}
		for _, p := range proofs {
			for _, b := range p.Breaks {
				broken = append(broken, b.Step+" "+b.Where+": "+b.What)
			}
			if p.Verdict != proof.Verified && len(p.Breaks) == 0 {
				broken = append(broken, p.ChunkRef+" is "+string(p.Verdict))
			}
		}
	}
	rest, err := g.Rest(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	for _, b := range rest {
		broken = append(broken, b.Step+" "+b.Where+": "+b.What)
	}
	return m, contents, broken
}

// TestAChunkerOfADomain adds a chunker by one line of a table, and runs documents through
// the stage: it cuts those that it takes, the general one all others; the manifest names
// it and says why; every chunk is proved down to the bytes, cut again by the chunker that
// is chosen again. Where the manifest names another one than is chosen that is found.
func TestAChunkerOfADomain(t *testing.T) {
	w := newWorld(t)
	table := split.Table{Domains: []split.Domain{registers{}}, General: general.Chunker{}}
	w.stage = stage.New(runs{w.DB}, w.DB, locker{w.DB}, segments{w.Blobs}, slog.New(slog.DiscardHandler), stage.Options{Chunkers: table})
	whole := "Levels\n\nThe lake rose in spring.\n\nYear | Level\n2025 | 3 cm\n2026 | 5 cm"
	chosen := map[string]string{"chunker": "registers", "chunker_why": "it is about civics and has tables"}
	var taken model.Run
	for _, c := range []struct {
		raw, domain string
		want        []string
		meta        map[string]string
	}{
		{withTable, "civics", []string{"Levels", "The lake rose in spring.", "Year | Level", "2025 | 3 cm", "2026 | 5 cm"}, chosen},
		{withTable, "sports", []string{whole}, map[string]string{}},
		{withoutTable, "civics", []string{"Levels\n\nThe lake rose in spring.\n\nIt fell again."}, map[string]string{}},
	} {
		_, run := w.captureHTML(c.raw, c.domain)
		m, contents, broken := w.proves(run, table)
		if !slices.Equal(contents, c.want) || m.Meta.Chunker != c.meta["chunker"] || m.Meta.ChunkerWhy != c.meta["chunker_why"] {
			t.Errorf("%s: chunks %q, meta %v", c.domain, contents, m.Meta)
		}
		if len(broken) > 0 {
			t.Errorf("%s: %s", c.domain, strings.Join(broken, "\n"))
		}
		if c.meta["chunker"] != "" {
			taken = run
		}
		w.settled(run)
	}
	about := func() (found []string) {
		all, err := w.DB.Contradictions(t.Context(), taken.DocumentID, time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if strings.HasPrefix(c.Where, "manifest") {
				found = append(found, c.Where+" "+c.What)
			}
		}
		return found
	}
	if wrong := about(); len(wrong) > 0 {
		t.Errorf("the catalog contradicts itself: %q", wrong)
	}
	if _, _, broken := w.proves(taken, chunkers()); len(broken) != 1 || !strings.Contains(broken[0], proof.ErrOtherChoice.Error()) {
		t.Errorf("where that chunker is not at hand: %q", broken)
	}
	const counts = `"pages":1,"tables":1,"ocr_pages":0`
	for meta, found := range map[string]bool{
		`{}`:                                     true,  // it counts nothing
		`{` + counts + `}`:                       false, // only by a proof
		`{` + counts + `,"chunker":"registers"}`: true,
		`{` + counts + `,"chunker":"laws","chunker_why":"it is about civics and has tables"}`: false,
		`[]`:   true,
		`"x"`:  true,
		`null`: true,
		`{` + counts + `,"chunker":7,"chunker_why":""}`:                                                       true,
		`{` + counts + `,"chunker":"registers","chunker_why":"it has tables"}`:                                false,
		`{` + counts + `,"chunker":"registers","chunker_why":"it is about civics and has tables","more":"1"}`: true,
	} {
		w.rewriteMeta(taken, meta)
		if wrong := about(); (len(wrong) > 0) != found {
			t.Errorf("meta %s: the catalog says %q", meta, wrong)
		}
		if found {
			continue
		}
		if _, _, broken := w.proves(taken, table); len(broken) != 1 || !strings.Contains(broken[0], proof.ErrOtherChoice.Error()) {
			t.Errorf("meta %s: the proof says %q", meta, broken)
		}
	}
}

// rewriteMeta writes another meta to the manifest of a run.
func (w *world) rewriteMeta(run model.Run, meta string) {
	w.Helper()
	err := w.DB.Tx(w.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(w.Context(), `UPDATE chunk_manifests SET meta = $2::jsonb WHERE snapshot_id = $1`, run.SnapshotID, meta)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}
