package pdf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/facts"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/table"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// maxReopened is how many pages of a sample may break the engine before the
// document is given up.
const maxReopened = 3

// Facts returns the document facts (contracts 4) as canonical JSON, learnt from
// a fixed sample of at most facts.MaxSample pages. A page of it that cannot be
// read is left out: it fails when its turn comes.
func (x *Extractor) Facts(ctx context.Context, in block.Input) (json.RawMessage, error) {
	known, err := x.learn(ctx, in)
	if err != nil {
		x.dropBroken(err)
		return nil, failure(err)
	}
	return known.JSON()
}

func (x *Extractor) learn(ctx context.Context, in block.Input) (*facts.Document, error) {
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
	var pages []facts.Page
	reopened := 0
	for _, pageNo := range facts.SampleOf(known.PageCount) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if x.document == nil {
			if d, err = x.open(in); err != nil {
				return nil, err
			}
		}
		page, err := samplePage(d, pageNo, &x.memory.chars)
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

func samplePage(d *pdfium.Document, pageNo int, buffer *[]pdfium.Char) (facts.Page, error) {
	p, err := d.Page(pageNo - 1)
	if err != nil {
		return facts.Page{}, err
	}
	defer p.Close()
	chars, fonts, err := p.CharsInto(*buffer)
	if err != nil {
		return facts.Page{}, err
	}
	*buffer = chars
	label, err := d.PageLabel(pageNo - 1)
	if err != nil {
		return facts.Page{}, err
	}
	graphics, err := p.Graphics()
	if err != nil {
		return facts.Page{}, err
	}
	s := sheetOf(p)
	_, rest := table.Find(s.shapes(graphics), glyphsOf(nil, p, s, chars, fonts)) // heads of tables are repeated too
	out := facts.Page{
		Sheet: facts.Sheet{PageNo: pageNo, Label: label, Width: s.width, Height: s.height, Rotation: p.Rotation},
		Lines: layout.Lines(layout.Page{Width: s.width, Height: s.height, Glyphs: rest}),
		Fonts: map[string]int{},
	}
	count := make([]int, len(fonts))
	for i := range chars {
		if f := chars[i].Font; f >= 0 && f < len(fonts) {
			count[f]++
		}
	}
	for i, n := range count {
		if n > 0 {
			out.Fonts[fontName(fonts[i])] += n
		}
	}
	return out, nil
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
