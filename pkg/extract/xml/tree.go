package xml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/coverage"
)

// element is one element and its place in the file.
type element struct {
	name       string // without its namespace
	attrs      []xml.Attr
	start, end int
	parent     *element
	children   []*element
	pieces     []piece
	inText     bool // it has text of its own, and not only elements
}

// piece is text of an element, or the child that stands there.
type piece struct {
	text  string
	child *element
}

const (
	maxDepth    = 1000      // how deep elements may be nested
	maxElements = 1_000_000 // what a tree may take of memory
)

var (
	errDepth = fmt.Errorf("elements are nested more than %d deep", maxDepth)
	errLarge = fmt.Errorf("it has more than %d elements", maxElements)
	errEmpty = errors.New("it has no element")
)

// parse reads a file into a tree under a nameless element. Entities beyond those
// of XML and HTML stay as they are written: none is expanded.
func parse(data []byte) (root *element, visible int, err error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	root = &element{}
	at, depth, elements := root, 0, 0
	for {
		start := int(d.InputOffset())
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		end := int(d.InputOffset())
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return nil, 0, errDepth
			}
			if elements++; elements > maxElements {
				return nil, 0, errLarge
			}
			e := &element{name: t.Name.Local, attrs: t.Copy().Attr, start: start, end: end, parent: at}
			at.children = append(at.children, e)
			at.pieces = append(at.pieces, piece{child: e})
			at = e
		case xml.EndElement:
			if at.parent != nil {
				at.end = max(end, at.end)
				at = at.parent
				depth--
			}
		case xml.CharData:
			text := string(t)
			visible += coverage.Characters(text)
			at.pieces = append(at.pieces, piece{text: text})
			at.inText = at.inText || strings.TrimSpace(text) != ""
		}
	}
	if len(root.children) == 0 {
		return nil, 0, errEmpty
	}
	return root, visible, nil
}

// text returns the text of an element and all within, with runs of white space
// as one space. Elements that follow each other without text between them are
// words of their own.
func (e *element) text() string {
	var b strings.Builder
	var walk func(*element)
	walk = func(e *element) {
		for i, p := range e.pieces {
			if p.child != nil {
				if i > 0 && e.pieces[i-1].child != nil {
					b.WriteByte(' ')
				}
				walk(p.child)
				continue
			}
			b.WriteString(p.text)
		}
	}
	walk(e)
	return strings.Join(strings.Fields(b.String()), " ")
}

// leaf reports whether an element has no elements within.
func (e *element) leaf() bool { return len(e.children) == 0 }

// values returns the attributes of an element but those that declare
// namespaces.
func (e *element) values() []xml.Attr {
	var out []xml.Attr
	for _, a := range e.attrs {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" && strings.TrimSpace(a.Value) != "" {
			out = append(out, a)
		}
	}
	return out
}
