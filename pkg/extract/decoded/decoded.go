// Package decoded opens text files for parsers of formats: their bytes as UTF-8
// whatever their encoding is, and the place of each in the raw bytes.
package decoded

import (
	"cmp"
	"regexp"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/model"
)

// quoteLength is how many code points of a block its text_quote has
// (contracts#html-text).
const quoteLength = 300

// File is an open text file.
type File struct {
	// Bytes are valid UTF-8, without a byte order mark. What has no meaning in
	// the encoding is U+FFFD.
	Bytes []byte
	// Language is what is known of the language before the text is read, ISO
	// 639-1 or "".
	Language string
	text     *charset.Text
}

// xmlEncoding is what an XML declaration says of the encoding.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]{1,80}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']`)

// Open reads the captured bytes as their declarations and they themselves say.
func Open(in block.Input) *File {
	choice := Choose(in)
	if choice.Name != "utf-8" || !utf8.Valid(in.Raw) {
		choice = choice.Whole()
	}
	t := charset.Open(in.Raw, choice)
	return &File{Bytes: t.Bytes, Language: Language(in.Snapshot), text: t}
}

// Language returns the crawler's hint, else the language of the source. It
// settles the dates and decimal signs of tables.
func Language(s model.Snapshot) string { return cmp.Or(s.Language, s.SourceLanguage) }

// Choose decides on the encoding of a text file.
func Choose(in block.Input) charset.Choice {
	s := in.Snapshot
	d := charset.Declared{HTTP: s.Encoding, Language: s.Language}
	if d.HTTP == "" {
		d.HTTP = charset.FromContentType(s.ContentType)
	}
	const look = 128
	if m := xmlEncoding.FindSubmatch(in.Raw[:min(len(in.Raw), look)]); m != nil {
		d.Document = string(m[1])
	}
	return charset.Choose(in.Raw, d)
}

// Block returns a block with the text, whose evidence is f.Bytes[start:end].
func (f *File) Block(kind model.UnitType, text string, start, end int, confidence float64) block.Block {
	span := model.Span{Start: f.text.At(start), End: f.text.At(end)}
	return block.Block{
		Type: kind, Text: text, Confidence: confidence,
		Evidence: []model.Evidence{{ByteSpan: &span, Lines: f.text.Lines(start, end), TextQuote: Quote(text)}},
		Warnings: f.text.WarningsIn(span),
	}
}

// Notes returns the flags and warnings of the encoding.
func (f *File) Notes() (flags, warnings []string) { return f.text.Notes() }

// Quote returns the beginning of a text as a text_quote has it.
func Quote(s string) string {
	if len(s) <= quoteLength {
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
