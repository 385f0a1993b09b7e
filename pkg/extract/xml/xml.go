// Package xml finds the blocks of XML files, RSS and Atom feeds among them. An
// element with text of its own is a paragraph with all the text within it; one
// that only holds a few short elements is a paragraph with one line for each
// ("name: text"); of all others the elements within are looked at. In a feed the
// titles are headings, and what is escaped HTML is its text. An element that has
// neither text nor elements says something by its attributes: they are lines.
// Other attributes are no text. The extraction_notes of a block say which
// element it is.
package xml

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
	"github.com/colophon-dev/colophon/pkg/model"
)

// small is the size in bytes up to which an element with short elements is one
// block.
const small = 2000

// maxPath is how long, in bytes, the path of an element may be in a note: a file
// can make names of any length, as deep as it likes.
const maxPath = 1000

// Page returns the blocks of a file. An error is that of its syntax.
func Page(f *decoded.File) (block.Page, error) {
	root, visible, err := parse(f.Bytes)
	if err != nil {
		return block.Page{}, err
	}
	x := &extraction{file: f}
	x.page.Visible = visible
	for _, e := range root.children {
		if x.feed = isFeed(e); x.page.Languages.HTMLLang == "" {
			x.page.Languages = declared(e)
		}
		x.walk(e, under("", "/"+e.name))
	}
	if root.inText { // text outside of the outermost element is a fault, and is kept
		x.loose(root)
	}
	return x.page, nil
}

// declared returns the language that an outermost element gives for all within,
// by its attribute or, in RSS, by an element.
func declared(e *element) (d block.Declared) {
	for _, a := range e.attrs {
		if a.Name.Local == "lang" {
			d.HTMLLang = a.Value
		}
	}
	if e.name != "rss" || len(e.children) == 0 {
		return d
	}
	for _, c := range e.children[0].children {
		if c.name == "language" {
			d.MetaLang = c.text()
		}
	}
	return d
}

// isFeed reports whether an outermost element is that of RSS or Atom.
func isFeed(e *element) bool {
	return e.name == "rss" || e.name == "feed" || e.name == "RDF"
}

type extraction struct {
	file *decoded.File
	page block.Page
	feed bool
}

// walk makes blocks of an element, whose path is given.
func (x *extraction) walk(e *element, path string) {
	if len(x.page.Blocks) > block.MaxBlocks {
		return
	}
	switch {
	case e.inText:
		x.textual(e, path)
	case e.leaf():
		x.add(model.UnitParagraph, x.attributes(e, ""), e, path, 0.8)
	case x.feed && (e.name == "item" || e.name == "entry"):
		x.entry(e, path)
	case e.parent.parent != nil && e.record():
		x.add(model.UnitParagraph, x.lines(e.children), e, path, 0.95)
	default:
		seen := map[string]int{}
		for _, c := range e.children {
			seen[c.name]++
			x.walk(c, under(path, fmt.Sprintf("/%s[%d]", c.name, seen[c.name])))
		}
	}
}

// under returns the path of an element within that of another. Steps for which
// there is no room in a note are an ellipsis.
func under(path, step string) string {
	if len(path)+len(step) > maxPath {
		return strings.TrimSuffix(path, "/…") + "/…"
	}
	return path + step
}

// record reports whether an element only holds leaves that are short together.
func (e *element) record() bool {
	size := 0
	for _, c := range e.children {
		if !c.leaf() {
			return false
		}
		size += c.end - c.start
	}
	return len(e.children) > 1 && size <= small
}

// textual adds an element that has text of its own.
func (x *extraction) textual(e *element, path string) {
	text := x.content(e)
	if x.feed && e.name == "title" && e.leaf() {
		if x.page.Title == "" {
			x.page.Title = text
		}
		x.add(model.UnitHeading, text, e, path, 0.95)
		return
	}
	x.add(model.UnitParagraph, text, e, path, 1)
}

// content returns the text of an element. That of a feed may be HTML in turn,
// whose marks are no text.
func (x *extraction) content(e *element) string {
	text := e.text()
	if !x.feed || !e.leaf() || !strings.Contains(text, "</") && !strings.Contains(text, "/>") && !strings.Contains(text, "<br") {
		return text
	}
	plain := plainOf(text)
	x.page.Visible += coverage.Characters(plain) - coverage.Characters(text)
	return plain
}

// plainOf returns the text of a piece of HTML, with a space for every mark.
func plainOf(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	skip := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			if !skip {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			skip = string(name) == "script" || string(name) == "style"
			b.WriteByte(' ')
		case html.EndTagToken:
			skip = false
			b.WriteByte(' ')
		case html.SelfClosingTagToken:
			b.WriteByte(' ')
		}
	}
}

// entry adds an item of a feed: its title, its texts, and a paragraph with all
// that is short.
func (x *extraction) entry(e *element, path string) {
	var fields []*element
	for _, c := range e.children {
		if c.name == "title" && c.inText {
			if b := x.add(model.UnitHeading, x.content(c), c, under(path, "/title"), 0.95); b != nil {
				b.Level = 2
			}
			continue
		}
		if c.leaf() && (c.end-c.start <= small/10 || !c.inText) {
			fields = append(fields, c)
			continue
		}
		x.walk(c, under(path, "/"+c.name))
	}
	if len(fields) > 0 {
		x.add(model.UnitParagraph, x.lines(fields), e, path, 0.95)
	}
}

// lines writes leaves as lines of name and text. The names are then text of the
// page as well.
func (x *extraction) lines(leaves []*element) string {
	var out []string
	for _, e := range leaves {
		if text := x.content(e); text != "" {
			x.page.Visible += coverage.Characters(e.name) + 1
			out = append(out, e.name+": "+text)
		} else if text := x.attributes(e, e.name+" "); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// attributes writes the attributes of an element as lines.
func (x *extraction) attributes(e *element, prefix string) string {
	var out []string
	for _, a := range e.values() {
		out = append(out, prefix+a.Name.Local+": "+strings.Join(strings.Fields(a.Value), " "))
		x.page.Visible += coverage.Characters(out[len(out)-1])
	}
	return strings.Join(out, "\n")
}

// loose adds the text outside of all elements.
func (x *extraction) loose(root *element) {
	var texts []string
	for _, p := range root.pieces {
		if p.child == nil {
			texts = append(texts, p.text)
		}
	}
	text := strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
	b := x.file.Block(model.UnitParagraph, text, 0, len(x.file.Bytes), 0.5)
	b.Notes = "text outside of the outermost element"
	x.page.Blocks = append(x.page.Blocks, b)
}

// add adds a block with an element's text, and returns it; nil when that is
// empty.
func (x *extraction) add(kind model.UnitType, text string, e *element, path string, confidence float64) *block.Block {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	b := x.file.Block(kind, text, e.start, e.end, confidence)
	b.Notes = "XML element " + path
	if kind == model.UnitHeading {
		b.Level = 1
	}
	for _, a := range e.attrs {
		if a.Name.Local == "lang" && a.Name.Space != "" {
			b.Lang = a.Value
		}
	}
	x.page.Blocks = append(x.page.Blocks, b)
	return &x.page.Blocks[len(x.page.Blocks)-1]
}
