package html

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// The private planes 15 and 16, from which the mark is taken.
const (
	firstPrivate = 0xF0000
	lastPrivate  = 0x10FFFD
)

var errNoMark = errors.New("the page uses every private character there is")

// freeMark returns a private character that the document does not hold,
// neither as bytes nor as a character reference: so no page can forge a mark.
func freeMark(doc []byte) (rune, error) {
	used := map[rune]bool{}
	use := func(r rune) {
		if r >= firstPrivate {
			used[r] = true
		}
	}
	for _, first := range []byte{0xF3, 0xF4} { // of the bytes of a private character
		behind(doc, []byte{first}, func(at int) {
			r, _ := utf8.DecodeRune(doc[at-1:])
			use(r)
		})
	}
	behind(doc, []byte("&#"), func(at int) {
		if at < len(doc) {
			use(reference(doc[at:]))
		}
	})
	for r := rune(lastPrivate); r >= firstPrivate; r-- {
		if !used[r] && r&0xFFFF < 0xFFFE {
			return r, nil
		}
	}
	return 0, errNoMark
}

// behind calls f with each place of doc behind a sign.
func behind(doc, sign []byte, f func(at int)) {
	for at := 0; ; {
		n := bytes.Index(doc[at:], sign)
		if n < 0 {
			return
		}
		at += n + len(sign)
		f(at)
	}
}

// reference returns the number of the character reference that b continues
// after "&#", 0 for none; numbers above all characters stay above them.
func reference(b []byte) rune {
	base := rune(10)
	if b[0]|0x20 == 'x' {
		base, b = 16, b[1:]
	}
	r := rune(0)
	for _, c := range b {
		d := rune(99)
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			d = rune(c|0x20) - 'a' + 10
		}
		if d >= base {
			break
		}
		if r = r*base + d; r > utf8.MaxRune {
			return utf8.MaxRune + 1
		}
	}
	return r
}

// Nesting beyond these bounds makes a flat copy. Browsers stop at 512 elements
// as well; the parser refuses such a page whole.
const (
	flatDepth = 200
	// formattingCost is how many elements of formatting the parser may open
	// again: a page of some kilobytes can make it open millions.
	formattingCost = 2_000_000
	// mergedBytes is how many bytes of tags that become one element cost as much.
	mergedBytes = 4
)

// nesting follows, roughly, how deep the elements of a document nest and how
// many elements of formatting are open, to keep both within bounds.
type nesting struct {
	open    []string // names, outermost first
	format  int      // open elements of formatting
	merged  int      // bytes of the tags of html and body so far
	merges  int      // how many there are
	cost    int
	allowed int
}

func (n *nesting) tooCostly() bool { return n.cost > formattingCost+n.allowed }

// again counts a tag of html or body, of size bytes: the parser adds what it says
// to the one element, and goes through all that was said before.
func (n *nesting) again(size int) {
	n.cost += n.merged / mergedBytes
	n.merged += size
	n.merges++
}

func (n *nesting) text() { n.cost += n.format; n.allowed += 8 }

// start reports whether the start tag stays in the copy. A flat copy has no
// formatting but links, and nothing deeper than flatDepth.
func (n *nesting) start(name string, closed, flat bool) bool {
	n.cost += n.format
	n.allowed += 8
	if formatting[name] {
		n.format++
		return !flat || name == "a"
	}
	if !flat || void[name] || closed {
		return true
	}
	if len(n.open) > 0 && n.open[len(n.open)-1] == name && closesItself[name] {
		return true
	}
	if len(n.open) >= flatDepth || n.merges > flatDepth && (name == "html" || name == "body") {
		return rawText[name] // their content must not become text
	}
	n.open = append(n.open, name)
	return true
}

// end reports whether the end tag stays in the copy.
func (n *nesting) end(name string, flat bool) bool {
	if formatting[name] {
		n.format = max(n.format-1, 0)
		return !flat || name == "a"
	}
	if !flat || rawText[name] {
		return true
	}
	for i := len(n.open) - 1; i >= 0; i-- {
		if n.open[i] == name {
			n.open = n.open[:i]
			return true
		}
	}
	return false
}

// closesItself are the elements of which a new one ends the one before.
var closesItself = set("p", "li", "dt", "dd", "tr", "td", "th", "option", "optgroup")

// rawText are the elements whose content is not markup.
var rawText = set("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext")

// foreign follows whether the tokenizer is inside of SVG or MathML, where no
// element's content is raw and CDATA sections are text.
type foreign struct{ open []foreignElement }

type foreignElement struct {
	name string
	math bool // of MathML, not of SVG
	html bool // what it holds is HTML again
}

func (f *foreign) inside() bool { return len(f.open) > 0 && !f.open[len(f.open)-1].html }

// maxForeign bounds the stack; what is nested deeper is not followed.
const maxForeign = 512

// start reports whether the element is itself of SVG or MathML. asHTML says that
// its attributes are those of HTML, see saysHTML.
func (f *foreign) start(name string, closed, asHTML bool) bool {
	inside := f.inside()
	var around foreignElement
	if n := len(f.open); n > 0 {
		around = f.open[n-1]
	}
	switch {
	case inside && (breakouts[name] || name == "font" && asHTML):
		for f.inside() {
			f.open = f.open[:len(f.open)-1]
		}
		return false
	case closed || len(f.open) >= maxForeign:
	case inside || name == "svg" || name == "math":
		math := name == "math" || inside && around.math && (name != "svg" || around.name != "annotation-xml")
		f.open = append(f.open, foreignElement{name: name, math: math, html: holdsHTML(name, math, asHTML)})
	}
	return inside
}

// holdsHTML reports whether the content of an element of SVG or MathML is HTML
// (HTML, "HTML integration point" and "MathML text integration point").
func holdsHTML(name string, math, asHTML bool) bool {
	switch name {
	case "foreignobject", "desc", "title":
		return !math
	case "mi", "mo", "mn", "ms", "mtext":
		return math
	case "annotation-xml":
		return math && asHTML
	}
	return false
}

// saysHTML reports whether the attributes of the tag that z is at say that an
// element of a name that is also of MathML or SVG is of HTML, or holds it.
func saysHTML(name string, z *html.Tokenizer) bool {
	if name != "font" && name != "annotation-xml" {
		return false
	}
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "color", "face", "size":
			if name == "font" {
				return true
			}
		case "encoding":
			if v := strings.ToLower(string(value)); name != "font" && (v == "text/html" || v == "application/xhtml+xml") {
				return true
			}
		}
	}
	return false
}

func (f *foreign) end(name string) {
	for i := len(f.open) - 1; i >= 0; i-- {
		if f.open[i].name == name {
			f.open = f.open[:i]
			return
		}
	}
}

// breakouts are the elements that end SVG and MathML around them (HTML, "The
// rules for parsing tokens in foreign content").
var breakouts = set("b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2",
	"h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small",
	"span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var")
