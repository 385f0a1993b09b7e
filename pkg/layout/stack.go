package layout

import "unicode"

// Stack returns the lines of glyphs that stand alone, as in the cell of a
// table: from top to bottom, from left to right.
func Stack(glyphs []Glyph) []Line { return Rows(logically(fragments(glyphs))) }

// Join returns the text of lines that belong together, words that a line's end
// breaks joined.
func Join(lines []Line, w Words) string {
	b := Block{Lines: lines}
	text, _ := b.Text(w)
	return text
}

// LineOf is the line of these glyphs, of which there is at least one.
func LineOf(glyphs []Glyph) Line { return newLine(glyphs) }

// Apart reports whether white space stands between two neighbours of a line.
func Apart(a, b *Glyph) bool { return spaceBetween(a, b) != 0 }

// Columns divides lines by the gutters between columns of running text, from
// left to right. Lines that reach across a gutter belong to the column that
// they begin in.
func Columns(lines []Line) [][]Line {
	between := guttersOf(lines)
	out := make([][]Line, len(between)+1)
	for i := range lines {
		k := 0
		for k < len(between) && lines[i].At.Left >= between[k] {
			k++
		}
		out[k] = append(out[k], lines[i])
	}
	return out
}

// Single is the block of a line that stands for itself.
func Single(l Line) Block {
	b := Block{Lines: []Line{l}, Box: l.Box, At: l.At, Size: l.Size, Bold: l.allBold(), Turn: l.Turn, Confidence: 1, rows: 1}
	b.Hidden, b.Outside = l.Hidden, l.Outside
	return b
}

// BeginsCaption reports whether a text begins as the caption of a table or
// figure does.
func BeginsCaption(text string) bool { return captions.MatchString(text) }

// NamesOnly reports whether a text is the name and number of a table or figure and
// nothing else, as captions without a title are, and the labels of some axes.
func NamesOnly(text string) bool { return BeginsCaption(text) && captionLabel.MatchString(text) }

// NamesPart reports whether a line begins as the name of one of several drawings
// side by side does: "(a) The upper weir".
func (l *Line) NamesPart() bool {
	g := l.Glyphs
	return len(g) > 3 && g[0].Rune == '(' && unicode.IsLower(g[1].Rune) && g[2].Rune == ')' && spaceBetween(&g[2], &g[3]) != 0
}
