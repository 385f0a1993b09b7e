package running

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// group are candidates of one key, height, size and weight.
type group struct {
	place   Place // Texts not filled
	key     string
	members []candidate
	pages   int // distinct
}

// learnPlaces finds the texts that stand at one height, in one size and weight, on
// enough pages to be proved.
func (f *Facts) learnPlaces(pages []Page, found []candidate, byKey map[string][]candidate, titles Titles) {
	for _, g := range f.groups(found) {
		if g.pages < f.least() || !f.plausible(&g, len(pages)) || f.textReaches(&g, found, byKey) || f.takesTurns(&g, found) || f.isValue(pages, &g, found, titles) {
			continue
		}
		f.place(&g).Texts = append(f.place(&g).Texts, g.key)
	}
	f.Places = slices.DeleteFunc(f.Places, func(p Place) bool { return len(p.Texts) == 0 })
	for i := range f.Places {
		p := &f.Places[i]
		slices.Sort(p.Texts)
		p.Texts = p.Texts[:min(len(p.Texts), maxTexts)]
	}
}

// place returns the place of the group, which is made when there is none.
func (f *Facts) place(g *group) *Place {
	for i := range f.Places {
		if p := &f.Places[i]; p.Foot == g.place.Foot && f.near(g.members[0].page, g.place.From, g.place.Size, g.place.Bold, p) {
			return p
		}
	}
	f.Places = append(f.Places, g.place)
	return &f.Places[len(f.Places)-1]
}

// groups puts candidates together that say the same at one height.
func (f *Facts) groups(found []candidate) []group {
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(kindOf(a.foot), kindOf(b.foot)), cmp.Compare(a.key, b.key), cmp.Compare(a.from, b.from), cmp.Compare(a.page.No, b.page.No))
	})
	var out []group
	for i := range sorted {
		c := &sorted[i]
		at := slices.IndexFunc(out[max(0, len(out)-maxRows):], func(g group) bool {
			return g.key == c.key && g.place.Foot == c.foot && f.near(c.page, c.from, c.r().Size, c.r().Bold, &g.place)
		})
		if at < 0 {
			out = append(out, group{key: c.key, place: Place{Foot: c.foot, From: round(c.from), Size: round(c.r().Size), Bold: c.r().Bold}})
			at = len(out) - 1
		} else {
			at += max(0, len(out)-maxRows)
		}
		g := &out[at]
		g.members = append(g.members, *c)
		if !slices.ContainsFunc(g.members[:len(g.members)-1], func(o candidate) bool { return o.page.No == c.page.No }) {
			g.pages++
		}
	}
	return out
}

const (
	// farShare is the share of the pages, in thirds, that repeat a text in type larger
	// than the text's, farPitch line pitches from the text on each of them: else it is a
	// title of the text.
	farShare, farPitch = 1, 3
)

// isFar reports whether the row is farPitch line pitches from what follows inwards.
func (f *Facts) isFar(c candidate) bool {
	switch next := c.page.inner(c.row, c.foot); {
	case next == nil:
		return true
	case next.Solid:
		return gapBetween(c.r(), next, c.foot) >= (farPitch-1)*f.Pitch
	default:
		return stepBetween(c.r(), next, c.foot) >= farPitch*f.Pitch
	}
}

// plausible reports whether what repeats can be a running text by its looks.
func (f *Facts) plausible(g *group, pages int) bool {
	c := &g.members[0]
	if !f.canRun(c.page, c.r(), c.from, c.owned, c.bare) {
		return false
	}
	if f.goesWithText(g) || !c.foot && !c.owned && !f.isSmall(c.r()) && c.r().isBlank() {
		return false
	}
	near := slices.ContainsFunc(g.members, func(c candidate) bool { return !f.isFar(c) })
	switch {
	case c.owned || f.isSmall(c.r()):
		return true
	case f.isLarge(c.r()):
		return !near && 3*g.pages >= farShare*pages
	}
	return !near || !c.r().isDated() // the date of a letter stands near to it
}

// takesTurns reports texts in the type of the text, without the page's number, in whose
// place other pages have other texts, and not the left pages one and the right ones the
// other: what a page begins or ends with, as its recurring titles and formulas are.
func (f *Facts) takesTurns(g *group, found []candidate) bool {
	c := &g.members[0]
	if c.owned || f.Read || f.isSmall(c.r()) || f.isLarge(c.r()) || !slices.ContainsFunc(g.members, func(c candidate) bool { return !f.isFar(c) }) {
		return false
	}
	on := [2]map[int]bool{{}, {}} // pages of others, by parity
	for i := range found {
		o := &found[i]
		if o.foot == c.foot && !o.owned && o.key != g.key && f.near(o.page, o.from, o.r().Size, o.r().Bold, &g.place) {
			on[o.page.No%2][o.page.No] = true
		}
	}
	mine := c.page.No % 2
	sided := len(on[mine]) == 0 && !slices.ContainsFunc(g.members, func(c candidate) bool { return c.page.No%2 != mine })
	return !sided && 4*(len(on[0])+len(on[1])) > reachShare*g.pages
}

// goesWithText reports feet in the type of the text that are near to its end on all
// pages, wherever that is: a motion and its outcome. A row beside the page's number
// goes with that.
func (f *Facts) goesWithText(g *group) bool {
	return g.place.Foot && !slices.ContainsFunc(g.members, func(c candidate) bool {
		return c.owned || f.isSmall(c.r()) || f.isFar(c) || f.besideNumber(&c)
	})
}

// besidePitch is how far, in line pitches, the rows of one foot are from each other.
const besidePitch = 1.3

// besideNumber reports whether the next row outwards or inwards has the page's number,
// in the same type and as near as lines of a text are, and both are apart from the text.
func (f *Facts) besideNumber(c *candidate) bool {
	p, out := c.page, 1
	if !c.foot {
		out = -1
	}
	for _, k := range []int{c.row + out, c.row - out} {
		if k < 0 || k >= len(p.Rows) || p.Rows[k].Solid {
			continue
		}
		o := &p.Rows[k]
		if _, owned, _ := f.key(p, o); !owned || !f.sameSize(o.Size, c.r().Size) || stepBetween(c.r(), o, o.Base < c.r().Base) > besidePitch*f.Pitch {
			continue
		}
		if p.apart(c.row, c.foot, f) || p.apart(k, c.foot, f) && k == c.row-out {
			return true
		}
	}
	return false
}

// canRun reports whether a row can be a running text at all: it is short, near the
// edge, no sentence in the type of the text, no figure.
func (f *Facts) canRun(p *Page, r *Row, from float64, owned, bare bool) bool {
	edge := textEdge
	switch {
	case bare:
		edge = numberEdge
	case !owned && !f.Read && !f.isSmall(r) && !f.isLarge(r):
		edge = plainEdge
	}
	switch {
	case from > edge*p.Height || r.Chars > maxText || r.Chars == 0:
		return false
	case owned:
		return true
	case !r.hasLetter(): // a figure; but rules and ornaments say nothing that could be lost
		return r.isDrawn() || r.isDated()
	case f.isAmount(r):
		return false
	}
	return f.isSmall(r) || !r.isSentence() && !r.isLetterDate()
}

// amount is a sum of money or a measured value, as the last cell of a row has it.
var amount = regexp.MustCompile(`^[-–−+(]?(?:\p{Sc}|[A-Z]{2,3} )?\d{1,3}(?:[ ’'.,]?\d{3})*(?:[.,]\d{1,2}|[.,][-–—])?\)?(?: ?(?:\p{Sc}|%|[A-Z]{2,3}))?$`)

// endsInSum is a text before a sum with its decimals, as "Carried forward 1 250.00".
var endsInSum = regexp.MustCompile(`\s\d{1,3}(?:[ ’'.,]?\d{3})*[.,](?:\d\d|[-–—])\)?(?: ?(?:\p{Sc}|[A-Z]{2,3}))?$`)

// identifier is a number too long, without a separator, to be a sum: an account's.
var identifier = regexp.MustCompile(`^\d{5,}$`)

// year is one of our time: in small type it is that of an issue or a report.
var year = regexp.MustCompile(`^(?:19|20)\d\d$`)

// dated is a date or a number of files without a letter, as 4.5.2026 or 2026-114: what
// is measured or paid has at most one separator of decimals.
var dated = regexp.MustCompile(`^(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|(?:19|20)\d\d[/-]\d{1,6}|\d{1,6}[/-](?:19|20)\d\d|\d{2,}(?:-\d+){2,})$`)

// monthDate is a date with the name of its month, and year: "12 March 2026", "le 3 mai
// 2026", "March 12, 2026".
const monthDate = `(?:\d{1,2}(?:er|\.|º|st|nd|rd|th)?\s+(?:de\s+|of\s+)?\p{L}{3,}\.?,?\s+(?:de\s+)?(?:19|20)\d\d|\p{L}{3,}\s+\d{1,2}(?:st|nd|rd|th)?,\s+(?:19|20)\d\d)`

// letterDate is the line with the date of a letter, perhaps after a place, or the one above
// a signature.
var letterDate = regexp.MustCompile(`^(?:(?:\p{L}[\p{L}.' -]*,\s+)?(?:le|den|the|am|on|il|el|em|a|,|\s)*` + monthDate + `|(?:signed|done|given|dated|unterzeichnet|gezeichnet|gegeben|fait|signé|donné|fatto|firmato|dato|hecho|firmado|dado|feito|assinado)\s.*` + monthDate + `)\.?$`)

// isLetterDate reports a row that is a letter's date, or that of a signature.
func (r *Row) isLetterDate() bool {
	text := r.Text()
	return strings.ContainsAny(text, figuresAll) && letterDate.MatchString(fold(text))
}

// isDated reports a row whose parts are dates or numbers of files.
func (r *Row) isDated() bool {
	return !slices.ContainsFunc(r.Parts, func(p Part) bool { return !dated.MatchString(strings.TrimSpace(p.Text)) })
}

// isAmount reports a row that ends in a sum, or of several parts in a number. In small
// type a number may be that of an account, or a year.
func (f *Facts) isAmount(r *Row) bool {
	if len(r.Parts) == 1 {
		return !f.isSmall(r) && endsInSum.MatchString(r.Parts[0].Text)
	}
	last := strings.TrimSpace(r.Parts[len(r.Parts)-1].Text)
	return amount.MatchString(last) && !(f.isSmall(r) && (identifier.MatchString(last) || year.MatchString(last)))
}

// reachShare is the share of the pages, in quarters, on which text may reach the
// height of a head, as on a cover.
const reachShare = 1

// textReaches reports whether the text of other pages reaches the height of the
// group, where running texts do not stand: a motion that ends many pages ends some
// of them higher up.
func (f *Facts) textReaches(g *group, found []candidate, byKey map[string][]candidate) bool {
	reached, last := 0, 0
	for i := range found {
		c := &found[i]
		if c.foot != g.place.Foot || c.page.No == last || c.from > g.place.From+heightSlack || c.apart || c.owned {
			continue
		}
		if f.sameSize(c.r().Size, f.Size) && !f.repeats(c, byKey[c.key]) {
			reached++
			last = c.page.No
		}
	}
	return 4*reached > reachShare*g.pages
}

// repeats reports whether the row stands at this height on another page too. same are
// the candidates of its key.
func (f *Facts) repeats(c *candidate, same []candidate) bool {
	return slices.ContainsFunc(same, func(o candidate) bool {
		return o.page.No != c.page.No && o.foot == c.foot && f.near(o.page, o.from, o.r().Size, o.r().Bold, &Place{From: c.from, Size: c.r().Size, Bold: c.r().Bold})
	})
}
