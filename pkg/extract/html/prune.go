package html

import (
	"slices"

	"golang.org/x/net/html"
)

// What is pruned from the main element.
const (
	// linkList is the share of links in the text of a box from which on the box
	// leads away from the page instead of saying something.
	linkList = 0.6
	// smallBox is the share of the main element's text that such a box may have.
	smallBox = 0.2
	// leastLinks is how many links it has at least.
	leastLinks = 2
)

// prune gives a role to the small boxes of links within the main element: tags,
// steps to the page before and after, buttons for sharing. Lists that a heading
// announces are the page's own ("See also"), and where links outweigh prose,
// links are what the page is about.
func (j *judgement) prune(main *node) {
	if j.weight[main] < 2*int(main.linked) {
		return
	}
	j.pruneIn(main, main)
	if main.Data == "body" { // nothing stands beside it: the foot of the site is in it
		for _, k := range slices.Backward(main.kids) {
			if k.Type != html.ElementNode || k.hidden || k.letters == 0 {
				continue
			}
			if _, ok := j.roles[k]; !ok && boxes[k.Data] && tail(k, false) {
				j.roles[k] = roleFooter
			}
			break
		}
	}
}

func (j *judgement) pruneIn(n, main *node) {
	announced := false
	for _, k := range n.kids {
		if k.Type != html.ElementNode || k.hidden || k.letters == 0 {
			continue
		}
		if _, ok := j.roles[k]; !ok && boxes[k.Data] && !announced {
			if linkBox(k, main) {
				j.roles[k] = roleNavigation
			} else {
				j.pruneIn(k, main)
			}
		}
		announced = heading(k)
	}
}

func linkBox(n, main *node) bool {
	return float64(n.linked) > linkList*float64(n.letters) && float64(n.letters) < smallBox*float64(main.letters) &&
		findHeading(n) == nil && links(n, leastLinks) >= leastLinks
}

// boxes are the elements that may be boxes of links.
var boxes = set("div", "section", "ul", "ol", "nav", "aside", "table", "tbody", "tr", "td", "center", "footer", "header", "menu")

// links counts the links with text in a subtree, up to most.
func links(n *node, most int) int {
	if n.Type != html.ElementNode || n.hidden || n.linked == 0 {
		return 0
	}
	if n.Data == "a" {
		return 1
	}
	count := 0
	for _, k := range n.kids {
		if count += links(k, most-count); count >= most {
			break
		}
	}
	return count
}
