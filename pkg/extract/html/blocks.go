package html

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

// quoteLength is how many code points of a block its text_quote has
// (contracts#html-text).
const quoteLength = 300

// maxField is how long the text around a control may be to be its label.
const maxField = 200

// state is what a block takes from the elements around it.
type state struct {
	kind   model.UnitType // of runs; "" is paragraph
	level  int
	depth  int
	item   *item // the list item that the next run begins
	list   *list
	quoted bool
	role   string
	flag   string // of all blocks in an element
	form   bool   // in a form
	cells  bool   // in a table that could not be made
	lang   string
	link   string // of a link around blocks
}

// item is a list item until its first run is written: only that has the marker.
type item struct{ marker string }

// container goes through the children of an element: runs of inline children
// become blocks, block children are gone into.
func (b *builder) container(n *node, s state) {
	if n.hidden {
		return
	}
	if role, ok := b.roles[n]; ok {
		s.role = role
	}
	if n.Type == html.ElementNode {
		s.form = s.form || n.Data == "form"
		switch {
		case n.Data == "noscript":
			s.flag = FlagNoscript
		case ariaHidden(n):
			s.flag = FlagAriaHidden
		}
		if lang := n.attr("lang"); lang != "" && n.Data != "html" && n.Data != "body" {
			s.lang = lang
		}
	}
	whole := !slices.ContainsFunc(n.kids, breaksRun)
	var run, hidden, tools []*node
	breaks := 0
	end := func(whole bool) {
		b.hide(append(hidden, b.flush(n, run, s, whole)...))
		b.tools(n, tools, s)
		run, hidden, tools, breaks = run[:0], hidden[:0], tools[:0], 0
	}
	for _, k := range n.kids {
		switch {
		case breaksRun(k):
			end(false)
			b.child(k, s)
			continue
		case k.Type == html.ElementNode && k.Data == "br" && k.Namespace == "":
			breaks++
		case k.hidden:
			hidden = append(hidden, k)
			continue
		case s.kind == model.UnitHeading && b.roles[k] != "", len(tools) > 0 && blankNode(k):
			tools = append(tools, k)
			continue
		case blankNode(k):
		case len(tools) > 0: // they stand within the text of the heading, or before it
			if slices.ContainsFunc(run, shows) {
				run = append(run, tools...)
			} else {
				b.tools(n, tools, s)
			}
			tools, breaks = tools[:0], 0
		default:
			if breaks > 1 && s.kind != model.UnitHeading { // an empty line divides paragraphs
				whole = false
				hidden = append(hidden, b.flush(n, run, s, false)...)
				run = run[:0]
			}
			breaks = 0
		}
		run = append(run, k)
	}
	end(whole)
}

// tools writes the tools of a site at a heading, a block each.
func (b *builder) tools(heading *node, tools []*node, s state) {
	for _, k := range tools {
		b.flush(heading, []*node{k}, state{role: b.roles[k], lang: s.lang}, false)
	}
}

// blankNode reports whether a node is white space.
func blankNode(n *node) bool { return n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" }

// shows reports whether there is something to see in a node.
func shows(n *node) bool { return n.letters > 0 && !n.hidden }

// breaksRun reports whether a child is no part of a run of inline children.
func breaksRun(n *node) bool { return (n.block || n.holds || n.member) && !n.hidden }

// child handles one block child.
func (b *builder) child(n *node, s state) {
	if n.member && !b.inside {
		if n.record != nil {
			b.record(n.record, s)
		}
		return
	}
	if n.inner != "" {
		b.frame(n, s)
		return
	}
	if n.Namespace != "" || !n.block {
		if n.Data == "a" && n.Namespace == "" {
			s.link = b.absolute(n.attr("href"))
		}
		b.container(n, s) // an inline element around blocks
		return
	}
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		s.kind, s.level = model.UnitHeading, int(n.Data[1]-'0')
	case "ul", "ol", "menu", "dir":
		s.list = newList(n)
		s.list.notes = s.list.ordered && holdsNotes(n)
		s.depth++
		s.kind, s.item = "", nil
	case "li":
		s.kind, s.item = model.UnitListItem, &item{marker: s.list.next(n)}
		s.depth = max(s.depth, 1)
		if s.list != nil && s.list.notes {
			s.kind = model.UnitFootnote
		}
	case "dl":
		s.kind, s.item = "", nil
	case "dt":
		s.kind, s.depth = model.UnitDefinition, 1
	case "dd":
		s.kind, s.depth = model.UnitDefinition, 2
	case "blockquote":
		s.kind, s.quoted = model.UnitQuote, true
	case "pre", "listing", "xmp", "plaintext":
		if !n.records {
			b.atom(n, s, model.UnitCode)
			return
		}
	case "table":
		before := len(b.blocks)
		if !n.records && b.table(n, s) {
			return
		}
		s.cells = s.cells || len(b.blocks) > before // its table could not be made
	case "figure":
		b.figure(n, s)
		return
	case "figcaption", "caption":
		s.kind = model.UnitCaption
	case "select", "textarea":
		b.atom(n, s, model.UnitFormField)
		return
	case "legend", "option", "optgroup":
		s.kind = model.UnitFormField
	}
	if r := n.attr("role"); r == "doc-footnote" || r == "doc-endnote" {
		s.kind = model.UnitFootnote
	}
	b.container(n, s)
}

// atom writes an element as one block, whatever it holds.
func (b *builder) atom(n *node, s state, kind model.UnitType) {
	if role, ok := b.roles[n]; ok {
		s.role = role
	}
	s.kind = kind
	b.hide(b.flush(n, n.kids, s, true))
}

// flush writes a run of the children of owner as a block, when there is
// something to see in it. whole: the run is all that owner holds, so that the
// block is the element itself. What is hidden in it comes back.
func (b *builder) flush(owner *node, run []*node, s state, whole bool) []*node {
	if len(run) == 0 || len(b.blocks) > block.MaxBlocks {
		return nil
	}
	pre := s.kind == model.UnitCode
	c := b.read(run, pre)
	if strings.TrimSpace(c.text) == "" && !c.seen {
		return c.hidden
	}
	if len(run) == 1 && !whole && run[0].Type == html.ElementNode && run[0].last >= 0 {
		owner, whole = run[0], true
	}
	if s.link != "" {
		c.links = append(c.links, model.Link{URL: s.link, Text: c.text})
	}
	out := block.Block{
		Text: c.text, Links: c.links, Images: c.images, Confidence: 1,
		Level: s.level, Depth: s.depth, Lang: s.lang,
	}
	if s.flag != "" {
		out.Flags = []string{s.flag}
	}
	if s.cells {
		out.Confidence, out.Notes = partial, "the cell of a table whose grid could not be made"
		out.Flags = append(out.Flags, block.FlagIncomplete)
	}
	b.kind(&out, c, run, &s)
	if out.Type != model.UnitFurniture && b.doubted(owner, run) {
		out.Flags = append(out.Flags, FlagMaybeFurniture)
	}
	first, last := b.reachOf(owner, run, whole)
	for up := owner; last < 0 && up != nil; up = up.parent { // it has no token of its own: it is where what is around it is
		first, last = up.first, up.last
	}
	if last < 0 {
		return c.hidden
	}
	out.Evidence = b.evidence(owner, first, last, c.text)
	out.HTML = b.x.slice(first, last)
	if out.Type == model.UnitFurniture && len(c.links) > 1 {
		out.Markdown = out.Text // its links are listed, and no one reads it
	} else {
		out.Markdown = b.toMarkdown(run, &out)
	}
	for _, n := range run {
		n.taken = takenBy(&out)
	}
	b.add(owner, out)
	return c.hidden
}

// kind gives a run its type.
func (b *builder) kind(out *block.Block, c content, run []*node, s *state) {
	out.Type = s.kind
	switch {
	case strings.TrimSpace(c.text) == "" && len(c.images) > 0:
		out.Type, out.Text = model.UnitFigure, ""
	case out.Type == "" && c.field && len(c.text) <= maxField:
		out.Type = model.UnitFormField
	case out.Type == "" && s.quoted:
		out.Type = model.UnitQuote
	case out.Type == "":
		out.Type = model.UnitParagraph
	}
	switch out.Type {
	case model.UnitHeading:
		out.Depth = 0
	case model.UnitListItem, model.UnitFootnote:
		out.Level = 0
		if out.Type == model.UnitFootnote {
			out.Depth = 0
		}
		if s.item != nil {
			out.Marker, s.item.marker = s.item.marker, ""
		}
	case model.UnitDefinition:
		out.Level = 0
	default:
		out.Level, out.Depth = 0, 0
	}
	if s.role == "" {
		s.role = b.roleOf(run)
	}
	if s.role == "" && c.onlyButtons() && !s.form && out.Type != model.UnitHeading {
		s.role = roleNavigation // buttons of no form change how the page shows, and say nothing
	}
	if s.role == "" {
		s.role = b.learnt.role(out.Text)
	}
	if s.role != "" {
		out.Role, out.Type = s.role, model.UnitFurniture
		out.Level, out.Depth, out.Marker = 0, 0, ""
	}
}

// doubted reports whether a block of a run of the children of owner may be furniture.
func (b *builder) doubted(owner *node, run []*node) bool {
	return b.doubts[owner] || slices.ContainsFunc(run, func(n *node) bool { return b.doubts[n] })
}

// roleOf returns the role of a run of which all that shows is furniture: a
// link past the navigation.
func (b *builder) roleOf(run []*node) string {
	role := ""
	for _, n := range run {
		switch r, ok := b.roles[n]; {
		case ok:
			role = r
		case n.letters > 0:
			return ""
		}
	}
	return role
}

// reachOf returns the tokens of a block: of the whole element, or of the run
// with the formatting around it, and with the element's start tag when the run
// is the first in it. last is -1 when the run has no token.
func (b *builder) reachOf(owner *node, run []*node, whole bool) (first, last int32) {
	if whole && owner.last >= 0 {
		return owner.first, owner.last
	}
	first, last = b.x.reach(run)
	if last >= 0 && owner.own && owner.first < first && firstIn(owner, run) {
		first = owner.first
	}
	return first, last
}

// evidence returns the locators of what the tokens first to last hold.
func (b *builder) evidence(owner *node, first, last int32, text string) []model.Evidence {
	start, end := b.x.place(first, last)
	css, xpath := b.x.selectors(owner)
	return []model.Evidence{{
		ByteSpan: &model.Span{Start: b.x.doc.At(start), End: b.x.doc.At(end)}, CSSSelector: css, XPath: xpath, TextQuote: quote(text),
	}}
}

// firstIn reports whether nothing with a token comes before the run in owner.
func firstIn(owner *node, run []*node) bool {
	for _, k := range owner.kids {
		if k == run[0] {
			return true
		}
		if k.last >= 0 {
			return false
		}
	}
	return false
}

// reach returns the tokens of a run, with the tags of formatting that directly
// surround them; last is -1 when there are none.
func (x *instrumented) reach(run []*node) (first, last int32) {
	first, last = int32(len(x.tokens)), -1
	for _, n := range run {
		if n.last >= 0 {
			first, last = min(first, n.first), max(last, n.last)
		}
	}
	if last < 0 {
		return first, last
	}
	for first > 0 && x.tokens[first-1].inline && x.tokens[first-1].kind == html.StartTagToken {
		first--
	}
	for int(last)+1 < len(x.tokens) && x.tokens[last+1].inline && x.tokens[last+1].kind == html.EndTagToken {
		last++
	}
	return first, last
}

// slice returns the captured bytes of the tokens, decoded, unchanged.
func (x *instrumented) slice(first, last int32) string {
	return x.doc.Slice(x.place(first, last))
}

// quote returns the first 300 code points of s.
func quote(s string) string {
	if len(s) <= quoteLength || utf8.RuneCountInString(s) <= quoteLength {
		return s
	}
	n := 0
	for i := range s {
		if n == quoteLength {
			return s[:i]
		}
		n++
	}
	return s
}
