package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxSelector is how long a selector may be in bytes. What is nested so deep
// that its selector is longer has its byte span alone.
const maxSelector = 2 << 10

// paths holds where the children of an element are, made once for all of them:
// positions would otherwise cost a walk over the siblings each.
type paths struct {
	places       []placed // by the place among the kids
	ownCSS, ownX string   // of the parent itself; before a step
}

// placed is where an element is among the elements in its parent, and among those of
// its name, from 1.
type placed struct{ nth, ofName int32 }

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
	at := p.places[n.at]
	if parent.Type == html.DocumentNode {
		return cssStep("", n, at), xpathStep("", n, at)
	}
	if p.ownCSS == "" {
		p.ownCSS, p.ownX = parent.path()
		p.ownCSS += " > "
	}
	if len(p.ownCSS) > maxSelector || len(p.ownX) > maxSelector {
		return p.ownCSS, p.ownX
	}
	return cssStep(p.ownCSS, n, at), xpathStep(p.ownX, n, at)
}

// number finds the places of all children of n.
func (n *node) number() {
	n.paths = &paths{places: make([]placed, len(n.kids))}
	nth := int32(0)
	last := map[string]int32{}
	for i, k := range n.kids {
		if k.Type == html.ElementNode {
			nth++
			last[k.Data]++
			n.paths.places[i] = placed{nth, last[k.Data]}
		}
	}
}

// cssStep appends a step to an element to a selector. The element has its name when
// it is one that CSS can write as it is. html, head and body are alone among their
// siblings.
func cssStep(path string, n *node, at placed) string {
	name := n.Data
	switch {
	case !plainName(name):
		name = "*"
	case name == "html" || name == "body" && n.Namespace == "":
		return path + name
	}
	return path + name + ":nth-child(" + strconv.Itoa(int(at.nth)) + ")"
}

// xpathStep appends a step to an element to an XPath. Of foreign elements and odd
// names it has the place alone, since names in namespaces are matched differently by
// tools.
func xpathStep(path string, n *node, at placed) string {
	if n.Namespace != "" || !plainName(n.Data) {
		return path + "/*[" + strconv.Itoa(int(at.nth)) + "]"
	}
	return path + "/" + n.Data + "[" + strconv.Itoa(int(at.ofName)) + "]"
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
