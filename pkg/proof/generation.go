package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/running"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// Pages hands on the stored pages of a run in order, and ends at the first
// error.
type Pages func(each func(segment.Frame) error) error

// Chunker makes the chunks of a generation again from the pages of its run, in
// order. ErrOtherChunker says that this one would make others, ErrOtherChoice that the
// manifest is wrong about who made them. Proposals are the bytes of the object that the manifest names of
// them, nil where it names none.
type Chunker func(s model.Snapshot, run model.Run, m model.Manifest, proposals []byte, pages Pages) iter.Seq2[model.Chunk, error]

// ErrOtherChunker says that chunks cannot be made again as they were, because
// the chunker at hand is another than the recorded one.
var ErrOtherChunker = errors.New("another chunker is at hand")

// ErrOtherChoice says that a manifest names another chunker, or another reason, than is
// chosen for its document.
var ErrOtherChoice = errors.New("another chunker is chosen for its document")

// Generation proves the chunks of one manifest in both directions: each chunk
// down to the bytes, and each unit of the run up to a chunk. It is not safe for
// concurrent use.
type Generation struct {
	doc    *document
	said   map[Break]bool               // by a chunk's proof
	placed map[model.UnitPlace][][2]int // the bytes of units that are in chunks
	next   func() (model.Chunk, error, bool)
	stop   func()
	other  bool // no chunks can be made again
}

// Open reads what the chunks of a manifest share. With a chunker, which may be
// nil, they are made again and compared. Close is to be called at the end.
func Open(ctx context.Context, r Reader, m model.Manifest, chunker Chunker) (*Generation, error) {
	doc, err := open(ctx, r, m)
	if err != nil {
		return nil, err
	}
	g := &Generation{doc: doc, said: make(map[Break]bool), placed: make(map[model.UnitPlace][][2]int), other: true}
	if chunker != nil && doc.known && m.HasChunks() {
		proposals, there, err := doc.proposals(ctx)
		if err != nil || !there {
			return g, err
		}
		g.other = false
		again := chunker(doc.snapshot, doc.run, doc.manifest, proposals, func(each func(segment.Frame) error) error { return g.stored(ctx, each) })
		g.next, g.stop = iter.Pull2(again)
	}
	return g, nil
}

// proposals returns what a model proposed for the chunks, nil where they are by rules alone. there is false, and the
// document broken, where that is not as it was.
func (d *document) proposals(ctx context.Context) (data []byte, there bool, err error) {
	want, key := d.manifest.Meta.Proposals, d.manifest.Meta.ProposalsKey
	if want == "" {
		return nil, true, nil
	}
	where := "proposals for manifest " + d.manifest.DocHash
	data, err = d.reader.Object(ctx, key)
	if d.lost("e", where, &err) || err != nil {
		return nil, false, err
	}
	if sum := digest.Hex(data); sum != want {
		d.fail("e", where, "sha256 is %s, recorded %s", sum, want)
		return nil, false, nil
	}
	return data, true, nil
}

// Close ends the making of chunks.
func (g *Generation) Close() {
	if g.stop != nil {
		g.stop()
	}
}

// stored yields the frames that can be read.
func (g *Generation) stored(ctx context.Context, each func(segment.Frame) error) error {
	for _, row := range g.doc.rows {
		for no := row.From; no <= row.To; no++ {
			p, err := g.doc.pages(ctx, no)
			if err != nil {
				return err
			}
			if frame, ok := p.frames[no]; ok {
				if err := each(frame); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Prove proves the next chunks of the generation, in their order.
func (g *Generation) Prove(ctx context.Context, items []Item) ([]Proof, error) {
	proofs, err := g.doc.prove(ctx, items)
	if err != nil {
		return nil, err
	}
	for i := range proofs {
		for _, s := range items[i].Chunk.Provenance.Segments {
			if s.Synthetic == "" {
				at := model.UnitPlace{Page: s.Page, IRID: s.IRID}
				g.placed[at] = append(g.placed[at], [2]int{s.From, s.To})
			}
		}
		if err := g.compare(&proofs[i], items[i]); err != nil {
			return nil, err
		}
		for _, b := range proofs[i].Breaks {
			g.said[b] = true
		}
	}
	return proofs, nil
}

// compare makes the next chunk again and says in which fields the stored one is
// another.
func (g *Generation) compare(p *Proof, item Item) error {
	if g.other {
		return nil
	}
	again, err, more := g.next()
	switch {
	case errors.Is(err, ErrOtherChunker):
		g.other = true
		return nil
	case errors.Is(err, ErrOtherChoice):
		g.other = true
		g.fail(p, "manifest "+g.doc.manifest.DocHash, err.Error())
		return nil
	case err != nil:
		return fmt.Errorf("making chunk %s again: %w", p.ChunkRef, err)
	case !more:
		g.fail(p, "chunk "+p.ChunkRef, "made again from the segments it does not come out")
		return nil
	case item.Unread != "":
		return nil
	}
	stored, err := fields(item.Chunk)
	if err != nil {
		return err
	}
	made, err := fields(again)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if stored[name] != made[name] {
			g.fail(p, name, "made again from the segments it comes out otherwise: "+short(made[name]))
		}
	}
	if b := item.Chunk.Blocks; b != nil && !slices.Equal(b, again.Blocks) {
		g.fail(p, "blocks", "made again from the segments it comes out otherwise: "+short(fmt.Sprint(again.Blocks)))
	}
	return nil
}

func (g *Generation) fail(p *Proof, where, what string) {
	p.Breaks, p.Verdict = append(p.Breaks, Break{Step: "e", Where: where, What: what}), Broken
}

// fields returns the JSON of a chunk's fields, those that are empty too.
func fields(c model.Chunk) (map[string]string, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	out := map[string]string{"host": `""`} // left out when it is empty
	for name, value := range all {
		out[name] = string(value)
	}
	return out, nil
}

func short(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most]) + "…"
	}
	return s
}

// Rest walks the other way when all chunks were proved: every page of the run
// is looked at, and every unit that must be in a chunk is looked for. It returns
// what no chunk's proof has said.
func (g *Generation) Rest(ctx context.Context) ([]Break, error) {
	breaks := slices.Clone(g.doc.breaks)
	if !g.doc.known {
		return g.unsaid(breaks), nil
	}
	if !g.other {
		c, err, more := g.next()
		switch {
		case errors.Is(err, ErrOtherChoice):
			breaks = append(breaks, Break{Step: "e", Where: "manifest " + g.doc.manifest.DocHash, What: err.Error()})
		case err != nil && !errors.Is(err, ErrOtherChunker):
			return nil, err
		case more && err == nil:
			breaks = append(breaks, Break{Step: "g", Where: "chunk " + c.ChunkRef, What: "comes out of the segments and is not stored"})
		}
	}
	fingerprint, omitted, counts, left, err := g.units(ctx)
	if err != nil {
		return nil, err
	}
	breaks = append(breaks, left...)
	whole := true
	for _, row := range g.doc.rows {
		p, err := g.doc.pages(ctx, row.From)
		if err != nil {
			return nil, err
		}
		breaks = append(breaks, p.breaks...)
		for no := row.From; no <= row.To; no++ {
			breaks = append(breaks, p.ofPage[no]...)
			whole = whole && len(p.breaks) == 0 && len(p.ofPage[no]) == 0
		}
	}
	if m := g.doc.manifest; whole && fingerprint.Sum() != m.Fingerprint {
		breaks = append(breaks, Break{Step: "d", Where: "manifest " + m.DocHash, What: "its fingerprint computes to " + fingerprint.Sum()})
	}
	if m := g.doc.manifest; whole && m.LeftOut != nil && *m.LeftOut != omitted.Judge(g.doc.snapshot.SnapshotKind) {
		breaks = append(breaks, Break{Step: "d", Where: "manifest " + m.DocHash, What: fmt.Sprintf("what it says is left out computes to %+v", omitted)})
	}
	if counted, ok := g.doc.manifest.Meta.Counts(); whole && ok && counted != counts {
		breaks = append(breaks, Break{Step: "d", Where: "manifest " + g.doc.manifest.DocHash, What: fmt.Sprintf("what it counts of its pages computes to %+v", counts)})
	}
	return g.unsaid(breaks), nil
}

// units looks at the units of every page. It returns the fingerprint of their text, how
// much of it is left out of chunks, what is counted of its pages, and what is in no chunk and must be: all but
// running heads and feet, which stand elsewhere in the document too.
func (g *Generation) units(ctx context.Context) (digest.Fingerprint, model.LeftOut, model.PageCounts, []Break, error) {
	var (
		fingerprint digest.Fingerprint
		read        running.Read
		claims      running.Claims
		ids         []string // of units that are in no chunk, by missing
		missing     []Break
		omitted     model.LeftOut
		counts      model.PageCounts
	)
	err := g.stored(ctx, func(f segment.Frame) error {
		counts.Add(f.Units)
		read.Add(f.Page, f.Units)
		claims.Add(f.Page, f.Units)
		omitted = omitted.Plus(model.LeftOutOn(f.Page, f.Units))
		for _, u := range f.Units {
			if !u.Chunked() {
				continue
			}
			fingerprint.Add(u.FieldsRaw.Text)
			if left := g.left(f.Page.PageNo, u); g.doc.manifest.HasChunks() && left != "" {
				ids = append(ids, u.IRID)
				missing = append(missing, Break{Step: "g", Where: fmt.Sprintf("%s on page %d", u.IRID, f.Page.PageNo), What: "is in no chunk: " + left})
			}
		}
		return nil
	})
	if err != nil {
		return fingerprint, omitted, counts, nil, err
	}
	var breaks []Break
	for i, b := range missing {
		if !read.LeftOut(ids[i]) {
			breaks = append(breaks, b)
		}
	}
	omitted.Heads += read.Characters()
	if claims.Open() {
		if err := g.stored(ctx, func(f segment.Frame) error { claims.Search(f.Units); return nil }); err != nil {
			return fingerprint, omitted, counts, nil, err
		}
	}
	for _, u := range claims.Left() {
		breaks = append(breaks, Break{Step: "g", Where: fmt.Sprintf("%s on page %d", u.IRID, u.PageNo), What: "is left out as a running head or foot and stands nowhere else: " + short(u.Text)})
	}
	return fingerprint, omitted, counts, breaks, nil
}

func (g *Generation) unsaid(breaks []Break) []Break {
	return slices.DeleteFunc(breaks, func(b Break) bool { return g.said[b] })
}

// left returns the first bytes of a unit's text that are in no chunk and must
// be: all but white space, the line-end hyphen of what goes on on the next page,
// and the head of a table that goes on there and was printed again.
func (g *Generation) left(page int, u model.Unit) string {
	text := u.FieldsRaw.Text
	spans := slices.Clone(g.placed[model.UnitPlace{Page: page, IRID: u.IRID}])
	if u.Type == model.UnitTable && u.FieldsRaw.Continued {
		rows, head := header.Rows(u)
		for _, row := range rows[:head] {
			for _, c := range row {
				spans = append(spans, [2]int{c.From, c.To})
			}
		}
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	at := 0
	for _, span := range append(spans, [2]int{len(text), len(text)}) {
		if gap := strings.TrimSpace(text[min(at, len(text)):min(max(at, span[0]), len(text))]); gap != "" {
			hyphen := u.FieldsRaw.Continues && span[0] >= len(text) && strings.ContainsAny(gap, "-\u2010\u00ad") && utf8.RuneCountInString(gap) == 1
			if !hyphen {
				return short(gap)
			}
		}
		at = max(at, span[1])
	}
	return ""
}

// Raw checks the ids and addresses of a snapshot and its captured bytes, whatever was made of
// them.
func Raw(ctx context.Context, r Reader, s model.Snapshot) ([]Break, error) {
	d := &document{reader: r, snapshot: s}
	d.checkSnapshot()
	d.checkAddress()
	err := d.checkRaw(ctx)
	return d.breaks, err
}
