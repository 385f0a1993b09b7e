package html

import (
	"context"
	"errors"
	"fmt"
	"net/url"

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
	choice := charset.Choose(in.Raw, charset.Declared{HTTP: declared(in.Snapshot), Document: metaCharset(in.Raw), Language: in.Snapshot.Language})
	doc := charset.Open(in.Raw, choice)
	root, marks, err := parse(doc)
	if err != nil {
		reason := fault.ParserCrashed
		if errors.Is(err, errNoMark) {
			reason = fault.LimitExceeded
		}
		return block.Page{}, &block.Failure{Reason: reason, Message: "the page cannot be read as HTML: " + err.Error()}
	}
	if err := ctx.Err(); err != nil {
		return block.Page{}, err
	}
	mark(root, false, false)
	page := block.Page{Visible: int(root.letters)}
	about := readMeta(root)
	page.Title, page.Canonical = about.title, about.canonical
	page.Languages = block.Declared{HTMLLang: about.lang, MetaLang: about.metaLang}
	page.Warnings = append(page.Warnings, about.dates...)
	b := &builder{x: marks, base: baseURL(in.Snapshot, about.base), roles: judge(root), markdown: newConverter(), lang: about.language()}
	b.container(root, state{})
	if len(b.blocks) == 0 {
		return block.Page{}, &block.Failure{Reason: fault.EmptyContent, Message: "the page shows no text and no picture", FallbackText: about.title}
	}
	page.Blocks = b.blocks
	flags, warnings := doc.Notes()
	page.Flags, page.Warnings = append(page.Flags, flags...), append(page.Warnings, warnings...)
	for i := range page.Blocks {
		page.Blocks[i].Warnings = doc.WarningsIn(*page.Blocks[i].Evidence[0].ByteSpan)
	}
	if marks.flat {
		page.Flags = append(page.Flags, FlagFlattened)
		page.Warnings = append(page.Warnings, fmt.Sprintf("elements nest deeper than %d: tags beyond that were passed over, their text is kept", flatDepth))
	}
	return page, nil
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
	markdown *converter.Converter
	lang     string
	blocks   []block.Block
}
