package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// ids computes the ids and keys of a run again.
func (g *group) ids(s model.Snapshot, run model.Run) error {
	where := "run " + run.SnapshotID + "/" + run.ExtractionID
	own, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil {
		return fmt.Errorf("rules of %s: %w", s.SnapshotID, err)
	}
	rules, err := digest.SourceRulesDigest(s.Under(run).UnitRules())
	if err != nil {
		return fmt.Errorf("rules of %s: %w", s.SnapshotID, err)
	}
	if rules != run.RulesDigest {
		g.fail("d", where, "source_rules_digest %s computes to %s", run.RulesDigest, rules)
	}
	if run.Rules != nil && rules == own {
		g.fail("d", where, "has rules of its own, which are those of its snapshot")
	}
	if id := digest.ExtractionID(run.ParserVersion, rules, run.OCRRun()); id != run.ExtractionID {
		g.fail("d", where, "its extraction_id computes to %s", id)
	}
	if run.OCRRun() != "" {
		if asked, err := digest.OCRRun(run.OCR.Settings); err != nil || asked != run.OCR.Run {
			g.fail("d", where, "its OCR run %s computes to %s", run.OCR.Run, asked)
		}
	}
	if (run.FactsKey == "") != (run.FactsDigest == "") ||
		run.FactsKey != "" && run.FactsKey != blobstore.FactsKey(run.SourceID, run.ExtractionID, run.SnapshotID, run.FactsDigest) {
		g.fail("d", where, "its facts_key %q is not made of their digest %q", run.FactsKey, run.FactsDigest)
	}
	return nil
}

// pagesOf are the pages of a run while its segments are read.
type pagesOf struct {
	g      *group
	s      model.Snapshot // under the run's rules
	run    model.Run
	rows   map[int]model.Page // by page number
	tasks  map[taskKey]model.OCRTask
	whole  bool // every page of the run was read
	counts int  // pages of segments that count

	entities *entitiesOf // nil where they are not looked at
}

type taskKey struct{ redo, page, part int }

// String names the task.
func (k taskKey) String() string {
	return fmt.Sprintf("OCR task of page %d, part %d, redo %d", k.page, k.part, k.redo)
}

// pages holds the rows of a run's pages, and what was asked for of OCR, against all of
// its segments, and what the pages that count come to against the run. current says
// that what was made of the run is of these pages. What differs of a run that has moved
// meanwhile says nothing.
func (g *group) pages(ctx context.Context, s model.Snapshot, run model.Run, current bool) error {
	before := len(g.found.Breaks)
	if err := g.lookAtPages(ctx, s, run, current); err != nil || len(g.found.Breaks) == before {
		return err
	}
	now, err := g.Catalog.Run(ctx, run.SnapshotID, run.ExtractionID)
	if err == nil && (now.Redo != run.Redo || now.State != run.State) {
		g.found.Breaks = g.found.Breaks[:before]
	}
	return err
}

func (g *group) lookAtPages(ctx context.Context, s model.Snapshot, run model.Run, current bool) error {
	// The segments first: what comes in meanwhile is in the rows, and looked at by none.
	segments, err := g.Catalog.AllSegments(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil {
		return err
	}
	rows, err := g.Catalog.StoredPages(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		where := fmt.Sprintf("page %d of %s", row.Record.PageNo, run.SnapshotID)
		if id := digest.PageID(run.SnapshotID, row.Record.PageNo); id != row.Record.PageID {
			g.fail("d", where, "page_id %s computes to %s", row.Record.PageID, id)
		}
		if row.Unread != "" && run.ParserVersion == extract.ParserVersion { // others may have written other fields
			g.fail("g", where, "its record cannot be read: %s", row.Unread)
		}
	}
	tasks, err := g.Catalog.StoredOCRTasks(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil {
		return err
	}
	p := &pagesOf{g: g, s: s.Under(run), run: run, rows: make(map[int]model.Page, len(rows)), tasks: make(map[taskKey]model.OCRTask, len(tasks)), whole: true}
	if p.entities, err = g.entities(ctx, run); err != nil {
		return err
	}
	for _, row := range rows {
		p.rows[row.Record.PageNo] = row.Record
	}
	for _, t := range tasks {
		key := taskKey{t.Record.Redo, t.Record.PageNo, t.Record.Part}
		if t.Unread != "" {
			g.fail("g", key.String(), "its record cannot be read: %s", t.Unread)
		}
		p.tasks[key] = t.Record
	}
	read := func(each func(segment.Frame) error) error {
		for i, row := range segments {
			counts := i == len(segments)-1 || segments[i+1].From != row.From
			if err := p.segment(ctx, row, counts, each); err != nil {
				return err
			}
		}
		p.entities.left(g, run)
		p.entities = nil // looked at once
		return nil
	}
	if g.Survey == nil {
		return read(func(segment.Frame) error { return nil })
	}
	found, err := g.Survey(s, read)
	if err != nil || !p.whole || p.counts != run.PageCount || !run.State.Terminal() || run.State == model.RunSuperseded {
		return err
	}
	return p.compare(ctx, found, current)
}

// segment reads one segment. The pages of one that counts are handed on.
func (p *pagesOf) segment(ctx context.Context, row model.SegmentRow, counts bool, each func(segment.Frame) error) error {
	where := fmt.Sprintf("segment of pages %d–%d, redo %d", row.From, row.To, row.Redo)
	if key := blobstore.SegmentKey(p.run.SourceID, row.ExtractionID, row.SnapshotID, row.From, row.To, row.Digest); key != row.ObjectKey {
		p.g.fail("b", where, "its object_key is not made of its run, range and digest")
	}
	data, err := p.g.Object(ctx, row.ObjectKey)
	what := ""
	switch {
	case errors.Is(err, proof.ErrGone):
		what = "does not exist"
	case err != nil:
		return err
	case digest.Hex(data) != row.Digest:
		what = fmt.Sprintf("sha256 is %s, recorded %s", digest.Hex(data), row.Digest)
	case int64(len(data)) != row.ByteLength:
		what = fmt.Sprintf("has %d bytes, recorded %d", len(data), row.ByteLength)
	}
	var frames []segment.Frame
	if what == "" {
		if frames, err = framesOf(data); err != nil {
			what = "cannot be read: " + err.Error()
		} else if n := row.To - row.From + 1; len(frames) != n {
			what = fmt.Sprintf("holds %d pages", len(frames))
		}
	}
	if what != "" {
		p.g.fail("b", where, "%s", what)
		p.whole = p.whole && !counts
		return nil
	}
	failed := 0
	for i, f := range frames {
		if f.Page.Status == model.PageFailed {
			failed++
		}
		if f.Page.PageNo != row.From+i {
			p.g.fail("b", where, "has page %d in the place of page %d", f.Page.PageNo, row.From+i)
		}
		p.read(row, f.Page)
		p.left(row, f.Page)
		if counts {
			p.counts++
			p.row(f.Page)
			if err := p.annotated(f); err != nil {
				return err
			}
			if err := each(f); err != nil {
				return err
			}
		}
	}
	if failed != row.Failed || len(frames)-failed != row.Processed {
		p.g.fail("g", where, "has %d processed pages and %d failed ones, recorded %d and %d", len(frames)-failed, failed, row.Processed, row.Failed)
	}
	return nil
}

func framesOf(data []byte) ([]segment.Frame, error) {
	reader, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	frames := make([]segment.Frame, len(reader.Index()))
	for i := range frames {
		if frames[i], err = reader.Frame(i); err != nil {
			return nil, err
		}
	}
	return frames, nil
}

// row compares the record of a page in its segment with its row.
func (p *pagesOf) row(page model.Page) {
	where := fmt.Sprintf("page %d of %s", page.PageNo, page.SnapshotID)
	row, there := p.rows[page.PageNo]
	if !there {
		p.g.fail("g", where, "has no row")
		return
	}
	page.HTML = ""
	if !equalJSON(page, row) {
		p.g.fail("g", where, "its row is not what its segment says")
	}
}

func equalJSON(a, b any) bool {
	one, err := json.Marshal(a)
	other, otherErr := json.Marshal(b)
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}

// read holds what a page says of OCR against the tasks of its run.
func (p *pagesOf) read(row model.SegmentRow, page model.Page) {
	for i, use := range page.OCR {
		key := taskKey{row.Redo, page.PageNo, i}
		where := key.String()
		task, there := p.tasks[key]
		delete(p.tasks, key)
		if !there {
			if use.Answered() {
				p.g.fail("g", where, "its page names its answer, and it is not there")
			}
			continue
		}
		want := model.OCRTask{
			SnapshotID: p.run.SnapshotID, ExtractionID: p.run.ExtractionID, Redo: row.Redo, PageNo: page.PageNo, Part: i,
			Picture: digest.Picture(p.s.ContentHash, page.PageNo, (*digest.BBox)(use.Region), p.s.PictureLanguages(p.run.ParserVersion)), Languages: p.s.OCRLanguages(), OCR: use,
		}
		if p.run.OCR != nil && p.run.OCR.Settings != nil {
			want.DPI = p.run.OCR.Settings.DPI
			if asked := p.run.OCR.Settings.Languages; len(asked) > 0 {
				want.Languages = asked
			}
		}
		if !equalJSON(want, task) {
			p.g.fail("g", where, "is not what its page says of it")
		}
	}
}

// left says which tasks of a page it does not name. One that has failed as a whole,
// beside what OCR would have said, names none.
func (p *pagesOf) left(row model.SegmentRow, page model.Page) {
	for key := range p.tasks {
		if key.redo != row.Redo || key.page != page.PageNo {
			continue
		}
		if page.Status != model.PageFailed || len(page.OCR) > 0 {
			p.g.fail("g", key.String(), "its page names none")
		}
	}
}

// compare holds what the pages of a run that has ended come to against the run, and
// against its document when it is the current version. What something else than its
// pages has ended is failed, whatever they are.
func (p *pagesOf) compare(ctx context.Context, found proof.Surveyed, current bool) error {
	where := "run " + p.run.SnapshotID + "/" + p.run.ExtractionID
	switch {
	case found.State != p.run.State:
		if p.run.State != model.RunFailed {
			p.g.fail("g", where, "is %s, its pages make it %s", p.run.State, found.State)
		}
	case p.run.Reason != found.Reason || p.run.Message != found.Message:
		p.g.fail("g", where, "its reason is %q (%s), that of its first failed page %q (%s)", p.run.Reason, p.run.Message, found.Reason, found.Message)
	}
	if !current {
		return nil
	}
	d, err := p.g.Catalog.Document(ctx, p.run.DocumentID)
	if err := gone(err); errors.Is(err, proof.ErrGone) {
		return nil // it is missed by the catalog itself
	} else if err != nil {
		return err
	}
	if d.CurrentSnapshotID != p.run.SnapshotID || d.CurrentExtractionID != p.run.ExtractionID {
		return nil
	}
	if !d.Meta.Equal(found.Meta) { // as in a row of before, until reconcile has been there
		p.g.fail("g", "document "+d.DocumentID, "its meta is %+v, its current version says %+v: reconcile has what an older build wrote made again", d.Meta, found.Meta)
	}
	if d.Title == found.Title && d.Language == found.Language && d.Fingerprint == found.Fingerprint {
		return nil
	}
	p.g.fail("g", "document "+d.DocumentID, "its fingerprint, title or language is not that of its current version: %q in %q", found.Title, found.Language)
	return nil
}

// links holds the states of the chunks of a document against what its versions make of
// them, once for each document: with the last of its snapshots.
func (g *group) links(ctx context.Context, s model.Snapshot) error {
	if g.Link == nil {
		return nil
	}
	later, err := g.Catalog.SnapshotIDs(ctx, s.DocumentID, s.SnapshotID, 1)
	if err != nil || len(later) > 0 {
		return err
	}
	history, chunks, err := g.Catalog.DocumentLinks(ctx, s.DocumentID)
	if err != nil {
		return err
	}
	stands := make(map[string]model.ChunkState, len(chunks))
	for _, c := range chunks {
		stands[c.ChunkRef] = c.State
	}
	for _, want := range g.Link(history, chunks) {
		have := stands[want.ChunkRef]
		if have.Layer != want.Layer || have.Repeats != want.Repeats || have.Since != want.Since {
			g.fail("g", "state of "+want.ChunkRef, "is in layer %s, repeats %q since %s; its document's versions make it %s, %q since %s",
				have.Layer, have.Repeats, have.Since, want.Layer, want.Repeats, want.Since)
		}
	}
	return nil
}
