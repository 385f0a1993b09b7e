package html

import (
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// What is pruned from the main element.
const (
	// linkList is the share of links in the text of a box from which on the box
	// leads away from the page instead of saying something.
	linkList = 0.5
	// smallBox is the share of the main element's text that such a box may have.
	smallBox = 0.2
	// leastLinks is how many links it has at least, manyLinks how many are counted.
	leastLinks, manyLinks = 2, 50
	// wordBeside is how many characters stand beside each link in a box of links;
	// in a list of things with links there are more.
	wordBeside = 8
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
	if j.weight[main] < int(j.linked(main)) {
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
	j.labels(j.body)
}

// linked counts the characters in links of an element that are in no furniture.
func (j *judgement) linked(n *node) int32 {
	if _, ok := j.roles[n]; ok || n.hidden || n.linked == 0 {
		return 0
	}
	if !n.holds {
		return n.linked
	}
	count := int32(0)
	for _, k := range n.kids {
		count += j.linked(k)
	}
	return count
}

func (j *judgement) pruneIn(n, main *node) {
	announced, within := false, !j.lays(n, main)
	first, last, lastHead := prose(n)
	kinds := sync.OnceValue(func() map[string]bool { return j.kindsOf(n) })
	for i, k := range n.kids {
		if k.Type != html.ElementNode || k.hidden || k.letters == 0 {
			continue
		}
		behind := first >= 0 && first < i
		if list := k.Data == "ul" || k.Data == "ol"; list && behind && (i < last || i < lastHead && bare(k)) {
			continue
		}
		if _, ok := j.roles[k]; !ok && !announced {
			if role := j.away(k, main, behind); role != "" {
				j.roles[k] = role
			} else if j.advert(k, main) && !kinds()[kindOf(k)] {
				j.roles[k] = roleRelated
			} else if boxes[k.Data] {
				j.pruneIn(k, main)
			}
		}
		announced = within && (headingOf(k) != nil || k.Data == "p" && lastCharacter(k) == ':')
	}
}

// away returns the role of an element that leads away from the page, "" for
// others. behind: there is a paragraph before it.
func (j *judgement) away(n, main *node, behind bool) string {
	least := leastBarred
	if behind {
		least = leastLinks
	}
	switch {
	case (boxes[n.Data] || n.Data == "p" || !n.block) && barred(n, least):
		return roleNavigation
	case !boxes[n.Data]:
		return ""
	case linkBox(n, main):
		return roleNavigation
	case j.formBox(n, main):
		return roleRelated
	}
	return ""
}

// prose returns the places of the first and the last child of n that is text
// and not mostly links, and of the last heading, -1 where there is none. A list
// between the first two is part of the text, and so is one without a name of its
// own before a heading.
func prose(n *node) (first, last, lastHead int) {
	first, last, lastHead = -1, -1, -1
	for i, k := range n.kids {
		switch {
		case headingOf(k) != nil:
			lastHead = i
		case !columns[k.Data] && !boxes[k.Data] && k.letters > fewLetters && 2*k.linked < k.letters:
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last, lastHead
}

// bare reports whether an element has neither class nor id, as what an author
// wrote and no template.
func bare(n *node) bool { return n.attr("class") == "" && n.attr("id") == "" }

// barred reports whether an element is a line of so many links or more with bars
// or the like between them, as at the head and foot of old pages and below
// articles.
func barred(n *node, least int) bool {
	if n.holds || n.linked == 0 || n.letters-n.linked > fewLetters || links(n, least) < least {
		return false
	}
	bar := false
	var only func(n *node) bool
	only = func(n *node) bool {
		if n.Type == html.TextNode {
			bar = bar || strings.ContainsAny(n.Data, bars)
			return strings.Trim(n.Data, bars+" \t\r\n\u00A0") == ""
		}
		return isLink(n) || n.hidden || !slices.ContainsFunc(n.kids, func(k *node) bool { return !only(k) })
	}
	return only(n) && bar
}

// leastBarred is how many links such a line has before any paragraph: two may
// be who wrote the text, and when.
const leastBarred = 3

// bars are what stands between the links of such a line.
const bars = "|•·[]/»›«‹>"

// advert reports whether an element is a small box with other pages.
func (j *judgement) advert(n, main *node) bool {
	return advertBoxes[n.Data] && float64(n.letters) < smallBox*float64(main.letters) && !j.heads(n) &&
		links(n, leastLinks) >= leastLinks && j.labelledLinks(n)
}

// labelledLinks reports whether there is nothing in an element but a heading or a
// few words, and then links that lead away; or several of these.
func (j *judgement) labelledLinks(n *node) bool {
	label, found := false, false
	for _, k := range n.kids {
		switch _, ok := j.roles[k]; {
		case ok || k.hidden || k.letters == 0:
		case k.letters == n.letters:
			return j.labelledLinks(k) // all that is in it
		case !label && boxes[k.Data] && j.labelledLinks(k):
			found = true
		case !label && (headingOf(k) != nil || k.block && !k.holds && k.linked == 0 && k.letters <= maxAnnouncement):
			label = true
		case !label || 10*k.linked < 9*k.letters || !leadsAway(k):
			return false
		default:
			found = true
		}
	}
	return found
}

// kindsOf returns the kinds of those children of an element that hold prose: a box
// of the same kind is one more section of the text.
func (j *judgement) kindsOf(n *node) map[string]bool {
	kinds := map[string]bool{}
	for _, k := range n.kids {
		if j.weight[k] > fewLetters {
			kinds[kindOf(k)] = true
		}
	}
	return kinds
}

func kindOf(n *node) string { return n.Data + "." + n.attr("class") }

// leadsAway reports whether all links in a subtree lead to other pages, and not
// to places on this one, addresses or files.
func leadsAway(n *node) bool {
	if isLink(n) {
		ref, _, _ := strings.Cut(n.attr("href"), "?")
		return !strings.HasPrefix(ref, "#") && !strings.HasPrefix(ref, "mailto:") && !strings.HasPrefix(ref, "tel:") && !fileExts[strings.ToLower(path.Ext(ref))]
	}
	return !slices.ContainsFunc(n.kids, func(k *node) bool { return k.linked > 0 && !leadsAway(k) })
}

// fileExts are the endings of files that a page is about, rather than pages.
var fileExts = set(".pdf", ".doc", ".docx", ".odt", ".xls", ".xlsx", ".ods", ".csv", ".ppt", ".pptx", ".zip", ".gz", ".jpg", ".png", ".mp3", ".mp4", ".ics", ".epub")

// lays reports whether an element lays out the page: most of the text is in one
// of its boxes, and none beside these.
func (j *judgement) lays(n, main *node) bool {
	return !flows(n) && slices.ContainsFunc(n.kids, func(k *node) bool { return columns[k.Data] && 2*j.weight[k] > j.weight[main] })
}

// formBox reports whether an element is a small box around a form with fields to
// fill in, as those that ask for an address.
func (j *judgement) formBox(n, main *node) bool {
	if float64(n.letters) >= smallBox*float64(main.letters) || float64(j.weight[n]) >= smallBox*float64(j.weight[main]) || j.heads(n) || n.fields == 0 {
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
		head := headingOf(k)
		switch {
		case head != nil && head.Data != "h1" && head != j.headline && head.letters <= longParagraph && *said:
			if role := j.only(n.kids[i+1:], head); role != "" {
				j.roles[k] = role
			}
		case k.holds:
			j.orphans(k, said)
		case !heading(k):
			*said = *said || k.letters > fewLetters
		}
	}
}

// labels gives a role to lines, other than headings, that begin a box of nothing
// but furniture.
func (j *judgement) labels(n *node) {
	var label *node
	role, others := "", 0
	for _, k := range n.kids {
		r, ok := j.roles[k]
		switch {
		case k.hidden || k.letters == 0:
		case ok && role == "":
			role = r
		case ok:
		default:
			if others++; k.holds {
				j.labels(k)
			}
			if others == 1 && role == "" {
				label = k
			}
		}
	}
	if label == nil || others > 1 || role == "" {
		return
	}
	if label.block && !label.holds && !heading(label) && label.letters <= maxAnnouncement && label.linked == 0 && !j.heads(label) {
		j.roles[label] = role
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
		if next := headingOf(k); next != nil && next.Data <= head.Data {
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

// linkBox reports whether an element is a small box of links with hardly a word
// beside each.
func linkBox(n, main *node) bool {
	if float64(n.linked) <= linkList*float64(n.letters) || float64(n.letters) >= smallBox*float64(main.letters) || n.heads > 0 {
		return false
	}
	count := links(n, manyLinks)
	return count >= leastLinks && n.letters-n.linked <= int32(count)*wordBeside
}

// advertBoxes are the elements that may hold a list of other pages with a heading.
var advertBoxes = set("div", "section", "aside", "td")

// boxes are the elements that may be boxes of links.
var boxes = set("div", "section", "ul", "ol", "nav", "aside", "table", "tbody", "tr", "td", "center", "footer", "header", "menu")

// links counts the links with text in a subtree, up to most.
func links(n *node, most int) int {
	if n.Type != html.ElementNode || n.hidden || n.linked == 0 {
		return 0
	}
	if isLink(n) {
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
