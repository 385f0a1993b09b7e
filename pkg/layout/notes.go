package layout

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// smallPrint is how large notes are set at most, against the text.
	smallPrint = 0.92
	// noteGap is how far, in ems, the notes of a table stand below it, and below
	// each other.
	noteGap = 2.2
)

var (
	noteMark = regexp.MustCompile(`^(\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\]|[a-z])$`)
	// tableMark begins a note below a table: also a sign that stands in cells, or
	// a number with a sign.
	tableMark = regexp.MustCompile(`^(\d{1,2}[.)]?|[*†‡§¶#—–+-]{1,5}|[\[(]?[\da-zA-Z]{1,2}[\])]|[a-zX])$`)
	// source begins the line that says where a table is from.
	source = regexp.MustCompile(`^(?i:sources?|notes?|nota|fonte|fuente|quelle|anmerkung|lecture|champ)\s*[:.–—]`)
)

// beginsAnew reports a text that begins as a caption or the source of a table
// does.
func beginsAnew(text string) bool { return BeginsCaption(text) || source.MatchString(text) }

// footnotes types the blocks in small print at the foot of their column that
// begin with a mark.
func footnotes(p Page, blocks []Block) {
	body := p.Facts.BodySize
	if body == 0 {
		return
	}
	list := false // a list in small print that begins above, or under a heading
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph || b.Turn != 0 || b.Size > smallPrint*body {
			list = b.Kind == Heading || list && (b.Kind == PageHeader || b.Kind == PageFooter)
			continue
		}
		word, raised, more := b.Lines[0].noteMark()
		if !more || !noteMark.MatchString(word) {
			continue
		}
		if list = !raised && (list || b.At.Top < 0.45*p.Height); list || p.textBelow(blocks, i, 0.95*body) {
			continue
		}
		if b.At.Top >= 0.45*p.Height || raised && belowText(blocks, i) {
			b.Kind, b.Marker, b.Confidence = Footnote, word, 0.85
		}
		if raised && b.Kind == Footnote {
			b.Lines[0].partMark(word)
		}
	}
	for i := 1; i < len(blocks); i++ { // their further paragraphs
		a, b := &blocks[i-1], &blocks[i]
		if a.Kind == Footnote && b.Kind == Paragraph && !source.MatchString(b.Lines[0].String()) && a.Turn == b.Turn && a.Size == b.Size && b.At.Top-a.At.Bottom < 0.8*b.Size && b.At.Top > a.At.Top && sharedX(a.At, b.At) > 0.5*b.At.Width() {
			b.Kind, b.Confidence = Footnote, 0.7
		}
	}
}

// noteMark is the line's first word, or its first characters when they are
// raised.
func (l *Line) noteMark() (mark string, raised, more bool) {
	n := 0
	for n < len(l.Glyphs) && n < 4 && l.Glyphs[n].Base < l.Base-float64(0.15*l.Size) {
		n++
	}
	if n > 0 && n < len(l.Glyphs) {
		var b strings.Builder
		for i := range l.Glyphs[:n] {
			b.WriteRune(l.Glyphs[i].Rune)
		}
		return b.String(), true, true
	}
	mark, more = l.wordAt(0)
	return mark, false, more
}

// partMark sets the raised mark that the line begins with apart from its text,
// which often no space does.
func (l *Line) partMark(mark string) {
	if n := utf8.RuneCountInString(mark); n < len(l.Glyphs) && l.Glyphs[n].Space == 0 {
		l.Glyphs[n].Space, l.Glyphs[n].Drawn = ' ', true
	}
}

// textBelow reports whether text of the size of the body stands below block i in
// its column, a row at the foot of the page aside.
func (p *Page) textBelow(blocks []Block, i int, size float64) bool {
	a := &blocks[i]
	return slices.ContainsFunc(blocks, func(b Block) bool {
		return b.Turn == a.Turn && (b.Kind == Paragraph || b.Kind == ListItem) && !p.inEdge(&b) && b.Size >= size && b.At.Top > a.At.Top && sharedX(a.At, b.At) > 0
	})
}

// belowText reports whether the nearest block above block i in its column is
// text of it, in larger type, or another note.
func belowText(blocks []Block, i int) bool {
	a := &blocks[i]
	var above *Block
	for k := range blocks {
		b := &blocks[k]
		if k != i && b.Turn == a.Turn && b.Kind != Box && b.At.Bottom <= a.At.Top+float64(0.3*a.Size) && sharedX(a.At, b.At) > 0 && (above == nil || b.At.Bottom > above.At.Bottom) {
			above = b
		}
	}
	return above != nil && (above.Kind == Footnote || above.Kind == Paragraph || above.Kind == ListItem) &&
		(above.Kind == Footnote || above.Size*smallPrint >= a.Size) && above.At.Width() < 1.5*a.At.Width()
}

// tableNotes types as footnotes what stands right below a table in small print
// and begins with a mark.
func tableNotes(p Page, blocks []Block) {
	body := p.Facts.BodySize
	if p.Walls == 0 || body == 0 {
		return
	}
	order := make([]int, 0, len(blocks))
	for i := range blocks {
		if b := &blocks[i]; b.Kind != Box && b.Turn == 0 && b.Size <= 0.96*body {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(blocks[a].At.Top, blocks[b].At.Top) })
	for w, table := range p.Boxes[:p.Walls] {
		bottom := table.Bottom
		for _, i := range order {
			b := &blocks[i]
			if b.At.Top < table.Bottom-float64(0.5*b.Size) || sharedX(b.At, table) <= 0 {
				continue
			}
			if b.At.Top-bottom > noteGap*b.Size {
				break
			}
			word, raised, more := b.Lines[0].noteMark()
			mark := more && (tableMark.MatchString(word) || raised && len([]rune(word)) <= 3)
			if !mark && !source.MatchString(b.Lines[0].String()) || b.Kind != Paragraph && b.Kind != ListItem && b.Kind != Footnote {
				break
			}
			if mark {
				b.Kind, b.Marker, b.Depth, b.Confidence = Footnote, word, 0, 0.85
			}
			b.Ref = w + 1
			bottom = b.At.Bottom
		}
	}
}

// lastNotes moves the footnotes of the page behind its text, column by column:
// those of tables stay where they are.
func lastNotes(blocks []Block) []Block {
	var text, notes, feet []Block
	for _, b := range blocks {
		switch {
		case b.Kind == PageFooter:
			feet = append(feet, b)
		case b.Kind == Footnote && b.Ref == 0:
			notes = append(notes, b)
		default:
			text = append(text, b)
		}
	}
	slices.SortStableFunc(notes, func(a, b Block) int { return cmp.Compare(a.At.Left, b.At.Left) })
	for first, k := 0, 1; k <= len(notes); k++ {
		right := 0.0
		for i := first; i < k; i++ {
			right = math.Max(right, notes[i].At.Right)
		}
		if k == len(notes) || notes[k].At.Left > right {
			slices.SortStableFunc(notes[first:k], func(a, b Block) int { return cmp.Compare(a.At.Top, b.At.Top) })
			first = k
		}
	}
	return slices.Concat(text, notes, feet)
}
