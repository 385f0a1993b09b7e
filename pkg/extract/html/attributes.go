package html

import (
	"cmp"
	"slices"

	"golang.org/x/net/html"
)

// Attributes are read once, from the captured bytes, and not a second time from the
// copy: there a start tag has a number in their place, by which they come back to
// the elements that the parser makes of the tag.

// parsed are the elements whose attributes the parser looks at or changes; those
// within SVG and MathML are, too.
var parsed = set("html", "body", "input", "font", "annotation-xml", "svg", "math")

// formatSign stands before the number of the attributes of a formatting element.
// The parser makes several elements of one tag, and compares them: those with equal
// attributes have one number.
const formatSign = "f"

// attrs are the places of the attributes of a tag in moved.all.
type attrs struct{ from, to int32 }

func (a attrs) any() bool { return a.to > a.from }

// moved are the attributes that are not in the copy.
type moved struct {
	all     []html.Attribute
	formats []attrs        // by number
	known   map[string]int // numbers, by what the attributes say
	said    []byte
}

// take reads the attributes of the start tag that z is at, as the parser would.
func (m *moved) take(z *html.Tokenizer) attrs {
	from := len(m.all)
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		m.all = append(m.all, html.Attribute{Key: intern(key), Val: string(value)})
	}
	return attrs{int32(from), int32(len(m.all))}
}

// of returns the attributes at their places.
func (m *moved) of(a attrs) []html.Attribute { return m.all[a.from:a.to:a.to] }

// format returns the number of the attributes of a formatting element. As the parser
// does, it puts them in the order of their names.
func (m *moved) format(a attrs) int {
	list := m.of(a)
	slices.SortFunc(list, func(a, b html.Attribute) int { return cmp.Compare(a.Key, b.Key) })
	m.said = m.said[:0]
	for _, attr := range list { // neither names nor values hold U+0000
		m.said = append(append(append(append(m.said, attr.Key...), 0), attr.Val...), 0)
	}
	n, ok := m.known[string(m.said)]
	if !ok {
		if m.known == nil {
			m.known = map[string]int{}
		}
		n = len(m.formats)
		m.known[string(m.said)] = n
		m.formats = append(m.formats, a)
	}
	return n
}
