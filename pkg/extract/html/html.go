package html

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// FlagFlattened marks a page that nests deeper than browsers do: tags beyond
// that were passed over, and its units have byte spans alone.
const FlagFlattened = "nesting_cut"

// Extractor finds the blocks of web pages. A web page is one page.
type Extractor struct{}

// Pages returns 1.
func (Extractor) Pages(context.Context, block.Input) (int, error) { return 1, nil }

// Page returns the blocks of the page. pageNo must be 1.
func (Extractor) Page(ctx context.Context, in block.Input, pageNo int) (block.Page, error) {
	if pageNo != 1 {
		return block.Page{}, fmt.Errorf("a web page has 1 page, not %d", pageNo)
	}
	if err := ctx.Err(); err != nil {
		return block.Page{}, err
	}
	p, err := open(in)
	if err != nil {
		return block.Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return block.Page{}, err
	}
	b, about := p.b, p.about
	page := block.Page{
		Visible: int(p.root.letters), Title: about.title, Canonical: b.absolute(about.canonical), Facts: about.facts,
		Languages: block.Declared{HTMLLang: about.lang, MetaLang: about.metaLang},
	}
	if rule := in.Snapshot.SourceEntry; rule != nil {
		page.Records = true
		if err := b.findRecords(p.root, *rule); err != nil {
			return block.Page{}, err
		}
	}
	b.learnt = learntOf(in.Snapshot.SourceFurniture)
	b.roles, b.doubts = judge(p.root, about.title, b.learnt)
	b.container(p.root, state{})
	if len(b.blocks) == 0 {
		return block.Page{}, &block.Failure{Reason: fault.EmptyContent, Message: "the page shows no text and no picture", FallbackText: about.title}
	}
	page.Blocks = b.blocks
	page.Ledger = p.marks.ledgerOf(p.root)
	page.Flags, page.Warnings = p.doc.Notes()
	for i := range page.Blocks {
		page.Blocks[i].Warnings = p.doc.WarningsIn(*page.Blocks[i].Evidence[0].ByteSpan)
	}
	if p.marks.flat {
		page.Flags = append(page.Flags, FlagFlattened)
		page.Warnings = append(page.Warnings, fmt.Sprintf("elements nest deeper than %d: tags beyond that were passed over, their text is kept", flatDepth))
	}
	return page, nil
}

// opened is a page that was parsed, with a builder for its blocks.
type opened struct {
	doc   *charset.Text
	root  *node
	marks *instrumented
	about about
	b     *builder
}

// open decodes and parses a page. An error is a *block.Failure.
func open(in block.Input) (*opened, error) {
	choice := charset.Choose(in.Raw, charset.Declared{HTTP: declared(in.Snapshot), Document: charset.InDocument(in.Raw), Language: in.Snapshot.Language})
	p := &opened{doc: charset.Open(in.Raw, choice)}
	selects := in.Snapshot.SourceEntry != nil || in.Snapshot.SourceFurniture != nil // perhaps by the text of a script
	var err error
	if p.root, p.marks, err = parse(p.doc, selects); err != nil {
		reason := fault.ParserCrashed
		if errors.Is(err, errNoMark) {
			reason = fault.LimitExceeded
		}
		return nil, &block.Failure{Reason: reason, Message: "the page cannot be read as HTML: " + err.Error()}
	}
	mark(p.root, false, false, false)
	p.about = readMeta(p.root)
	p.b = &builder{x: p.marks, base: baseURL(in.Snapshot, p.about.base), markdown: sync.OnceValue(newConverter), lang: p.about.language(), blocks: make([]block.Block, 0, min(len(p.marks.tokens)/12+8, block.MaxBlocks))}
	return p, nil
}

func declared(s model.Snapshot) string {
	for _, contentType := range []string{s.HTTPContentType, s.ContentType} {
		if c := charset.FromContentType(contentType); c != "" {
			return c
		}
	}
	return s.Encoding
}

// baseURL is what relative links are relative to: the base element, which may
// itself be relative to the page's URL.
func baseURL(s model.Snapshot, base string) *url.URL {
	page, err := url.Parse(s.URL)
	if err != nil || s.URL == "" {
		page = &url.URL{}
	}
	if base != "" {
		if u, err := page.Parse(base); err == nil {
			return u
		}
	}
	return page
}

// builder collects the blocks of a page in the order of its tree.
type builder struct {
	x        *instrumented
	base     *url.URL
	roles    map[*node]string
	doubts   map[*node]bool              // what may be furniture
	markdown func() *converter.Converter // made when something asks for it
	lang     string
	learnt   *learnt
	refs     map[string]string // references that were made absolute
	blocks   []block.Block
	inside   bool                              // of a record
	saw      func(owner *node, b *block.Block) // called for each block, when set
}

// add appends a block of the element owner.
func (b *builder) add(owner *node, out block.Block) {
	b.blocks = append(b.blocks, out)
	if b.saw != nil {
		b.saw(owner, &out)
	}
}
