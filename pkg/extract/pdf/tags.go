package pdf

import (
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// tags are what the structure tree of a page says, by marked-content id.
type tags struct {
	place map[int]int // 1 + the place in list
	list  []layout.Tag
	alt   map[int]string // of what belongs to a figure
}

// tagsOf reads the structure tree. What is named twice counts the first time.
func tagsOf(s pdfium.Structure) tags {
	t := tags{place: make(map[int]int, len(s.Contents)), alt: map[int]string{}}
	for _, c := range s.Contents {
		if _, ok := t.place[c.Mark]; ok {
			continue
		}
		tag := layout.Tag{Element: c.Element}
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
