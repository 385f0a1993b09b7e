package running

import (
	"cmp"
	"regexp"
	"slices"
)

// numbered is a row at an edge that has what could be the page's number.
type numbered struct {
	row   int
	foot  bool
	says  saying
	alone bool    // it has nothing else
	small bool    // in type smaller than the text's
	from  float64 // distance from the edge
}

// stroked is a number between strokes: nothing but pages is counted so.
var stroked = regexp.MustCompile(`^[-–—]\s*` + number + `\s*[-–—]$`)

// saying is how plainly a row says that its number is the page's.
type saying int

const (
	saysNothing saying = iota
	saysTotal          // alone with the number of all
	saysPage           // by a word for a page, or strokes around it
	saysFile           // the file calls it an artifact
)

// keepOneNumber gives rows back to the text that have a number which runs with the pages
// where another row has the page's own: a page has one, and verses, lots, questions and
// years are counted page by page too, and begin at the number of the page as often as not.
// The page's own is the one that says so, else the one in small type, else the outermost.
// Other rows stay heads only if they say it too. With a row goes what stands
// further inwards.
func (f *Facts) keepOneNumber(p *Page, d *Decision) {
	var all []numbered
	for i := range p.Rows {
		if d.Rows[i] == Body {
			continue
		}
		if n, ok := f.numberedRow(p, i, d.Rows[i] == Foot); ok {
			if d.Why[i] == Marked {
				n.says = saysFile
			}
			all = append(all, n)
		}
	}
	if len(all) < 2 {
		return
	}
	for i := range all { // a score, as 3/6, has the page's number further out
		n := &all[i]
		if n.says == saysTotal && slices.ContainsFunc(all, func(o numbered) bool { return o.foot == n.foot && o.alone && o.from < n.from }) {
			n.says = saysNothing
		}
	}
	own := slices.MinFunc(all, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(b.says, a.says), kindOf(b.small)-kindOf(a.small), cmp.Compare(a.from, b.from))
	})
	for _, n := range all {
		if n.row != own.row && n.says < saysPage {
			p.giveBack(n, d)
		}
	}
}

// numberedRow is row i with its number, if it has one.
func (f *Facts) numberedRow(p *Page, i int, foot bool) (numbered, bool) {
	r, found := &p.Rows[i], false
	n := numbered{row: i, foot: foot, small: f.isSmall(r), from: p.from(r, foot)}
	_, _, n.alone = f.key(p, r)
	for _, part := range r.Parts {
		text := fold(part.Text)
		if f.numberOf(p, r, text) == 0 {
			if m := counted.MatchString(text) && alone.MatchString(text); m && len(r.Parts) == 1 { // of a page of another document
				n.says, found = saysPage, true
			}
			continue
		}
		found = true
		switch {
		case stroked.MatchString(text) || named.MatchString(text) || leafed.MatchString(text) || spelled.MatchString(text):
			n.says = saysPage
		case n.says == saysNothing && n.alone && counted.MatchString(text):
			n.says = saysTotal
		}
	}
	return n, found
}

// numberOf returns the number that a part has alone, after a word for page or set off from
// the rest, when it is one of the page's, and 0 when it has none; a part that quotes the
// page's number within its text is about the page.
func (f *Facts) numberOf(p *Page, r *Row, part string) int {
	for _, s := range numbersIn(part) {
		if text := part[s.from:s.to]; f.own(p, text) {
			n, _ := value(text)
			return n
		}
	}
	if f.ByChapter && byChapter.MatchString(part) {
		return 1 // a grade or an item looks like one
	}
	if letters, number, ok := splitLetters(part); ok && number[0] != '0' && slices.Contains(f.Letters, letters) && f.own(p, number) {
		return 1
	}
	_, text, titled := splitBeside(part)
	if _, owned, _ := f.partKeyIn(p, r, part); owned && titled && f.own(p, text) {
		n, _ := value(text)
		return n
	}
	return 0
}

// giveBack makes a row of an edge, and those further inwards, text of the page.
func (p *Page) giveBack(n numbered, d *Decision) {
	inner := false
	for _, i := range p.edgeRows(n.foot) {
		if inner = inner || i == n.row; inner && d.Why[i] != Marked {
			d.Rows[i], d.Why[i] = Body, None
		}
	}
}
