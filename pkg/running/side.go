package running

import (
	"math"
	"slices"
	"strings"
)

// learnSides finds the texts in the side margins that several pages share: turned ones,
// and upright ones at one height.
func (f *Facts) learnSides(pages []Page) {
	type tally struct {
		aside Aside
		pages int
		last  int // the page that was counted last
	}
	var found []tally
	for i := range pages {
		p := &pages[i]
		for k := range p.Sides {
			a := f.aside(p, &p.Sides[k])
			if p.Sides[k].isDrawn() || len(a.Text) > maxText {
				continue
			}
			at := slices.IndexFunc(found, func(t tally) bool { return t.aside.equals(&a) })
			if at < 0 {
				at, found = len(found), append(found, tally{aside: a})
			}
			if t := &found[at]; t.last != p.No {
				t.last = p.No
				t.pages++
			}
		}
	}
	for _, t := range found {
		// What changes at one height is a margin note: it is a head only turned.
		changes := t.aside.Turn == 0 && slices.ContainsFunc(found, func(o tally) bool {
			return o.aside.Text != t.aside.Text && o.aside.Turn == 0 && math.Abs(o.aside.From-t.aside.From) <= heightSlack
		})
		if t.pages >= f.least() && !changes {
			f.Sides = append(f.Sides, t.aside)
		}
	}
}

func (f *Facts) aside(p *Page, r *Row) Aside {
	key, _, _ := f.key(p, r)
	a := Aside{Turn: r.Turn, Size: round(r.Size), Text: key}
	if r.Turn == 0 {
		a.From = round(r.Base)
	}
	return a
}

// equals reports whether two texts are one; upright ones stand at one height too.
func (a *Aside) equals(o *Aside) bool {
	return a.Turn == o.Turn && a.Size == o.Size && a.Text == o.Text && math.Abs(a.From-o.From) <= heightSlack
}

// isAside reports whether a text in the side margin is one of those that pages share.
func (f *Facts) isAside(p *Page, r *Row) bool {
	a := f.aside(p, r)
	return slices.ContainsFunc(f.Sides, func(o Aside) bool { return o.equals(&a) })
}

// sideNumber is how far the number that is all of a text in the side margin is from the
// page's place.
func sideNumber(p *Page, r *Row) (Offset, bool) {
	text := fold(strings.TrimSpace(r.Text()))
	spans := numbersIn(text)
	if len(spans) != 1 || !alone.MatchString(text) {
		return Offset{}, false
	}
	n, isRoman := value(text[spans[0].from:spans[0].to])
	return Offset{isRoman, n - p.No}, true
}
