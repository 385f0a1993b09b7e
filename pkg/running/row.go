// Package running decides which lines at the edges of a document's pages are running
// heads and feet. It is the only place that does: for lines of a PDF's text layer,
// for lines that OCR has read, and for the proof that nothing else was left out of
// chunks (ADR 11).
//
// Learn looks at pages and says what is proved to repeat; Decide says of one page
// which of its lines go, from the edges inwards. Both are pure. What is in doubt is
// text of the page: a head that stays costs a little, text that goes is lost.
package running

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a row of a page is.
type Kind int

// The kinds of row. Texts that stand turned in a side margin count as feet.
const (
	Body Kind = iota
	Head
	Foot
)

// Mark is what the file itself says about a row by marked content.
type Mark int

// The marks of a row.
const (
	Unmarked Mark = iota
	Artifact      // all of it is an artifact of pagination
	Content       // some of it is in the structure of the document
	Orphan        // all of it has ids of marked content, which no element of that structure has
)

// Part is a piece of a row that white space of one em or more divides from the next.
type Part struct {
	Text        string
	Left, Right float64 // points from the page's left edge
}

// Row is all that stands on one baseline, from the left to the right. Lengths are
// points of the upright page, or pixels of a picture.
type Row struct {
	Parts  []Part
	Top    float64 // its upper edge, from the upper edge of the page
	Base   float64 // its baseline, from the upper edge of the page
	First  float64 // of several lines together: the baseline of the first; else 0
	Size   float64 // of the type
	Bold   bool
	Italic bool
	Turn   int // direction of writing in degrees; other than 0 only in Page.Sides
	Mark   Mark
	Chars  int // visible characters
	// Solid is a table or the like: text that is no head, whatever it says. It has
	// no parts; Base is its lower edge.
	Solid bool
}

// Page is one page: all of its rows, from the top down, and what stands turned in its
// side margins.
type Page struct {
	No            int    // from 1
	Label         string // its printed number, as the file names it; often empty
	Width, Height float64
	// Rows have their parts as far as heads can reach from an edge, and one more; Rest
	// returns the texts of all others, and may be nil.
	Rows  []Row
	Rest  func() []string
	Sides []Row
	Boxed Boxed // what the tables of the page hold

	lines []line // the texts of Rows and Rest, made when they are needed
}

// Boxed counts the visible characters that stand in tables, and those of them that
// the file marks as content and as artifacts.
type Boxed struct{ Chars, Content, Artifacts int }

// Reach is how many rows from an edge on have their parts.
const Reach = maxRows + 1

// Text is the row as one string, with one space between parts.
func (r *Row) Text() string {
	if len(r.Parts) == 1 {
		return r.Parts[0].Text
	}
	texts := make([]string, len(r.Parts))
	for i := range r.Parts {
		texts[i] = r.Parts[i].Text
	}
	return strings.Join(texts, " ")
}

const (
	// textEdge and numberEdge are the shares of the page's height, from its upper and
	// its lower edge, in which running texts stand, and page numbers alone:
	// LaTeX's articles have theirs at 0.16 of a letter page.
	textEdge, numberEdge = 0.15, 0.22
	// plainEdge is textEdge of rows in the type of the text without the page's number:
	// farther in, on pages that are not full, outcomes and results stand at one height.
	plainEdge = 0.1
	// artifactEdge is the same for what the file marks as an artifact. Programs that
	// add tags to files mark as artifacts what they do not understand, which is
	// often text in the middle of the page.
	artifactEdge = 0.25
	// maxRows is how many rows from an edge on are looked at: heads with a coat of
	// arms have some six.
	maxRows = 8
	// maxText is how many characters a running row has at most.
	maxText = 250
	// apartPitch is how far, in line pitches, a head in the type of the text is from
	// it; smallPitch is enough for one in smaller type, typePitch for another weight
	// or slant.
	apartPitch, smallPitch, typePitch = 1.5, 1, 1.25
	// smaller and larger than the text type is from these ratios on.
	smaller, larger = 0.93, 1.08
	// readSmaller and readLarger are the same for lines that OCR has read: their height
	// is that of their ink, which letters without strokes have less of.
	readSmaller, readLarger = 0.7, 1.5
	// tableGap is how far, in line pitches, the baseline of a head in small type is from
	// the upper edge of a table below it, which is that of its rulings.
	tableGap = 0.1
	// tablePitch is how far, in line pitches, the next row of a table is at most, and
	// columnSlack how far, in ems, the edges of a column are off.
	tablePitch, columnSlack = 2.5, 0.2
)

// edgeRows returns the rows from one edge inwards, by index, as far as heads can
// reach: to the first table, and not beyond the middle of the page.
func (p *Page) edgeRows(foot bool) []int {
	var out []int
	for k := range p.Rows {
		i := k
		if foot {
			i = len(p.Rows) - 1 - k
		}
		r := &p.Rows[i]
		if r.Solid || len(out) == maxRows || p.from(r, foot) > artifactEdge*p.Height {
			break
		}
		out = append(out, i)
	}
	return out
}

// from is how far the row's baseline is from the edge.
func (p *Page) from(r *Row, foot bool) float64 {
	if foot {
		return p.Height - r.Base
	}
	return r.Base
}

// inner returns the row that follows row i towards the middle of the page, nil when
// there is none. What stands beside it, in larger type, does not follow it.
func (p *Page) inner(i int, foot bool) *Row {
	r, step := &p.Rows[i], 1
	if foot {
		step = -1
	}
	for k := i + step; k >= 0 && k < len(p.Rows); k += step {
		if next := &p.Rows[k]; next.Solid || !next.beside(r) {
			return next
		}
	}
	return nil
}

// beside reports whether two rows share a height and no part of the page's width.
func (r *Row) beside(o *Row) bool {
	if len(r.Parts) == 0 || len(o.Parts) == 0 || r.Top >= o.Base || o.Top >= r.Base {
		return false
	}
	return r.Parts[len(r.Parts)-1].Right <= o.Parts[0].Left || o.Parts[len(o.Parts)-1].Right <= r.Parts[0].Left
}

// apart reports whether row i is set off from what follows it inwards, by its
// distance or by its type. Of what OCR has read the distance alone counts.
func (p *Page) apart(i int, foot bool, f *Facts) bool {
	r, next, pitch := &p.Rows[i], p.inner(i, foot), f.Pitch
	if next == nil {
		return true
	}
	if next.Solid {
		gap := gapBetween(r, next, foot)
		if f.isSmall(r) {
			return gap >= tableGap*pitch
		}
		return gap >= (apartPitch-1)*pitch
	}
	step := stepBetween(r, next, foot)
	switch {
	case step >= apartPitch*pitch:
		return true
	case f.Read:
		return false
	case r.Size <= smaller*next.Size:
		return step >= smallPitch*pitch
	case step < smallPitch*pitch:
		return false
	case r.saysNumber():
		return true
	case r.Bold != next.Bold || r.Italic != next.Italic:
		return step >= typePitch*pitch
	}
	return false
}

// saysNumber reports a row that is a page's number with a word for page or the number of
// all, and nothing else.
func (r *Row) saysNumber() bool {
	if len(r.Parts) != 1 || !strings.ContainsAny(r.Parts[0].Text, figuresAll) {
		return false
	}
	text := fold(r.Parts[0].Text)
	return counted.MatchString(text) && alone.MatchString(text)
}

// gapBetween is the white space between a row and the table that is next inwards.
func gapBetween(r, next *Row, foot bool) float64 {
	if foot {
		return r.Top - next.Base
	}
	return next.Top - r.Base
}

// stepBetween is how far the baselines of a row and of the next one inwards are from
// each other, where they face each other.
func stepBetween(r, next *Row, foot bool) float64 {
	if foot {
		return math.Abs(r.first() - next.Base)
	}
	return math.Abs(next.first() - r.Base)
}

// first is the baseline of the row's first line.
func (r *Row) first() float64 {
	if r.First > 0 {
		return r.First
	}
	return r.Base
}

// inTable reports whether row i and the next one inwards are rows of one table: both
// have several parts, and each of the first stands in a column with one of the
// second. A row with the page's own number is in none, and ends none.
func (f *Facts) inTable(p *Page, i int, foot bool) bool {
	if !f.inColumns(p, i, foot) {
		return false
	}
	_, owned, _ := f.key(p, &p.Rows[i])
	_, nextOwned, _ := f.key(p, p.inner(i, foot))
	return !owned && !nextOwned
}

// inColumns is inTable of rows with numbers of pages too.
func (f *Facts) inColumns(p *Page, i int, foot bool) bool {
	r, next := &p.Rows[i], p.inner(i, foot)
	if next == nil || len(r.Parts) < 2 || len(next.Parts) < 2 || stepBetween(r, next, foot) > tablePitch*f.Pitch {
		return false
	}
	slack := columnSlack * r.Size
	for _, a := range r.Parts {
		if !slices.ContainsFunc(next.Parts, func(b Part) bool {
			return math.Abs(a.Left-b.Left) <= slack || math.Abs(a.Right-b.Right) <= slack || math.Abs(a.Left+a.Right-b.Left-b.Right) <= 2*slack
		}) {
			return false
		}
	}
	return true
}

// isSentence reports a row that ends like a sentence, or in the middle of one.
func (r *Row) isSentence() bool {
	text := strings.TrimRight(r.Text(), ")]\"'»”’ ")
	last, _ := utf8.DecodeLastRuneInString(text)
	switch last {
	case ',', ';', ':', '-', '\u2010', '\u00ad':
		return true
	case '.', '!', '?', '…', '。', '؟', '।':
		words := strings.Fields(text)
		return !abbreviations[strings.ToLower(strings.TrimRight(words[len(words)-1], ".!?…"))]
	}
	return false
}

// abbreviations end names with a point that ends no sentence.
var abbreviations = map[string]bool{
	"ltd": true, "inc": true, "co": true, "corp": true, "no": true, "nr": true, "bros": true, "jr": true, "sr": true,
	"e.v": true, "s.a": true, "s.p.a": true, "s.r.l": true, "s.l": true, "lda": true, "ltda": true, "cia": true, "cie": true,
}

// goesOn reports whether the row goes on with the sentence of the row before it. An
// address ("www.…") goes on with none.
func (r *Row) goesOn(before *Row) bool {
	if before == nil || before.Solid {
		return false
	}
	word, _, _ := strings.Cut(r.Text(), " ")
	if strings.ContainsAny(strings.TrimRight(word, ".:"), ".@:/") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before.Text(), ")]\"'»”’ "))
	return unicode.IsLower(first) && !strings.ContainsRune(".!?…。؟।", last)
}

// isDrawn reports a row of signs alone, without a letter or a digit: a line to write
// on, an ornament.
func (r *Row) isDrawn() bool {
	return len(r.Parts) > 0 && !slices.ContainsFunc(r.Parts, func(p Part) bool {
		return strings.ContainsFunc(p.Text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
	})
}

// isBlank reports a row with a line to write on: a field of a form.
func (r *Row) isBlank() bool {
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return strings.Contains(p.Text, "__") || strings.Contains(p.Text, ".....") })
}

// hasLetter reports whether any part of the row has a letter.
func (r *Row) hasLetter() bool {
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return strings.ContainsFunc(p.Text, unicode.IsLetter) })
}
