package html

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/charset"
)

// node is an element or a text of the page, with the tokens it came from.
type node struct {
	*html.Node
	parent   *node
	kids     []*node
	at       int   // among the kids of the parent
	first    int32 // tokens of the subtree, inclusive; first > last: none, the parser made it up
	last     int32
	own      bool   // has a start tag in the document
	paths    *paths // of its children, when asked for
	block    bool   // breaks lines
	holds    bool   // holds a block
	hidden   bool
	taken    taken   // into which units its text came
	letters  int32   // characters of visible text in the subtree, without white space
	linked   int32   // those of them in links
	choices  int32   // those of them that can be chosen in a form
	long     int32   // long paragraphs in the subtree
	heads    int32   // headings in the subtree
	leading  int32   // those of them that are links
	fields   int32   // fields to fill in in the subtree
	behind   int32   // those in what follows in the parent
	buttons  int32   // buttons in the subtree
	pictures int32   // pictures in the subtree
	sections bool    // holds a table or a section
	matter   bool    // holds an article or the element main
	inner    string  // text of the document in an iframe
	record   *record // that begins here
	spot     *spot   // what its place says, when asked for
	member   bool    // of a record
	records  bool    // holds one
}

// attr returns the value of an attribute, "".
func (n *node) attr(key string) string {
	v, _ := n.lookup(key)
	return v
}

func (n *node) lookup(key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// parse returns the tree of a document; style sheets and scripts in it have no text
// unless withCode. Scripting is off: noscript is content.
func parse(doc *charset.Text, withCode bool) (*node, *instrumented, error) {
	x, err := instrument(doc, false, withCode)
	if err != nil {
		return nil, nil, err
	}
	root, err := x.tree()
	if err != nil && !x.flat {
		if x, err = instrument(doc, true, withCode); err == nil {
			root, err = x.tree()
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("parsing: %w", err)
	}
	return root, x, nil
}

func (x *instrumented) tree() (*node, error) {
	parsed, err := html.ParseWithOptions(bytes.NewReader(x.copy), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	x.copy = nil
	w := &walker{x: x, mark: string(x.mark)}
	root := w.node(parsed, nil)
	w.ends(root)
	return root, nil
}

// walker turns the parsed tree into ours and takes the marks out.
type walker struct {
	x    *instrumented
	mark string
	free []node // made together, given out one by one
}

func (w *walker) make() *node {
	if len(w.free) == 0 {
		w.free = make([]node, 128)
	}
	n := &w.free[0]
	w.free = w.free[1:]
	return n
}

func (w *walker) node(n *html.Node, parent *node) *node {
	out := w.make()
	*out = node{Node: n, parent: parent, first: math.MaxInt32, last: -1}
	switch n.Type {
	case html.TextNode:
		w.text(out)
		return out
	case html.ElementNode:
		w.element(out)
	}
	count := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode || c.Type == html.TextNode {
			count++
		}
	}
	if count == 0 {
		return out
	}
	out.kids = make([]*node, 0, count)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode && c.Type != html.TextNode {
			continue
		}
		k := w.node(c, out)
		k.at = len(out.kids)
		out.kids = append(out.kids, k)
	}
	return out
}

// element takes the marks off the attributes of an element. One that the
// parser merged with a second tag of its name has two: the first is its own.
func (w *walker) element(n *node) {
	kept := n.Attr[:0]
	var moved attrs
	for _, a := range n.Attr {
		if number, ok := w.number(a.Key, "", len(w.x.tokens)); ok {
			if !n.own {
				n.own = true
				n.first, n.last = number, number
				moved = w.x.tokens[number].attrs
			}
		} else if number, ok := w.number(a.Key, formatSign, len(w.x.moved.formats)); ok {
			moved = w.x.moved.formats[number]
		} else {
			kept = append(kept, a)
		}
	}
	if n.Attr = kept; moved.any() {
		n.Attr = w.x.moved.of(moved)
	}
	n.block = blockElements[n.Data] && n.Namespace == ""
}

// number returns the number below limit that stands behind a sign between two marks
// and nothing else.
func (w *walker) number(s, sign string, limit int) (int32, bool) {
	digits, ok := strings.CutPrefix(s, w.mark)
	if ok {
		digits, ok = strings.CutPrefix(digits, sign)
	}
	if ok {
		digits, ok = strings.CutSuffix(digits, w.mark)
	}
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	return int32(n), err == nil && n < int64(limit)
}

// text takes the marks out of a text; the parser may have joined several.
func (w *walker) text(n *node) {
	if !strings.Contains(n.Data, w.mark) {
		return
	}
	if text, ok := strings.CutPrefix(n.Data, w.mark); ok && strings.Count(text, w.mark) == 1 { // all that there is to take out
		digits, text, _ := strings.Cut(text, w.mark)
		if number, err := strconv.ParseInt(digits, 10, 32); err == nil && number < int64(len(w.x.tokens)) {
			n.Data, n.first, n.last = text, int32(number), int32(number)
			w.x.tokens[number].met = true
			return
		}
	}
	var b strings.Builder
	rest := n.Data
	for {
		i := strings.Index(rest, w.mark)
		if i < 0 {
			break
		}
		digits, after, ok := strings.Cut(rest[i+len(w.mark):], w.mark)
		number, err := strconv.ParseInt(digits, 10, 32)
		if !ok || err != nil || number >= int64(len(w.x.tokens)) {
			break
		}
		before := rest[:i]
		w.x.tokens[number].met = true
		if t := w.x.tokens[number]; t.kind != html.TextToken {
			before = strings.TrimSuffix(before, " ") // a tag that turned out to be text
		}
		b.WriteString(before)
		rest = after
		n.first, n.last = min(n.first, int32(number)), max(n.last, int32(number))
	}
	b.WriteString(rest)
	n.Data = b.String()
}

// ends gives every element the tokens of its subtree and its own end tag: the
// next tag after its last token, when it is one of its name.
func (w *walker) ends(n *node) {
	for _, k := range n.kids {
		w.ends(k)
		if k.last >= 0 {
			n.first, n.last = min(n.first, k.first), max(n.last, k.last)
		}
		if k.block || k.holds {
			n.holds = true
		}
	}
	if !n.own || void[n.Data] {
		return
	}
	for i := int(n.last) + 1; i < min(len(w.x.tokens), int(n.last)+maxSkipped); i++ {
		switch t := &w.x.tokens[i]; {
		case t.kind == html.EndTagToken && t.name == strings.ToLower(n.Data):
			n.last = int32(i)
			return
		case t.kind == html.CommentToken, t.blank, t.kind == html.EndTagToken && (t.inline || !blockElements[t.name]):
		default:
			return
		}
	}
}

// maxSkipped is how many tokens that are nothing may stand before an end tag.
const maxSkipped = 64

// place returns where the tokens first to last are in the document's bytes,
// without white space at the ends of texts.
func (x *instrumented) place(first, last int32) (start, end int) {
	start, end = int(x.tokens[first].start), int(x.tokens[last].end)
	if x.tokens[first].kind == html.TextToken {
		for start < end && isSpace(x.doc.Bytes[start]) {
			start++
		}
	}
	if x.tokens[last].kind == html.TextToken {
		for end > start && isSpace(x.doc.Bytes[end-1]) {
			end--
		}
	}
	return start, end
}

// blockElements break lines around them.
var blockElements = set("address", "article", "aside", "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "details",
	"dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6",
	"header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "noscript", "ol", "optgroup", "option", "p", "plaintext",
	"pre", "search", "section", "select", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "tr", "ul", "xmp")
