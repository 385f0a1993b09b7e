package html

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// The roles of furniture (contracts 6).
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
//     of its class and id, as far as its size does not speak against it.
//  2. The main element: the smallest one that holds mainShare of the weight of
//     the page, the weight being the text outside of links in what is left;
//     or the page's only article, when that holds articleShare.
//  3. What stands beside the main element is furniture, unless it weighs
//     keepShare of the page or more (besideArticle, beside an article) or is
//     the page's heading.
const (
	mainShare = 0.80
	keepShare = 0.08
	// articleShare and besideArticle are the same for the page's only article.
	articleShare  = 0.5
	besideArticle = 0.3
	// tooLarge is the share of a page's text above which no word in a class
	// makes an element furniture.
	tooLarge = 0.5
	// minJudged is how many characters a page must have to have a main element.
	minJudged = 250
)

// judge returns the elements that are furniture, with their roles.
func judge(root *node, title string, known *learnt) map[*node]string {
	j := &judgement{roles: map[*node]string{}, weight: map[*node]int{}, total: int(root.letters), known: known}
	body := find(root, "body")
	if body == nil || j.total == 0 {
		return j.roles
	}
	j.title = strings.ToLower(title)
	j.sayAll(body)
	j.weigh(body, false)
	if j.total < minJudged {
		return j.roles
	}
	if article := only(body, "article"); article != nil && float64(j.weight[article]) >= articleShare*float64(j.weight[body]) {
		j.beside(body, article, besideArticle)
		j.prune(article)
		return j.roles
	}
	main := body
	for next := main; next != nil; {
		main = next
		next = nil
		for _, k := range main.kids {
			if k.Type == html.ElementNode && !leaf(k) && float64(j.weight[k]) >= mainShare*float64(j.weight[body]) {
				next = k
			}
		}
	}
	j.beside(body, main, keepShare)
	j.prune(main)
	return j.roles
}

// leaf reports whether nothing in an element breaks its lines.
func leaf(n *node) bool { return !n.holds }

type judgement struct {
	roles  map[*node]string
	weight map[*node]int
	total  int
	title  string // lower case
	known  *learnt
	// byWord holds the elements that a word in their class or id made furniture;
	// ignored the words that say nothing on this page.
	byWord  map[*node]string
	ignored map[string]bool
}

// sayAll notes what all elements say of themselves. A word that would make most
// of the page something beside its matter is its matter: the teasers of a front
// page, the comments of a thread.
func (j *judgement) sayAll(body *node) {
	j.ignored = map[string]bool{}
	for {
		clear(j.roles)
		j.byWord = map[*node]string{}
		j.says(body, false)
		letters := map[string]int32{}
		for n, word := range j.byWord {
			if role := j.roles[n]; (role == roleRelated || role == roleComments || role == roleBanner) && !j.insideOf(n, word) {
				letters[word] += n.letters
			}
		}
		again := false
		for word, count := range letters {
			if float64(count) > tooLarge*float64(j.total) {
				j.ignored[word], again = true, true
			}
		}
		if !again {
			return
		}
	}
}

// insideOf reports whether an element around n is furniture by the same word.
func (j *judgement) insideOf(n *node, word string) bool {
	for up := n.parent; up != nil; up = up.parent {
		if j.byWord[up] == word {
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
	if n.Data == "main" || n.Data == "article" || n.attr("role") == "main" {
		return ""
	}
	large := float64(n.letters) > tooLarge*float64(j.total)
	role := roleOfName(n, inArticle)
	if role == "" {
		role = roleOfARIA(n.attr("role"), inArticle)
	}
	if role == "" && !large && (n.block || n.holds) {
		var word string
		if role, word = j.roleOfWords(n); role != "" {
			j.byWord[n] = word
		}
	}
	if role == "" && skips(n) {
		role = roleNavigation
	}
	if role == roleBanner && (large || find(n, "h1") != nil && !linksHome(find(n, "h1"))) {
		return "" // the head of the document, not of the site
	}
	if role == "" && overlay(n) {
		role = roleCookie // whatever its size: a wall before the page
	}
	if large && role != roleNavigation && !(role == roleCookie && overlay(n)) {
		return ""
	}
	return role
}

func roleOfName(n *node, inArticle bool) string {
	switch n.Data {
	case "nav":
		return roleNavigation
	case "aside":
		return roleRelated
	case "footer":
		return roleFooter
	case "header":
		if !inArticle {
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

func roleOfARIA(role string, inArticle bool) string {
	switch role = strings.ToLower(role); role {
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
	case "alert", "alertdialog", "dialog":
		return roleCookie
	}
	return ""
}

// roleOfWords judges an element by the words of its class and id: "site-nav"
// has the word nav, "navigator" has not.
func (j *judgement) roleOfWords(n *node) (role, word string) {
	for _, key := range []string{"id", "class"} {
		value := n.attr(key)
		if value == "" || len(value) > 400 {
			continue
		}
		for _, w := range words(value) {
			if role := roleOfWord(w); role != "" && !j.ignored[w] {
				return role, w
			}
		}
	}
	return "", ""
}

// overlay reports whether an element is a dialog that lies over the page, or is
// named for consent, and holds buttons: however much it says, it is not what
// the page is about.
func overlay(n *node) bool {
	role := strings.ToLower(n.attr("role"))
	named := role == "dialog" || role == "alertdialog" || n.attr("aria-modal") == "true" || n.Data == "dialog"
	if !named && (n.block || n.holds) {
		for _, w := range words(n.attr("id") + " " + n.attr("class")) {
			named = named || roleOfWord(w) == roleCookie
		}
	}
	return named && find(n, "button") != nil && find(n, "article") == nil && find(n, "main") == nil
}

func roleOfWord(w string) string {
	switch w {
	case "nav", "navbar", "navigation", "menu", "menus", "submenu", "breadcrumb", "breadcrumbs", "pagination", "pager", "paging",
		"navbox", "navlinks", "noprint", "skip", "skiplink", "skiplinks", "toolbar", "topbar", "sitemap", "catlinks", "langswitch", "prevnext", "nextprev", "tabs", "toc", "toctree", "sidenav", "subnav",
		"topnav", "mainnav", "globalnav", "postnav", "tags", "taglist":
		return roleNavigation
	case "cookie", "cookies", "consent", "gdpr", "rgpd", "lgpd", "tarteaucitron", "didomi", "onetrust", "axeptio", "cookiebar":
		return roleCookie
	case "footer", "copyright", "colophon", "impressum", "credits", "licence", "license", "printfooter", "foot", "rodape", "piede", "pied", "piepagina", "fuss",
		"fusszeile", "siteinfo":
		return roleFooter
	case "masthead", "banner", "siteheader", "topheader":
		return roleBanner
	case "sidebar", "sidebars", "related", "relateds", "widget", "widgets", "share", "sharing", "shares", "sharedaddy", "social", "promo", "promos",
		"ad", "advert", "adverts", "advertisement", "ads", "sponsor", "sponsors", "newsletter", "subscribe", "subscription", "recommended",
		"recommendations", "trending", "tagcloud", "jp", "likes", "teaser", "teasers", "sidecol", "rail", "outbrain", "taboola", "recirc",
		"recirculation", "mostread", "popular", "signup", "popup", "modal", "lightbox", "interstitial", "werbung", "anzeige", "anzeigen",
		"publicite", "partage", "compartir", "compartilhar", "teilen", "addthis", "addtoany", "sharethis", "sharebar":
		return roleRelated
	case "comments", "commentlist", "disqus", "respond", "comment", "kommentare", "commentaires", "comentarios", "commenti":
		return roleComments
	}
	return ""
}

// words splits a class or id where its letters change: at signs, digits and
// capitals.
func words(s string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	lower := false
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
			flush()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			flush()
		}
		lower = unicode.IsLower(r)
		word = append(word, r)
	}
	flush()
	return out
}

// skips reports whether an element is a link past the navigation.
func skips(n *node) bool {
	if n.Data != "a" || !strings.HasPrefix(n.attr("href"), "#") || n.letters > 40 {
		return false
	}
	for _, w := range words(n.attr("class") + " " + n.attr("id")) {
		if w == "skip" || w == "sr" || w == "visually" || w == "jump" {
			return true
		}
	}
	return false
}

// linksHome reports whether a heading is all link: the name of the site.
func linksHome(n *node) bool { return n.letters > 0 && n.linked == n.letters }

// weigh gives every element the characters of prose in it that are in no
// furniture. A block that is mostly links weighs nothing, a few words little.
func (j *judgement) weigh(n *node, furniture bool) int {
	if _, ok := j.roles[n]; ok {
		furniture = true
	}
	if n.hidden || furniture {
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
	case linked*3 > own:
	case own < 25:
		sum += own / 4
	default:
		sum += own - linked
	}
	j.weight[n] = sum
	return sum
}

// beside gives a role to what stands beside the way from body to main.
func (j *judgement) beside(body, main *node, keep float64) {
	for n := main; n != body; n = n.parent {
		before, headed, inMain := true, false, within(n.parent, "main")
		for _, k := range n.parent.kids {
			if k == n {
				before = false
				continue
			}
			if k.Type != html.ElementNode || k.hidden || k.letters == 0 {
				continue
			}
			if _, ok := j.roles[k]; ok {
				continue
			}
			if find(k, "h1") != nil || before && (heading(k) || inMain && findHeading(k) != nil || j.isTitle(k)) {
				headed = true
				continue // what heads the main matter
			}
			if before && headed && 2*k.linked <= k.letters {
				continue // who wrote it and when, what it says in short
			}
			if float64(j.weight[k]) >= keep*float64(j.weight[body]) && !tail(k, before) {
				continue
			}
			j.roles[k] = besideRole(k, before)
		}
	}
}

// tail reports whether what stands after the main element is a line or two with
// links, as at the foot of a site.
func tail(n *node, before bool) bool {
	return !before && n.letters < shortTail && 4*n.linked > n.letters && findHeading(n) == nil
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

// leastTitle is how many characters a title has at least.
const leastTitle = 8

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
	if n.Type != html.ElementNode || n.hidden {
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

// heading reports whether an element is h1 to h6.
func heading(n *node) bool {
	return len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
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
