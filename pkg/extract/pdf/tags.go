package pdf

import (
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// tags are what the structure tree of a page says, by marked-content id.
type tags struct {
	place map[int]int // 1 + the place in list
	list  []layout.Tag
	alt   map[int]string // of what belongs to a figure
	// content is what an element makes part of the text; none of them is known when
	// the page has no elements, or too many.
	content map[int]bool
	none    bool
}

// tagsOf reads the structure tree. What is named twice counts the first time.
func tagsOf(s pdfium.Structure) tags {
	t := tags{place: make(map[int]int, len(s.Contents)), alt: map[int]string{}, content: map[int]bool{}, none: len(s.Elements) == 0}
	for _, c := range s.Contents {
		if _, ok := t.place[c.Mark]; ok {
			continue
		}
		tag := layout.Tag{Element: c.Element}
		t.content[c.Mark] = isBlock(s, c.Element)
		for at := c.Element; at >= 0; at = s.Elements[at].Parent {
			e := &s.Elements[at]
			if kind, level := roleOf(e.Type); kind != layout.Paragraph {
				tag = layout.Tag{Kind: kind, Level: level, Element: at}
				break
			}
			if e.Type == "Figure" && e.Alt != "" {
				t.alt[c.Mark] = e.Alt
			}
		}
		t.list = append(t.list, tag)
		t.place[c.Mark] = len(t.list)
	}
	return t
}

// roleOf reads the standard types that say what a block is (ISO 32000-1,
// 14.8.4).
func roleOf(name string) (kind layout.Kind, level int) {
	switch name {
	case "Title":
		return layout.Heading, 1
	case "H":
		return layout.Heading, 0
	case "H1", "H2", "H3", "H4", "H5", "H6":
		return layout.Heading, int(name[1] - '0')
	case "Caption":
		return layout.Caption, 0
	case "Note", "FENote":
		return layout.Footnote, 0
	}
	return layout.Paragraph, 0
}

// isContent reports whether marked content is part of the text. An id alone does not
// say so: programs that print web pages give ids to the boxes in the margins of pages
// too, in no element or in one that means nothing.
func (t *tags) isContent(mark int) bool { return t.none || t.content[mark] }

// isOrphan reports marked content that no element of the page has, though it has elements:
// programs that print web pages leave the boxes in the margins of pages out of the tree.
func (t *tags) isOrphan(mark int) bool {
	_, ok := t.place[mark]
	return !t.none && !ok
}

// isBlock reports whether an element, or one around it, is a piece of the text: a
// paragraph, a heading, a list, a table or another that this does not know.
func isBlock(s pdfium.Structure, element int) bool {
	for at := element; at >= 0; at = s.Elements[at].Parent {
		if !holds[s.Elements[at].Type] {
			return true
		}
	}
	return false
}

// holds are the standard types that hold others together, or mean nothing (ISO
// 32000-1, 14.8.4.2 and 14.8.4.4; ISO 32000-2, 14.8.2.2).
var holds = map[string]bool{
	"": true, "Document": true, "DocumentFragment": true, "Part": true, "Art": true, "Sect": true, "Div": true, "Span": true,
	"NonStruct": true, "Private": true, "Artifact": true,
}
