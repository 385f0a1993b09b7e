package html

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/entry"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// record is a record of the source's entry rule, at its first element.
type record struct {
	entry.Record
	index int // 0-based, among the records of the page
	nodes []*node
}

// findRecords marks the records of the page. A rule that cannot be applied is a
// failure of the page that names what is wrong: the source's registry refuses
// such rules.
func (b *builder) findRecords(root *node, rule model.EntryRule) error {
	made, err := entry.Compile(rule)
	if err != nil {
		return &block.Failure{Reason: fault.Malformed, Message: "the entry rule of the source: " + err.Error()}
	}
	nodes := nodesOf(root)
	found := made.Records(entry.Page{
		Root: root.Node,
		Skip: func(n *html.Node) bool { k := nodes[n]; return k == nil || k.hidden || k.last < 0 },
		Text: func(n *html.Node) string { return b.read([]*node{nodes[n]}, false).text },
	})
	for i, r := range found {
		out := &record{Record: r, index: i}
		for _, n := range r.Nodes {
			k := nodes[n]
			k.member = true
			out.nodes = append(out.nodes, k)
			for up := k.parent; up != nil && !up.records; up = up.parent {
				up.records, up.holds = true, true
			}
		}
		out.nodes[0].record = out
	}
	return nil
}

// nodesOf returns our nodes by those of the parser.
func nodesOf(root *node) map[*html.Node]*node {
	out := map[*html.Node]*node{}
	var walk func(n *node)
	walk = func(n *node) {
		out[n.Node] = n
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(root)
	return out
}

// record writes a record as one block: no other unit is made in it (contracts#record-locator).
// Its text is that of the blocks in it, a line each.
func (b *builder) record(r *record, s state) {
	inner := *b
	inner.blocks, inner.saw, inner.inside = nil, nil, true
	for _, n := range r.nodes {
		inner.child(n, state{lang: s.lang, list: s.list})
	}
	out := block.Block{
		Type: model.UnitRecord, Confidence: 1, Lang: s.lang, Values: r.Values, Groups: r.Groups,
		Record: &block.Record{Index: r.index, ID: r.ID},
	}
	if r.Cut {
		out.Confidence, out.Flags = partial, []string{block.FlagIncomplete}
		out.Notes = "the rule finds more values on this page than are kept"
	}
	var lines, markdown, css, xpath []string
	for _, k := range inner.blocks {
		if k.Text != "" && !hiddenBlock(&k) {
			lines = append(lines, k.Text)
		}
		if !hiddenBlock(&k) {
			markdown = append(markdown, k.Markdown)
		}
		out.Links, out.Images = append(out.Links, k.Links...), append(out.Images, k.Images...)
	}
	out.Text, out.Markdown = strings.Join(lines, "\n"), strings.Join(markdown, "\n\n")
	first, last := r.nodes[0].first, r.nodes[0].last
	for _, n := range r.nodes {
		first, last = min(first, n.first), max(last, n.last)
		c, x := b.x.selectors(n)
		css, xpath = append(css, c), append(xpath, x)
	}
	out.Evidence = b.evidence(nil, first, last, out.Text)
	if e := &out.Evidence[0]; !b.x.flat {
		e.CSSSelector, e.XPath = strings.Join(css, ", "), strings.Join(xpath, " | ")
		if len(e.CSSSelector) > maxSelector || len(e.XPath) > maxSelector {
			e.CSSSelector, e.XPath = "", ""
		}
	}
	out.HTML = b.x.slice(first, last)
	b.blocks = append(b.blocks, out)
}
