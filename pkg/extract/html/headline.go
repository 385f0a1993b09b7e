package html

import (
	"net/url"
	"slices"
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

// findHeadline finds the element that is the headline of the page: the heading
// (the best of several), else the longest other element (the site's name comes
// again below), that is the page's title or a part of it; where there is none, the first h1 that
// does not only lead to the front page. What says by its name that it is furniture
// has no headline, what says so by its class only where nothing else has.
func (j *judgement) findHeadline(title string) {
	known := map[string]bool{}
	sizes := map[int32]bool{}
	for _, part := range append(strings.Split(titleParts.Replace(title), "\x00"), title) {
		if size := int32(coverage.Characters(part)); size >= leastTitle {
			known[titleKey(part)], sizes[size], sizes[size+1] = true, true, true // one more for the sign of a link to it
		}
	}
	var titled, boxed, other, first *node
	var walk func(n *node)
	walk = func(n *node) {
		if n.Type != html.ElementNode || n.hidden || n.letters == 0 || n.Data == "nav" || n.Data == "aside" || n.Data == "footer" {
			return
		}
		if sizes[n.letters] && known[titleKey(hiddenText(n))] {
			switch {
			case heading(n) && j.boxed(n):
				boxed = n
			case heading(n) && !betterTitle(titled, n):
				titled = n
			case n.linked == 0 && (other == nil || n.letters >= other.letters):
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
	case boxed != nil:
		j.headline, j.titled = boxed, true
	default:
		j.headline, j.titled = other, other != nil
	}
	j.around = map[*node]bool{}
	for n := j.headline; n != nil; n = n.parent {
		j.around[n] = true
	}
	if j.headline != nil {
		for _, w := range words(hiddenText(j.headline)) {
			j.topic[stem(w)] = true
		}
	}
}

// betterTitle reports whether of two headings that are in the title the first is
// rather the headline: one that does not lead to the front page, as the site's name
// does; the longer one, since names of sites and of their sections are short; of
// headings of one length the one that is no link (lists of pages have this page,
// too), the higher one, the later one.
func betterTitle(a, b *node) bool {
	switch {
	case a == nil:
		return false
	case linksToFront(a) != linksToFront(b):
		return linksToFront(b)
	case a.letters > b.letters+1 || b.letters > a.letters+1: // one more for the sign of a link to it
		return a.letters > b.letters
	case linksHome(a) != linksHome(b):
		return linksHome(b)
	}
	return a.Data < b.Data
}

// linksToFront reports whether a link in an element leads to the front page of a
// site.
func linksToFront(n *node) bool {
	if isLink(n) {
		u, err := url.Parse(strings.TrimSpace(n.attr("href")))
		return err == nil && strings.Trim(u.Path, "./") == "" && u.RawQuery == "" && u.Fragment == ""
	}
	return slices.ContainsFunc(n.kids, func(k *node) bool { return k.linked > 0 && linksToFront(k) })
}

// boxed reports whether an element is in one that is named as lists of other
// pages, comments, dialogs or footers are: the title may stand there once more, and
// the site's name does.
func (j *judgement) boxed(n *node) bool {
	if n == j.body {
		return false
	}
	in, ok := j.inBox[n]
	if !ok {
		role, _ := j.roleOfWords(n)
		in = role == roleRelated || role == roleComments || role == roleCookie || role == roleFooter || j.boxed(n.parent)
		j.inBox[n] = in
	}
	return in
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
