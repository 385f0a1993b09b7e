// Package pdf finds the blocks of the pages of PDF files in their text layer
// (contracts#ir): lines, paragraphs, headings, lists and tables in reading
// order, each with its box on the upright page, its range in the engine's
// characters and the engine's text of it. What is on the page besides text
// comes too: pictures, notes, links, form fields. A page without a text layer
// to trust fails in words; it is work for OCR.
//
// It runs inside a child of package sandbox (package pdfium says why).
package pdf

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/facts"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Extractor finds the blocks of PDF files. It keeps the last document open for
// the next page; Release forgets it. It is not safe for concurrent use.
type Extractor struct {
	runtime *pdfium.Runtime

	contentHash string
	document    *pdfium.Document
	memory      memory
	shelf       shelf

	drawer drawer

	learnt   *learnt
	rawFacts json.RawMessage
	facts    *facts.Document
}

// memory is what a page was read in, for the next one to be read in.
type memory struct {
	chars  []pdfium.Char
	glyphs []layout.Glyph
	run    []layout.Glyph // of one block
}

// learnt are the facts of a document of one range, or why there are none.
type learnt struct {
	hash  string
	facts *facts.Document
	err   error
}

// maxKept is how many glyphs memory is kept for: ten times those of a full page.
const maxKept = 1 << 15

// New returns an extractor on this engine.
func New(rt *pdfium.Runtime) *Extractor {
	return &Extractor{runtime: rt, drawer: drawer{runtime: rt}}
}

// Release closes the open document. The extractor can be used again.
func (x *Extractor) Release() {
	if x.document != nil {
		x.document.Close()
	}
	x.drawer.close()
	x.document, x.contentHash, x.memory = nil, "", memory{}
	x.shelf.clear()
}

// open returns the document of the input, which stays open until another
// comes.
func (x *Extractor) open(in block.Input) (*pdfium.Document, error) {
	hash := in.Snapshot.ContentHash
	if x.document != nil && hash != "" && hash == x.contentHash {
		return x.document, nil
	}
	x.Release()
	d, err := x.runtime.Load(in.Raw, "")
	if err != nil {
		return nil, failure(err)
	}
	x.document, x.contentHash = d, hash
	return d, nil
}

// current returns the document that is open, and opens that of the input when
// none is.
func (x *Extractor) current(in block.Input) (*pdfium.Document, error) {
	if x.document != nil {
		return x.document, nil
	}
	return x.open(in)
}

// Pages returns how many pages the document has.
func (x *Extractor) Pages(ctx context.Context, in block.Input) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	d, err := x.open(in)
	if err != nil {
		return 0, err
	}
	return d.PageCount(), nil
}

// Page returns the blocks of page pageNo, from 1. in.Facts are what Facts made
// of the same bytes. A document of one range (contracts#segment) needs none: they are
// learnt from all of its pages before the first is read. A page of a longer one
// is read as the only one of its document without them.
func (x *Extractor) Page(ctx context.Context, in block.Input, pageNo int) (block.Page, error) {
	if err := ctx.Err(); err != nil {
		return block.Page{}, err
	}
	known, err := x.known(ctx, in)
	if err != nil {
		return block.Page{}, err
	}
	page, err := x.read(in, known, pageNo)
	if broken(err) && x.shelf.any() { // it may be the memory that the others take
		x.Release()
		page, err = x.read(in, known, pageNo)
	}
	if err != nil {
		x.dropBroken(err)
		return block.Page{}, failure(err)
	}
	return page, nil
}

func (x *Extractor) read(in block.Input, known *facts.Document, pageNo int) (block.Page, error) {
	d, err := x.current(in)
	if err != nil {
		return block.Page{}, err
	}
	c := x.shelf.take(pageNo)
	if c == nil {
		if c, err = contentOf(d, pageNo, x.memory.chars); err != nil {
			return block.Page{}, err
		}
	}
	defer c.page.Close()
	return readPage(d, c, in, known, pageNo, &x.memory, x.partDrawer(in))
}

// drawer is the document once more, in an instance of its own: one that draws moves the boxes
// of glyphs (pdfium.Document.Render). It stays open for the next page, since most of what
// drawing a page costs is loading its fonts.
type drawer struct {
	runtime  *pdfium.Runtime
	document *pdfium.Document
}

// without draws regions of a page of these bytes with and without some of its text, as
// pdfium.Document.RenderWithout does. After an error the next page begins anew.
func (d *drawer) without(raw []byte, pageNo int, regions []pdfium.Region, order []int) (with, without []*image.RGBA, err error) {
	if d.document == nil {
		if d.document, err = d.runtime.Load(raw, ""); err != nil {
			d.document = nil
			return nil, nil, err
		}
	}
	with, without, err = d.document.RenderWithout(pageNo-1, regions, order)
	if err != nil {
		d.close()
	}
	return with, without, err
}

func (d *drawer) close() {
	if d.document != nil {
		d.document.Close()
	}
	d.document = nil
}

// partDrawer draws parts of a page of a document.
type partDrawer func(pageNo int, regions []pdfium.Region, order []int) (with, without []*image.RGBA, err error)

func (x *Extractor) partDrawer(in block.Input) partDrawer {
	return func(pageNo int, regions []pdfium.Region, order []int) (with, without []*image.RGBA, err error) {
		return x.drawer.without(in.Raw, pageNo, regions, order)
	}
}

// known returns what is known of the document.
func (x *Extractor) known(ctx context.Context, in block.Input) (*facts.Document, error) {
	d, err := x.open(in)
	if err != nil {
		return nil, err
	}
	if len(in.Facts) > 0 || d.PageCount() > model.RangeSize {
		return x.parse(in.Facts)
	}
	return x.own(ctx, in)
}

// parse reads the facts, once for all pages of a range.
func (x *Extractor) parse(raw json.RawMessage) (*facts.Document, error) {
	if x.facts != nil && string(raw) == string(x.rawFacts) {
		return x.facts, nil
	}
	d, err := facts.Parse(raw)
	if err != nil {
		return nil, err
	}
	x.rawFacts, x.facts = append(json.RawMessage(nil), raw...), d
	return d, nil
}

// dropBroken closes the document when the engine can do no more with it, so
// that the next page has a fresh one.
func (x *Extractor) dropBroken(err error) {
	if broken(err) {
		x.Release()
	}
}

// broken reports whether the engine can do no more with the document.
func broken(err error) bool {
	return errors.Is(err, pdfium.ErrEngine) || errors.Is(err, pdfium.ErrLimit)
}

// details are what err says beside what sort of failure it is, behind a colon;
// "" when it says no more.
func details(err, sort error) string {
	text := strings.Replace(err.Error(), sort.Error(), "", 1)
	parts := slices.DeleteFunc(strings.Split(text, ": "), func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ": ")
}

// failure says what a failing document is to blame for. Errors of others stay
// as they are.
func failure(err error) error {
	reasons := []struct {
		err      error
		reason   fault.Reason
		sentence string
	}{
		{pdfium.ErrPassword, fault.Encrypted, "the PDF is encrypted"},
		{pdfium.ErrFormat, fault.Malformed, "the PDF cannot be read"},
		{pdfium.ErrLimit, fault.LimitExceeded, "the PDF needs more than one document may use"},
		{pdfium.ErrEngine, fault.ParserCrashed, "the PDF engine failed on this document"},
	}
	var already *block.Failure
	if errors.As(err, &already) {
		return err
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return &block.Failure{Reason: r.reason, Message: r.sentence + details(err, r.err)}
		}
	}
	return err
}
