package layout

import (
	"regexp"
	"strings"
)

// pageNumber is a page's number standing alone, also as "Page 3 of 7", "- 3 -"
// or "7-45".
var pageNumber = regexp.MustCompile(`^(?i)(?:(?:page|página|pagina|seite|p\.)\s*)?[-–—]?\s*(?:\d{1,4}(?:[-–.]\d{1,4})?|[ivxlc]{1,7})\s*[-–—]?(?:\s*(?:/|of|de|sur|di|von)\s*\d{1,4})?$`)

// marginShare is the share of the page's height at its edges in which single rows
// are hardly ever text.
const marginShare = 0.08

// inEdge reports whether the block is one row in the margin above or below the
// text of the page.
func (p *Page) inEdge(b *Block) bool {
	return b.rows == 1 && (b.At.Top >= (1-marginShare)*p.Height || b.At.Bottom <= marginShare*p.Height)
}

// doubtful reports whether the block is nothing but rows at the height of running
// texts that nothing proves to be some: no sentence of the text goes through it.
func (b *Block) doubtful() bool {
	for i := range b.Lines {
		if !b.Lines[i].Doubtful {
			return false
		}
	}
	return true
}

// Piece is a part of a line that white space of a given width divides from the next.
type Piece struct {
	Text string
	At   Rect // in the frame of its direction
}

// Pieces divides the line where neighbours stand an em apart or more.
func (l *Line) Pieces() []Piece {
	var out []Piece
	start := 0
	for i := 1; i <= len(l.Glyphs); i++ {
		if i < len(l.Glyphs) && l.Glyphs[i].At.Left-l.Glyphs[i-1].At.Right < partGap*l.Size {
			continue
		}
		part := Line{Glyphs: l.Glyphs[start:i]}
		at := part.Glyphs[0].At
		for k := range part.Glyphs {
			at = at.Union(part.Glyphs[k].At)
		}
		out = append(out, Piece{Text: part.String(), At: at})
		start = i
	}
	return out
}

// partGap is the white space, in ems, that divides the parts of a row: it sets a
// page's number off from what stands beside it.
const partGap = 1

// InParts is the text of the block as printed, with a tab where white space divides
// the parts of a row, and a line's end between rows.
func (b *Block) InParts() string {
	var out strings.Builder
	for i := range b.Lines {
		l := &b.Lines[i]
		if i > 0 {
			before := &b.Lines[i-1]
			switch {
			case !sameRow(before, l):
				out.WriteByte('\n')
			case l.At.Left-before.At.Right >= partGap*l.Size:
				out.WriteByte('\t')
			default:
				out.WriteByte(' ')
			}
		}
		for k, p := range l.Pieces() {
			if k > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(p.Text)
		}
	}
	return out.String()
}

// OneRow reports whether all lines of the block stand side by side.
func (b *Block) OneRow() bool {
	for i := 1; i < len(b.Lines); i++ {
		if !sameRow(&b.Lines[i-1], &b.Lines[i]) {
			return false
		}
	}
	return true
}
