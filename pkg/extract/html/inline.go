package html

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

// content is what a run of inline nodes holds.
type content struct {
	text   string
	links  []model.Link
	images []model.Image
	field  bool // a control of a form
	button int  // characters of the captions of buttons, without white space
	hidden []*node
	seen   bool // something that is shown without being text
}

// read returns the content of a run (contracts#html-text). Runs of white space
// become one space, br becomes U+000A, the ends are trimmed.
func (b *builder) read(run []*node, pre bool) content {
	if len(run) == 1 && run[0].Type == html.TextNode && !run[0].hidden && !pre {
		if s := strings.TrimSpace(run[0].Data); singleSpaced(s) {
			return content{text: s}
		}
	}
	r := &reader{b: b, pre: pre}
	for _, n := range run {
		r.node(n)
	}
	c := r.content
	c.text = r.text.String()
	if !pre {
		c.text = strings.TrimRight(c.text, " \n")
	}
	return c
}

// singleSpaced reports whether all white space in a text are spaces between words.
func singleSpaced(s string) bool {
	for i, r := range s {
		if r != ' ' && unicode.IsSpace(r) || r == ' ' && s[i+1] == ' ' {
			return false
		}
	}
	return true
}

// onlyButtons reports whether all text is that of buttons.
func (c *content) onlyButtons() bool {
	return c.button > 0 && c.button == coverage.Characters(c.text)
}

type reader struct {
	b       *builder
	pre     bool
	text    strings.Builder
	space   bool // white space is due before the next character
	content content
}

func (r *reader) node(n *node) {
	if n.hidden {
		r.content.hidden = append(r.content.hidden, n)
		return
	}
	if n.Type == html.TextNode {
		r.write(n.Data)
		return
	}
	if n.inner != "" { // a document in an iframe, in a line or in a cell
		r.space = true
		r.write(n.inner)
		r.space = true
		return
	}
	if n.Namespace == "" {
		switch n.Data {
		case "br":
			r.newline()
			return
		case "img":
			r.image(n)
			return
		case "input", "select", "textarea", "button", "meter", "progress", "output":
			r.content.field = r.content.field || n.attr("type") != "hidden"
			if n.Data == "button" || n.Data == "input" {
				r.button(n)
				return
			}
		case "option":
			r.newline()
		case "a":
			r.link(n)
			return
		}
	}
	for _, k := range n.kids {
		if k.block && r.text.Len() > 0 {
			r.space = true // blocks within an atomic block do not touch
		}
		r.node(k)
		if k.block {
			r.space = true
		}
	}
}

// button reads what stands on a button; the other inputs show nothing that the
// page says.
func (r *reader) button(n *node) {
	before := r.text.Len()
	if caption := buttonText(n); caption != "" {
		r.space = true
		r.write(caption)
		r.space = true
	}
	for _, k := range n.kids {
		r.node(k)
	}
	r.content.button += coverage.Characters(r.text.String()[before:])
}

func (r *reader) write(s string) {
	if r.pre {
		r.text.WriteString(s)
		return
	}
	for len(s) > 0 {
		i := strings.IndexFunc(s, unicode.IsSpace)
		if i == 0 {
			r.space = true
			s = strings.TrimLeftFunc(s, unicode.IsSpace)
			continue
		}
		word := s
		if i > 0 {
			word = s[:i]
		}
		if r.space && r.text.Len() > 0 && !r.atLineStart() {
			r.text.WriteByte(' ')
		}
		r.space = false
		r.text.WriteString(word)
		s = s[len(word):]
	}
}

func (r *reader) atLineStart() bool {
	s := r.text.String()
	return s[len(s)-1] == '\n'
}

func (r *reader) newline() {
	if r.text.Len() > 0 || r.pre {
		r.text.WriteByte('\n')
	}
	r.space = false
}

func (r *reader) image(n *node) {
	r.content.seen = true
	r.content.images = append(r.content.images, model.Image{URL: r.b.absolute(source(n)), Alt: strings.Join(strings.Fields(n.attr("alt")), " ")})
}

// source returns the address of a picture as it is written: where a script is to
// put it into src, that of the script, else the first of several sizes; "" for a
// picture that is in the page itself.
func source(n *node) string {
	for _, key := range []string{"data-src", "data-lazy-src", "data-original", "src"} {
		if ref := strings.TrimSpace(n.attr(key)); ref != "" && !strings.HasPrefix(ref, "data:") {
			return ref
		}
	}
	for _, key := range []string{"data-srcset", "data-lazy-srcset", "srcset"} {
		if candidates := strings.Fields(n.attr(key)); len(candidates) > 0 && !strings.HasPrefix(candidates[0], "data:") {
			return strings.TrimRight(candidates[0], ",")
		}
	}
	return ""
}

func (r *reader) link(n *node) {
	start := r.text.Len()
	for _, k := range n.kids {
		r.node(k)
	}
	if href := r.b.absolute(n.attr("href")); href != "" {
		r.content.links = append(r.content.links, model.Link{URL: href, Text: strings.TrimSpace(r.text.String()[start:])})
	}
}

// absolute returns a reference as an absolute URL, "" for what leads nowhere
// (no reference, a script). What is no URL stays as it is.
func (b *builder) absolute(ref string) string {
	if ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' }); strings.ContainsAny(ref, "\t\n\r") {
		ref = lineBreaks.Replace(ref)
	}
	if ref == "" || len(ref) >= len(script) && strings.EqualFold(ref[:len(script)], script) {
		return ""
	}
	if known, ok := b.refs[ref]; ok { // asked for by links and by Markdown
		return known
	}
	out := ref // what is absolute, and what is no URL, stays as written
	if u, err := url.Parse(ref); err == nil && !u.IsAbs() {
		out = b.base.ResolveReference(u).String()
	}
	if b.refs == nil {
		b.refs = map[string]string{}
	}
	b.refs[ref] = out
	return out
}

const script = "javascript:"

// lineBreaks are no part of an address, wherever they stand in it (WHATWG URL).
var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")
