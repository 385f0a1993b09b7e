package model

import (
	"fmt"
	"strings"
)

// UnitPlace names a unit: its page, from 1, and its id.
type UnitPlace struct {
	Page int
	IRID string
}

// Places returns the units that the bytes of a chunk are from, each once, in the order
// of the text.
func (c *Chunk) Places() []UnitPlace {
	var out []UnitPlace
	seen := make(map[UnitPlace]bool)
	for _, s := range c.Provenance.Segments {
		at := UnitPlace{s.Page, s.IRID}
		if s.Synthetic == "" && !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out
}

// ChunkRef says where a chunk of the snapshot stands (contracts#source-ref). units are
// those that could be read of its places: without them selector and text_region are
// left out.
func (s *Snapshot) ChunkRef(c *Chunk, units map[UnitPlace]Unit) SourceRef {
	section := ""
	if n := len(c.SectionPath); n > 0 {
		section = c.SectionPath[n-1]
	}
	ref := s.sourceRef(section, c.PageHint)
	var evidence []Evidence
	var selectors []string
	var regions regions
	for _, at := range c.Places() {
		u, there := units[at]
		if !there {
			return ref // what could be said of a part would be wrong of the whole
		}
		evidence = append(evidence, u.Evidence...)
		if len(u.Evidence) > 0 {
			selectors = append(selectors, u.Evidence[0].CSSSelector)
		}
		if n, ok := u.Position(); ok {
			regions.add(at.Page, u.Type, n)
		}
	}
	if ref.Kind == SourceWebpage {
		ref.Selector = around(selectors)
	} else if ref.TextRegion = lines(evidence); ref.TextRegion == "" {
		ref.TextRegion = regions.String()
	}
	return ref
}

// childOf divides the steps of a selector that leads from element to child.
const childOf = " > "

// around returns the selector of the nearest element that holds those of all selectors,
// or is the only one of them; the first where no common one shows.
func around(selectors []string) string {
	if len(selectors) == 0 {
		return ""
	}
	common := strings.Split(selectors[0], childOf)
	for _, selector := range selectors[1:] {
		steps := strings.Split(selector, childOf)
		n := 0
		for n < min(len(common), len(steps)) && common[n] == steps[n] {
			n++
		}
		common = common[:n]
	}
	if len(common) == 0 {
		return selectors[0]
	}
	return strings.Join(common, childOf)
}

// regions are runs of units of one type that stand behind each other.
type regions []region

type region struct {
	page, first, last int
	kind              UnitType
}

// add adds the n-th unit of its type on a page.
func (r *regions) add(page int, kind UnitType, n int) {
	if i := len(*r) - 1; i >= 0 {
		if before := &(*r)[i]; before.page == page && before.kind == kind && before.last+1 == n {
			before.last = n
			return
		}
	}
	*r = append(*r, region{page, n, n, kind})
}

// String names the places in their order, those of pages after the first behind their
// page: heading 1, paragraphs 2-4, page 7: paragraph 1.
func (r regions) String() string {
	var b strings.Builder
	for i, one := range r {
		if i > 0 {
			b.WriteString(", ")
		}
		if i > 0 && one.page != r[i-1].page {
			fmt.Fprintf(&b, "page %d: ", one.page)
		}
		if one.first == one.last {
			fmt.Fprintf(&b, "%s %d", typeName(one.kind), one.first)
		} else {
			fmt.Fprintf(&b, "%s %d-%d", plural(typeName(one.kind)), one.first, one.last)
		}
	}
	return b.String()
}

// plural returns the name of several units of a type: list items, but code.
func plural(name string) string {
	if name == string(UnitCode) {
		return name
	}
	return name + "s"
}
