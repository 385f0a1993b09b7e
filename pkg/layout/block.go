package layout

import (
	"math"
	"strings"
	"unicode"
)

// Kind is what a block is.
type Kind int

// The kinds of block.
const (
	Paragraph Kind = iota
	Heading
	ListItem
	Caption
	Footnote
	PageHeader
	PageFooter
	Code
	// Box is a table or picture that the caller knows: Block.Ref.
	Box
)

// Block is one block of the page.
type Block struct {
	Kind  Kind
	Lines []Line
	// Parts are the lines that each further column begins with, when the block
	// goes on from one to the next. Box and At are those of the first column.
	Parts           []int
	Box             Rect // on the page
	At              Rect // in the frame of its direction
	Size            float64
	Bold            bool
	Turn            int
	Hidden, Outside bool

	Level  int    // of a heading, 1..6
	Depth  int    // of a list item, from 1
	Marker string // of a list item or footnote
	// Guess says what made it a heading and how sure that is.
	Guess      string
	Confidence float64
	// Continues and Continued: it runs over the page's end, or began before it.
	Continues, Continued bool

	// Ref is the index in Page.Boxes of a Box; of a caption, and of a note below a
	// table, 1 + that of the box that it belongs to, 0 for none.
	Ref int

	rows        int
	left, right float64
	full        bool
	italic      bool
}

// Text returns what the block says, words that a line's end breaks joined and
// soft hyphens left out, and the same as printed: a broken word with its hyphen
// and the line's end. Lines are divided by a space, those of code by their ends
// and with their indents.
func (b *Block) Text(w Words) (text, printed string) {
	if b.Kind == Code {
		text = b.code()
		return text, text
	}
	var t, p strings.Builder
	for i := range b.Lines {
		l := &b.Lines[i]
		if i > 0 {
			before := &b.Lines[i-1]
			if !before.endsWithHyphen() {
				t.WriteRune(spaceOf(l.first()))
				p.WriteRune(spaceOf(l.first()))
			} else {
				p.WriteByte('\n')
			}
		}
		if i+1 < len(b.Lines) && w.joins(l, &b.Lines[i+1]) {
			part := *l
			part.Glyphs = l.Glyphs[:len(l.Glyphs)-1]
			part.text(&t, false)
		} else {
			l.text(&t, false)
		}
		l.text(&p, true)
	}
	return t.String(), p.String()
}

// code returns the lines as they stand, indents in spaces of a letter's width.
func (b *Block) code() string {
	var t strings.Builder
	for i := range b.Lines {
		l := &b.Lines[i]
		switch {
		case i > 0 && sameRow(&b.Lines[i-1], l):
			t.WriteString(strings.Repeat(" ", indent(l.At.Left-b.Lines[i-1].At.Right, l)))
		default:
			if i > 0 {
				t.WriteByte('\n')
			}
			t.WriteString(strings.Repeat(" ", indent(l.At.Left-b.At.Left, l)))
		}
		l.text(&t, true)
	}
	return t.String()
}

// indent is how many letters of the line fit into a width.
func indent(width float64, l *Line) int {
	letter := l.first().At.Width()
	if !(letter > 0.2*l.Size) {
		letter = 0.6 * l.Size
	}
	return min(max(int(math.Round(width/letter)), 0), 80)
}

// Words are words that are written with a hyphen, in small letters without it:
// where such a word is broken at its hyphen, the hyphen stays.
type Words map[string]bool

// spaceOf is the space that stands for a line's end: one that the file has, if
// it is not a common one.
func spaceOf(g *Glyph) rune {
	if g.Space != 0 && g.Drawn && g.Space != '\t' && g.Space != '\r' && g.Space != '\n' {
		return g.Space
	}
	return ' '
}

// joins reports whether the hyphen at the end of first is no part of the word
// that goes on in second.
func (w Words) joins(first, second *Line) bool {
	if !first.endsWithHyphen() || len(first.Glyphs) < 2 {
		return false
	}
	r, before := second.first().Rune, first.Glyphs[len(first.Glyphs)-2].Rune
	if !unicode.IsLetter(r) || unicode.IsUpper(r) && !first.endsInCapitals() {
		return first.last().Rune == softHyphen
	}
	return unicode.IsLetter(before) && !w[wordAround(first, second)]
}

// endsInCapitals reports whether the hyphen at the line's end breaks a word that is
// set in capitals.
func (l *Line) endsInCapitals() bool {
	n := len(l.Glyphs)
	return n > 2 && unicode.IsUpper(l.Glyphs[n-2].Rune) && unicode.IsUpper(l.Glyphs[n-3].Rune)
}

// wordAround is the word that the hyphen between two lines breaks, in small
// letters.
func wordAround(first, second *Line) string {
	glyphs := first.Glyphs[:len(first.Glyphs)-1]
	from := len(glyphs)
	for from > 0 && wordRune(glyphs[from-1].Rune) && (from == len(glyphs) || spaceBetween(&glyphs[from-1], &glyphs[from]) == 0) {
		from--
	}
	var b strings.Builder
	for i := from; i < len(glyphs); i++ {
		b.WriteRune(unicode.ToLower(glyphs[i].Rune))
	}
	for i := range second.Glyphs {
		g := &second.Glyphs[i]
		if !wordRune(g.Rune) || i > 0 && spaceBetween(&second.Glyphs[i-1], g) != 0 {
			break
		}
		b.WriteRune(unicode.ToLower(g.Rune))
	}
	return b.String()
}

// Hyphenated collects the words with a hyphen inside a line.
func Hyphenated(lines []Line) Words {
	w := Words{}
	for i := range lines {
		glyphs := lines[i].Glyphs
		for k := 1; k+1 < len(glyphs); k++ {
			if r := glyphs[k].Rune; r != '-' && r != hyphen && r != '\u2011' {
				continue
			}
			first, second := Line{Glyphs: glyphs[:k+1]}, Line{Glyphs: glyphs[k+1:]}
			if wordRune(glyphs[k-1].Rune) && wordRune(glyphs[k+1].Rune) {
				w[wordAround(&first, &second)] = true
			}
		}
	}
	return w
}
