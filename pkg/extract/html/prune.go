package html

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// What is pruned from the main element.
const (
	// linkList is the share of links in the text of a box from which on the box
	// leads away from the page instead of saying something.
	linkList = 0.5
	// smallBox is the share of the main element's text that such a box may have.
	smallBox = 0.2
	// leastLinks is how many links it has at least.
	leastLinks = 2
	// teaserShare is the share of the main element's weight that lists of other
	// pages may have: where they are more, they are what the page is about.
	teaserShare = 0.5
)

// prune gives a role to what leads away within the main element: small boxes of
// links (tags, steps to the page before and after, buttons for sharing), boxes
// that ask for an address, lists of other pages behind the text, and the
// headings over nothing else. Lists that a heading or a colon announces within
// the text are the page's own ("See also"), and where links outweigh prose,
// links are what the page is about.
func (j *judgement) prune(main *node) {
	if j.weight[main] < int(main.linked) {
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
	behind := 0
	j.teasersIn(main, new(int), func(n *node) { behind += j.weight[n] })
	if float64(behind) <= teaserShare*float64(j.weight[main]) {
		j.teasersIn(main, new(int), func(n *node) { j.roles[n] = roleRelated })
	}
	said := false
	for n := main; n != j.body.parent; n = n.parent {
		j.orphans(n, &said)
		said = true
	}
}

func (j *judgement) pruneIn(n, main *node) {
	announced, within := false, !j.lays(n, main)
	first, last := prose(n)
	for i, k := range n.kids {
		if k.Type != html.ElementNode || k.hidden || k.letters == 0 {
			continue
		}
		if list := k.Data == "ul" || k.Data == "ol"; list && first >= 0 && first < i && i < last {
			continue
		}
		if _, ok := j.roles[k]; !ok && boxes[k.Data] && !announced {
			switch {
			case linkBox(k, main):
				j.roles[k] = roleNavigation
			case j.formBox(k, main):
				j.roles[k] = roleRelated
			default:
				j.pruneIn(k, main)
			}
		}
		announced = within && (heading(k) || k.Data == "p" && strings.HasSuffix(hiddenText(k), ":"))
	}
}

// prose returns the places of the first and the last child of n that is text
// and not mostly links, -1 where there is none. A list between them is part of
// the text.
func prose(n *node) (first, last int) {
	first, last = -1, -1
	for i, k := range n.kids {
		if !columns[k.Data] && !boxes[k.Data] && !heading(k) && k.letters > fewLetters && 2*k.linked < k.letters {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last
}

// lays reports whether an element lays out the page: most of the text is in one
// of its boxes, and none beside these.
func (j *judgement) lays(n, main *node) bool {
	return !flows(n) && slices.ContainsFunc(n.kids, func(k *node) bool { return columns[k.Data] && 2*j.weight[k] > j.weight[main] })
}

// formBox reports whether an element is a small box around a form with fields to
// fill in, as those that ask for an address.
func (j *judgement) formBox(n, main *node) bool {
	if float64(n.letters) >= smallBox*float64(main.letters) || j.heads(n) || n.fields == 0 {
		return false
	}
	form := find(n, "form")
	return form != nil && n.letters-form.letters <= 2*longParagraph
}

// teasersIn calls found for each list of other pages behind some prose, whose
// characters are counted in prose.
func (j *judgement) teasersIn(n *node, prose *int, found func(*node)) {
	for _, k := range n.kids {
		if _, ok := j.roles[k]; ok || k.Type != html.ElementNode || k.hidden {
			continue
		}
		switch {
		case *prose > 0 && boxes[k.Data] && !j.heads(k) && teasers(k):
			found(k)
		case k.holds:
			j.teasersIn(k, prose, found)
		case !heading(k):
			*prose += int(k.letters - k.linked)
		}
	}
}

// orphans gives a role to headings behind some text over nothing but furniture.
func (j *judgement) orphans(n *node, said *bool) {
	for i, k := range n.kids {
		if _, ok := j.roles[k]; ok || k.Type != html.ElementNode || k.hidden || k.letters == 0 {
			continue
		}
		switch {
		case heading(k) && k.Data != "h1" && k != j.headline && *said:
			if role := j.only(n.kids[i+1:], k); role != "" {
				j.roles[k] = role
			}
		case k.holds:
			j.orphans(k, said)
		case !heading(k):
			*said = *said || k.letters > fewLetters
		}
	}
}

// only returns the role of what follows a heading up to the next one, "" when
// there is nothing or not all of it is furniture.
func (j *judgement) only(following []*node, head *node) string {
	role := ""
	for _, k := range following {
		if k.letters == 0 || k.hidden {
			continue
		}
		if heading(k) && k.Data <= head.Data {
			break
		}
		r, ok := j.roles[k]
		if !ok {
			return ""
		}
		role = r
	}
	return role
}

func linkBox(n, main *node) bool {
	return float64(n.linked) > linkList*float64(n.letters) && float64(n.letters) < smallBox*float64(main.letters) &&
		n.heads == 0 && links(n, leastLinks) >= leastLinks
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
