// Package text finds the blocks of plain text and of Markdown: paragraphs between
// empty lines, list items, quotations, headings where the file says so or form
// and place leave little doubt, fenced code, tables with bars and tables whose
// columns keep their places. Every block has its span in the raw bytes, whatever
// their encoding. The text of a block is the decoded slice with line ends as
// U+000A and without white space at the ends of lines.
package text

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Extractor finds the blocks of text files. A text file is one page.
type Extractor struct {
	// Markdown is whether the file is known to be Markdown (CommonMark): a first
	// block between lines of three hyphens is its front matter, and indented
	// lines are code.
	Markdown bool
}

// Pages returns 1.
func (Extractor) Pages(context.Context, block.Input) (int, error) { return 1, nil }

// Page returns the blocks of the file. pageNo must be 1.
func (o Extractor) Page(ctx context.Context, in block.Input, pageNo int) (block.Page, error) {
	if pageNo != 1 {
		return block.Page{}, fmt.Errorf("a text file has 1 page, not %d", pageNo)
	}
	if err := ctx.Err(); err != nil {
		return block.Page{}, err
	}
	x := &extraction{doc: charset.Open(in.Raw, decoded.Choose(in)), markdown: o.Markdown, language: decoded.Language(in.Snapshot)}
	x.read()
	page := block.Page{Blocks: x.blocks, Visible: x.visible, Title: x.title}
	page.Flags, page.Warnings = x.doc.Notes()
	for i := range page.Blocks {
		page.Blocks[i].Warnings = x.doc.WarningsIn(*page.Blocks[i].Evidence[0].ByteSpan)
	}
	return page, nil
}

// line is one line: its place in the document's bytes without its end and
// without white space around it, and its decoded text.
type line struct {
	start, end int
	indent     int
	text       string
}

type extraction struct {
	doc      *charset.Text
	markdown bool
	language string // hint
	blocks   []block.Block
	visible  int
	title    string
	indents  []int // of the open list, outermost first
}

// read goes through the lines and closes a group at every empty one, and at a
// fence.
func (x *extraction) read() {
	var group []line
	flush := func() {
		if len(group) > 0 {
			x.group(group)
		}
		group = group[:0]
	}
	var open *fence
	for at := 0; at < len(x.doc.Bytes) && len(x.blocks) <= block.MaxBlocks; {
		l, next, formFeed := x.next(at)
		first := at == 0
		at = next
		switch f := x.fence(l, first); {
		case open != nil && open.closedBy(l):
			x.code(group, open.note)
			group, open = group[:0], nil
		case open != nil:
			group = append(group, l)
		case f != nil:
			flush()
			open = f
		case l.text == "":
			flush()
		default:
			group = append(group, l)
		}
		if formFeed && open == nil {
			flush()
			x.indents = nil
		}
	}
	if open != nil {
		x.code(group, open.note)
		return
	}
	flush()
}

// next returns the line that begins at a place of the document's bytes, where
// the one after it begins, and whether a form feed divides the two.
func (x *extraction) next(start int) (l line, next int, formFeed bool) {
	end := start
	for end < len(x.doc.Bytes) && !lineEnd(x.doc.Bytes[end]) {
		end++
	}
	l = x.line(start, end)
	if end == len(x.doc.Bytes) {
		return l, end, false
	}
	formFeed = x.doc.Bytes[end] == '\f'
	if end++; x.doc.Bytes[end-1] == '\r' && end < len(x.doc.Bytes) && x.doc.Bytes[end] == '\n' {
		end++
	}
	return l, end, formFeed
}

// fence is an open run of code.
type fence struct {
	mark string
	note string
}

// fence returns the fence that a line opens, nil for none.
func (x *extraction) fence(l line, first bool) *fence {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(l.text, c)
		if n := len(l.text) - len(rest); n >= 3 && !strings.Contains(rest, c) {
			f := &fence{mark: l.text[:n]}
			if lang := strings.Fields(rest); len(lang) > 0 {
				f.note = "code: " + lang[0]
			}
			return f
		}
	}
	if first && x.markdown && l.text == "---" && bytes.Contains(x.doc.Bytes[l.end:], []byte("\n---")) {
		return &fence{mark: "---", note: "front matter"}
	}
	return nil
}

// closedBy reports whether a line ends the fence.
func (f *fence) closedBy(l line) bool {
	return len(l.text) >= len(f.mark) && strings.Trim(l.text, f.mark[:1]) == ""
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
	return x.block(kind, text, lines, confidence)
}

// block adds a block with a text, whose evidence is the lines.
func (x *extraction) block(kind model.UnitType, text string, lines []line, confidence float64) *block.Block {
	first, last := lines[0], lines[len(lines)-1]
	x.blocks = append(x.blocks, block.Block{
		Type: kind, Text: text, Confidence: confidence,
		Evidence: []model.Evidence{{
			ByteSpan:  &model.Span{Start: x.doc.At(first.start), End: x.doc.At(last.end)},
			Lines:     x.doc.Lines(first.start, last.end),
			TextQuote: decoded.Quote(text),
		}},
	})
	return &x.blocks[len(x.blocks)-1]
}

// code adds the lines of a fence as they are, with their indents.
func (x *extraction) code(lines []line, note string) {
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
	x.add(model.UnitCode, indented, 1).Notes = note
}

// length counts the code points of a line.
func length(l line) int { return utf8.RuneCountInString(l.text) }
