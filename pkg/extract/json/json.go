// Package json finds the blocks of JSON files, and of files with one JSON value
// a line: each member or element of the outermost value is a block, numbers and
// words that follow each other in an array are one, and a large one is divided
// further. A block has one line for each member ("name: value")
// or element, with what is nested indented; strings are decoded, all else
// stands as in the file. Its extraction_notes say which value it is, as a JSON
// pointer (RFC 6901).
package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	// large is the size in bytes above which the members of a value become
	// blocks of their own.
	large = 2000
	// maxSplit is how deep values are divided; below they stay whole.
	maxSplit = 8
	// maxIndent is how deep nesting shows.
	maxIndent = 8
	// maxShort is the size in bytes up to which the scalars of an array stand
	// together.
	maxShort = 80
	// maxPointer is how long, in bytes, a pointer may be in a note: names may have
	// any length.
	maxPointer = 1000
)

// ErrNone is returned for a file that is not JSON.
var ErrNone = errors.New("it is not valid JSON")

// Page returns the blocks of a file.
func Page(f *decoded.File) (block.Page, error) {
	x := &extraction{data: f.Bytes, file: f}
	if json.Valid(f.Bytes) {
		x.divide(x.space(0), "", 0)
		x.page.Visible = x.visible(0, len(x.data))
		return x.page, nil
	}
	if !x.lines() {
		return block.Page{}, ErrNone
	}
	return x.page, nil
}

// extraction walks over JSON that is known to be valid.
type extraction struct {
	data []byte
	file *decoded.File
	page block.Page
}

// lines takes each line for a value, and reports whether all of them are.
func (x *extraction) lines() bool {
	values := 0
	for start := 0; start < len(x.data); {
		end := start + bytes.IndexByte(x.data[start:], '\n')
		if end < start {
			end = len(x.data)
		}
		if line := x.data[start:end]; len(bytes.TrimSpace(line)) > 0 {
			if !json.Valid(line) {
				return false
			}
			if len(x.page.Blocks) <= block.MaxBlocks {
				x.whole(x.space(start), "/"+strconv.Itoa(values), -1)
			}
			x.page.Visible += x.visible(start, end)
			values++
		}
		start = end + 1
	}
	return values > 1
}

// divide makes blocks of the value at an offset, whose pointer is given.
func (x *extraction) divide(at int, pointer string, depth int) {
	open := x.data[at]
	if open != '{' && open != '[' || x.empty(at) {
		x.whole(at, pointer, -1)
		return
	}
	n := 0
	for i := x.space(at + 1); x.data[i] != '}' && x.data[i] != ']' && len(x.page.Blocks) <= block.MaxBlocks; n++ {
		name, key := strconv.Itoa(n), -1
		if open == '{' {
			key = i
			i = x.end(i)
			name = pointerEscapes.Replace(unquote(x.data[key:i]))
			i = x.space(x.space(i) + 1) // the colon
		}
		if open == '[' && x.short(i) {
			i, n = x.series(i, n, pointer)
			continue
		}
		end := x.end(i)
		if end-i > large && depth < maxSplit && (x.data[i] == '{' || x.data[i] == '[') {
			if key >= 0 {
				x.heading(key, under(pointer, name), depth)
			}
			x.divide(i, under(pointer, name), depth+1)
		} else {
			x.whole(i, under(pointer, name), key)
		}
		if i = x.space(end); x.data[i] == ',' {
			i = x.space(i + 1)
		}
	}
}

// short reports whether the value at an offset is a short scalar, as those of a
// series are.
func (x *extraction) short(at int) bool {
	return x.data[at] != '{' && x.data[at] != '[' && x.end(at)-at <= maxShort
}

// series adds the n-th element of an array, which is short, and the short ones
// behind it as one block, a line each. It returns the offset of what follows and
// the number of the last element.
func (x *extraction) series(at, n int, pointer string) (next, last int) {
	w := &writer{x: x}
	end, from := at, n
	for next = at; ; n++ {
		w.line(1)
		end = x.end(next)
		w.scalar(next, end)
		if next = x.space(end); x.data[next] == ',' {
			next = x.space(next + 1)
		}
		if x.data[next] == ']' || !x.short(next) || end-at > large {
			break
		}
	}
	if text := strings.Trim(w.text.String(), "\n"); strings.TrimSpace(text) != "" {
		b := x.file.Block(model.UnitParagraph, text, at, end, 1)
		if b.Notes = "JSON pointer " + under(pointer, strconv.Itoa(from)); n > from {
			b.Notes += " to " + strconv.Itoa(n)
		}
		x.page.Blocks = append(x.page.Blocks, b)
	}
	return next, n
}

// under returns the pointer to a member or an element. Where there is no room for
// it in a note, an ellipsis stands for its name.
func under(pointer, name string) string {
	if len(pointer)+len(name) > maxPointer {
		return pointer + "/…"
	}
	return pointer + "/" + name
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// heading adds the name of a member whose value is divided.
func (x *extraction) heading(key int, pointer string, depth int) {
	end := x.end(key)
	b := x.file.Block(model.UnitHeading, unquote(x.data[key:end])+":", key, end, 0.9)
	b.Level, b.Notes = min(depth+1, 6), "JSON pointer "+pointer
	x.page.Blocks = append(x.page.Blocks, b)
}

// whole adds the value at an offset as one block, with the name of its member
// when key is where that stands and not negative.
func (x *extraction) whole(at int, pointer string, key int) {
	w := &writer{x: x}
	start, depth := at, 0
	if key >= 0 {
		start, depth = key, 1
		w.name(key)
	}
	w.value(at, depth)
	text := strings.TrimRight(w.text.String(), " \n")
	if strings.TrimSpace(text) == "" {
		return
	}
	b := x.file.Block(model.UnitParagraph, text, start, x.end(at), 1)
	b.Notes = "JSON pointer " + pointer
	if pointer == "" {
		b.Notes = "the whole JSON value"
	}
	x.page.Blocks = append(x.page.Blocks, b)
}

// writer writes values as lines.
type writer struct {
	x    *extraction
	text strings.Builder
}

func (w *writer) name(at int) {
	w.text.WriteString(unquote(w.x.data[at:w.x.end(at)]))
	w.text.WriteByte(':')
}

// value writes the value at an offset and returns where it ends. What is nested
// is written without recursion: how deep it goes is the document's choice.
func (w *writer) value(at, depth int) int {
	x := w.x
	var open []byte
	named := false // the next string is a value, since its name has been written
	for {
		switch c := x.data[at]; c {
		case '{', '[':
			open, named = append(open, c), false
			at++
		case '}', ']':
			open, named = open[:len(open)-1], false
			at++
		case ',':
			named = false
			at++
		case ':':
			named = true
			at++
		default:
			end := x.end(at)
			switch inside := len(open) > 0 && open[len(open)-1] == '{'; {
			case inside && !named:
				w.line(depth + len(open))
				w.name(at)
			case inside || len(open) == 0:
				w.scalar(at, end)
			default:
				w.line(depth + len(open))
				w.scalar(at, end)
			}
			at = end
		}
		if len(open) == 0 {
			return at
		}
		at = x.space(at)
	}
}

// line begins a line at a depth of nesting, from 1.
func (w *writer) line(depth int) {
	if w.text.Len() > 0 {
		w.text.WriteByte('\n')
		for range min(depth-1, maxIndent) {
			w.text.WriteString("  ")
		}
	}
}

func (w *writer) scalar(at, end int) {
	if n := w.text.Len(); n > 0 && w.text.String()[n-1] == ':' {
		w.text.WriteByte(' ')
	}
	if w.x.data[at] == '"' {
		w.text.WriteString(unquote(w.x.data[at:end]))
		return
	}
	w.text.Write(w.x.data[at:end])
}

// unquote returns the string of a literal. One that cannot be decoded stands as
// it is.
func unquote(literal []byte) string {
	if bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1])
	}
	var s string
	if err := json.Unmarshal(literal, &s); err != nil {
		return string(literal[1 : len(literal)-1])
	}
	return s
}

// space returns the first offset from at on that is not white space.
func (x *extraction) space(at int) int {
	for at < len(x.data) && (x.data[at] == ' ' || x.data[at] == '\t' || x.data[at] == '\n' || x.data[at] == '\r') {
		at++
	}
	return at
}

func (x *extraction) empty(at int) bool {
	c := x.data[x.space(at+1)]
	return c == '}' || c == ']'
}

// end returns where the value at an offset ends.
func (x *extraction) end(at int) int {
	depth := 0
	for i := at; i < len(x.data); {
		switch x.data[i] {
		case '"':
			for i++; x.data[i] != '"'; i++ {
				if x.data[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default: // a number or a word
			for i < len(x.data) && !bytes.ContainsRune([]byte(",:]} \t\n\r"), rune(x.data[i])) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return len(x.data)
}

// visible counts the characters of all names, with their colons, and values.
func (x *extraction) visible(from, to int) int {
	n := 0
	for i := from; i < to; {
		switch x.data[i] {
		case ':':
			n++
			i++
		case '{', '}', '[', ']', ',', ' ', '\t', '\n', '\r':
			i++
		case '"':
			end := x.end(i)
			n += coverage.Characters(unquote(x.data[i:end]))
			i = end
		default:
			end := x.end(i)
			n += end - i
			i = end
		}
	}
	return n
}
