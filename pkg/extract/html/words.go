package html

import (
	"strings"
	"unicode"
)

// boxNames are the elements whose id and class both may say what they are. Of
// others only the class does: the id of a heading or a paragraph is where links
// lead to.
var boxNames = set("div", "section", "ul", "ol", "li", "dl", "nav", "aside", "header", "footer", "form", "table", "tbody", "tr", "td", "menu", "center",
	"details", "dialog", "fieldset", "figure", "body")

// roleOfWords judges an element by the words of its class and id: "site-nav"
// has the word nav, "navigator" has not. word is the one that says it.
func (j *judgement) roleOfWords(n *node) (role, word string) {
	for _, key := range []string{"id", "class"} {
		value := n.attr(key)
		if value == "" || len(value) > 400 || key == "id" && !boxNames[n.Data] {
			continue
		}
		all := words(value)
		for i, w := range all {
			role := roleOfWord(w)
			if role == "" || j.ignored[w] || i > 0 && negates[all[i-1]] || i+1 < len(all) && notes[all[i+1]] {
				continue
			}
			if (role == roleNavigation || weakWords[w]) && !leads(n) {
				continue
			}
			if key == "id" && namedByHeading(n, value) {
				break
			}
			return role, w
		}
	}
	return "", ""
}

// negates are the words before which a word speaks of something beside the
// element: "has-sidebar", "no-comments".
var negates = set("no", "not", "has", "with", "without", "hide", "hidden")

// notes are the words after which a word is part of another: "foot-notes".
var notes = set("note", "notes", "open", "closed", "enabled", "disabled")

// weakWords are also said of a lead, a slogan, a head: they count where there
// is a link to what they advertise.
var weakWords = set("teaser", "teasers", "promo", "promos", "popular", "banner", "masthead", "foot", "license", "licence", "credits")

// leads reports whether an element leads elsewhere: there is a link in it, and
// not a long text of its own beside the links.
func leads(n *node) bool {
	return n.letters <= fewLetters || n.linked > 0 && (3*n.linked >= n.letters || n.letters-n.linked <= longParagraph)
}

// fewLetters is how much text says nothing of its own.
const fewLetters = 60

// namedByHeading reports whether the id of an element was made from the heading
// that it begins with, as documentation does: <section id="license">. One alone
// may be so by chance (<div id="comments"><h2>Comments</h2>): an element beside
// it or around it must be named in the same way.
func namedByHeading(n *node, id string) bool {
	if !isSlug(n, id) {
		return false
	}
	for _, k := range n.parent.kids {
		if k != n && k.Data == n.Data && isSlug(k, k.attr("id")) {
			return true
		}
	}
	return n.parent.Data == n.Data && isSlug(n.parent, n.parent.attr("id"))
}

func isSlug(n *node, id string) bool {
	if id == "" {
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
		"topnav", "mainnav", "globalnav", "postnav", "navheader", "navfooter", "prev", "previous", "next", "prevpost", "nextpost", "tags", "taglist":
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
		"recommendations", "trending", "tagcloud", "relatedposts", "likes", "teaser", "teasers", "sidecol", "rail", "outbrain", "taboola", "recirc",
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
