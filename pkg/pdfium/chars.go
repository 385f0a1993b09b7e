package pdfium

import (
	"encoding/binary"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// charReader reads the characters of a page: out of the instance's memory, or
// by asking the engine when that does not hold what the engine says. A call
// costs more than the work behind it, so what a text object's characters share
// is asked once for the object.
type charReader struct {
	document *Document
	engine   *engine
	text     uint64
	table    charTable // without characters: ask
	seen     glyph     // the last one
	kinds    [256]charKind
	style    style
	objects  []uint64 // of the styles that were read
	fonts    []Font
	byFont   map[uint64]int

	unicode, object, box, origin, generated, hyphen, mapError api.Function
	size, matrix, mode, fill, fontOf                          api.Function
}

// glyph is what is known of one character besides its style.
type glyph struct {
	object uint64
	rune   rune
	box    Rect
	origin Point
	kind   charKind
}

// charKind is what the engine says of all characters of a kind alike.
type charKind struct{ known, generated, hyphen, mapError bool }

func newCharReader(p *Page, count int) *charReader {
	e := p.document.engine
	r := &charReader{
		document:  p.document,
		engine:    e,
		text:      p.text,
		style:     style{font: -1, mark: -1},
		byFont:    map[uint64]int{},
		unicode:   e.function("FPDFText_GetUnicode"),
		object:    e.function("FPDFText_GetTextObject"),
		box:       e.function("FPDFText_GetLooseCharBox"),
		origin:    e.function("FPDFText_GetCharOrigin"),
		generated: e.function("FPDFText_IsGenerated"),
		hyphen:    e.function("FPDFText_IsHyphen"),
		mapError:  e.function("FPDFText_HasUnicodeMapError"),
		size:      e.function("FPDFTextObj_GetFontSize"),
		matrix:    e.function("FPDFText_GetMatrix"),
		mode:      e.function("FPDFTextObj_GetTextRenderMode"),
		fill:      e.function("FPDFPageObj_GetFillColor"),
		fontOf:    e.function("FPDFTextObj_GetFont"),
	}
	r.relyOn(newCharTable(e.view(), uint32(p.text)), count)
	return r
}

// relyOn takes the table when it is what the engine says: of the number of
// characters, and of the first, the middle and the last of them.
func (r *charReader) relyOn(table charTable, count int) {
	r.table = table
	if table.count != uint32(count) || count > 0 && !(r.agrees(0) && r.agrees(count/2) && r.agrees(count-1)) {
		r.table = charTable{}
	}
}

// agrees reports whether the table has of character i what the engine says.
func (r *charReader) agrees(i int) bool {
	e := r.engine
	record := r.table.record(uint32(i))
	if record == nil {
		return false
	}
	m := matrixOf(record)
	r.look(record, uint64(i))
	return r.seen == r.ask(uint64(i)) && e.call("FPDFText_GetMatrix", r.text, uint64(i), e.at(0)) != 0 && m == e.matrixAt(0)
}

// look sets seen to the character of a record of the table.
func (r *charReader) look(record record, i uint64) {
	glyphOf(&r.seen, record)
	kind := &r.kinds[record[recordKind]]
	if !kind.known {
		*kind = r.askKind(i)
	}
	r.seen.kind = *kind
}

// ask asks the engine for a character.
func (r *charReader) ask(i uint64) glyph {
	e := r.engine
	g := glyph{
		object: e.invoke(r.object, r.text, i),
		rune:   rune(e.invoke(r.unicode, r.text, i)),
		kind:   r.askKind(i),
	}
	if e.invoke(r.box, r.text, i, e.at(0)) != 0 {
		g.box = e.rectF(0)
	}
	if e.invoke(r.origin, r.text, i, e.at(0), e.at(8)) != 0 {
		b := e.bytes(16)
		g.origin = Point{X: float64At(b), Y: float64At(b[8:])}
	}
	return g
}

func (r *charReader) askKind(i uint64) charKind {
	e := r.engine
	return charKind{
		known:     true,
		generated: e.invoke(r.generated, r.text, i) == 1,
		hyphen:    e.invoke(r.hyphen, r.text, i) == 1,
		mapError:  e.invoke(r.mapError, r.text, i) == 1,
	}
}

// hyphen is how the engine writes a hyphen that breaks a word.
const hyphen = 2

// read sets all of c to character i.
func (r *charReader) read(c *Char, i int) {
	if record := r.table.record(uint32(i)); record != nil {
		r.look(record, uint64(i))
	} else {
		r.seen = r.ask(uint64(i))
	}
	g := &r.seen
	if g.object != r.style.object {
		r.style = r.readStyle(g.object, uint64(i))
		if r.table.memory != nil {
			r.table.memory = r.engine.view() // asking may have made it grow
		}
	}
	*c = Char{
		Index:           i,
		Rune:            g.rune,
		Box:             g.box,
		Origin:          g.origin,
		FontSize:        r.style.fontSize,
		Font:            r.style.font,
		Angle:           r.style.angle,
		RenderMode:      r.style.mode,
		Fill:            r.style.fill,
		Mark:            r.style.mark,
		Artifact:        r.style.artifact,
		Object:          r.style.number,
		UnicodeMapError: g.kind.mapError,
	}
	switch c.Rune {
	case ' ', '\r', '\n': // all that the engine puts in
		c.Generated = g.kind.generated
	case hyphen:
		c.Hyphen = g.kind.hyphen
	}
}

func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// readStyle asks for the style of the text object that character i belongs to.
func (r *charReader) readStyle(object, i uint64) style {
	s := style{object: object, font: -1, mark: -1}
	if object == 0 {
		return s
	}
	r.objects = append(r.objects, object)
	s.number = len(r.objects)
	e := r.engine
	if e.invoke(r.size, object, e.at(0)) != 0 {
		s.fontSize = e.float32At(0)
	}
	if e.invoke(r.matrix, r.text, i, e.at(0)) != 0 {
		m := e.matrixAt(0)
		s.fontSize *= m.height()
		s.angle = m.angle()
	}
	s.mode = int(int32(e.invoke(r.mode, object)))
	if e.invoke(r.fill, object, e.at(0), e.at(4), e.at(8), e.at(12)) != 0 {
		s.fill = e.colorAt(0)
	}
	if s.mark = r.document.mark(object); s.mark < 0 {
		s.artifact = r.document.isArtifact(object)
	}
	s.font = r.font(e.invoke(r.fontOf, object))
	return s
}

// font returns the index of a font, reading it when it is new.
func (r *charReader) font(handle uint64) int {
	if handle == 0 {
		return -1
	}
	if at, ok := r.byFont[handle]; ok {
		return at
	}
	e := r.engine
	r.byFont[handle] = len(r.fonts)
	r.fonts = append(r.fonts, Font{
		Name:   e.ascii("FPDFFont_GetBaseFontName", handle),
		Flags:  uint32(e.call("FPDFFont_GetFlags", handle)),
		Weight: e.callInt("FPDFFont_GetWeight", handle),
	})
	return len(r.fonts) - 1
}

// matrixAt reads an FS_MATRIX from the scratch buffer.
func (e *engine) matrixAt(n uint32) matrix {
	return matrix{
		a: e.float32At(n), b: e.float32At(n + 4), c: e.float32At(n + 8),
		d: e.float32At(n + 12), e: e.float32At(n + 16), f: e.float32At(n + 20),
	}
}

// colorAt reads four 32-bit channels from the scratch buffer as 0xRRGGBBAA.
func (e *engine) colorAt(n uint32) uint32 {
	return e.uint32At(n)<<24 | e.uint32At(n+4)&0xff<<16 | e.uint32At(n+8)&0xff<<8 | e.uint32At(n+12)&0xff
}

// Text returns the engine's text of count characters from start, unchanged but
// for its encoding: what a quote is checked against (contracts#evidence). Characters
// that have no Unicode are left out.
func (p *Page) Text(start, count int) (string, error) {
	n, err := p.CountChars()
	if err != nil {
		return "", err
	}
	if start < 0 || count < 0 || start > n || count > n-start {
		return "", p.rangeError(start, count, n)
	}
	if count == 0 {
		return "", nil
	}
	e := p.document.engine
	e.reserve(uint32(2*count + 2))
	units := e.callInt("FPDFText_GetText", p.text, uint64(start), uint64(count), e.at(0))
	if units <= 0 || e.err != nil {
		return "", p.failed()
	}
	return decodeUTF16(e.bytes(uint32(2 * min(units, count)))), p.failed()
}
