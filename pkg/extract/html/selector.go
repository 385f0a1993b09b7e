package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxSelector is how long a selector may be in bytes. What is nested so deep
// that its selector is longer has its byte span alone.
const maxSelector = 2 << 10

// paths holds the steps from a parent to its children, made once for all of
// them: positions would otherwise cost a walk over the siblings each.
type paths struct {
	css, xpath   map[*node]string
	ownCSS, ownX string // of the parent itself
}

// selectors returns a CSS selector and an XPath that each select n and nothing
// else in a fresh parse of the document with scripting off, by position from
// the root; "" in a flat tree, whose positions no other parse has.
func (x *instrumented) selectors(n *node) (css, xpath string) {
	if x.flat || n == nil || n.Type != html.ElementNode {
		return "", ""
	}
	css, xpath = n.path()
	if len(css) > maxSelector || len(xpath) > maxSelector {
		return "", ""
	}
	return css, xpath
}

func (n *node) path() (css, xpath string) {
	parent := n.parent
	if parent.paths == nil {
		parent.number()
	}
	p := parent.paths
	if parent.Type == html.DocumentNode {
		return p.css[n], p.xpath[n]
	}
	if p.ownCSS == "" {
		p.ownCSS, p.ownX = parent.path()
	}
	if len(p.ownCSS) > maxSelector || len(p.ownX) > maxSelector {
		return p.ownCSS, p.ownX
	}
	return p.ownCSS + " > " + p.css[n], p.ownX + p.xpath[n]
}

// number makes the steps to all children of n.
func (n *node) number() {
	n.paths = &paths{css: map[*node]string{}, xpath: map[*node]string{}}
	place, ofName := 0, map[string]int{}
	for _, k := range n.kids {
		if k.Type != html.ElementNode {
			continue
		}
		place++
		ofName[k.Data]++
		n.paths.css[k] = cssStep(k, place)
		n.paths.xpath[k] = xpathStep(k, place, ofName[k.Data])
	}
}

// cssStep names an element when its name is one that CSS can write as it is.
// html, head and body are alone among their siblings.
func cssStep(n *node, place int) string {
	nth := ":nth-child(" + strconv.Itoa(place) + ")"
	switch {
	case !plainName(n.Data):
		return "*" + nth
	case n.Data == "html" || n.Data == "body" && n.Namespace == "":
		return n.Data
	default:
		return n.Data + nth
	}
}

// xpathStep names an element; of foreign elements and odd names it uses the
// place alone, since names in namespaces are matched differently by tools.
func xpathStep(n *node, place, ofName int) string {
	if n.Namespace != "" || !plainName(n.Data) {
		return "/*[" + strconv.Itoa(place) + "]"
	}
	return "/" + n.Data + "[" + strconv.Itoa(ofName) + "]"
}

// plainName reports whether a name is made of ASCII letters, digits and
// hyphens, and begins with a letter.
func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '-')) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, "-")
}
