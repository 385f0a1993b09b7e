package html

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// The roles of furniture (contracts#furniture).
const (
	roleNavigation = "navigation"
	roleBanner     = "banner"
	roleCookie     = "cookie"
	roleFooter     = "footer"
	roleRelated    = "related"
	roleComments   = "comments"
)

// Main matter against furniture is judged in three steps, from this page
// alone:
//
//  1. What an element says of itself, by its name, its ARIA role and the words
//     of its class and id, as far as its size and its links do not speak
//     against it; and what a line of the page announces ("Comments").
//  2. The main element: the smallest one that holds mainShare of the weight of
//     the page, the weight being the text outside of links in what is left; or
//     articleShare, when it is the page's only article, holds the headline, or says
//     that it is the main one.
//  3. What stands beside the main element is furniture, unless it weighs
//     keepShare of the page or more (besideArticle, beside what has the
//     headline), heads the page, or goes on with the text. Within it boxes of
//     links, forms and lists of other pages are.
const (
	mainShare = 0.80
	keepShare = 0.08
	// articleShare and besideArticle are the same for the page's only article,
	// and for a column that begins with the headline.
	articleShare  = 0.5
	besideArticle = 0.3
	// tooLarge is the share of a page's text above which no word in a class
	// makes an element furniture.
	tooLarge = 0.5
	// minJudged is how many characters a page must have to have a main element; and
	// one without prose, as an index, has none either.
	minJudged = 250
)

// judge returns the elements that are furniture, with their roles, and the nodes that
// may be. A role of "" is that of a passage within furniture that is none.
func judge(root *node, title string, known *learnt) (roles map[*node]string, doubts map[*node]bool) {
	j := judgeByRules(root, title, known)
	if j.main != nil {
		j.decide()
	}
	return j.roles, j.doubts
}

// judgeByRules takes the three steps. Its main is nil where a page is too small.
func judgeByRules(root *node, title string, known *learnt) *judgement {
	j := &judgement{
		roles: map[*node]string{}, doubts: map[*node]bool{}, weight: map[*node]int{}, total: int(root.letters), known: known,
		topic: map[string]bool{}, refused: map[*node]string{}, slugs: map[*node]map[string]int{}, inBox: map[*node]bool{}, divided: map[string][]string{},
	}
	body := find(root, "body")
	if body == nil || j.total == 0 {
		return j
	}
	j.body = body
	j.title = strings.ToLower(title)
	j.findHeadline(title)
	j.sayAll(body)
	j.announce(body, new(int32))
	clear(j.weight)
	j.weigh(body, false)
	if j.total < minJudged || j.weight[body] < fewLetters {
		return j
	}
	main := only(body, "article")
	if main == nil || j.share(main) < articleShare {
		main = j.findMain()
	}
	j.beside(main)
	j.prune(main)
	j.main = main
	return j
}

// findMain returns the main element.
func (j *judgement) findMain() *node {
	main := j.body
	for next := main; next != nil; {
		main = next
		next = nil
		for _, k := range main.kids {
			if k.Type != html.ElementNode || leaf(k) && k.Data != "td" {
				continue
			}
			if share := j.share(k); share >= mainShare || share >= articleShare && (j.heads(k) || isMain(k)) && !flows(main) {
				next = k
			}
		}
	}
	return main
}

// isMain reports whether an element says that it is the main one.
func isMain(n *node) bool { return n.Data == "main" || n.attr("role") == "main" }

// share returns how much of the page's weight an element has.
func (j *judgement) share(n *node) float64 {
	if j.weight[j.body] == 0 {
		return 0
	}
	return float64(j.weight[n]) / float64(j.weight[j.body])
}

// flows reports whether an element holds text of its own or paragraphs beside
// its boxes: then these are part of the text.
func flows(n *node) bool {
	letters := int32(0)
	for _, k := range n.kids {
		if !columns[k.Data] {
			letters += k.letters - k.linked
		}
	}
	return letters > longParagraph
}

// columns are the elements that pages are laid out with; the others are part of
// a text.
var columns = set("div", "section", "article", "main", "aside", "header", "footer", "nav", "form", "table", "tbody", "tr", "td", "center", "fieldset")

// leaf reports whether nothing in an element breaks its lines.
func leaf(n *node) bool { return !n.holds }

type judgement struct {
	roles  map[*node]string
	doubts map[*node]bool // what may be furniture
	weight map[*node]int
	total  int
	body   *node
	main   *node  // nil: too small to be judged
	title  string // lower case
	known  *learnt
	// headline is the element with the page's title, nil; titled: its text is
	// that of the title element; around holds what is around it, and itself.
	headline *node
	titled   bool
	around   map[*node]bool
	// byWord holds the elements that a word in their class or id made furniture;
	// ignored the words that say nothing on this page.
	byWord  map[*node]string
	ignored map[string]bool
	// topic holds the words of the headline; refused the elements of which a word
	// says nothing, since they lead nowhere; slugs and inBox what slugsIn and boxed
	// have found.
	topic   map[string]bool
	refused map[*node]string
	slugs   map[*node]map[string]int
	inBox   map[*node]bool
	divided map[string][]string // the words of classes and ids
}

// sayAll notes what all elements say of themselves. A word that would make most
// of the page something beside its matter is its matter: the teasers of a front
// page, the comments of a thread. But comments may be longer than what they are
// about, as long as that is something.
func (j *judgement) sayAll(body *node) {
	j.ignored = map[string]bool{}
	for {
		clear(j.roles)
		j.byWord, j.refused = map[*node]string{}, map[*node]string{}
		j.says(body, false)
		letters := map[string]int32{}
		for n, word := range j.byWord {
			if role := j.roles[n]; (role == roleRelated || role == roleComments || role == roleBanner) && !insideOf(j.byWord, n, word) {
				letters[word] += n.letters
			}
		}
		again := false
		for word, count := range letters {
			if float64(count) > tooLarge*float64(j.total) && (roleOfWord(word) != roleComments || j.weigh(body, false) < leastMatter) {
				j.ignored[word], again = true, true
			}
		}
		if !again {
			return
		}
	}
}

// leastMatter is how much prose, in characters, comments can be about.
const leastMatter = 400

// insideOf reports whether an element around n is among those named by a word.
func insideOf(named map[*node]string, n *node, word string) bool {
	for up := n.parent; up != nil; up = up.parent {
		if named[up] == word {
			return true
		}
	}
	return false
}

// says notes what elements say of themselves; within furniture too, since the
// navigation in a footer is navigation.
func (j *judgement) says(n *node, inArticle bool) {
	for _, k := range n.kids {
		if k.Type != html.ElementNode || k.hidden || k.letters == 0 && len(k.kids) == 0 {
			continue
		}
		if role := j.role(k, inArticle); role != "" {
			j.roles[k] = role
		}
		j.says(k, inArticle || k.Data == "article" || k.Data == "main" || k.Data == "blockquote")
	}
}

func (j *judgement) role(n *node, inArticle bool) string {
	if role := j.known.match(n); role != "" {
		return role
	}
	switch {
	case isMain(n):
		return ""
	case n.Data == "article":
		role, word := j.roleOfWords(n)
		if role != roleComments || j.heads(n) {
			return ""
		}
		j.byWord[n] = word
		return role
	}
	large := float64(n.letters) > tooLarge*float64(j.total)
	role := roleOfName(n, inArticle)
	if role == "" {
		role = roleOfARIA(n, inArticle)
	}
	if role == "" && (n.block || n.holds) {
		if r, word := j.roleOfWords(n); r != "" && !j.heads(n) && (!large || r == roleComments) {
			role, j.byWord[n] = r, word
		}
	}
	if role == "" && (j.skips(n) || j.tool(n)) {
		role = roleNavigation
	}
	if role == roleBanner && (large || j.heads(n)) {
		return "" // the head of the document, not of the site
	}
	wall := j.overlay(n) && !j.heads(n)
	if role == "" && wall {
		role = roleCookie // whatever its size: a wall before the page
	}
	if large && role != roleNavigation && j.byWord[n] == "" && !(role == roleCookie && wall) {
		return ""
	}
	return role
}

func roleOfName(n *node, inArticle bool) string {
	switch n.Data {
	case "nav":
		return roleNavigation
	case "aside":
		if !belongs(n) && !speaks(n) {
			return roleRelated
		}
	case "footer":
		if !within(n.parent, "blockquote") { // there it names the author
			return roleFooter
		}
	case "header":
		if !inArticle && (n.parent.Data != "section" || n.heads == n.leading) { // there it heads the section
			return roleBanner
		}
	case "noscript":
		return roleBanner
	}
	if ariaHidden(n) {
		return besideRole(n, true)
	}
	return ""
}

// belongs reports whether an aside is part of the text: by its role a footnote
// or the like (DPUB-ARIA), by its class a note beside the text, with no link in it
// that leads away.
func belongs(n *node) bool {
	if strings.HasPrefix(strings.ToLower(n.attr("role")), "doc-") {
		return true
	}
	return n.linked == 0 && slices.ContainsFunc(words(n.attr("class")), func(w string) bool { return asideWords[w] })
}

var asideWords = set("note", "notes", "tip", "hint", "warning", "caution", "danger", "important", "admonition", "callout", "remark", "footnote",
	"footnotes", "endnotes")

func roleOfARIA(n *node, inArticle bool) string {
	switch strings.ToLower(n.attr("role")) {
	case "tablist", "toolbar":
		if inArticle {
			return "" // it goes through the matter itself
		}
		return roleNavigation
	case "navigation", "menu", "menubar", "search":
		return roleNavigation
	case "banner":
		return roleBanner
	case "contentinfo":
		return roleFooter
	case "complementary":
		return roleRelated
	case "alertdialog", "dialog":
		return roleCookie
	case "alert": // with a button it asks for something, without it is a note
		if n.buttons > 0 {
			return roleCookie
		}
	}
	return ""
}

// linksHome reports whether a heading is all link to another page: the name of the
// site, or of another page.
func linksHome(n *node) bool { return n.letters > 0 && n.linked == n.letters && leadsAway(n) }

// weigh gives every element the characters of prose in it that are in no
// furniture. A block that is mostly links weighs nothing, a few words little.
func (j *judgement) weigh(n *node, furniture bool) int {
	if _, ok := j.roles[n]; ok {
		furniture = true
	}
	if n.hidden || furniture || n.letters == n.choices {
		return 0
	}
	sum, own, linked := 0, 0, 0
	for _, k := range n.kids {
		if k.block || k.holds {
			sum += j.weigh(k, furniture)
		} else {
			own += int(k.letters)
			linked += int(k.linked)
		}
	}
	switch {
	case n.Data == "table" && !n.sections && n.long == 0 && n.linked*3 <= n.letters:
		sum = int(n.letters) // a table of data, whose cells are few words each
	case linked*3 > own:
	case own < 25:
		sum += own / 4
	default:
		sum += own - linked
	}
	j.weight[n] = sum
	return sum
}

// within reports whether an element of a name is n or around it.
func within(n *node, name string) bool {
	for ; n != nil; n = n.parent {
		if n.Data == name && n.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// findHeading returns the first heading in a subtree, nil.
func findHeading(n *node) *node {
	if n.heads == 0 {
		return nil
	}
	if heading(n) {
		return n
	}
	for _, k := range n.kids {
		if found := findHeading(k); found != nil {
			return found
		}
	}
	return nil
}

// headingOf returns the heading that an element is, or holds with nothing but a
// few letters beside it, as those of a link to edit it; nil for none.
func headingOf(n *node) *node {
	if n.heads != 1 {
		return nil
	}
	if h := findHeading(n); n.letters-h.letters <= maxTool {
		return h
	}
	return nil
}

// maxTool is how many characters the tools of a site at a heading have.
const maxTool = 24

// heading reports whether an element is h1 to h6.
func heading(n *node) bool {
	return len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

// find returns the first element of a name in a subtree, nil.
func find(n *node, name string) *node {
	if n.Type == html.ElementNode && n.Data == name && !n.hidden {
		return n
	}
	for _, k := range n.kids {
		if found := find(k, name); found != nil {
			return found
		}
	}
	return nil
}

// only returns the element of a name when there is just one on the page.
func only(n *node, name string) *node {
	var found *node
	count := 0
	var walk func(n *node)
	walk = func(n *node) {
		if n.Type == html.ElementNode && n.Data == name && !n.hidden {
			found = n
			count++
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(n)
	if count != 1 {
		return nil
	}
	return found
}
