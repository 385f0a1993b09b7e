package pdfium

import (
	"encoding/binary"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// charReader reads characters with as few calls as will do: a call costs more
// than the work behind it, so what a text object's characters share is asked
// once for the object.
type charReader struct {
	engine *engine
	text   uint64
	style  style
	fonts  []Font
	byFont map[uint64]int

	unicode, object, box, origin, generated, hyphen, mapError api.Function
}

func newCharReader(p *Page) *charReader {
	e := p.document.engine
	return &charReader{
		engine:    e,
		text:      p.text,
		style:     style{font: -1},
		byFont:    map[uint64]int{},
		unicode:   e.function("FPDFText_GetUnicode"),
		object:    e.function("FPDFText_GetTextObject"),
		box:       e.function("FPDFText_GetLooseCharBox"),
		origin:    e.function("FPDFText_GetCharOrigin"),
		generated: e.function("FPDFText_IsGenerated"),
		hyphen:    e.function("FPDFText_IsHyphen"),
		mapError:  e.function("FPDFText_HasUnicodeMapError"),
	}
}

// hyphen is how the engine writes a hyphen that breaks a word.
const hyphen = 2

func (r *charReader) read(c *Char, i uint64) {
	e := r.engine
	object := e.invoke(r.object, r.text, i)
	if object != r.style.object {
		r.style = r.readStyle(object, i)
	}
	*c = Char{
		Index:           int(i),
		Rune:            rune(e.invoke(r.unicode, r.text, i)),
		FontSize:        r.style.fontSize,
		Font:            r.style.font,
		Angle:           r.style.angle,
		RenderMode:      r.style.mode,
		Fill:            r.style.fill,
		UnicodeMapError: e.invoke(r.mapError, r.text, i) == 1,
	}
	switch c.Rune {
	case ' ', '\r', '\n': // all that the engine puts in
		c.Generated = e.invoke(r.generated, r.text, i) == 1
	case hyphen:
		c.Hyphen = e.invoke(r.hyphen, r.text, i) == 1
	}
	if e.invoke(r.box, r.text, i, e.at(0)) != 0 {
		c.Box = e.rectF(0)
	}
	if e.invoke(r.origin, r.text, i, e.at(0), e.at(8)) != 0 {
		b := e.bytes(16)
		c.Origin = Point{X: float64At(b), Y: float64At(b[8:])}
	}
}

func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// readStyle asks for the style of the text object that character i belongs to.
func (r *charReader) readStyle(object, i uint64) style {
	s := style{object: object, font: -1}
	if object == 0 {
		return s
	}
	e := r.engine
	if e.call("FPDFTextObj_GetFontSize", object, e.at(0)) != 0 {
		s.fontSize = e.float32At(0)
	}
	if e.call("FPDFText_GetMatrix", r.text, i, e.at(0)) != 0 {
		m := e.matrixAt(0)
		s.fontSize *= m.scale()
		if m.b != 0 || m.c != 0 || m.a < 0 { // not simply upright
			clockwise := math.Float32frombits(uint32(e.call("FPDFText_GetCharAngle", r.text, i)))
			s.angle = math.Mod(2*math.Pi-float64(clockwise), 2*math.Pi)
		}
	}
	s.mode = e.callInt("FPDFTextObj_GetTextRenderMode", object)
	if e.call("FPDFPageObj_GetFillColor", object, e.at(0), e.at(4), e.at(8), e.at(12)) != 0 {
		s.fill = e.colorAt(0)
	}
	s.font = r.font(e.call("FPDFTextObj_GetFont", object))
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
// for its encoding: what a quote is checked against (contracts 6). Characters
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
