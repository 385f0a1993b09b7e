package html

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

// The flags of what not every reader of a page sees.
const (
	FlagAriaHidden = "aria_hidden" // hidden from screen readers
	FlagNoscript   = "noscript"    // shown without scripts only
	FlagSrcdoc     = "srcdoc"      // a document in an attribute of an iframe
)

// textless are the hidden elements that hold no text of the page: code, names
// of things, and markup that is kept as text.
var textless = set("script", "style", "head", "title", "noembed", "noframes", "iframe", "meta", "link", "base", "param", "source",
	"track", "area", "map", "rp")

func hiddenBlock(b *block.Block) bool { return slices.Contains(b.Flags, block.FlagHidden) }

// hide writes elements that the page does not show as furniture, a block each:
// what is hidden is kept, and said to be hidden.
func (b *builder) hide(elements []*node) {
	if len(elements) > 1 {
		slices.SortStableFunc(elements, func(x, y *node) int { return cmp.Compare(x.first, y.first) })
	}
	for _, n := range elements {
		if n.Type != html.ElementNode || n.Namespace != "" || textless[n.Data] || n.last < 0 || len(b.blocks) > block.MaxBlocks {
			continue
		}
		text := hiddenText(n)
		if text == "" {
			continue
		}
		b.blocks = append(b.blocks, block.Block{
			Type: model.UnitFurniture, Text: text, Markdown: text, Confidence: 1, Flags: []string{block.FlagHidden},
			Evidence: b.evidence(n, n.first, n.last, text), HTML: b.x.slice(n.first, n.last),
		})
	}
}

// hiddenText returns all text in an element, white space as one space.
func hiddenText(n *node) string {
	if len(n.kids) == 1 && n.kids[0].Type == html.TextNode && !(textless[n.Data] && n.Namespace == "") {
		if s := strings.TrimSpace(n.kids[0].Data); singleSpaced(s) {
			return s
		}
	}
	var words []string
	var walk func(n *node)
	walk = func(n *node) {
		if n.Type == html.TextNode {
			words = append(words, strings.Fields(n.Data)...)
			return
		}
		if textless[n.Data] && n.Namespace == "" {
			return
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(n)
	return strings.Join(words, " ")
}

// lastCharacter returns the last character of hiddenText, 0 when there is none.
func lastCharacter(n *node) rune {
	if n.Type == html.TextNode {
		last, size := utf8.DecodeLastRuneInString(strings.TrimRightFunc(n.Data, unicode.IsSpace))
		if size == 0 {
			return 0
		}
		return last
	}
	if textless[n.Data] && n.Namespace == "" {
		return 0
	}
	for _, k := range slices.Backward(n.kids) {
		if c := lastCharacter(k); c != 0 {
			return c
		}
	}
	return 0
}

// srcdoc returns the text of the document in an iframe's srcdoc attribute: it
// is shown where the iframe stands. Iframes within it are passed over.
func srcdoc(n *node) string {
	source, ok := n.lookup("srcdoc")
	if !ok || n.Data != "iframe" || n.Namespace != "" {
		return ""
	}
	doc := charset.Open([]byte(source), charset.Choose([]byte(source), charset.Declared{HTTP: "utf-8"}))
	root, marks, err := parse(doc, false)
	if err != nil {
		return ""
	}
	mark(root, false, false, true)
	b := &builder{x: marks, base: baseURL(model.Snapshot{}, ""), markdown: sync.OnceValue(newConverter)}
	b.container(root, state{})
	var lines []string
	for i := range b.blocks {
		if b.blocks[i].Text != "" && !hiddenBlock(&b.blocks[i]) {
			lines = append(lines, b.blocks[i].Text)
		}
	}
	return strings.Join(lines, "\n")
}

// frame writes the document in an iframe as a block.
func (b *builder) frame(n *node, s state) {
	if n.last < 0 || n.inner == "" {
		return
	}
	out := block.Block{
		Type: model.UnitParagraph, Text: n.inner, Markdown: n.inner, Confidence: 1, Lang: s.lang, Flags: []string{FlagSrcdoc},
		Evidence: b.evidence(n, n.first, n.last, n.inner), HTML: b.x.slice(n.first, n.last),
	}
	if s.role != "" {
		out.Type, out.Role = model.UnitFurniture, s.role
	}
	b.blocks = append(b.blocks, out)
}

// markFrame counts what the document in an iframe shows.
func markFrame(n *node) {
	if n.inner = srcdoc(n); n.inner != "" {
		n.letters, n.hidden, n.block = int32(coverage.Characters(n.inner)), false, true
	}
}
