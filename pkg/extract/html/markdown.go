package html

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()))
}

// toMarkdown returns a run as Markdown, structure only (seeds#conventions, "Allowed
// Transformations"), links and images absolute.
func (b *builder) toMarkdown(run []*node, out *block.Block) string {
	if out.Type == model.UnitCode {
		return fence(out.Text)
	}
	s := b.inlineMarkdown(run, out.Text)
	switch out.Type {
	case model.UnitHeading:
		return strings.Repeat("#", min(max(out.Level, 1), 6)) + " " + oneLine(s)
	case model.UnitListItem:
		marker := out.Marker
		if !strings.HasSuffix(marker, ".") || strings.Trim(marker, "0123456789.") != "" {
			marker = "-"
		}
		indent := strings.Repeat("  ", max(out.Depth-1, 0))
		return indent + marker + " " + strings.ReplaceAll(s, "\n", "\n"+indent+"  ")
	case model.UnitQuote:
		return "> " + strings.ReplaceAll(s, "\n", "\n> ")
	default:
		return s
	}
}

// maxMarkdown is how long a block may be in bytes to be converted: above it,
// which no real block is, the converter would take most of the time and memory.
const maxMarkdown = 256 << 10

// inlineMarkdown converts a run without the block around it. Text without
// markup and without anything that means something in Markdown is itself.
func (b *builder) inlineMarkdown(run []*node, text string) string {
	if len(text) > maxMarkdown || plainText(text) && !slices.ContainsFunc(run, formatted) {
		return text
	}
	if s, ok := b.plainLinks(run, text); ok {
		return s
	}
	if s, ok := b.formattedRun(run); ok {
		return s
	}
	return b.converted(run, text)
}

// plainLinks returns a run of text and links in which nothing else means
// anything in Markdown, as most paragraphs of a page are, and all of its
// navigation.
func (b *builder) plainLinks(run []*node, text string) (string, bool) {
	if !plainText(text) {
		return "", false
	}
	w := linkWriter{b: b}
	for _, n := range run {
		if !w.node(n) {
			return "", false
		}
	}
	return w.out.String(), true
}

// linkWriter writes text and links as Markdown.
type linkWriter struct {
	b     *builder
	out   strings.Builder
	space bool // white space is due before the next character
	led   bool // white space came before the first
	ended bool // a link was the last
}

// node writes a node of a run. It reports false for what it leaves to the
// library.
func (w *linkWriter) node(n *node) bool {
	switch {
	case n.hidden:
		return true
	case n.Type == html.TextNode:
		return w.text(n.Data)
	case n.Namespace == "" && n.Data == "a":
		return w.link(n)
	}
	return !formatted(n) && n.Data != "button" && w.kids(n)
}

func (w *linkWriter) kids(n *node) bool {
	for _, k := range n.kids {
		if !w.node(k) {
			return false
		}
	}
	return true
}

// text writes text with runs of white space as one space. It reports false for
// text with spaces that are more than that.
func (w *linkWriter) text(s string) bool {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsSpace(r) }) >= 0 {
		return false
	}
	first := true
	for word := range strings.FieldsSeq(s) {
		w.space = w.space || !first || unicode.IsSpace(rune(s[0]))
		w.gap()
		w.out.WriteString(word)
		w.ended, first = false, false
	}
	if s != "" && unicode.IsSpace(rune(s[len(s)-1])) {
		w.space = true
	}
	return true
}

// gap writes the white space that is due.
func (w *linkWriter) gap() {
	switch {
	case w.space && w.out.Len() > 0:
		w.out.WriteByte(' ')
	case w.space:
		w.led = true
	}
	w.space = false
}

// link writes a link with plain text and an address that needs no escapes.
func (w *linkWriter) link(n *node) bool {
	url, title := w.b.absolute(n.attr("href")), strings.TrimSpace(n.attr("title"))
	if title != "" && (!plainText(title) || strings.ContainsAny(title, `"'`)) || url == "" || n.letters == 0 || slices.ContainsFunc(n.kids, formatted) ||
		strings.ContainsAny(url, " ()<>\\\"*_[]{}|^`") || strings.IndexFunc(url, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf }) >= 0 {
		return false
	}
	inner := linkWriter{b: w.b}
	if !inner.kids(n) {
		return false
	}
	w.space = w.space || inner.led
	if touches := !w.space && w.out.Len() > 0; touches && (w.ended || strings.HasSuffix(w.out.String(), "!")) {
		return false
	}
	w.gap()
	if title != "" {
		title = ` "` + title + `"`
	}
	w.out.WriteString("[" + inner.out.String() + "](" + url + title + ")")
	w.space, w.ended = inner.space, true
	return true
}

// converted is what the library makes of a run.
func (b *builder) converted(run []*node, text string) string {
	p := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}
	for _, n := range run {
		b.copyTo(p, n)
	}
	root := &html.Node{Type: html.DocumentNode}
	root.AppendChild(p)
	out, err := b.markdown().ConvertNode(root)
	if err != nil {
		return text // the converter has no way to fail on a tree; the text is never wrong
	}
	return strings.TrimSpace(string(out))
}

// plainText reports whether nothing in a text means anything in Markdown: some
// characters do anywhere, others at the beginning of a line only.
func plainText(text string) bool {
	if text == "" || strings.ContainsAny(text, "\\`*_[]<>&|~\n") {
		return false
	}
	switch c := text[0]; {
	case c >= '0' && c <= '9', strings.IndexByte("#+-=!:", c) >= 0:
		return false
	}
	return true
}

// formatted reports whether there is markup in a node that Markdown can say.
func formatted(n *node) bool {
	switch {
	case n.Type == html.TextNode, n.hidden:
		return false
	case n.Namespace == "" && (n.Data == "span" || n.Data == "time" || n.Data == "abbr" || n.Data == "label" || n.Data == "button"):
		return slices.ContainsFunc(n.kids, formatted)
	}
	return true
}

// copyTo appends a copy of what is visible of n to parent, references made
// absolute.
func (b *builder) copyTo(parent *html.Node, n *node) {
	if n.hidden {
		return
	}
	c := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace}
	for _, a := range n.Attr {
		switch a.Key {
		case "href":
			a.Val = b.absolute(a.Val)
		case "alt", "title", "start":
		default:
			continue
		}
		c.Attr = append(c.Attr, a)
	}
	if n.Data == "img" {
		c.Attr = append(c.Attr, html.Attribute{Key: "src", Val: b.absolute(source(n))})
	}
	parent.AppendChild(c)
	for _, k := range n.kids {
		b.copyTo(c, k)
	}
}

// fence returns code between fences longer than any in it.
func fence(s string) string {
	marks := "```"
	for strings.Contains(s, marks) {
		marks += "`"
	}
	return marks + "\n" + strings.TrimSuffix(s, "\n") + "\n" + marks
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
