package layout

import (
	"math"
	"slices"
	"unicode"
)

// joinParts joins paragraphs and list items that break off at the foot of a
// column, or above a table or picture, with the rest of their sentence: at the
// head of the next column, or below what stands between.
func joinParts(p Page, blocks []Block) []Block {
	var out []Block
	for i := range blocks {
		b := &blocks[i]
		k := len(out) - 1
		for k >= 0 && k >= len(out)-3 && out[k].Kind == Caption {
			k--
		}
		if k >= 0 && p.goesOn(&out[k], b) {
			a := &out[k]
			n := len(a.Lines)
			a.Parts = append(a.Parts, n)
			for _, part := range b.Parts {
				a.Parts = append(a.Parts, n+part)
			}
			a.Lines = slices.Concat(a.Lines, b.Lines)
			a.rows, a.full = a.rows+b.rows, b.full
			continue
		}
		out = append(out, *b)
	}
	return out
}

// goesOn reports whether b is the rest of a.
func (p *Page) goesOn(a, b *Block) bool {
	if a.Kind != Paragraph && a.Kind != ListItem || b.Kind != Paragraph || a.Turn != 0 || b.Turn != 0 ||
		a.Hidden != b.Hidden || a.Outside != b.Outside || a.Bold != b.Bold || !sameSize(a.Size, b.Size) {
		return false
	}
	x, y := &a.Lines[len(a.Lines)-1], &b.Lines[0]
	number := x.inProse() && unicode.IsDigit(y.first().Rune) && marker(&row{lines: b.Lines[:1]}) == ""
	if endsSentence(x) || !x.wordy() || !y.wordy() || !y.lowerStart() && !number {
		return false
	}
	column := a.lastColumn()
	width := column.Width()
	if x.At.Right-column.Left < width/2 || width < proseWidth*a.Size {
		return false
	}
	if y.Base < x.Base-float64(0.5*a.Size) {
		return y.At.Left >= column.Right && y.At.Left <= column.Right+math.Max(6*a.Size, width/2)
	}
	return y.Base > x.Base && math.Abs(y.At.Left-column.Left) < 2*a.Size && slices.ContainsFunc(p.Boxes, func(box Rect) bool {
		return box.Top > x.Base-a.Size && box.Bottom < y.Base && sharedX(box, column) > 0
	})
}

// lastColumn is the place of the block in the last column that it is in, of few
// lines as wide as the text around them runs.
func (b *Block) lastColumn() Rect {
	first := 0
	if n := len(b.Parts); n > 0 {
		first = b.Parts[n-1]
	}
	r := b.Lines[first].At
	for i := range b.Lines[first:] {
		r = r.Union(b.Lines[first+i].At)
	}
	if first == 0 && len(b.Lines) < flowRows {
		r.Left, r.Right = math.Min(r.Left, b.left), math.Max(r.Right, b.right)
	}
	return r
}
