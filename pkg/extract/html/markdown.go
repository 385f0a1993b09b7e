package html

import (
	"slices"
	"strings"

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
	if s, ok := b.formattedRun(run); ok {
		return s
	}
	return b.converted(run, text)
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
