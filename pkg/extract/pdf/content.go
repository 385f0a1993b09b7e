package pdf

import (
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/layout/table"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// content is what every reader of a page asks the engine for first.
type content struct {
	pageNo   int
	page     *pdfium.Page
	label    string
	chars    []pdfium.Char
	fonts    []pdfium.Font
	graphics pdfium.Graphics
	tags     tags   // what the structure tree says
	found    *found // nil until it was looked for
}

// found is what is made of a page's content alone.
type found struct {
	glyphs []layout.Glyph
	shapes []table.Shape
	tables []table.Table
	rest   []layout.Glyph // those in no table, in the order of all
}

// find returns the glyphs of the page and its tables. The glyphs are in the memory
// of buffer when that is large enough. draw draws parts of it.
func (c *content) find(s sheet, buffer []layout.Glyph, draw partDrawer) *found {
	f := &found{glyphs: glyphsOf(buffer, c.page, s, c.chars, c.fonts), shapes: s.shapes(c.graphics)}
	c.markUnseen(s, f.glyphs, draw)
	for i := range f.glyphs {
		g := &f.glyphs[i]
		if mark := c.chars[g.Index].Mark; g.Marked && !c.tags.isContent(mark) {
			g.Marked, g.Orphan = false, c.tags.isOrphan(mark)
		}
	}
	f.tables, f.rest = table.Find(f.shapes, f.glyphs)
	return f
}

// contentOf loads a page, from 1, and reads its content; the characters in the
// memory of buffer, when that is large enough.
func contentOf(d *pdfium.Document, pageNo int, buffer []pdfium.Char) (*content, error) {
	p, err := d.Page(pageNo - 1)
	if err != nil {
		return nil, err
	}
	c := &content{pageNo: pageNo, page: p}
	if err := c.read(d, pageNo, buffer); err != nil {
		p.Close()
		return nil, err
	}
	return c, nil
}

func (c *content) read(d *pdfium.Document, pageNo int, buffer []pdfium.Char) error {
	var err error
	if c.chars, c.fonts, err = c.page.CharsInto(buffer); err != nil {
		return err
	}
	if c.graphics, err = c.page.Graphics(); err != nil {
		return err
	}
	if c.label, err = d.PageLabel(pageNo - 1); err != nil {
		return err
	}
	structure, err := c.page.Structure()
	c.tags = tagsOf(structure)
	return err
}

// shelf keeps the contents of the pages that a document's facts were learnt
// from, for the reader of the same pages.
type shelf struct {
	pages map[int]*content
	chars int
	found int // glyphs of what was found on them
}

// What is kept: a character has some hundred bytes, and an open page its objects
// in the memory that the engine may use for one document.
const (
	maxKeptChars  = 1 << 17
	maxKeptMemory = 96 << 20
	// maxKeptGlyphs bounds the glyphs, which are kept twice.
	maxKeptGlyphs = 1 << 16
)

// keep takes the content of a page, unless it is too much.
func (s *shelf) keep(d *pdfium.Document, pageNo int, c *content) bool {
	if s.chars+len(c.chars) > maxKeptChars || d.MemoryBytes() > maxKeptMemory {
		return false
	}
	if s.pages == nil {
		s.pages = make(map[int]*content)
	}
	s.pages[pageNo] = c
	s.chars += len(c.chars)
	return true
}

// remember keeps what was found on a page that is kept, unless it is too much.
func (s *shelf) remember(c *content, f *found) {
	if s.found+len(f.glyphs) <= maxKeptGlyphs {
		c.found = f
		s.found += len(f.glyphs)
	}
}

// take returns the content of a page that is kept, nil when it is not, and keeps
// it no more.
func (s *shelf) take(pageNo int) *content {
	c := s.pages[pageNo]
	if c != nil {
		delete(s.pages, pageNo)
		s.chars -= len(c.chars)
		if c.found != nil {
			s.found -= len(c.found.glyphs)
		}
	}
	return c
}

// any reports whether a page is kept.
func (s *shelf) any() bool { return len(s.pages) > 0 }

// clear forgets all pages, which their document closes.
func (s *shelf) clear() { *s = shelf{} }
