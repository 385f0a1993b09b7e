package html

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/coverage"
)

// titleParts are what stands between the name of a page and that of its site.
var titleParts = strings.NewReplacer(" | ", "\x00", " - ", "\x00", " – ", "\x00", " — ", "\x00", " · ", "\x00", " :: ", "\x00", " » ", "\x00",
	" « ", "\x00", " › ", "\x00", " • ", "\x00", ": ", "\x00")

// leastTitle is how many characters a title has at least.
const leastTitle = 6

// findHeadline finds the element that is the headline of the page: the last
// heading, else the last other element, that is the page's title or a part of it
// (the site's name comes first); where there is none, the first h1 that does not
// only lead to the front page. What says by its name that it is furniture has no
// headline.
func (j *judgement) findHeadline(title string) {
	known := map[string]bool{}
	sizes := map[int32]bool{}
	for _, part := range append(strings.Split(titleParts.Replace(title), "\x00"), title) {
		if size := int32(coverage.Characters(part)); size >= leastTitle {
			known[titleKey(part)], sizes[size], sizes[size+1] = true, true, true // one more for the sign of a link to it
		}
	}
	var titled, other, first *node
	var walk func(n *node)
	walk = func(n *node) {
		if n.Type != html.ElementNode || n.hidden || n.letters == 0 || n.Data == "nav" || n.Data == "aside" || n.Data == "footer" {
			return
		}
		if sizes[n.letters] && known[titleKey(hiddenText(n))] {
			switch {
			case heading(n):
				titled = n
			case n.linked == 0:
				other = n
			}
		}
		if first == nil && n.Data == "h1" && !linksHome(n) {
			first = n
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(j.body)
	switch {
	case titled != nil:
		j.headline, j.titled = titled, true
	case first != nil:
		j.headline = first
	default:
		j.headline, j.titled = other, other != nil
	}
	j.around = map[*node]bool{}
	for n := j.headline; n != nil; n = n.parent {
		j.around[n] = true
	}
}

// heads reports whether the page's headline is in an element.
func (j *judgement) heads(n *node) bool { return j.around[n] }

// titleKey returns the letters and digits of a text, in lower case.
func titleKey(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
