package running

import (
	"cmp"
	"slices"
)

// numbered is a row at an edge that has what could be the page's number.
type numbered struct {
	row     int
	foot    bool
	number  int     // that runs with the pages
	counted bool    // with a word for page or the number of all pages
	small   bool    // in type smaller than the text's
	from    float64 // distance from the edge
}

// keepOneNumber gives rows back to the text that have a number which runs with the pages
// where another number is the page's own: a page has one, and verses, lots, questions and
// years are counted page by page too. The page's own is the one that says so, else the one
// in small type, else the outermost. With a row goes what stands further inwards.
func (f *Facts) keepOneNumber(p *Page, d *Decision) {
	var all []numbered
	for i := range p.Rows {
		r := &p.Rows[i]
		if d.Rows[i] == Body || d.Why[i] == Marked {
			continue
		}
		number := 0
		for _, part := range r.Parts {
			number = cmp.Or(number, f.numberOf(p, r, fold(part.Text)))
		}
		if number == 0 {
			continue
		}
		foot := d.Rows[i] == Foot
		says := slices.ContainsFunc(r.Parts, func(part Part) bool { return counted.MatchString(fold(part.Text)) })
		all = append(all, numbered{i, foot, number, says, f.isSmall(r), p.from(r, foot)})
	}
	if len(all) < 2 {
		return
	}
	own := slices.MinFunc(all, func(a, b numbered) int {
		switch {
		case a.counted != b.counted:
			return kindOf(b.counted) - kindOf(a.counted)
		case a.small != b.small:
			return kindOf(b.small) - kindOf(a.small)
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	for _, n := range all {
		if n.number != own.number && !n.counted {
			p.giveBack(n, d)
		}
	}
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
	_, text, _, titled := splitTitle(part)
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
