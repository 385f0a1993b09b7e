package proof

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
)

// walk is the proof of one chunk while it is made.
type walk struct {
	doc   *document
	chunk model.Chunk
	proof Proof
	units map[model.UnitPlace]model.Unit // checked
}

func (w *walk) fail(step, where, format string, args ...any) {
	b := Break{Step: step, Where: where, What: fmt.Sprintf(format, args...)}
	if !slices.Contains(w.proof.Breaks, b) {
		w.proof.Breaks = append(w.proof.Breaks, b)
	}
}

// chunk proves a chunk, and what it points to.
func (d *document) chunk(ctx context.Context, item Item) (Proof, error) {
	w, err := d.walk(ctx, item)
	if err == nil && item.Unread == "" {
		err = w.pointers(ctx)
	}
	return w.proof, err
}

// walk proves a chunk by itself.
func (d *document) walk(ctx context.Context, item Item) (*walk, error) {
	c := item.Chunk
	name := cmp.Or(item.State.ChunkRef, c.ChunkRef)
	w := &walk{doc: d, chunk: c, units: make(map[model.UnitPlace]model.Unit), proof: Proof{
		ChunkRef: name, Verdict: Verified, SnapshotID: d.snapshot.SnapshotID, ContentHash: d.snapshot.ContentHash, URL: cmp.Or(c.URL, d.snapshot.ExternalID),
		Steps: []Step{}, Breaks: append([]Break{}, d.breaks...),
	}}
	if item.Unread != "" {
		w.fail("e", "chunk "+name, "%s", item.Unread)
		return w, nil
	}
	if item.Apart {
		w.fail("d", "chunk "+name, "the columns of its row are not those of its record")
	}
	w.same("chunk_ref", c.ChunkRef, name)
	if !d.known {
		w.proof.SnapshotID = c.SnapshotID
		return w, nil
	}
	w.ids()
	w.copied()
	if err := c.Provenance.Tile(c.Text); err != nil {
		w.fail("e", "provenance", "%v", err)
		return w, nil
	}
	hint := 0
	for _, s := range c.Provenance.Segments {
		if s.Synthetic != "" {
			continue
		}
		if hint == 0 {
			hint = s.Page
		}
		if err := w.slice(ctx, s); err != nil {
			return w, err
		}
	}
	if c.PageHint != hint {
		w.fail("e", "page_hint", "is %d, the first bytes are from page %d", c.PageHint, hint)
	}
	ref := d.snapshot.ChunkRef(&c, w.units)
	w.proof.SourceRef = &ref
	w.synthetic()
	w.proof.Proved = c.Provenance.ProvedBytes()
	w.proof.Synthetic = len(c.Text) - w.proof.Proved
	return w, nil
}

// same says that a stored id or copied field is not what it computes to.
func (w *walk) same(name, stored, computed string) {
	if stored != computed {
		w.fail("d", name, "is %q, computes to %q", stored, computed)
	}
}

// ids computes the chunk's ids, hashes and header again.
func (w *walk) ids() {
	c, s := w.chunk, w.doc.snapshot
	w.same("doc_hash", c.DocHash, s.DocHash())
	w.same("chunk_id", c.ChunkID, digest.ChunkID(c.ChunkIndex, c.Generation))
	w.same("chunk_ref", c.ChunkRef, digest.ChunkRef(c.DocHash, c.ChunkID))
	w.same("point_id", c.PointID, model.PointIDOf(c.ChunkRef, s.RuleVersions))
	w.same("text_hash", c.TextHash, digest.Text(c.Text))
	w.same("content_text_hash", c.ContentTextHash, digest.Text(c.Content))
	head := header.Of(s, c)
	rest, ok := strings.CutPrefix(c.Text, head)
	if s.ContextLine {
		rest = strings.TrimPrefix(rest, header.ContextLineOf(c)+header.LineEnd)
	}
	if !ok {
		w.fail("e", "header", "the text does not begin with the header of its fields")
	} else if rest != c.Content {
		w.fail("e", "content", "is not what follows the header in the text")
	}
}

// copied compares what a chunk says of its snapshot, run and manifest with these.
func (w *walk) copied() {
	c, s, m := w.chunk, w.doc.snapshot, w.doc.manifest
	for _, f := range []struct{ name, stored, recorded string }{
		{"snapshot_id", c.SnapshotID, s.SnapshotID},
		{"source_id", c.SourceID, s.SourceID},
		{"document_id", c.DocumentID, s.DocumentID},
		{"source", c.Source, s.SourceName},
		{"source_type", c.SourceType, s.SourceType},
		{"doc_type", c.DocType, string(s.FinalType)},
		{"domain", c.Domain, s.Domain},
		{"territory", c.Territory, s.Territory},
		{"url", c.URL, s.ChunkURL(c.ChunkerVersion)},
		{"extraction_id", c.ExtractionID, w.doc.run.ExtractionID},
		{"parser_version", c.ParserVersion, w.doc.run.ParserVersion},
		{"chunker_version", c.ChunkerVersion, m.ChunkerVersion},
		{"header_version", c.HeaderVersion, m.HeaderVersion},
		{"manifest", digest.ChunkRef(c.DocHash, strconv.Itoa(c.Generation)), digest.ChunkRef(m.DocHash, strconv.Itoa(m.Generation))},
	} {
		w.same(f.name, f.stored, f.recorded)
	}
	if c.InfoDateOrigin == s.LastModifiedOrigin {
		w.same("info_date", c.InfoDate, s.LastModified.UTC().Format(time.DateOnly))
	}
	if c.ChunkIndex >= m.ChunkCount {
		w.fail("d", "chunk_index", "is %d in a manifest of %d chunks", c.ChunkIndex, m.ChunkCount)
	}
	source := c.Provenance.Source
	if source.SourceID != s.SourceID || source.RecordPointer.Kind != "snapshot" ||
		source.RecordPointer.SnapshotID != s.SnapshotID || !source.RecordPointer.RetrievedAt.Equal(s.RetrievedAt) {
		w.fail("e", "provenance.source", "does not name the snapshot that the chunk was made of")
	}
}

// slice proves one mapped segment of the text.
func (w *walk) slice(ctx context.Context, s model.Segment) error {
	where := fmt.Sprintf("text[%d:%d]", s.Start, s.End)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	p, err := w.doc.pages(ctx, s.Page)
	if err != nil {
		return err
	}
	for _, b := range append(slices.Clone(p.breaks), p.ofPage[s.Page]...) {
		w.fail(b.Step, b.Where, "%s", b.What)
	}
	if p.anchored && w.proof.Verdict == Verified {
		w.proof.Verdict = Anchored
	}
	frame, there := p.frames[s.Page]
	if !there {
		return nil // the break is the page's
	}
	at := model.UnitPlace{Page: s.Page, IRID: s.IRID}
	i, there := p.units[at]
	if !there {
		w.fail("e", where, "unit %s is not on page %d", s.IRID, s.Page)
		return nil
	}
	unit := frame.Units[i]
	if _, checked := w.units[at]; !checked {
		w.units[at] = unit
		if err := w.checkUnit(ctx, frame.Page, unit); err != nil {
			return err
		}
	}
	if s.To > len(unit.FieldsRaw.Text) || unit.FieldsRaw.Text[s.From:s.To] != w.chunk.Text[s.Start:s.End] {
		w.fail("e", where, "is not bytes %d–%d of %s", s.From, s.To, s.IRID)
	}
	if s.Evidence < 0 || s.Evidence >= len(unit.Evidence) {
		w.fail("e", where, "%s has no evidence %d", s.IRID, s.Evidence)
		return nil
	}
	w.proof.Steps = append(w.proof.Steps, Step{
		IRID: s.IRID, Type: unit.Type, Page: s.Page, Start: s.Start, End: s.End, Evidence: unit.Evidence[s.Evidence],
	})
	return nil
}

// checkUnit computes the unit's ids and fragment hashes again.
func (w *walk) checkUnit(ctx context.Context, page model.Page, u model.Unit) error {
	if id := digest.PageID(w.chunk.SnapshotID, page.PageNo); id != page.PageID {
		w.fail("d", fmt.Sprintf("page %d", page.PageNo), "page_id %s computes to %s", page.PageID, id)
	}
	id, err := digest.IRID(page.PageID, w.chunk.ExtractionID, u.RecordLocator)
	if err != nil || id != u.IRID {
		w.fail("d", u.IRID, "its id computes to %s", id)
	}
	if err := u.Validate(); err != nil {
		w.fail("d", u.IRID, "%v", err)
		return nil
	}
	for i, e := range u.Evidence {
		if err := w.checkEvidence(ctx, fmt.Sprintf("%s evidence %d", u.IRID, i), e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) checkEvidence(ctx context.Context, where string, e model.Evidence) error {
	if e.SnapshotID != w.chunk.SnapshotID || e.SourceID != w.chunk.SourceID {
		w.fail("d", where, "points to snapshot %s of %s", e.SnapshotID, e.SourceID)
	}
	var got string
	if span := e.ByteSpan; span != nil {
		if w.doc.rawThere == 0 && w.doc.snapshot.ByteLength > 0 {
			return nil // there is nothing to read: that is its own break
		}
		if span.End > w.doc.rawThere {
			w.fail("d", where, "its byte span ends at %d of %d bytes", span.End, w.doc.rawThere)
			return nil
		}
		slice, err := w.doc.reader.RawSlice(ctx, w.doc.snapshot, span.Start, span.End)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		got = digest.FragmentSpan(slice)
	} else {
		var err error
		if got, err = digest.FragmentLocator(Locator(e)); err != nil {
			w.fail("d", where, "%v", err)
			return nil
		}
	}
	if got != e.FragmentHash {
		w.fail("d", where, "fragment_hash is %s, computes to %s", e.FragmentHash, got)
	}
	return nil
}

// Locator returns the parts of a fragment pointer that its hash is made of
// where there are no bytes to hash (contracts#fragment-hash).
func Locator(e model.Evidence) digest.Locator {
	l := digest.Locator{
		SourceID: e.SourceID, SnapshotID: e.SnapshotID, PDFTextQuote: e.PDFTextQuote, OCRTextQuote: e.OCRTextQuote,
		PageIndex: e.PageIndex,
	}
	if e.RotationDegrees != nil {
		l.RotationDegrees = *e.RotationDegrees
	}
	if e.PageNumber > 0 {
		l.PageNumber = &e.PageNumber
	}
	if e.BBox != nil {
		l.BBox = digest.BBox{X: e.BBox.X, Y: e.BBox.Y, W: e.BBox.W, H: e.BBox.H}
	}
	return l
}

// synthetic checks that every synthetic byte is what its rule writes.
func (w *walk) synthetic() {
	c := w.chunk
	for i, s := range c.Provenance.Segments {
		text := c.Text[s.Start:s.End]
		where := fmt.Sprintf("text[%d:%d]", s.Start, s.End)
		good := true
		switch s.Synthetic {
		case "":
		case model.SyntheticHeader:
			good = i == 0 && text == header.Of(w.doc.snapshot, c)
		case model.SyntheticContext:
			good = i == 1 && w.doc.snapshot.ContextLine && text == header.ContextLineOf(c)
		case model.SyntheticHeadingContext:
			good = header.IsContext(strings.TrimRight(text, "\n"), c.SectionPath)
		case model.SyntheticTableHeader:
			good = w.isTableHead(i, text)
		case model.SyntheticSeparator:
			good = text == header.CellSeparator || strings.Trim(text, "\n ") == ""
		default:
			good = false
		}
		if !good {
			w.fail("e", where, "is not what the rule %q writes", s.Synthetic)
		}
	}
}

// isTableHead compares a repeated table head with that of the unit that
// follows it. A unit that could not be found is its own break.
func (w *walk) isTableHead(i int, text string) bool {
	for _, s := range w.chunk.Provenance.Segments[i+1:] {
		if s.Synthetic == "" {
			u, ok := w.units[model.UnitPlace{Page: s.Page, IRID: s.IRID}]
			return !ok || text == header.TableHead(u)
		}
	}
	return false
}
