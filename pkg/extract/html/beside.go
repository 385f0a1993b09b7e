package html

import (
	"strings"

	"golang.org/x/net/html"
)

// beside gives a role to what stands beside the way from body to main.
func (j *judgement) beside(main *node) {
	for n := main; n != j.body; n = n.parent {
		before, landmark := true, within(n.parent, "main")
		inMain := landmark || n.parent != j.body && j.heads(n.parent) && !j.heads(n)
		headed := landmark && j.headline != nil && !j.heads(n.parent) && j.headline.last < n.parent.first
		stacked := j.stacked(n)
		for _, k := range n.parent.kids {
			if k == n {
				before = false
				continue
			}
			if k.Type != html.ElementNode || k.hidden || k.letters == 0 {
				continue
			}
			if _, ok := j.roles[k]; ok || !before && (heading(k) || j.isNotes(k)) {
				continue // a heading is what follows it
			}
			if j.isHead(k, before) || before && (heading(k) || landmark && k.heads > 0) {
				headed = true
				continue // what heads the main matter
			}
			if before && headed && 2*k.linked <= k.letters {
				continue // who wrote it and when, what it says in short
			}
			least := j.least(n, k, inMain && !before)
			if !before && stacked && j.continues(k) {
				least = keepInMain
			}
			if j.share(k) < least || tail(k, before) || !before && teasers(k) && j.weight[k] < j.weight[n] {
				j.roles[k] = besideRole(k, before)
			}
		}
	}
}

// isNotes reports whether an element holds the notes to a text.
func (j *judgement) isNotes(n *node) bool {
	return j.named(n, func(w string) bool { return noteWords[w] })
}

var noteWords = set("footnote", "footnotes", "endnotes", "notes", "references", "bibliography", "fussnoten", "anmerkungen", "appendix")

// isHead reports whether an element has the headline of the page, or one of
// several: what comes before that of the title is the name of the site. Where
// nothing is the headline, any heading before the main matter may be it.
func (j *judgement) isHead(n *node, before bool) bool {
	if j.heads(n) || before && j.isTitle(n) {
		return true
	}
	switch {
	case before && j.titled:
		return false
	case before && j.headline == nil && n.heads > 0 && 2*n.linked <= n.letters:
		return true
	}
	h1 := find(n, "h1")
	return h1 != nil && !linksHome(h1)
}

// least returns the share of the page's weight that k must have to be kept
// beside n, which is on the way to the main element. after: k is in the element
// main, behind n.
func (j *judgement) least(n, k *node, after bool) float64 {
	few := k.fields == 0 && 4*k.linked < k.letters
	switch {
	case isMain(n), j.heads(n) && columns[k.Data] && 3*k.linked > k.letters:
		return articleShare
	case (n.Data == "article" || j.heads(n)) && columns[k.Data] && !alike(n, k):
		return besideArticle
	case after && few && k.linked == 0:
		return 0
	case few && (after || alike(n, k)):
		return keepInMain
	default:
		return keepShare
	}
}

// keepInMain is keepShare for text behind the main element, in the element main
// or the one with the headline, and for sections of a page that has no columns.
const keepInMain = 0.02

// stacked reports whether what follows an element are sections of the same text
// rather than columns beside it: two of them at least.
func (j *judgement) stacked(n *node) bool {
	count := 0
	for _, k := range after(n) {
		if _, ok := j.roles[k]; !ok && j.continues(k) {
			count++
		}
	}
	return count > 1
}

// continues reports whether an element can be a section that goes on with the
// text before it: prose below a heading of the next level, without fields and
// with few links.
func (j *judgement) continues(n *node) bool {
	if !columns[n.Data] || n.Data == "td" || n.hidden || n.heads == 0 || n.fields > 0 || 5*n.linked >= n.letters || n.letters < leastSection {
		return false
	}
	first := findHeading(n)
	if linksHome(first) {
		return false
	}
	if j.headline == nil || !heading(j.headline) {
		return first.Data <= "h3"
	}
	return first.Data[1] <= j.headline.Data[1]+1
}

// leastSection is how many characters a section has at least.
const leastSection = 25

// alike reports whether two elements are of a kind, as the sections of a text
// are and columns are not: they are sections, or have the same name and the same
// classes, or neither has any, and ids that differ in numbers at most.
func alike(a, b *node) bool {
	if a.Data != b.Data || a.Data == "td" {
		return false
	}
	if a.Data == "section" && b.fields == 0 {
		return true
	}
	if class := a.attr("class"); class != b.attr("class") || class != "" {
		return class == b.attr("class")
	}
	return lettersOf(a.attr("id")) == lettersOf(b.attr("id"))
}

// teasers reports whether an element is a list of other pages, each with a
// heading that leads to it.
func teasers(n *node) bool { return n.leading > 1 && n.leading+1 >= n.heads }

// tail reports whether what stands after the main element is a line or two with
// links, as at the foot of a site.
func tail(n *node, before bool) bool {
	return !before && n.letters < shortTail && 4*n.linked > n.letters && n.heads == 0
}

// shortTail is how many characters such a line has at most.
const shortTail = 200

// isTitle reports whether an element is the title of the page, or what it begins
// with: not all pages have a heading.
func (j *judgement) isTitle(n *node) bool {
	if n.letters < leastTitle || n.letters > int32(len(j.title)) {
		return false
	}
	return strings.HasPrefix(j.title, strings.ToLower(hiddenText(n)))
}

func besideRole(n *node, before bool) string {
	switch {
	case n.linked*2 > n.letters:
		return roleNavigation
	case before:
		return roleBanner
	default:
		return roleRelated
	}
}
