package proof

import (
	"context"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// HasWords reports whether a chunk has the words of a piece of evidence on its page, as texts are compared
// (contracts#textnorm): what rules wrote in the chunk takes no part.
func HasWords(c model.Chunk, e model.Evidenced) bool {
	var b strings.Builder
	on := false
	for _, s := range c.Provenance.Segments {
		switch {
		case s.Start < 0 || s.End < s.Start || s.End > len(c.Text):
			return false // it tiles nothing
		case s.Synthetic != "" && s.Synthetic != model.SyntheticSeparator:
		case s.Synthetic != "":
			if on {
				b.WriteString(" ")
			}
		default:
			if on = s.Page == e.Page; on {
				b.WriteString(c.Text[s.Start:s.End])
			}
		}
	}
	return strings.Contains(digest.TextNormV1(b.String()), digest.TextNormV1(e.Quote))
}

// pointers proves what an operator's note points to (contracts#notes): the chunks that it
// replaces or sums up exist; each chunk that is its evidence exists, has the quoted words on
// the page, and is proved itself, down to the bytes that were captured of its document.
func (w *walk) pointers(ctx context.Context) error {
	m := w.chunk.Meta
	refs := slices.Concat(m.Replaces, m.SumsUp)
	for _, e := range m.Evidence {
		refs = append(refs, e.ChunkRef)
	}
	if len(refs) == 0 {
		return nil
	}
	found, err := w.doc.reader.Chunks(ctx, refs)
	if err != nil {
		return err
	}
	named := make(map[string]Item, len(found))
	for _, item := range found {
		named[item.State.ChunkRef] = item
	}
	for what, refs := range map[string][]string{"replaces": m.Replaces, "sums up": m.SumsUp} {
		for _, ref := range refs {
			if _, there := named[ref]; !there {
				w.fail("e", "chunk "+ref, "the note %s it, and it does not exist", what)
			}
		}
	}
	for _, e := range m.Evidence {
		where := "evidence " + e.ChunkRef
		switch item, there := named[e.ChunkRef]; {
		case !there:
			w.fail("e", where, "does not exist")
		case item.Unread != "":
			w.fail("e", where, "%s", item.Unread)
		case !HasWords(item.Chunk, e):
			w.fail("e", where, "does not have the words %q on page %d", e.Quote, e.Page)
		default:
			if err := w.evidence(ctx, where, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// evidence proves a chunk that a note names. What that chunk names in its turn, if it is a
// note itself, is proved with it and not here: notes that name each other have an end.
func (w *walk) evidence(ctx context.Context, where string, item Item) error {
	c := item.Chunk
	doc, err := open(ctx, w.doc.reader, model.Manifest{SnapshotID: c.SnapshotID, ExtractionID: c.ExtractionID, DocHash: c.DocHash, Generation: c.Generation})
	if err != nil {
		return err
	}
	p, err := doc.walk(ctx, item)
	if err != nil {
		return err
	}
	for _, b := range p.proof.Breaks {
		w.fail("e", where, "is not proved itself: (%s) %s: %s", b.Step, b.Where, b.What)
	}
	return nil
}
