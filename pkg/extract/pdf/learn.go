package pdf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/facts"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// maxReopened is how many pages of a sample may break the engine before the
// document is given up.
const maxReopened = 3

// Facts returns the document facts (contracts#facts) as canonical JSON, learnt from
// a fixed sample of at most facts.MaxSample pages. A page of it that cannot be
// read is left out: it fails when its turn comes.
func (x *Extractor) Facts(ctx context.Context, in block.Input) (json.RawMessage, error) {
	known, err := x.learn(ctx, in, false)
	if err != nil {
		x.dropBroken(err)
		return nil, failure(err)
	}
	return known.JSON()
}

// own returns the facts of a document of one range, which are learnt where its
// pages are read. The pages stay open for that.
func (x *Extractor) own(ctx context.Context, in block.Input) (*facts.Document, error) {
	if x.learnt != nil && x.learnt.hash == x.contentHash {
		return x.learnt.facts, x.learnt.err
	}
	l := &learnt{hash: in.Snapshot.ContentHash}
	known, err := x.learn(ctx, in, true)
	var raw json.RawMessage
	if err == nil {
		raw, err = known.JSON()
	}
	if err == nil {
		l.facts, err = facts.Parse(raw) // as they are read where they are stored
	}
	if err != nil {
		x.dropBroken(err)
		err = failure(err)
	}
	if f := (*block.Failure)(nil); l.hash != "" && (err == nil || errors.As(err, &f)) {
		l.err = err
		x.learnt = l
	}
	return l.facts, err
}

// learn looks at the sample, and keeps the pages if told to.
func (x *Extractor) learn(ctx context.Context, in block.Input, keep bool) (*facts.Document, error) {
	d, err := x.open(in)
	if err != nil {
		return nil, err
	}
	known := &facts.Document{PageCount: d.PageCount()}
	outline, err := d.Outline()
	if err != nil {
		return nil, err
	}
	entries := make([]facts.Entry, len(outline))
	for i, e := range outline {
		entries[i] = facts.Entry{Title: e.Title, Level: e.Level, PageNo: e.Page + 1}
	}
	known.Outline = facts.Trim(entries)
	own, err := title(d)
	if err != nil {
		return nil, err
	}
	known.Title = facts.CutTitle(own)
	var pages []facts.Page
	reopened := 0
	for _, pageNo := range facts.SampleOf(known.PageCount) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := x.sample(in, pageNo, keep)
		if broken(err) && x.shelf.any() { // it may be the memory that the others take
			x.Release()
			keep = false
			page, err = x.sample(in, pageNo, keep)
		}
		switch {
		case err == nil:
			pages = append(pages, page)
		case errors.Is(err, pdfium.ErrFormat):
		case broken(err) && reopened < maxReopened:
			reopened++
			x.Release()
		default:
			return nil, err
		}
	}
	known.Learn(pages)
	return known, nil
}

// sample returns what is learnt of one page.
func (x *Extractor) sample(in block.Input, pageNo int, keep bool) (facts.Page, error) {
	d, err := x.current(in)
	if err != nil {
		return facts.Page{}, err
	}
	buffer := x.memory.chars
	if keep {
		buffer = nil
	}
	c, err := contentOf(d, pageNo, buffer)
	if err != nil {
		return facts.Page{}, err
	}
	f := c.find(sheetOf(c.page), nil, x.partDrawer(in))
	if keep && x.shelf.keep(d, pageNo, c) {
		x.shelf.remember(c, f)
	} else {
		x.memory.chars = c.chars
		defer c.page.Close()
	}
	return c.sample(pageNo, f), nil
}

func (c *content) sample(pageNo int, f *found) facts.Page {
	s, rest := sheetOf(c.page), f.rest // heads of tables are repeated too
	out := facts.Page{
		Sheet: facts.Sheet{PageNo: pageNo, Label: c.label, Width: s.width, Height: s.height, Rotation: c.page.Rotation},
		Lines: layout.Lines(layout.Page{Width: s.width, Height: s.height, Glyphs: slices.Clone(rest)}), // which changes them
		Fonts: map[string]int{},
	}
	if len(f.tables) > 0 {
		out.Boxed = facts.CountBoxed(f.glyphs, f.rest)
	}
	for i := range f.tables {
		out.Tables = append(out.Tables, f.tables[i].Box)
	}
	count := make([]int, len(c.fonts))
	for i := range c.chars {
		if f := c.chars[i].Font; f >= 0 && f < len(c.fonts) {
			count[f]++
		}
	}
	for i, n := range count {
		if n > 0 {
			out.Fonts[fontName(c.fonts[i])] += n
		}
	}
	return out
}

// fontName is the font's name without the tag of its subset.
func fontName(f pdfium.Font) string {
	if len(f.Name) > 7 && f.Name[6] == '+' {
		return f.Name[7:]
	}
	if f.Name == "" {
		return fmt.Sprintf("unnamed, flags %d", f.Flags)
	}
	return f.Name
}
