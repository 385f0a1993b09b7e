package pdfium

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// maxChars bounds the characters of one page.
const maxChars = 1_000_000

// Page is a loaded page, valid until its Close or its document's. An open page
// keeps its objects in the instance's memory.
type Page struct {
	document *Document
	handle   uint64
	text     uint64
	index    int

	// MediaBox is the full page, CropBox the part that is shown, both with what
	// the page inherits and within each other; a page without a usable MediaBox
	// is US Letter.
	MediaBox, CropBox Rect
	// Rotation is how far the page is turned clockwise to be read: 0, 90, 180
	// or 270 degrees.
	Rotation int

	objects []uint64     // by Char.Object - 1
	texts   []textObject // as Graphics has found them
}

// TextOrder returns, by Char.Object, the place of each text object among all objects of
// the page, in drawing order, and -1 where there is none: what is drawn later lies above
// what was drawn before. rest are the places of the text objects that no character is of: of
// text that is drawn twice in one place the engine gives the first alone. Characters and
// graphics are read before.
func (p *Page) TextOrder() (order, rest []int) {
	places := make(map[uint64]int, len(p.texts))
	for _, t := range p.texts {
		places[t.object] = t.order
	}
	order = make([]int, len(p.objects)+1)
	order[0] = -1
	given := make(map[uint64]bool, len(p.objects))
	for i, object := range p.objects {
		place, known := places[object]
		if !known {
			place = -1
		}
		order[i+1], given[object] = place, true
	}
	for _, t := range p.texts {
		if !given[t.object] {
			rest = append(rest, t.order)
		}
	}
	return order, rest
}

// Page loads page index (from 0) and its text layer. ErrFormat: this page is
// damaged; others may load.
func (d *Document) Page(index int) (*Page, error) {
	e := d.engine
	if index < 0 || index >= d.pages {
		return nil, fmt.Errorf("page %d: document has %d pages", index+1, d.pages)
	}
	p := &Page{document: d, index: index}
	p.handle = e.call("FPDF_LoadPage", d.handle, uint64(index))
	if p.handle == 0 {
		if e.err == nil && e.arena.refused > 0 {
			e.fail(nil)
		}
		if e.err != nil {
			return nil, p.failed()
		}
		return nil, fmt.Errorf("page %d: %w: page cannot be loaded", index+1, ErrFormat)
	}
	p.CropBox = p.bounds()
	p.MediaBox = p.mediaBox()
	p.Rotation = (e.callInt("FPDFPage_GetRotation", p.handle) & 3) * 90
	p.text = e.call("FPDFText_LoadPage", p.handle)
	if err := p.failed(); err != nil {
		return nil, err
	}
	if p.text == 0 {
		p.Close()
		return nil, fmt.Errorf("page %d: %w: text layer cannot be loaded", index+1, ErrFormat)
	}
	return p, nil
}

// Close frees the page.
func (p *Page) Close() {
	if p.text != 0 {
		p.document.engine.call("FPDFText_ClosePage", p.text)
	}
	p.document.engine.call("FPDF_ClosePage", p.handle)
	p.handle, p.text = 0, 0
}

// Upright maps a box in user space to the upright page (contracts#bbox).
func (p *Page) Upright(r Rect) Box { return Upright(p.MediaBox, p.Rotation, r) }

func (p *Page) failed() error {
	if p.document.engine.err == nil {
		return nil
	}
	return fmt.Errorf("page %d: %w", p.index+1, p.document.engine.err)
}

func (p *Page) rangeError(start, count, n int) error {
	return fmt.Errorf("page %d: characters %d+%d, page has %d", p.index+1, start, count, n)
}

// bounds is the engine's idea of the page: the CropBox within the MediaBox.
func (p *Page) bounds() Rect {
	e := p.document.engine
	e.call("FPDF_GetPageBoundingBox", p.handle, e.at(0))
	return e.rectF(0)
}

// mediaBox asks for the bounds with a CropBox that cuts nothing, because the
// engine's own call does not see a MediaBox that the page inherits. The bounds
// are put back afterwards; the text layer depends on them.
func (p *Page) mediaBox() Rect {
	const far = 1 << 24
	p.setCropBox(Rect{Left: -far, Bottom: -far, Right: far, Top: far})
	media := p.bounds()
	p.setCropBox(p.CropBox)
	return media
}

func (p *Page) setCropBox(r Rect) {
	p.document.engine.call("FPDFPage_SetCropBox", p.handle,
		encodeFloat(r.Left), encodeFloat(r.Bottom), encodeFloat(r.Right), encodeFloat(r.Top))
}

func encodeFloat(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }

// rectF reads an FS_RECTF (left, top, right, bottom) from the scratch buffer.
func (e *engine) rectF(n uint32) Rect {
	return Rect{
		Left: e.float32At(n), Top: e.float32At(n + 4),
		Right: e.float32At(n + 8), Bottom: e.float32At(n + 12),
	}.normal()
}

// Font is one font of a page.
type Font struct {
	// Name is the base font name as it stands in the file, often with a subset
	// prefix ("ABCDEF+Times-Roman").
	Name string
	// Flags are those of ISO 32000-1, table 123 (1 fixed pitch, 2 serif, 64
	// italic, 262144 bold).
	Flags uint32
	// Weight is 100 to 900 as the engine guesses it, -1 when it cannot.
	Weight int
}

// Char is one character of the text layer.
type Char struct {
	// Index is its place on the page: what Text and a stored char range count.
	Index int
	// Rune is what it says. 0: nothing by itself, such as the second half of a
	// character beyond the basic plane, which stands as a whole in the first. A
	// line-end hyphen is U+0002 (U+FFFE in Text).
	Rune rune
	// Box is as high as the font's line; Origin is where the glyph stands on
	// its baseline.
	Box    Rect
	Origin Point
	// FontSize is in points after all transformations; 0 when Generated.
	FontSize float64
	// Font is an index into the page's fonts, -1 for none.
	Font int
	// Angle is the direction of writing in radians, anticlockwise, in [0, 2π):
	// 0 for text that runs to the right before the page is rotated.
	Angle float64
	// RenderMode is that of ISO 32000-1, table 106; 3 is invisible.
	RenderMode int
	// Fill is the fill colour, 0xRRGGBBAA.
	Fill uint32
	// Generated: a space or line end that the engine put in, not in the file.
	Generated bool
	// Hyphen: a hyphen that breaks a word at the end of a line.
	Hyphen bool
	// UnicodeMapError: the font does not say which character the glyph is, and
	// Rune is a guess.
	UnicodeMapError bool
	// Mark is the marked-content id that Structure names, -1 for none; what is
	// drawn inside a form XObject counts for itself.
	Mark int
	// Artifact: the file calls it an artifact, as running heads are.
	Artifact bool
	// Object counts the text objects of the page in the engine's order, from 1: neighbours
	// with one number are drawn together (Page.TextOrder). 0 for none.
	Object int
}

// style is what all characters of one text object share.
type style struct {
	object   uint64
	number   int // of the object, from 1; 0 for none
	fontSize float64
	font     int
	angle    float64
	mode     int
	fill     uint32
	mark     int
	artifact bool
}

// CountChars is the number of characters on the page.
func (p *Page) CountChars() (int, error) {
	n := p.document.engine.callInt("FPDFText_CountChars", p.text)
	if err := p.failed(); err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, fmt.Errorf("page %d: %w: text layer cannot be counted", p.index+1, ErrFormat)
	}
	if n > maxChars {
		return 0, fmt.Errorf("page %d: %w: %d characters, limit %d", p.index+1, ErrLimit, n, maxChars)
	}
	return n, nil
}

// Chars returns the characters of the page in the engine's order, each at its
// own Index, and the fonts that they name.
func (p *Page) Chars() ([]Char, []Font, error) { return p.CharsInto(nil) }

// CharsInto is Chars in the memory of buffer, when that is large enough: what
// stood there is lost.
func (p *Page) CharsInto(buffer []Char) ([]Char, []Font, error) {
	n, err := p.CountChars()
	if err != nil {
		return nil, nil, err
	}
	r := newCharReader(p, n)
	chars := slices.Grow(buffer[:0], n)[:n]
	for i := range chars {
		r.read(&chars[i], i)
		if r.engine.err != nil {
			return nil, nil, p.failed()
		}
	}
	joinPairs(chars)
	p.objects = r.objects
	return chars, r.fonts, nil
}

// joinPairs makes one rune of a surrogate pair, which the engine counts as two
// characters. A lone half becomes U+FFFD.
func joinPairs(chars []Char) {
	for i := range chars {
		if !utf16.IsSurrogate(chars[i].Rune) {
			continue
		}
		whole := rune(utf8.RuneError)
		if i+1 < len(chars) {
			whole = utf16.DecodeRune(chars[i].Rune, chars[i+1].Rune)
		}
		chars[i].Rune = whole
		if whole != utf8.RuneError {
			chars[i+1].Rune = 0
		}
	}
}
