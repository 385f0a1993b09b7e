package html

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// boxNames are the elements whose id and class both may say what they are. Of
// others only the class does: the id of a heading or a paragraph is where links
// lead to.
var boxNames = set("div", "section", "ul", "ol", "li", "dl", "nav", "aside", "header", "footer", "form", "table", "tbody", "tr", "td", "menu", "center",
	"details", "dialog", "fieldset", "figure", "body")

// roleOfWords judges an element by the words of its class and id, and of its name
// when it is one that the site made up (<share-bar>): "site-nav" has the word nav,
// "navigator" has not. word is the one that says it.
func (j *judgement) roleOfWords(n *node) (role, word string) {
	if strings.Contains(n.Data, "-") {
		if role, word := j.roleIn(n, "", n.Data); role != "" {
			return role, word
		}
	}
	if boxNames[n.Data] {
		if role, word := j.roleIn(n, "id", n.attr("id")); role != "" {
			return role, word
		}
	}
	return j.roleIn(n, "class", n.attr("class"))
}

// roleIn judges an element by the words of one value.
func (j *judgement) roleIn(n *node, key, value string) (role, word string) {
	if value == "" || len(value) > 400 {
		return "", ""
	}
	all := j.wordsOf(value)
	for i, w := range all {
		role := roleOfWord(w)
		if role == "" || j.ignored[w] || i > 0 && negates[all[i-1]] || i+1 < len(all) && notes[all[i+1]] {
			continue
		}
		if (role == roleNavigation || weakWords[w] || j.topic[stem(w)]) && !j.leads(n, w) || layoutWords[w] && n.Data != "aside" && speaks(n) {
			j.refused[n] = w
			continue
		}
		if key == "id" && j.namedByHeading(n, value) {
			break
		}
		return role, w
	}
	return "", ""
}

// stem returns a word without the sign of the plural.
func stem(w string) string { return strings.TrimSuffix(w, "s") }

// negates are the words before which a word speaks of something beside the
// element, or in it: "has-sidebar", "no-comments", "text-and-related".
var negates = set("no", "not", "has", "with", "without", "and", "hide", "hidden")

// notes are the words after which a word is part of another: "foot-notes".
var notes = set("note", "notes", "open", "closed", "enabled", "disabled")

// weakWords are also said of a lead, a slogan, a head: they count where there
// is a link to what they advertise.
var weakWords = set("pub", "teaser", "teasers", "promo", "promos", "popular", "banner", "masthead", "foot", "license", "licence", "credits")

// layoutWords also name what stands beside a sidebar, or in any box of a page that
// was put together from boxes: they count where the text does not speak for itself.
var layoutWords = set("sidebar", "sidebars", "sidecol", "rail", "widget", "widgets")

// speaks reports whether an element says something itself, rather than leading to
// other pages or asking for something.
func speaks(n *node) bool {
	own := n.letters - n.choices
	return 4*n.linked < own && 2*n.leading <= n.heads && n.fields*longParagraph <= own
}

// looseWords are also said of what a reader is to do next, of dishes and of what
// lies under a tab: they count where there is hardly more than links.
var looseWords = set("next", "prev", "previous", "menu", "menus", "tabs", "noprint")

// leads reports whether an element leads elsewhere, as the word that it is named
// by says: there is a link in it, and not a long text of its own beside the
// links. So do a few letters, unless they are a part of what does not: the dishes
// of a menu.
func (j *judgement) leads(n *node, word string) bool {
	switch {
	case n.linked == 0:
		return n.letters <= fewLetters && n.heads == 0 && !insideOf(j.refused, n, word)
	case 3*n.linked >= n.letters || n.letters <= fewLetters:
		return true
	}
	return n.letters-n.linked <= longParagraph && !looseWords[word]
}

// fewLetters is how much text says nothing of its own.
const fewLetters = 60

// namedByHeading reports whether the id of an element was made from the heading
// that it begins with, as documentation does: <section id="license">. One alone
// may be so by chance (<div id="comments"><h2>Comments</h2>): an element beside
// it or around it must be named in the same way.
func (j *judgement) namedByHeading(n *node, id string) bool {
	if !isSlug(n, id) {
		return false
	}
	return n.parent.Data == n.Data && isSlug(n.parent, n.parent.attr("id")) || j.slugsIn(n.parent)[n.Data] > 1
}

// slugsIn counts the children of an element that are named by their headings, by
// the names of the elements.
func (j *judgement) slugsIn(parent *node) map[string]int {
	count, ok := j.slugs[parent]
	if !ok {
		count = map[string]int{}
		for _, k := range parent.kids {
			if isSlug(k, k.attr("id")) {
				count[k.Data]++
			}
		}
		j.slugs[parent] = count
	}
	return count
}

func isSlug(n *node, id string) bool {
	if id == "" || n.Type != html.ElementNode {
		return false
	}
	head := findHeading(n)
	return head != nil && head.letters <= 2*int32(len(id)) && lettersOf(hiddenText(head)) == lettersOf(id)
}

// lettersOf returns the letters of a text, in lower case.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// overlay reports whether an element is a dialog that lies over the page, or is
// named for consent, and holds buttons: however much it says, it is not what
// the page is about.
func (j *judgement) overlay(n *node) bool {
	role := strings.ToLower(n.attr("role"))
	named := role == "dialog" || role == "alertdialog" || n.attr("aria-modal") == "true" || n.Data == "dialog"
	if !named && (n.block || n.holds) {
		named = j.named(n, func(w string) bool { return roleOfWord(w) == roleCookie })
	}
	return named && n.buttons > 0 && !n.matter
}

func roleOfWord(w string) string {
	switch w {
	case "nav", "navbar", "navigation", "menu", "menus", "submenu", "breadcrumb", "breadcrumbs", "pagination", "pager", "paging",
		"navbox", "navlinks", "noprint", "skip", "skiplink", "skiplinks", "toolbar", "topbar", "sitemap", "catlinks", "langswitch", "prevnext", "nextprev", "tabs", "toc", "toctree", "sidenav", "subnav",
		"topnav", "mainnav", "globalnav", "postnav", "navheader", "navfooter", "prev", "previous", "next", "prevpost", "nextpost", "tags", "taglist",
		"ariane", "brotkrumen", "kruimelpad", "okruszki", "navegacion", "navegacao", "navigazione", "navigatie", "nawigacja":
		return roleNavigation
	case "cookie", "cookies", "consent", "gdpr", "rgpd", "lgpd", "tarteaucitron", "didomi", "onetrust", "axeptio", "cookiebar":
		return roleCookie
	case "footer", "copyright", "colophon", "impressum", "credits", "licence", "license", "printfooter", "foot", "rodape", "piede", "pied", "piepagina", "fuss",
		"fusszeile", "siteinfo", "stopka", "sidfot", "zapati":
		return roleFooter
	case "masthead", "banner", "siteheader", "topheader":
		return roleBanner
	case "sidebar", "sidebars", "related", "relateds", "widget", "widgets", "share", "sharing", "shares", "sharedaddy", "social", "promo", "promos",
		"ad", "advert", "adverts", "advertisement", "ads", "sponsor", "sponsors", "newsletter", "subscribe", "subscription", "recommended",
		"recommendations", "trending", "tagcloud", "relatedposts", "likes", "teaser", "teasers", "sidecol", "rail", "outbrain", "taboola", "recirc",
		"recirculation", "mostread", "popular", "signup", "popup", "modal", "lightbox", "interstitial", "werbung", "anzeige", "anzeigen",
		"publicite", "partage", "compartir", "compartilhar", "teilen", "addthis", "addtoany", "sharethis", "sharebar", "publicidad", "publicidade", "pub",
		"pubblicita", "condividi", "correlati", "relacionados", "relacionadas", "similaires", "similare", "delen", "gerelateerd", "reklama", "reklam",
		"annons", "polecane", "powiazane", "udostepnij":
		return roleRelated
	case "comments", "commentlist", "disqus", "respond", "comment", "kommentare", "commentaires", "comentarios", "commenti",
		"comentarii", "reacties", "kommentarer", "komentarze", "komentare", "yorumlar":
		return roleComments
	}
	return ""
}

// words splits a class or id where its letters change: at signs, digits and
// capitals. What has letters behind digits is no word but a number that a program
// gave ("css-1h4ad24").
func words(s string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		part = strings.TrimRightFunc(part, unicode.IsDigit)
		if strings.ContainsFunc(part, unicode.IsDigit) {
			continue
		}
		begin, lower := 0, false
		for i, r := range part {
			if unicode.IsUpper(r) && lower {
				out, begin = append(out, strings.ToLower(part[begin:i])), i
			}
			lower = unicode.IsLower(r)
		}
		if begin < len(part) {
			out = append(out, strings.ToLower(part[begin:]))
		}
	}
	return out
}

// tool reports whether an inline element is a tool of the site at a heading: a sign
// that links to the heading itself, or a link to edit what is below it.
func (j *judgement) tool(n *node) bool {
	if n.block || n.holds || n.linked == 0 {
		return false
	}
	if heading(n.parent) && n.Data == "a" && n.letters <= 2 && strings.HasPrefix(n.attr("href"), "#") && titleKey(hiddenText(n)) == "" {
		return true
	}
	return slices.Contains(j.wordsOf(n.attr("class")), "editsection")
}

// skips reports whether an element is a link past the navigation.
func (j *judgement) skips(n *node) bool {
	if n.Data != "a" || !strings.HasPrefix(n.attr("href"), "#") || n.letters > 40 {
		return false
	}
	return j.named(n, func(w string) bool { return w == "skip" || w == "sr" || w == "visually" || w == "jump" })
}

// named reports whether any word in the class and id of an element is one of those
// that is looks for.
func (j *judgement) named(n *node, is func(word string) bool) bool {
	return slices.ContainsFunc(j.wordsOf(n.attr("class")), is) || slices.ContainsFunc(j.wordsOf(n.attr("id")), is)
}

// wordsOf returns the words of a class or id, which are divided once a page: the
// same ones come again and again.
func (j *judgement) wordsOf(value string) []string {
	if value == "" {
		return nil
	}
	known, ok := j.divided[value]
	if !ok {
		known = words(value)
		j.divided[value] = known
	}
	return known
}
