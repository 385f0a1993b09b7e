// Package entry finds the records of a page by a source's entry rule (seeds#capture,
// example A): which elements are records, and what their fields hold, as found.
// It works on a parsed page and knows nothing of bytes, blocks or ids.
package entry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/model"
)

// maxValues bounds the values of a page's records in bytes, all together: a rule
// that selects every element of a deep page would copy it over and over.
const maxValues = 16 << 20

// maxSelector bounds a selector in bytes: real ones are a line.
const maxSelector = 1 << 10

// Rule is an entry rule that can be applied.
type Rule struct {
	begin   cascadia.SelectorGroup
	except  cascadia.SelectorGroup // nil: nothing
	through cascadia.SelectorGroup // nil: a record is one element
	id      *field
	fields  []field
}

type field struct {
	name  string
	sel   cascadia.SelectorGroup // nil: the record itself
	attr  string
	parts []field
}

// Compile makes a rule ready. The error names the part of the rule that is
// wrong, as it stands in JSON: "fields[2].select: …".
func Compile(r model.EntryRule) (*Rule, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	out := &Rule{}
	var err error
	for _, s := range []struct {
		name, text string
		to         *cascadia.SelectorGroup
	}{{"select", r.Select, &out.begin}, {"except", r.Except, &out.except}, {"through", r.Through, &out.through}} {
		if *s.to, err = compile(s.name, s.text); err != nil {
			return nil, err
		}
	}
	if r.RecordID != nil {
		id := field{attr: r.RecordID.Attr}
		if id.sel, err = compile("record_id.select", r.RecordID.Select); err != nil {
			return nil, err
		}
		out.id = &id
	}
	for i, f := range r.Fields {
		at := fmt.Sprintf("fields[%d]", i)
		made := field{name: f.Name, attr: f.Attr}
		if made.sel, err = compile(at+".select", f.Select); err != nil {
			return nil, err
		}
		for k, p := range f.Parts {
			part := field{name: p.Name, attr: p.Attr}
			if part.sel, err = compile(fmt.Sprintf("%s.parts[%d].select", at, k), p.Select); err != nil {
				return nil, err
			}
			made.parts = append(made.parts, part)
		}
		out.fields = append(out.fields, made)
	}
	return out, nil
}

// compile returns a selector group, nil for "".
func compile(name, text string) (cascadia.SelectorGroup, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxSelector {
		return nil, fmt.Errorf("%s: %d bytes, at most %d", name, len(text), maxSelector)
	}
	group, err := cascadia.ParseGroup(text)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", name, text, err)
	}
	for _, s := range group {
		if s.PseudoElement() != "" {
			return nil, fmt.Errorf("%s %q: a pseudo-element is no element of the page", name, text)
		}
	}
	return group, nil
}

// Record is one record of a page.
type Record struct {
	// Nodes are the elements of the record, siblings in the order of the
	// document: one, unless the rule goes on through what follows.
	Nodes []*html.Node
	// ID is the id that the source publishes, "" for none.
	ID string
	// Values and Groups are the fields, as found; what is not there is left out.
	Values map[string][]string
	Groups map[string][]map[string]string
	// Cut says that values are missing, since the page has too many.
	Cut bool
}

// Page is what a rule needs to know of a page beside its tree: Skip reports
// whether an element is no part of what is shown, Text returns the text of an
// element.
type Page struct {
	Root *html.Node
	Skip func(*html.Node) bool
	Text func(*html.Node) string
}

// Records returns the records of a page in the order of the document: their
// places in the slice are their entry_index. An element within a record is no
// record of its own.
func (r *Rule) Records(p Page) []Record {
	f := &finder{rule: r, page: p, left: maxValues}
	f.children(p.Root)
	return f.found
}

type finder struct {
	rule  *Rule
	page  Page
	found []Record
	left  int // bytes of values
}

// children looks for records among the children of n and below, without
// recursion: pages nest as deep as they like.
func (f *finder) children(root *html.Node) {
	n := root.FirstChild
	for n != nil {
		last, went := n, false
		if n.Type == html.ElementNode && !f.page.Skip(n) {
			if f.begins(n) {
				nodes := f.nodes(n)
				f.found = append(f.found, f.record(nodes))
				last = nodes[len(nodes)-1]
			} else if n.FirstChild != nil {
				n, went = n.FirstChild, true
			}
		}
		if went {
			continue
		}
		for n = last; n != root && n.NextSibling == nil; {
			n = n.Parent
		}
		if n == root {
			return
		}
		n = n.NextSibling
	}
}

func (f *finder) begins(n *html.Node) bool {
	return f.rule.begin.Match(n) && !(f.rule.except != nil && f.rule.except.Match(n))
}

// nodes returns the elements of the record that begins with n.
func (f *finder) nodes(n *html.Node) []*html.Node {
	out := []*html.Node{n}
	if f.rule.through == nil {
		return out
	}
	for next := n.NextSibling; next != nil; next = next.NextSibling {
		switch {
		case next.Type == html.TextNode && !blank(next.Data):
			return out
		case next.Type != html.ElementNode:
			continue
		case !f.rule.through.Match(next) || f.begins(next):
			return out
		}
		if !f.page.Skip(next) {
			out = append(out, next)
		}
	}
	return out
}

func blank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\n' && r != '\t' && r != '\r' && r != '\f' {
			return false
		}
	}
	return true
}

func (f *finder) record(nodes []*html.Node) (r Record) {
	r = Record{Nodes: nodes, Values: map[string][]string{}}
	if f.rule.id != nil {
		for _, n := range f.pick(nodes, f.rule.id.sel) {
			if r.ID = f.value(n, f.rule.id.attr); r.ID != "" {
				break
			}
		}
	}
	defer func() { r.Cut = f.left < 0 }()
	for _, field := range f.rule.fields {
		for _, n := range f.pick(nodes, field.sel) {
			if len(field.parts) == 0 {
				if v := f.value(n, field.attr); v != "" {
					r.Values[field.name] = append(r.Values[field.name], v)
				}
				continue
			}
			if group := f.group(n, field.parts); len(group) > 0 {
				if r.Groups == nil {
					r.Groups = map[string][]map[string]string{}
				}
				r.Groups[field.name] = append(r.Groups[field.name], group)
			}
		}
	}
	return r
}

func (f *finder) group(n *html.Node, parts []field) map[string]string {
	out := map[string]string{}
	for _, p := range parts {
		for _, hit := range f.pick([]*html.Node{n}, p.sel) {
			if v := f.value(hit, p.attr); v != "" {
				out[p.name] = v
				break
			}
		}
	}
	return out
}

// pick returns what a selector selects among nodes and in them, in the order
// of the document; the first of the nodes when there is no selector.
func (f *finder) pick(nodes []*html.Node, sel cascadia.SelectorGroup) []*html.Node {
	if sel == nil {
		return nodes[:1]
	}
	var out []*html.Node
	for _, n := range nodes {
		if sel.Match(n) {
			out = append(out, n)
		}
		out = append(out, cascadia.QueryAll(n, sel)...)
	}
	return slices.DeleteFunc(out, f.page.Skip)
}

// value returns the text of an element, or an attribute as it is written.
func (f *finder) value(n *html.Node, attr string) string {
	if f.left < 0 {
		return ""
	}
	value := ""
	if attr == "" {
		value = f.page.Text(n)
	}
	for _, a := range n.Attr {
		if attr != "" && strings.EqualFold(a.Key, attr) && a.Namespace == "" { // their names have no case
			value = a.Val
			break
		}
	}
	if f.left -= len(value); f.left < 0 {
		return ""
	}
	return value
}
