package running

import (
	"cmp"
	"slices"
	"strconv"
)

// Why says what proves that a row is a running head or foot.
type Why int

// The reasons.
const (
	None    Why = iota
	Repeats     // the same text stands at this height on other pages
	Number      // it is the page's own number and nothing else
	Chapter     // it changes with the chapter, and stands elsewhere on its page or on others
	Outline     // the same, and the outline has it of a page before
	Marked      // the file calls it an artifact
	Outside     // a word and the page's number, in no element of the file's structure
)

// The quality flags of units that their file proves to be running heads or feet,
// where other pages need not show it.
const (
	FlagArtifact = "marked_artifact" // it calls them artifacts
	FlagOutline  = "outline_title"   // its outline has them, of an earlier page
	FlagOutside  = "outside_text"    // its structure has no element for them, on any page
)

// Flag is the quality flag of a reason, "" for one that the text of the document
// shows.
func (w Why) Flag() string {
	switch w {
	case Marked:
		return FlagArtifact
	case Outline:
		return FlagOutline
	case Outside:
		return FlagOutside
	}
	return ""
}

// Decision says of each row of a page what it is.
type Decision struct {
	Rows  []Kind // by Page.Rows
	Sides []Kind // by Page.Sides
	Why   []Why  // by Page.Rows
	// SideWhy is Why by Page.Sides.
	SideWhy []Why
	// Doubtful are the rows at the height of a running text that nothing proves to be
	// one: text of the page that its sentences do not go through.
	Doubtful []bool
}

// Decide says which rows of a page are running heads and feet, from the edges
// inwards. titles may be nil.
func Decide(p *Page, f *Facts, titles Titles) Decision {
	d := Decision{Rows: make([]Kind, len(p.Rows)), Sides: make([]Kind, len(p.Sides)), SideWhy: make([]Why, len(p.Sides)), Why: make([]Why, len(p.Rows)), Doubtful: make([]bool, len(p.Rows))}
	marks := f.Artifacts && p.hasText()
	for _, foot := range []bool{false, true} {
		f.edge(p, foot, marks, titles, &d)
	}
	f.keepOneNumber(p, &d)
	numbered := f.isNumbered(p, &d)
	for i := range p.Sides {
		r := &p.Sides[i]
		_, _, bare := f.key(p, r)
		shared := f.isAside(p, r) && !(bare && numbered)
		if shared && !(r.Mark == Content && f.Tagged) || r.Mark == Artifact && marks {
			d.Sides[i] = Foot
			d.SideWhy[i] = Repeats
			if !shared {
				d.SideWhy[i] = Marked
			}
		}
	}
	return d
}

// isNumbered reports whether a row that is a head or foot has the page's number: then a
// number alone in a side margin is another one.
func (f *Facts) isNumbered(p *Page, d *Decision) bool {
	for i, kind := range d.Rows {
		if kind == Body {
			continue
		}
		if _, ok := f.numberedRow(p, i, kind == Foot); ok {
			return true
		}
	}
	return false
}

// hasText reports whether something on the page is no artifact.
func (p *Page) hasText() bool {
	return slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Solid || r.Mark != Artifact })
}

// blockPitch is how far, in line pitches, the rows of a head are from each other at
// most: what is farther from it, and in the type of the text, is text.
const blockPitch = 2

// edge decides about the rows of one edge.
func (f *Facts) edge(p *Page, foot bool, marks bool, titles Titles, d *Decision) {
	kind := Head
	if foot {
		kind = Foot
	}
	var taken []int
	var why []Why
	tabled := 0 // 1 + the first taken that is in line with the next
	for _, i := range p.edgeRows(foot) {
		if d.Rows[i] != Body {
			break
		}
		w := f.why(p, i, foot, marks, titles)
		if w == None {
			break
		}
		if n := len(taken); n > 0 && w != Marked && f.isOfText(p, i) {
			outer := taken[n-1]
			if f.continues(p, i, outer, foot) {
				taken, why = taken[:n-1], why[:n-1]
				break
			}
			if f.isSmall(&p.Rows[outer]) || stepBetween(&p.Rows[outer], &p.Rows[i], foot) > blockPitch*f.Pitch {
				break
			}
		}
		if w != Marked && !f.isSmall(&p.Rows[i]) && f.inTable(p, i, foot) {
			if foot {
				break
			}
			tabled = cmp.Or(tabled, len(taken)+1)
		}
		taken, why = append(taken, i), append(why, w)
	}
	// Heads of two columns are in line with each other, as rows of a table are, whose
	// next rows follow them.
	if n := len(taken); tabled > 0 && !f.isClear(p, taken[n-1], foot) {
		taken, why = taken[:tabled-1], why[:tabled-1]
	}
	// What is not set off from the text below it is the text's, but for what the
	// file itself calls an artifact.
	for n := len(taken); n > 0 && why[n-1] != Marked && !f.setOff(p, taken[n-1], foot); n-- {
		taken, why = taken[:n-1], why[:n-1]
	}
	for n, i := range taken {
		d.Rows[i], d.Why[i] = kind, why[n]
	}
	for _, i := range p.edgeRows(foot) {
		if d.Rows[i] != Body {
			continue
		}
		r := &p.Rows[i]
		d.Doubtful[i] = p.apart(i, foot, f) && slices.ContainsFunc(f.Places, func(at Place) bool {
			return at.Foot == foot && f.near(p, p.from(r, foot), r.Size, r.Bold, &at)
		})
		if !d.Doubtful[i] {
			break
		}
	}
}

// isOfText reports a row in the type of the text that has no page number.
func (f *Facts) isOfText(p *Page, i int) bool {
	r := &p.Rows[i]
	_, owned, _ := f.key(p, r)
	return !owned && !f.isSmall(r) && !f.isLarge(r)
}

// continues reports whether row i and the next one outwards are of one sentence.
func (f *Facts) continues(p *Page, i, outer int, foot bool) bool {
	before, after := &p.Rows[outer], &p.Rows[i]
	if foot {
		before, after = after, before
	}
	return f.sameSize(before.Size, after.Size) && after.goesOn(before)
}

// isClear reports whether row i is farther from what follows inwards than the rows of
// a table are from each other.
func (f *Facts) isClear(p *Page, i int, foot bool) bool {
	next := p.inner(i, foot)
	return next == nil || !next.Solid && stepBetween(&p.Rows[i], next, foot) > tablePitch*f.Pitch ||
		next.Solid && gapBetween(&p.Rows[i], next, foot) > (tablePitch-1)*f.Pitch
}

// setOff reports whether row i stands apart from what follows inwards, and is no row
// of a table or sentence with it.
func (f *Facts) setOff(p *Page, i int, foot bool) bool {
	if !p.apart(i, foot, f) {
		return false
	}
	if f.inTable(p, i, foot) {
		return false
	}
	if _, owned, _ := f.key(p, &p.Rows[i]); owned || !foot {
		return true
	}
	return !p.Rows[i].goesOn(p.inner(i, foot))
}

// why says what proves that row i is a running text, None when nothing does.
func (f *Facts) why(p *Page, i int, foot bool, marks bool, titles Titles) Why {
	r := &p.Rows[i]
	switch {
	case r.Mark == Artifact && marks:
		return Marked
	case r.Mark == Content && f.Tagged:
		return None
	}
	from := p.from(r, foot)
	if from > numberEdge*p.Height {
		return None
	}
	key, owned, bare := f.key(p, r)
	if !f.canRun(p, r, from, owned, bare) {
		return None
	}
	for k := range f.Places {
		at := &f.Places[k]
		if at.Foot != foot || !f.near(p, from, r.Size, r.Bold, at) {
			continue
		}
		switch {
		case slices.Contains(at.Texts, key) && bare:
			return Number
		case slices.Contains(at.Texts, key) && f.isLabel(p, r):
			return Outside
		case slices.Contains(at.Texts, key):
			return Repeats
		case at.Changing:
			if w := f.known(p, i, at, titles); w != None {
				return w
			}
		}
	}
	if m := fraction.FindStringSubmatch(fold(r.Text())); m != nil && f.Sampled < fewerPages && m[2] != strconv.Itoa(f.Sampled) {
		return None // a share, or a vote
	}
	if bare && f.Sampled < fewerPages && !f.isLarge(r) {
		return Number
	}
	return None
}
