package html

import (
	"strconv"
	"strings"
)

// list counts the items of a list, to give each the marker that is shown.
type list struct {
	ordered  bool
	notes    bool   // its items are footnotes
	form     string // type attribute of an ordered list
	upcoming int
	step     int
}

func newList(n *node) *list {
	l := &list{ordered: n.Data == "ol", form: n.attr("type"), upcoming: 1, step: 1}
	if !l.ordered {
		return l
	}
	if _, ok := n.lookup("reversed"); ok {
		l.step, l.upcoming = -1, 0
		for _, k := range n.kids {
			if k.block && k.Data == "li" {
				l.upcoming++
			}
		}
	}
	if start, err := strconv.Atoi(n.attr("start")); err == nil {
		l.upcoming = start
	}
	return l
}

// next returns the marker of the item: "•", or its number as it is shown. An
// item outside of a list has a bullet, as browsers show it.
func (l *list) next(item *node) string {
	if l == nil || !l.ordered {
		return "•"
	}
	if value, err := strconv.Atoi(item.attr("value")); err == nil {
		l.upcoming = value
	}
	n := l.upcoming
	l.upcoming += l.step
	form := l.form
	if own := item.attr("type"); own != "" {
		form = own
	}
	return number(n, form) + "."
}

func number(n int, form string) string {
	switch {
	case n < 1 || n > 3999:
	case form == "a":
		return alphabetic(n)
	case form == "A":
		return strings.ToUpper(alphabetic(n))
	case form == "i":
		return strings.ToLower(roman(n))
	case form == "I":
		return roman(n)
	}
	return strconv.Itoa(n)
}

func alphabetic(n int) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(rune('a'+(n-1)%26)) + s
	}
	return s
}

func roman(n int) string {
	var b strings.Builder
	values := [...]int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	signs := [...]string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	for i, v := range values {
		for ; n >= v; n -= v {
			b.WriteString(signs[i])
		}
	}
	return b.String()
}

// holdsNotes reports whether an ordered list is one of footnotes, by the words
// of its class and id and of those of the element around it.
func holdsNotes(n *node) bool {
	for _, e := range []*node{n, n.parent} {
		if e == nil {
			continue
		}
		if role := e.attr("role"); role == "doc-endnotes" || role == "doc-footnotes" {
			return true
		}
		for _, w := range words(e.attr("class") + " " + e.attr("id")) {
			switch w {
			case "footnotes", "footnote", "endnotes", "references", "reflist":
				return true
			}
		}
	}
	return false
}
