package child

import (
	"context"
	"encoding/json"
	"image"
	"maps"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/pdf"
	"github.com/colophon-dev/colophon/pkg/extract/scan"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr/reading"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Kind is a line of the table of kinds: all that splitter, extractor, OCR, pictures
// and verify know of a kind of file. Only Open must be set.
type Kind struct {
	// Type is the final type of the documents that are kept as this kind.
	Type model.FinalType
	// Open makes the extractor, when a child is given the first document of the kind.
	// The extractor serves one request at a time. One that is a Releaser is told when
	// another document comes.
	Open func(ctx context.Context, engine *pdfium.Starter) (extract.Extractor, error)
	// OnePage says that a file that holds anything at all is one page without document
	// facts, whatever is in it: Pages says so without a look, and so need nobody who
	// splits one.
	OnePage bool
	// Facts says that pages depend on what is known of their whole document
	// (contracts#facts): the extractor is a Learner.
	Facts bool
	// Draw draws a page for people, nil where units have no boxes on one. Errors are
	// as those of Read.
	Draw func(ctx context.Context, engine *pdfium.Starter, raw []byte, v block.View) (*image.RGBA, error)
	// Read opens a page for OCR, nil where no page ever needs it: pages name what is
	// to be read of them (block.Page.OCR), and come again with what was.
	Read reading.Opener
	// Warm is a document that a child reads before any comes, so that what is made
	// once is there when the first of them does; "" for none.
	Warm string
}

// Learner is an extractor of a kind whose pages depend on what is known of their whole
// document.
type Learner interface {
	// Facts returns the document facts (contracts#facts) as canonical JSON. Its errors
	// are as those of an extract.Extractor.
	Facts(ctx context.Context, in block.Input) (json.RawMessage, error)
}

// Releaser is an extractor that keeps something of the document of the last request.
type Releaser interface {
	// Release forgets it. The extractor can be used again.
	Release()
}

// Kinds is the table of kinds of files. A new kind is a folder with an
// extract.Extractor, and a line here.
type Kinds map[model.SnapshotKind]Kind

// Builtin returns the table of the kinds that there are.
func Builtin() Kinds {
	return Kinds{
		model.KindHTML:      {Type: model.TypeHTML, Open: always(html.Extractor{}), OnePage: true, Warm: warmPage},
		model.KindTextFile:  {Type: model.TypeText, Open: always(textfile.Extractor{Formats: textfile.Builtin()}), OnePage: true},
		model.KindImageScan: {Type: model.TypeImage, Open: always(scan.Extractor{}), Draw: scan.Draw, Read: scan.OpenPage},
		model.KindPDF:       {Type: model.TypePDF, Open: openPDF, Facts: true, Draw: pdf.Draw, Read: pdf.OpenPage},
	}
}

// With returns the table with a line for the kind; k stays as it is.
func (k Kinds) With(name model.SnapshotKind, line Kind) Kinds {
	out := maps.Clone(k)
	out[name] = line
	return out
}

// always opens extractors that need nothing but the bytes.
func always(e extract.Extractor) func(context.Context, *pdfium.Starter) (extract.Extractor, error) {
	return func(context.Context, *pdfium.Starter) (extract.Extractor, error) { return e, nil }
}

func openPDF(ctx context.Context, engine *pdfium.Starter) (extract.Extractor, error) {
	rt, err := engine.Runtime(ctx)
	if err != nil {
		return nil, err
	}
	return pdf.New(rt), nil
}

// warmPage is long enough for its language to be asked for.
const warmPage = "<title>Page</title><h1>Page</h1><p>This is the page that a child reads before any document comes, " +
	"so that what is made once for all documents is there when the first of them does.</p>"

// Openers are how pages are opened for OCR, by kind: what a main gives to the role of
// the children that read.
func (k Kinds) Openers() reading.Openers {
	out := make(reading.Openers)
	for name, line := range k {
		if line.Read != nil {
			out[name] = line.Read
		}
	}
	return out
}

// drawn reports whether pages of a kind of file can be drawn, and units have boxes on
// them.
func (k Kinds) drawn(kind model.SnapshotKind) bool { return k[kind].Draw != nil }

// drawnNames are drawnTypes for people.
func (k Kinds) drawnNames() string {
	var names []string
	for _, t := range k.drawnTypes() {
		names = append(names, string(t))
	}
	return strings.Join(names, " and ")
}

// drawnTypes returns the final types of the documents whose pages can be drawn.
func (k Kinds) drawnTypes() []model.FinalType {
	var out []model.FinalType
	for _, line := range k {
		if line.Draw != nil {
			out = append(out, line.Type)
		}
	}
	slices.Sort(out)
	return out
}
