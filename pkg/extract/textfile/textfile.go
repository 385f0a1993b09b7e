// Package textfile finds the blocks of text files by their format: what the
// table of formats names has a parser of its own, all else is plain text, and so
// is what its parser does not understand. The type of all of them is text
// (contracts#kinds).
package textfile

import (
	"context"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/csv"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
	"github.com/colophon-dev/colophon/pkg/extract/json"
	"github.com/colophon-dev/colophon/pkg/extract/text"
	"github.com/colophon-dev/colophon/pkg/extract/xml"
	"github.com/colophon-dev/colophon/pkg/model"
)

// format is a row of the table of formats.
type format struct {
	name string
	// exts and types are the file extensions and media types that stand for it;
	// suffix is that of RFC 6839 ("+json").
	exts, types []string
	suffix      string
	page        func(*decoded.File) (block.Page, error)
}

// formats is the table of formats. A new one is a folder with its parser and a
// row here.
func formats() []format {
	return []format{
		{name: "JSON", exts: []string{"json", "jsonl", "ndjson", "geojson", "jsonld"},
			types: []string{"application/json", "text/json", "application/x-ndjson", "application/jsonl"}, suffix: "+json", page: json.Page},
		{name: "XML", exts: []string{"xml", "rss", "atom", "rdf"},
			types: []string{"application/xml", "text/xml"}, suffix: "+xml", page: xml.Page},
		{name: "CSV", exts: []string{"csv", "tsv", "tab"},
			types: []string{"text/csv", "text/tab-separated-values", "application/csv"}, page: csv.Page},
	}
}

// markdown and plain are the extensions of Markdown, and of what is plain text
// whatever it looks like.
var (
	markdown = []string{"md", "markdown", "mdown", "mkd"}
	plain    = []string{"txt", "text", "log", "srt", "vtt"}
)

// Extractor finds the blocks of text files. A text file is one page.
type Extractor struct{}

// Pages returns 1.
func (Extractor) Pages(context.Context, block.Input) (int, error) { return 1, nil }

// Page returns the blocks of the file. pageNo must be 1.
func (Extractor) Page(ctx context.Context, in block.Input, pageNo int) (block.Page, error) {
	if pageNo != 1 {
		return block.Page{}, fmt.Errorf("a text file has 1 page, not %d", pageNo)
	}
	if err := ctx.Err(); err != nil {
		return block.Page{}, err
	}
	f, isMarkdown := formatOf(in.Snapshot)
	var why string
	if f != nil {
		file := decoded.Open(in)
		page, err := f.page(file)
		if err == nil {
			page.Flags, page.Warnings = file.Notes()
			return page, nil
		}
		why = fmt.Sprintf("read as plain text: not %s: %v", f.name, err)
	}
	page, err := text.Extractor{Markdown: isMarkdown}.Page(ctx, in, pageNo)
	if err == nil && why != "" {
		page.Warnings = append(page.Warnings, why)
	}
	return page, err
}

// formatOf returns the format of a snapshot, nil for text: by the extension of
// its name, then that of its URL, then by the header, then by what the capturer
// found in the bytes.
func formatOf(s model.Snapshot) (f *format, isMarkdown bool) {
	all := formats()
	for _, ext := range []string{strings.ToLower(strings.TrimPrefix(path.Ext(s.Filename), ".")), s.URLExt} {
		switch {
		case slices.Contains(markdown, ext):
			return nil, true
		case slices.Contains(plain, ext):
			return nil, false
		}
		if i := slices.IndexFunc(all, func(f format) bool { return slices.Contains(f.exts, ext) }); i >= 0 {
			return &all[i], false
		}
	}
	for _, header := range []string{s.HTTPContentType, s.ContentType, s.DetectedMIME} {
		media, _, _ := mime.ParseMediaType(header)
		if media == "text/markdown" || media == "text/x-markdown" {
			return nil, true
		}
		if i := slices.IndexFunc(all, func(f format) bool {
			return slices.Contains(f.types, media) || f.suffix != "" && strings.HasSuffix(media, f.suffix)
		}); i >= 0 {
			return &all[i], false
		}
	}
	return nil, false
}
