package running

import (
	"cmp"
	"slices"
	"strings"
)

// stand says on which of the pages a text stands at a place, and which others have
// another one there, by its key, or none.
type stand struct {
	on     map[int]bool
	others map[int]string
	none   map[int]bool
}

// standOf is the stand of a group without the page's number.
func (f *Facts) standOf(pages []Page, g *group, found []candidate) stand {
	s := stand{map[int]bool{}, map[int]string{}, map[int]bool{}}
	for i := range g.members {
		s.on[g.members[i].page.No] = true
	}
	for i := range found {
		o := &found[i]
		if o.foot == g.place.Foot && !o.owned && !s.on[o.page.No] && f.near(o.page, o.from, o.r().Size, o.r().Bold, &g.place) {
			s.others[o.page.No] = o.key
		}
	}
	for i := range pages {
		if p := &pages[i]; s.others[p.No] == "" && !s.on[p.No] && len(p.Rows) > 0 && !f.beginsChapter(p) {
			s.none[p.No] = true
		}
	}
	return s
}

// beginsChapter reports a page that begins with a title in large type: it may have no
// head.
func (f *Facts) beginsChapter(p *Page) bool {
	return !p.Rows[0].Solid && f.isLarge(&p.Rows[0])
}

// sides reports for each side of the sheet (left pages are even) whether some pages are
// on it.
func sidesOf(on map[int]bool) (sides [2]bool) {
	for no := range on {
		sides[no%2] = true
	}
	return sides
}

// between counts the pages of some that lie between the first and the last of on, on the
// same sides of the sheet.
func between[V any](on map[int]bool, some map[int]V) int {
	first, last, sides, n := 0, 0, sidesOf(on), 0
	for no := range on {
		first, last = min(cmp.Or(first, no), no), max(last, no)
	}
	for no := range some {
		if no > first && no < last && sides[no%2] {
			n++
		}
	}
	return n
}

const (
	// betweenShare is the share, in eighths, of pages with another text between those of one
	// that may be: one page in the midst of a chapter may be set otherwise.
	betweenShare = 1
	// noneShare is the same, in halves, of pages with nothing there: those on which chapters
	// begin have no heads.
	noneShare = 1
	// standingShare is the share, in quarters, of the pages with a text at a place, on its
	// sides of the sheet, that one text has which does not change.
	standingShare = 3
)

// areBetween reports whether so many of the other pages lie between the first and the last
// of some that these do not follow each other.
func areBetween(on map[int]bool, others map[int]string) bool {
	return 8*between(on, others) > betweenShare*len(on)
}

// isStanding reports whether a text stands on nearly all pages that have one there, on its
// sides of the sheet.
func (s *stand) isStanding() bool {
	sides, others := sidesOf(s.on), 0
	for no := range s.others {
		if sides[no%2] {
			others++
		}
	}
	return 4*len(s.on) >= standingShare*(len(s.on)+others)
}

// facing is the text that stands on most pages of the other side where a text stands on
// left pages alone, or on right ones, "" when there is none: labels take turns so, and so
// do the names of a case. The title of a book faces those of its chapters.
func (s *stand) facing() string {
	sides, on, all := sidesOf(s.on), map[string]int{}, 0
	if sides[0] == sides[1] {
		return ""
	}
	for no, key := range s.others {
		if !sides[no%2] {
			on[key]++
			all++
		}
	}
	for key, n := range on {
		if 4*n >= standingShare*all {
			return key
		}
	}
	return ""
}

// isValue reports texts that are what their pages say, as a verdict, a grade, the names of
// those on duty, or labels that take turns: pages between theirs have another text in
// their place, or none, or it changes, or is another on left pages than on right ones, and
// nothing but these places says it. Heads that change with the chapter stand on pages
// that follow each other, and elsewhere.
func (f *Facts) isValue(pages []Page, g *group, found []candidate, titles Titles) bool {
	c := &g.members[0]
	s := f.standOf(pages, g, found)
	if areBetween(s.on, s.others) {
		return true // of sums some happen to be as far apart as the pages
	}
	if c.owned {
		return false
	}
	if 2*between(s.on, s.none) > noneShare*len(s.on) {
		return true
	}
	return !f.isHeadByStand(pages, c, c.key, &s, titles)
}

// isHeadByStand reports whether a text is no value by where it stands: on nearly all pages,
// unless it takes turns with one that nothing else says either, or elsewhere too.
func (f *Facts) isHeadByStand(pages []Page, c *candidate, key string, s *stand, titles Titles) bool {
	facing := s.facing()
	return s.isStanding() && (facing == "" || f.isSaidElsewhere(pages, c, facing, titles)) || !isWhole(pages) || f.isSaidElsewhere(pages, c, key, titles)
}

// isWhole reports whether the pages that were looked at are all that are between the first
// and the last: else the titles of chapters may stand on others.
func isWhole(pages []Page) bool {
	return pages[len(pages)-1].No-pages[0].No < len(pages)
}

// isSaidElsewhere reports whether each part of a key is a title of the outline, the
// document's own, or a line of the text of some page.
func (f *Facts) isSaidElsewhere(pages []Page, c *candidate, key string, titles Titles) bool {
	for part := range strings.SplitSeq(key, "\t") {
		if !f.partIsSaid(pages, c, part, titles) {
			return false
		}
	}
	return true
}

func (f *Facts) partIsSaid(pages []Page, c *candidate, part string, titles Titles) bool {
	title := titleOf(part)
	if title == "" {
		return true
	}
	if _, ok := titles[title]; ok || f.anySays(pages, title, c, func(*Page) bool { return true }) {
		return true
	}
	pieces := piecesOf(part)
	return len(pieces) > 0 && !slices.ContainsFunc(pieces, func(piece string) bool { return !f.partIsSaid(pages, c, piece, titles) })
}
