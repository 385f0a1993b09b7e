package html

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/model"
)

// content is what a run of inline nodes holds.
type content struct {
	text   string
	links  []model.Link
	images []model.Image
	field  bool // a control of a form
	seen   bool // something that is shown without being text
}

// read returns the content of a run: contracts 13.7. Runs of white space
// become one space, br becomes U+000A, the ends are trimmed.
func (b *builder) read(run []*node, pre bool) content {
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

type reader struct {
	b       *builder
	pre     bool
	text    strings.Builder
	space   bool // white space is due before the next character
	content content
}

func (r *reader) node(n *node) {
	if n.hidden {
		return
	}
	if n.Type == html.TextNode {
		r.write(n.Data)
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
	src := n.attr("src")
	if src == "" {
		src = n.attr("data-src")
	}
	if strings.HasPrefix(src, "data:") {
		src = ""
	}
	r.content.seen = true
	r.content.images = append(r.content.images, model.Image{URL: r.b.absolute(src), Alt: strings.Join(strings.Fields(n.attr("alt")), " ")})
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
	ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
	if ref == "" || strings.HasPrefix(strings.ToLower(ref), "javascript:") {
		return ""
	}
	u, err := b.base.Parse(ref)
	if err != nil {
		return ref
	}
	return keepForm(u, ref)
}

// keepForm returns the resolved URL; one that was absolute stays as written.
func keepForm(u *url.URL, ref string) string {
	if parsed, err := url.Parse(ref); err == nil && parsed.IsAbs() {
		return ref
	}
	return u.String()
}
