package running

import (
	"slices"
	"strings"
)

// learnOnce finds the heads that stand on one page only, as on the second of two: of
// each row with the page's number all else stands in the text of another page too.
// What is between such a row and the edge may have none, and what is next to the page's
// number in small type.
func (f *Facts) learnOnce(pages []Page, found []candidate, titles Titles) {
	if len(pages) > fewPages {
		return // one page of many shows nothing
	}
	for from := 0; from < len(found); {
		to := from + 1
		for to < len(found) && found[to].page == found[from].page && found[to].foot == found[from].foot {
			to++
		}
		edge := found[from:to]
		from = to
		proved, counts := 0, false
		for i := range edge {
			c := &edge[i]
			if !f.standsElsewhere(pages, c, titles) {
				break
			}
			beside := counts && f.isSmall(c.r()) && stepBetween(edge[i-1].r(), c.r(), c.foot) <= besidePitch*f.Pitch
			counts = f.countsPage(c)
			if c.apart && (f.namesPage(c) || counts && i > 0 || beside) {
				proved = i + 1
			}
		}
		for i := range edge[:proved] {
			c := &edge[i]
			if f.texts(c) {
				continue
			}
			at := f.place(&group{place: Place{Foot: c.foot, From: round(c.from), Size: round(c.r().Size), Bold: c.r().Bold}, members: edge[i : i+1]})
			at.Texts = append(at.Texts, c.key)
			slices.Sort(at.Texts)
			at.Texts = at.Texts[:min(len(at.Texts), maxTexts)]
		}
	}
}

// namesPage reports a row that has the page's number and more, and is no row of a
// table: it is in small type, or the number is that of a page by a word or by how many
// there are.
func (f *Facts) namesPage(c *candidate) bool {
	if !c.owned || c.bare || f.isLarge(c.r()) || f.inColumns(c.page, c.row, c.foot) {
		return false
	}
	return f.isSmall(c.r()) || slices.ContainsFunc(c.r().Parts, func(p Part) bool { return counted.MatchString(fold(p.Text)) })
}

// countsPage reports a row that has the page's number alone, with a word for page or the
// number of all.
func (f *Facts) countsPage(c *candidate) bool {
	return c.bare && !f.isLarge(c.r()) && len(c.r().Parts) == 1 && counted.MatchString(fold(c.r().Parts[0].Text))
}

// standsElsewhere reports whether each part of the row that is not the page's number
// stands in the text of another page, as a line or a part of one.
func (f *Facts) standsElsewhere(pages []Page, c *candidate, titles Titles) bool {
	if !f.canRun(c.page, c.r(), c.from, c.owned, c.bare) {
		return false
	}
	for _, part := range c.r().Parts {
		k, _, bare := f.partKeyIn(c.page, c.r(), fold(part.Text))
		if bare {
			continue
		}
		if !f.keyStandsElsewhere(pages, c, k, titles) {
			return false
		}
	}
	return true
}

// keyStandsElsewhere is standsElsewhere of the key of a part or of a piece of one.
func (f *Facts) keyStandsElsewhere(pages []Page, c *candidate, key string, titles Titles) bool {
	if strings.Trim(key, placeholder) == "" {
		return true
	}
	title := titleOf(key)
	if titles.own(title) && c.page.No > 1 { // on the first page it is the title itself
		return true
	}
	if len(title) >= leastTitle && f.anySays(pages, title, c, func(p *Page) bool { return p.No != c.page.No }) || len(title) >= leastPhrase && anyHolds(pages, title, c.page.No) {
		return true
	}
	pieces := piecesOf(key)
	return len(pieces) > 0 && !slices.ContainsFunc(pieces, func(piece string) bool { return !f.keyStandsElsewhere(pages, c, piece, titles) })
}

// leastPhrase is how many bytes of a text must stand in a line of another page, with
// more around it, to prove it.
const leastPhrase = 8

// anyHolds reports whether a line of a page but pageNo holds a title.
func anyHolds(pages []Page, title string, pageNo int) bool {
	for i := range pages {
		p := &pages[i]
		if p.No == pageNo {
			continue
		}
		p.makeLines()
		if slices.ContainsFunc(p.lines, func(l line) bool { return holds(l.plain, title) }) {
			return true
		}
	}
	return false
}

// holds reports whether a text has a title in it, and not the beginning or the end of a
// longer number in place of the title's.
func holds(text, title string) bool {
	for at := strings.Index(text, title); at >= 0 && at < len(text); {
		end := at + len(title)
		if !(at > 0 && isDigit(text[at]) && isDigit(text[at-1])) && !(end < len(text) && isDigit(text[end-1]) && isDigit(text[end])) {
			return true
		}
		next := strings.Index(text[at+1:], title)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
