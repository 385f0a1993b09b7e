package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// paragraphs puts rows, in reading order, into blocks.
func paragraphs(rows []row, mono bool) []Block {
	var out []Block
	lead := leading(rows)
	p := paragraph{}
	for i := range rows {
		if len(p.rows) > 0 && p.ends(&rows[i], lead, mono) {
			out = append(out, p.block())
			p = paragraph{}
		}
		if n := len(p.rows); n > 0 && p.rows[n-1].overColumn(&rows[i]) {
			p.column = n
		}
		p.rows = append(p.rows, &rows[i])
	}
	if len(p.rows) > 0 {
		out = append(out, p.block())
	}
	return out
}

type paragraph struct {
	rows   []*row
	column int // the row that the column at hand begins with
}

// ends reports whether b begins a block of its own after the rows of p. mono:
// all of the document is set in letters of one width, so that they do not
// mean code.
func (p *paragraph) ends(b *row, lead float64, mono bool) bool {
	a := p.rows[len(p.rows)-1]
	x, y := a.last(), b.first()
	if x.Turn != y.Turn || x.Hidden != y.Hidden || x.Outside != y.Outside {
		return true
	}
	if !sameSize(a.size, b.size) || !mono && a.mono() != b.mono() && (a.bold || !b.first().lowerStart()) {
		return true
	}
	if !mono && p.code() && b.mono() {
		return b.base <= a.base || p.gap(b, lead) || b.at.Left > a.right
	}
	if a.overColumn(b) {
		return false
	}
	if !follows(a, b) || p.gap(b, lead) {
		return true
	}
	if a.last().led() || a.entry() && b.entry() || isNote(p.rows[0]) && isNote(b) {
		return true
	}
	if isItem(b) && !p.inSentence(b) || (isArticle(b) || isNote(b) || beginsAnew(b.first().String())) && (endsSentence(a.last()) || !a.full()) {
		return true
	}
	if x.endsWithHyphen() && b.first().lowerStart() {
		return false
	}
	if a.bold != b.bold && !(a.full() && b.first().lowerStart()) {
		return true
	}
	if p.centered(b) {
		return false
	}
	return p.indented(b) || a.short(b)
}

// entry reports a row of a table of contents: a page's number stands alone at
// its right end.
func (a *row) entry() bool {
	last := a.last()
	return len(a.lines) > 1 && a.full() && len(last.Glyphs) <= 6 && pageNumber.MatchString(last.String())
}

// led reports a line that ends with points and the number of a page behind them.
func (l *Line) led() bool {
	i := len(l.Glyphs)
	for i > 0 && (unicode.IsDigit(l.Glyphs[i-1].Rune) || strings.ContainsRune("ivxlc,-–", l.Glyphs[i-1].Rune)) {
		i--
	}
	if i < leastPoints || i == len(l.Glyphs) || l.last().Rune == ',' {
		return false
	}
	return !slices.ContainsFunc(l.Glyphs[i-leastPoints:i], func(g Glyph) bool { return g.Rune != '.' && g.Rune != '·' && g.Rune != '…' })
}

// leastPoints is how many points lead from an entry to its page at least.
const leastPoints = 4

// overColumn reports whether b goes on at the head of the next column with the
// sentence that a breaks off at the foot of its own.
func (a *row) overColumn(b *row) bool {
	x, y := a.last(), b.first()
	if b.base > a.base-float64(3*a.size) || b.at.Left < a.right || b.at.Left > a.right+math.Max(6*a.size, (a.right-a.left)/2) || a.bold != b.bold {
		return false
	}
	return a.full() && !endsSentence(x) && x.wordy() && y.wordy() && y.lowerStart() && !isItem(b)
}

// inSentence reports whether the number that b begins with stands there by
// chance: in the middle of a sentence that fills its lines, or that breaks off
// before a number that no list begins with.
func (p *paragraph) inSentence(b *row) bool {
	a := p.rows[len(p.rows)-1]
	m := marker(b)
	item := isItem(p.rows[0])
	if strings.ContainsRune(bullets, []rune(m)[0]) || item && !isInitial(m) || endsSentence(a.last()) {
		return false
	}
	hangs := item && len(p.rows) == 1 && b.at.Left > a.at.Left
	later := (unicode.IsDigit(rune(m[0])) || m[0] == '[') && !strings.Contains("1. 1) [1]", m)
	return (a.full() || later && a.last().inProse()) && (hangs || math.Abs(b.at.Left-a.at.Left) < 0.7*a.size)
}

// code reports whether all rows are set in letters of one width.
func (p *paragraph) code() bool {
	for _, r := range p.rows {
		if !r.mono() {
			return false
		}
	}
	return true
}

func (a *row) mono() bool {
	for i := range a.lines {
		if !a.lines[i].Mono {
			return false
		}
	}
	return true
}

// gap reports whether b stands further below than the lines of one block do.
func (p *paragraph) gap(b *row, lead float64) bool {
	a := p.rows[len(p.rows)-1]
	size := math.Max(a.size, b.size)
	step := b.base - a.base
	if n := len(p.rows) - p.column; n > 1 {
		usual := (a.base - p.rows[p.column].base) / float64(n-1)
		if n >= evenRows && p.even(usual) {
			return step > evenGap*usual
		}
		return step > float64(1.22*usual)+float64(0.1*size)
	}
	return step > 1.3*lead*size
}

// Rows that stand evenly, at least so many, show a gap that is not much wider.
const (
	evenRows = 4
	evenGap  = 1.18
)

// even reports whether the rows of the column at hand stand at one distance.
func (p *paragraph) even(usual float64) bool {
	for i := p.column + 1; i < len(p.rows); i++ {
		if math.Abs(p.rows[i].base-p.rows[i-1].base-usual) > 0.02*usual {
			return false
		}
	}
	return true
}

// full reports whether the row reaches the right edge of its flow.
func (a *row) full() bool { return a.right-a.at.Right < 2*a.size }

// short reports whether the row ends so early that the next word would have
// had room: the end of a paragraph, when the text around agrees.
func (a *row) short(b *row) bool {
	room := math.Min(a.right, math.Max(b.right, b.at.Right)) - a.at.Right
	if room < b.first().firstWord()+float64(0.6*a.size) {
		return false
	}
	least := 0.15
	if a.last().inProse() {
		least = 0.3 // a name may begin the next line
	}
	return endsSentence(a.last()) || !b.first().lowerStart() && room > least*(a.right-a.left)
}

// inProse reports a line of running text that breaks off after a small letter or
// a comma.
func (l *Line) inProse() bool {
	r := l.last().Rune
	return proseLine(l) && (unicode.IsLower(r) || r == ',')
}

// indented reports whether the left edge of b says that a block begins.
func (p *paragraph) indented(b *row) bool {
	a := p.rows[len(p.rows)-1]
	in := b.at.Left - a.at.Left
	em := a.size
	switch {
	case in > 0.7*em && len(p.rows) == 1 && a.hangs(b):
		return false
	case in > 0.7*em:
		// Below the first row of an item or a hanging paragraph the text goes on.
		return !(len(p.rows) == 1 && (isItem(a) || a.full() && b.first().goesOnFrom(a.last()))) && !(isItem(p.rows[0]) && b.first().lowerStart())
	case in < -0.7*em:
		return len(p.rows) > 1 || isItem(a) && a.right-a.at.Right >= b.first().firstWord()+float64(0.6*em)
	}
	return false
}

// hangs reports whether b goes on, in the same bold type, where the title begins behind the
// number of a: headings of two lines are set so.
func (a *row) hangs(b *row) bool {
	if !a.bold || !b.bold || !sameSize(a.size, b.size) || isItem(b) {
		return false
	}
	number, glyphs := true, a.first().Glyphs
	for i := range glyphs {
		switch r := glyphs[i].Rune; {
		case i > 0 && spaceBetween(&glyphs[i-1], &glyphs[i]) != 0:
			return number && math.Abs(glyphs[i].At.Left-b.at.Left) < 0.3*a.size
		case !unicode.IsDigit(r) && r != '.':
			number = false
		}
	}
	return false
}

// goesOnFrom reports whether l is the rest of the sentence that the line above it
// begins.
func (l *Line) goesOnFrom(above *Line) bool {
	return l.lowerStart() || above.last().Rune == ','
}

// centered reports whether all rows share one middle and not one edge.
func (p *paragraph) centered(b *row) bool {
	if len(p.rows) > 6 || b.full() && b.at.Left-b.left < 2*b.size {
		return false // a line that fills its flow is in the middle of it by chance
	}
	a := p.rows[0]
	middle := (a.at.Left + a.at.Right) / 2
	if math.Abs(middle-(b.at.Left+b.at.Right)/2) > 0.6*a.size || math.Abs(a.at.Left-b.at.Left) < 0.3*a.size || math.Abs(a.at.Right-b.at.Right) < 0.3*a.size {
		return false
	}
	page := (a.left + a.right) / 2
	return math.Abs(middle-page) < 3*a.size
}

func endsSentence(l *Line) bool {
	for i := len(l.Glyphs) - 1; i >= 0; i-- {
		r := l.Glyphs[i].Rune
		if strings.ContainsRune(`)]"'»”’`, r) {
			continue
		}
		return strings.ContainsRune(".!?:;…。؟", r)
	}
	return false
}

// block makes the block of the rows. It is a paragraph until classify says
// otherwise.
func (p *paragraph) block() Block {
	b := Block{Kind: Paragraph, Size: p.rows[0].size}
	b.Box, b.At = p.rows[0].lines[0].Box, p.rows[0].at
	bold, italic := true, true
	for n, r := range p.rows {
		if n > 0 && p.rows[n-1].overColumn(r) {
			b.Parts = append(b.Parts, len(b.Lines))
		}
		for i := range r.lines {
			b.Lines = append(b.Lines, r.lines[i])
			if len(b.Parts) == 0 {
				b.Box = b.Box.Union(r.lines[i].Box)
			}
			italic = italic && r.lines[i].Italic
		}
		if len(b.Parts) == 0 {
			b.At = b.At.Union(r.at)
		}
		bold = bold && r.bold
	}
	b.rows = len(p.rows)
	b.left, b.right = p.rows[0].left, p.rows[0].right
	first := p.rows[0].first()
	b.Bold, b.italic = bold, italic
	b.Hidden, b.Outside, b.Turn = first.Hidden, first.Outside, first.Turn
	b.full = p.rows[len(p.rows)-1].full()
	return b
}

func isUpper(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		letters += CountIf(unicode.IsUpper(r))
	}
	return letters >= 3
}
