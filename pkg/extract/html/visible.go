package html

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/coverage"
)

// unseen are the elements whose content a reader never sees.
var unseen = set("script", "style", "template", "head", "title", "noembed", "noframes", "iframe", "object", "applet", "audio", "video",
	"canvas", "datalist", "meta", "link", "base", "param", "source", "track", "area", "map", "rp")

// unseenForeign are those of SVG and MathML.
var unseenForeign = set("title", "desc", "metadata", "defs", "style", "script", "annotation", "annotation-xml", "symbol", "clippath")

// mark finds what is hidden, counts the visible characters of every element,
// all and in links, its headings and fields, and notes what tells tables of data
// from others.
func mark(n *node, hidden, linked, inFrame bool) {
	if n.Type == html.TextNode {
		if !hidden {
			n.letters = int32(coverage.Characters(n.Data))
			if linked {
				n.linked = n.letters
			}
		}
		n.hidden = hidden
		return
	}
	if n.Type == html.ElementNode {
		hidden = hidden || isHidden(n)
		linked = linked || isLink(n)
	}
	n.hidden = hidden
	if !inFrame && n.Data == "iframe" && n.Type == html.ElementNode && !hiddenAbove(n) {
		markFrame(n)
	}
	for _, k := range n.kids {
		mark(k, hidden, linked, inFrame)
		n.letters += k.letters
		n.linked += k.linked
		n.choices += k.choices
		n.long += k.long
		n.heads += k.heads
		n.leading += k.leading
		n.fields += k.fields
		n.buttons += k.buttons
		n.pictures += k.pictures
		n.matter = n.matter || k.matter || !k.hidden && k.Type == html.ElementNode && (k.Data == "article" || k.Data == "main")
		n.sections = n.sections || k.sections || !k.hidden && sectioning[k.Data] && k.Type == html.ElementNode
	}
	for behind, i := int32(0), len(n.kids)-1; i >= 0; i-- {
		n.kids[i].behind = behind
		behind += n.kids[i].fields
	}
	if caption := buttonText(n); caption != "" && !hidden {
		n.letters += int32(coverage.Characters(caption))
		n.buttons++
	}
	switch {
	case (n.Data == "p" || n.Data == "div") && n.letters > longParagraph:
		n.long++
	case n.Type == html.ElementNode && heading(n) && n.letters > 0:
		n.heads, n.leading = 1, 0
		if linksHome(n) {
			n.leading = 1
		}
	case n.Data == "select" && n.Namespace == "":
		n.choices = n.letters
	case n.Data == "img" && !hidden && n.Type == html.ElementNode:
		n.pictures++
	case !hidden && isField(n):
		n.fields++
	case !hidden && n.Data == "button" && n.Type == html.ElementNode:
		n.buttons++
	}
}

// isLink reports whether an element is a link; an anchor without an address is a
// place that others lead to.
func isLink(n *node) bool {
	_, ok := n.lookup("href")
	return ok && n.Data == "a"
}

// isField reports whether an element is a field to fill in with text.
func isField(n *node) bool {
	switch {
	case n.Type != html.ElementNode:
		return false
	case n.Data == "textarea":
		return true
	case n.Data != "input":
		return false
	}
	switch strings.ToLower(n.attr("type")) {
	case "", "text", "email", "search", "tel", "url", "password":
		return true
	}
	return false
}

// hiddenAbove reports whether an element around n is hidden.
func hiddenAbove(n *node) bool { return n.parent != nil && n.parent.hidden }

// buttonText returns what an input element that is a button shows, "".
func buttonText(n *node) string {
	if n.Type != html.ElementNode || n.Data != "input" || n.Namespace != "" {
		return ""
	}
	switch strings.ToLower(n.attr("type")) {
	case "submit", "reset", "button":
		return oneLine(n.attr("value"))
	}
	return ""
}

// longParagraph is how many characters a paragraph in a cell has that is more
// than an entry.
const longParagraph = 200

// sectioning are the elements that cells of data do not hold.
var sectioning = set("table", "h1", "h2", "h3", "h4", "form", "article", "section", "nav")

// isHidden reports whether an element is not rendered: by its kind, its hidden
// attribute (but for what a search in the page finds) or its own style. Style
// sheets are not part of the page's bytes.
func isHidden(n *node) bool {
	if n.Namespace != "" {
		return unseenForeign[strings.ToLower(n.Data)]
	}
	if unseen[n.Data] {
		return !isShadow(n)
	}
	style := ""
	for _, a := range n.Attr {
		switch {
		case a.Namespace != "":
		case a.Key == "hidden" && !strings.EqualFold(a.Val, "until-found"), a.Key == "popover":
			return true
		case a.Key == "style":
			style = a.Val
		}
	}
	if n.Data == "dialog" {
		_, open := n.lookup("open")
		return !open
	}
	if style == "" {
		return false
	}
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// isShadow reports whether an element is a template that browsers make part of the
// element around it at once (HTML, "declarative shadow root").
func isShadow(n *node) bool {
	mode := strings.ToLower(n.attr("shadowrootmode"))
	return n.Data == "template" && (mode == "open" || mode == "closed")
}

// ariaHidden reports whether a part of the page is hidden from screen readers,
// as closed drawers and overlays are.
func ariaHidden(n *node) bool {
	return n.Namespace == "" && (n.block || n.holds) && n.letters > 0 && strings.EqualFold(n.attr("aria-hidden"), "true")
}
