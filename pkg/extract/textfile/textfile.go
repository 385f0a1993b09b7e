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

// Format is a line of the table of formats.
type Format struct {
	Name string // for people
	// Exts and Types are the file extensions and media types that stand for it;
	// Suffix is that of RFC 6839 ("+json").
	Exts, Types []string
	Suffix      string
	// Page returns the blocks of the file. An error says, for people, why it is not of
	// the format: it is read as plain text then.
	Page func(*decoded.File) (block.Page, error)
}

// Builtin returns the table of the formats that there are. A new one is a folder with its
// parser and a line here.
func Builtin() []Format {
	return []Format{
		{Name: "JSON", Exts: []string{"json", "jsonl", "ndjson", "geojson", "jsonld"},
			Types: []string{"application/json", "text/json", "application/x-ndjson", "application/jsonl"}, Suffix: "+json", Page: json.Page},
		{Name: "XML", Exts: []string{"xml", "rss", "atom", "rdf"},
			Types: []string{"application/xml", "text/xml"}, Suffix: "+xml", Page: xml.Page},
		{Name: "CSV", Exts: []string{"csv", "tsv", "tab"},
			Types: []string{"text/csv", "text/tab-separated-values", "application/csv"}, Page: csv.Page},
	}
}

// markdown and plain are the extensions of Markdown, and of what is plain text
// whatever it looks like.
var (
	markdown = []string{"md", "markdown", "mdown", "mkd"}
	plain    = []string{"txt", "text", "log", "srt", "vtt"}
)

// Extractor finds the blocks of text files. A text file is one page.
type Extractor struct {
	Formats []Format // that have a parser of their own
}

// Pages returns 1.
func (Extractor) Pages(context.Context, block.Input) (int, error) { return 1, nil }

// Page returns the blocks of the file. pageNo must be 1.
func (x Extractor) Page(ctx context.Context, in block.Input, pageNo int) (block.Page, error) {
	if pageNo != 1 {
		return block.Page{}, fmt.Errorf("a text file has 1 page, not %d", pageNo)
	}
	if err := ctx.Err(); err != nil {
		return block.Page{}, err
	}
	f, isMarkdown := formatOf(in.Snapshot, x.Formats)
	var why string
	if f != nil {
		file := decoded.Open(in)
		page, err := f.Page(file)
		if err == nil {
			page.Flags, page.Warnings = file.Notes()
			return page, nil
		}
		why = fmt.Sprintf("read as plain text: not %s: %v", f.Name, err)
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
func formatOf(s model.Snapshot, all []Format) (f *Format, isMarkdown bool) {
	for _, ext := range []string{strings.ToLower(strings.TrimPrefix(path.Ext(s.Filename), ".")), s.URLExt} {
		switch {
		case slices.Contains(markdown, ext):
			return nil, true
		case slices.Contains(plain, ext):
			return nil, false
		}
		if i := slices.IndexFunc(all, func(f Format) bool { return slices.Contains(f.Exts, ext) }); i >= 0 {
			return &all[i], false
		}
	}
	for _, header := range []string{s.HTTPContentType, s.ContentType, s.DetectedMIME} {
		media, _, _ := mime.ParseMediaType(header)
		if media == "text/markdown" || media == "text/x-markdown" {
			return nil, true
		}
		if i := slices.IndexFunc(all, func(f Format) bool {
			return slices.Contains(f.Types, media) || f.Suffix != "" && strings.HasSuffix(media, f.Suffix)
		}); i >= 0 {
			return &all[i], false
		}
	}
	return nil, false
}
