// Package text finds the blocks of text files: paragraphs between empty lines,
// list items, headings where the file says so or form and place leave little
// doubt, fenced code. Every block has its span in the raw bytes, whatever
// their encoding. The text of a block is the decoded slice with line ends as
// U+000A and without white space at the ends of lines.
package text

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

// quoteLength is how many code points of a block its text_quote has
// (contracts 6).
const quoteLength = 300

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
	s := in.Snapshot
	choice := charset.Choose(in.Raw, charset.Declared{HTTP: declared(s), Language: s.Language})
	x := &extraction{doc: charset.Open(in.Raw, choice)}
	x.read()
	page := block.Page{Blocks: x.blocks, Visible: x.visible, Title: x.title}
	page.Flags, page.Warnings = x.doc.Notes()
	for i := range page.Blocks {
		page.Blocks[i].Warnings = x.doc.WarningsIn(*page.Blocks[i].Evidence[0].ByteSpan)
	}
	return page, nil
}

func declared(s model.Snapshot) string {
	if s.Encoding != "" {
		return s.Encoding
	}
	return charset.FromContentType(s.ContentType)
}

// line is one line: its place in the document's bytes without its end and
// without white space around it, and its decoded text.
type line struct {
	start, end int
	indent     int
	text       string
}

type extraction struct {
	doc     *charset.Text
	blocks  []block.Block
	visible int
	title   string
	indents []int // of the open list, outermost first
}

// read goes through the lines and closes a group at every empty one.
func (x *extraction) read() {
	var group []line
	var fence string
	flush := func() {
		if len(group) > 0 {
			x.group(group)
		}
		group = group[:0]
	}
	for at := 0; at < len(x.doc.Bytes) && len(x.blocks) <= block.MaxBlocks; {
		start := at
		for at < len(x.doc.Bytes) && !lineEnd(x.doc.Bytes[at]) {
			at++
		}
		l := x.line(start, at)
		formFeed := at < len(x.doc.Bytes) && x.doc.Bytes[at] == '\f'
		if at < len(x.doc.Bytes) {
			at++
			if x.doc.Bytes[at-1] == '\r' && at < len(x.doc.Bytes) && x.doc.Bytes[at] == '\n' {
				at++
			}
		}
		switch {
		case fence != "":
			if strings.HasPrefix(l.text, fence) {
				x.code(group)
				group, fence = group[:0], ""
				continue
			}
			group = append(group, l)
			continue
		case strings.HasPrefix(l.text, "```") || strings.HasPrefix(l.text, "~~~"):
			flush()
			fence = l.text[:3]
			continue
		case l.text == "":
			flush()
		default:
			group = append(group, l)
		}
		if formFeed {
			flush()
			x.indents = nil
		}
	}
	if fence != "" {
		x.code(group)
		return
	}
	flush()
}

func lineEnd(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

// line decodes the line in the document's bytes [start, end). What is cut off
// at both ends is ASCII, so that places stay exact in any encoding.
func (x *extraction) line(start, end int) line {
	indent := 0
	for start < end && blank(x.doc.Bytes[start]) {
		if indent++; x.doc.Bytes[start] == '\t' {
			indent += 3
		}
		start++
	}
	for end > start && blank(x.doc.Bytes[end-1]) {
		end--
	}
	text := string(x.doc.Decode(start, end))
	if strings.TrimFunc(text, invisible) == "" {
		text = ""
	}
	return line{start: start, end: end, indent: indent, text: text}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' }

// invisible are the characters of a line that looks empty: spaces of any kind
// and marks of byte order.
func invisible(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' || r == '\u200B' }

// add makes one block of the lines.
func (x *extraction) add(kind model.UnitType, lines []line, confidence float64) *block.Block {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text
	}
	text := strings.Join(texts, "\n")
	x.visible += coverage.Characters(text)
	first, last := lines[0], lines[len(lines)-1]
	x.blocks = append(x.blocks, block.Block{
		Type: kind, Text: text, Confidence: confidence,
		Evidence: []model.Evidence{{
			ByteSpan:  &model.Span{Start: x.doc.At(first.start), End: x.doc.At(last.end)},
			TextQuote: quote(text),
		}},
	})
	return &x.blocks[len(x.blocks)-1]
}

// code adds the lines of a fence as they are, with their indents.
func (x *extraction) code(lines []line) {
	for len(lines) > 0 && lines[0].text == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1].text == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return
	}
	indented := make([]line, len(lines))
	for i, l := range lines {
		l.text = strings.Repeat(" ", l.indent) + l.text
		indented[i] = l
	}
	x.add(model.UnitCode, indented, 1)
}

// quote returns the first 300 code points of s.
func quote(s string) string {
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

// length counts the code points of a line.
func length(l line) int { return utf8.RuneCountInString(l.text) }
