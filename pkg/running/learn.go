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
func (f *Facts) learnPlaces(pages []Page, found []candidate, byKey map[string][]candidate) {
	for _, g := range f.groups(found) {
		if g.pages < f.least() || !f.plausible(&g, len(pages)) || f.textReaches(&g, found, byKey) {
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
	// titleShare is the share of the pages, in quarters, that repeat a text in type
	// larger than the text's: else it is a title that happens to stand on some.
	titleShare = 3
	// farShare, in thirds, is enough for one that is farPitch line pitches from the
	// text on each of them.
	farShare, farPitch = 1, 3
)

// isFar reports whether the row is farPitch line pitches from what follows inwards.
func (f *Facts) isFar(c candidate) bool {
	next := c.page.inner(c.row, c.foot)
	return next == nil || next.Solid || stepBetween(c.r(), next, c.foot) >= farPitch*f.Pitch
}

// plausible reports whether what repeats can be a running text by its looks.
func (f *Facts) plausible(g *group, pages int) bool {
	c := &g.members[0]
	if !f.canRun(c.page, c.r(), c.from, c.owned, c.bare) {
		return false
	}
	if f.goesWithText(g) {
		return false
	}
	if !f.isLarge(c.r()) || c.owned || 4*g.pages >= titleShare*pages {
		return true
	}
	near := slices.ContainsFunc(g.members, func(c candidate) bool { return !f.isFar(c) })
	return 3*g.pages >= farShare*pages && !near
}

// goesWithText reports feet in the type of the text that are near to its end on all
// pages, wherever that is: a motion and its outcome.
func (f *Facts) goesWithText(g *group) bool {
	return g.place.Foot && !slices.ContainsFunc(g.members, func(c candidate) bool {
		return c.owned || f.isSmall(c.r()) || f.isFar(c)
	})
}

// canRun reports whether a row can be a running text at all: it is short, near the
// edge, no sentence in the type of the text, no figure.
func (f *Facts) canRun(p *Page, r *Row, from float64, owned, bare bool) bool {
	edge := textEdge
	if bare {
		edge = numberEdge
	}
	switch {
	case from > edge*p.Height || r.Chars > maxText || r.Chars == 0:
		return false
	case owned:
		return true
	case !r.hasLetter(): // a figure, or a sign
		return false
	case f.isAmount(r):
		return false
	}
	return f.isSmall(r) || !r.isSentence()
}

// amount is a sum of money or a measured value, as the last cell of a row has it.
var amount = regexp.MustCompile(`^[-–−+(]?(?:\p{Sc}|[A-Z]{2,3} )?\d{1,3}(?:[ ’'.,]?\d{3})*(?:[.,]\d{1,2}|[.,][-–—])?\)?(?: ?(?:\p{Sc}|%|[A-Z]{2,3}))?$`)

// isAmount reports a row of several parts that ends in a number.
func (f *Facts) isAmount(r *Row) bool {
	return len(r.Parts) > 1 && amount.MatchString(strings.TrimSpace(r.Parts[len(r.Parts)-1].Text))
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

// chapterNumber is what chapters and sections begin with.
var chapterNumber = regexp.MustCompile(`^(?:(?:chapter|chapitre|capítulo|capitolo|capitulo|kapitel|section|sección|sezione|secção|seção|abschnitt|part|partie|parte|teil|appendix|annexe?|anhang|anexo|allegato|apéndice|apêndice|appendice)\s*)?(?:§\s*)?(?:\d{1,3}|[ivxlc]{1,6}|[a-z])(?:\.\d{1,3})*(?:[.:)]|\s|$)\s*[.:–—-]?\s*`)

// learnChanging finds the heights at which most pages have a head that changes with
// the chapter: outermost, apart from the text, and mostly proved to stand elsewhere
// too, or with the page's number. Of each page that is asked again.
func (f *Facts) learnChanging(pages []Page, found []candidate, byKey map[string][]candidate, titles Titles) {
	if len(pages) <= 2 {
		return
	}
	var heights []group
	for i := range found {
		c := &found[i]
		if !c.outer || !c.apart || f.isLarge(c.r()) && !c.owned || !f.canRun(c.page, c.r(), c.from, c.owned, c.bare) {
			continue
		}
		at := slices.IndexFunc(heights, func(g group) bool {
			return g.place.Foot == c.foot && f.near(c.page, c.from, c.r().Size, c.r().Bold, &g.place)
		})
		if at < 0 {
			heights = append(heights, group{place: Place{Foot: c.foot, From: round(c.from), Size: round(c.r().Size), Bold: c.r().Bold}})
			at = len(heights) - 1
		}
		heights[at].members = append(heights[at].members, *c)
	}
	for i := range heights {
		g := &heights[i]
		if g.pages = distinctPages(g.members); f.goesWithText(g) {
			continue
		}
		parts := repeatedParts(f, g.members)
		place := g.place
		place.Parts, place.Changing = parts, true
		proved := 0
		for k := range g.members {
			c := &g.members[k]
			if c.owned || f.known(c.page, c.row, &place, titles) != None || f.texts(c) {
				proved++
			}
		}
		if 2*g.pages >= len(pages) && 5*proved >= 3*len(g.members) && !f.textReaches(g, found, byKey) {
			at := f.place(g)
			at.Changing, at.Parts = true, parts
		}
	}
}

// texts reports whether the candidate is one of the texts that repeat.
func (f *Facts) texts(c *candidate) bool {
	return slices.ContainsFunc(f.Places, func(p Place) bool {
		return p.Foot == c.foot && f.near(c.page, c.from, c.r().Size, c.r().Bold, &p) && slices.Contains(p.Texts, c.key)
	})
}

func distinctPages(c []candidate) int {
	seen := map[int]bool{}
	for i := range c {
		seen[c[i].page.No] = true
	}
	return len(seen)
}

// repeatedParts returns the keys of parts that stand on two of the pages or more.
func repeatedParts(f *Facts, members []candidate) []string {
	on := map[string]int{}
	for i := range members {
		c := &members[i]
		seen := map[string]bool{}
		for _, part := range c.r().Parts {
			k, _, _ := f.partKey(c.page, fold(part.Text))
			if len(part.Text) <= maxText && strings.Trim(k, placeholder) != "" && !seen[k] {
				seen[k] = true
				on[k]++
			}
		}
	}
	var out []string
	for k, n := range on {
		if n >= 2 {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxTexts)]
}

// known says what proves each part of the row: it is the page's number, or stands
// elsewhere too: at this height on another page, in the outline on a page before, or
// in the text of this page.
func (f *Facts) known(p *Page, row int, at *Place, titles Titles) Why {
	why := Chapter
	for _, part := range p.Rows[row].Parts {
		k, _, bare := f.partKey(p, fold(part.Text))
		if bare || slices.Contains(at.Parts, k) {
			continue
		}
		c := core(strings.Trim(strings.ReplaceAll(k, placeholder, ""), " |/·•–—-"))
		if len(c) < leastTitle {
			return None
		}
		if p.says(c, row) {
			continue
		}
		if no, ok := titles[c]; !ok || no >= p.No {
			return None
		}
		why = Outline
	}
	return why
}

// leastTitle is how many bytes of a title must stand elsewhere to prove it.
const leastTitle = 4

// says reports whether another row of the page, or a part of one, has this core.
func (p *Page) says(text string, but int) bool {
	for i := range p.Rows {
		if i == but {
			continue
		}
		r := &p.Rows[i]
		if len(r.Parts) > 1 && core(fold(r.Text())) == text {
			return true
		}
		for _, part := range r.Parts {
			if core(fold(part.Text)) == text {
				return true
			}
		}
	}
	return p.Rest != nil && slices.ContainsFunc(p.Rest(), func(s string) bool { return core(fold(s)) == text })
}

// learnSides finds the turned texts in the side margins that several pages share.
func (f *Facts) learnSides(pages []Page) {
	on := map[Aside]int{}
	for i := range pages {
		p := &pages[i]
		seen := map[Aside]bool{}
		for k := range p.Sides {
			a := f.aside(p, &p.Sides[k])
			if strings.Trim(a.Text, placeholder) == "" || len(a.Text) > maxText || seen[a] {
				continue
			}
			seen[a] = true
			if on[a]++; on[a] == f.least() {
				f.Sides = append(f.Sides, a)
			}
		}
	}
}

func (f *Facts) aside(p *Page, r *Row) Aside {
	key, _, _ := f.key(p, r)
	return Aside{Turn: r.Turn, Size: round(r.Size), Text: key}
}
