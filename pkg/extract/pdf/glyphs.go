package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// sheet maps user space to points of the upright page.
type sheet struct {
	media         pdfium.Rect
	rotation      int
	width, height float64
}

func sheetOf(p *pdfium.Page) sheet {
	s := sheet{media: p.MediaBox, rotation: p.Rotation, width: p.MediaBox.Width(), height: p.MediaBox.Height()}
	if s.rotation == 90 || s.rotation == 270 {
		s.width, s.height = s.height, s.width
	}
	return s
}

// point maps a point.
func (s sheet) point(x, y float64) (float64, float64) {
	x, y = x-s.media.Left, s.media.Top-y
	switch s.rotation {
	case 90:
		return s.media.Height() - y, x
	case 180:
		return s.media.Width() - x, s.media.Height() - y
	case 270:
		return y, s.media.Width() - x
	}
	return x, y
}

// rect maps a box.
func (s *sheet) rect(r pdfium.Rect) layout.Rect {
	if s.rotation == 0 {
		box := layout.Rect{
			Left: r.Left - s.media.Left, Right: r.Right - s.media.Left,
			Top: s.media.Top - r.Top, Bottom: s.media.Top - r.Bottom,
		}
		if box.Left < box.Right && box.Top < box.Bottom {
			return box
		}
	}
	x0, y0 := s.point(r.Left, r.Top)
	x1, y1 := s.point(r.Right, r.Bottom)
	return layout.Rect{Left: math.Min(x0, x1), Top: math.Min(y0, y1), Right: math.Max(x0, x1), Bottom: math.Max(y0, y1)}
}

// user maps a box of the upright page back to user space.
func (s sheet) user(r layout.Rect) pdfium.Rect {
	back := func(x, y float64) (float64, float64) {
		switch s.rotation {
		case 90:
			x, y = y, s.media.Height()-x
		case 180:
			x, y = s.media.Width()-x, s.media.Height()-y
		case 270:
			x, y = s.media.Width()-y, x
		}
		return x + s.media.Left, s.media.Top - y
	}
	x0, y0 := back(r.Left, r.Top)
	x1, y1 := back(r.Right, r.Bottom)
	return pdfium.Rect{Left: math.Min(x0, x1), Bottom: math.Min(y0, y1), Right: math.Max(x0, x1), Top: math.Max(y0, y1)}
}

// box is the box of contracts#bbox.
func (s sheet) box(r layout.Rect) pdfium.Box { return pdfium.Upright(s.media, s.rotation, s.user(r)) }

// glyphsOf makes the glyphs of the page out of the engine's characters, in the
// memory of buffer when that is large enough.
func glyphsOf(buffer []layout.Glyph, p *pdfium.Page, s sheet, chars []pdfium.Char, fonts []pdfium.Font) []layout.Glyph {
	styles, encodings := make([]layout.Style, len(fonts)), make([]*symbols, len(fonts))
	tables := newSymbolTables()
	for i, f := range fonts {
		styles[i], encodings[i] = styleOf(f), tables.of(f)
	}
	tables.unnamed(chars, fonts, encodings)
	wide := wideCodes(chars, len(fonts))
	glyphs := slices.Grow(buffer[:0], len(chars))
	space, drawn := rune(0), false
	for i := range chars {
		c := &chars[i]
		char, known := c.Rune, false
		if c.Font >= 0 && c.Font < len(fonts) {
			char, known = encodings[c.Font].read(c)
			if !known && c.UnicodeMapError && wide[c.Font] {
				char = unicode.ReplacementChar
			}
		}
		if char == 0 {
			continue
		}
		if unicode.IsSpace(char) {
			if space == 0 || !drawn && !c.Generated || space == ' ' && !c.Generated {
				space = char
			}
			drawn = drawn || !c.Generated
			continue
		}
		n := len(glyphs)
		glyphs = glyphs[:n+1]
		g := &glyphs[n]
		*g = layout.Glyph{}
		g.Seq, g.Rune, g.Mapped = n, char, known
		g.Unclear = c.UnicodeMapError && !known || unclear(char) && !c.Hyphen
		g.Marked, g.Artifact = c.Mark >= 0, c.Artifact
		measure(g, p, &s, c)
		if i+1 < len(chars) && char > 0xFFFF && chars[i+1].Rune == 0 {
			g.End++
		}
		if c.Font >= 0 && c.Font < len(styles) {
			g.Style = styles[c.Font]
		}
		g.Space, g.Drawn = plainSpace(space), drawn
		space, drawn = 0, false
	}
	return compose(glyphs)
}

// wideCodes finds the fonts whose codes have two bytes and mean nothing outside
// of the font: where the engine knows no character it gives the code, and one
// beyond a byte shows what all of them are. By font of the page.
func wideCodes(chars []pdfium.Char, fonts int) []bool {
	wide := make([]bool, fonts)
	for i := range chars {
		if c := &chars[i]; c.UnicodeMapError && c.Rune > 0xFF && c.Font >= 0 && c.Font < fonts {
			wide[c.Font] = true
		}
	}
	return wide
}

// plainSpace keeps spaces of a special kind and makes common ones of the rest.
func plainSpace(r rune) rune {
	switch r {
	case '\r', '\n', '\t', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return ' '
	}
	return r
}

// measure fills in what the character alone says of its glyph's place.
func measure(g *layout.Glyph, p *pdfium.Page, s *sheet, c *pdfium.Char) {
	g.Index, g.End, g.Box, g.Size = c.Index, c.Index+1, s.rect(c.Box), c.FontSize
	g.Hyphen, g.Hidden = c.Hyphen, c.RenderMode == modeInvisible
	x, y := s.point(c.Origin.X, c.Origin.Y)
	if !finite(&g.Box) || !inReach(x, x) || !inReach(y, y) || !inReach(g.Size, g.Size) {
		g.Box, x, y, g.Size = layout.Rect{}, 0, 0, 0
	}
	tall := min(g.Box.Width(), g.Box.Height())
	if g.Turn = turnOf(c.Angle, s.rotation); g.Turn%90 == 0 {
		tall = g.Box.Height()
		if g.Turn%180 != 0 {
			tall = g.Box.Width()
		}
	}
	if !(g.Size > 0) || tall > 0 && (g.Size > 4*tall || g.Size < tall/6) {
		g.Size = math.Max(tall, 1)
	}
	g.Size = math.Round(float64(g.Size*20)) / 20
	g.At, g.Base = frame(g.Box, x, y, g.Size, g.Turn)
	g.Outside = !touches(p.CropBox, c.Box)
}

// finite reports whether a box, whose edges are in order, is a place.
func finite(r *layout.Rect) bool { return inReach(r.Left, r.Right) && inReach(r.Top, r.Bottom) }

// inReach reports whether an interval lies within ten million points, which what
// is not a number does not.
func inReach(from, to float64) bool { return from >= -1e7 && to <= 1e7 }

// turnOf is the direction of writing on the upright page in whole degrees,
// right angles when it is off by no more than two.
func turnOf(angle float64, rotation int) int {
	if angle == 0 && rotation == 0 {
		return 0
	}
	if math.IsNaN(angle) || math.IsInf(angle, 0) {
		return 0
	}
	degrees := int(math.Round(float64(angle*180/math.Pi))) - rotation
	degrees = (degrees%360 + 360) % 360
	if off := degrees % 90; off <= 2 {
		degrees -= off
	} else if off >= 88 {
		degrees += 90 - off
	}
	return degrees % 360
}

// frame turns a glyph about the page's origin so that its text runs to the
// right. In a slanted direction its box says little, and the font's size
// stands in for it.
func frame(r layout.Rect, x, y, size float64, turn int) (layout.Rect, float64) {
	switch turn {
	case 0:
		return r, y
	case 90: // upwards
		return layout.Rect{Left: -r.Bottom, Top: r.Left, Right: -r.Top, Bottom: r.Right}, x
	case 180:
		return layout.Rect{Left: -r.Right, Top: -r.Bottom, Right: -r.Left, Bottom: -r.Top}, -y
	case 270: // downwards
		return layout.Rect{Left: r.Top, Top: -r.Right, Right: r.Bottom, Bottom: -r.Left}, -x
	}
	sin, cos := math.Sincos(float64(turn) * math.Pi / 180)
	along := float64(x*cos) - float64(y*sin)
	across := float64(x*sin) + float64(y*cos)
	width := math.Min(math.Max(r.Width(), r.Height()), size) / 2
	return layout.Rect{Left: along, Top: across - float64(0.8*size), Right: along + width, Bottom: across + float64(0.2*size)}, across
}

// styleOf reads weight and slant off the font's flags and name. The engine's
// own weight is a guess from the width of stems and is not used.
func styleOf(f pdfium.Font) layout.Style {
	name := f.Name
	if len(name) > 7 && name[6] == '+' {
		name = name[7:]
	}
	lower := strings.ToLower(name)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(lower, p) {
				return true
			}
		}
		return false
	}
	const fixed, italic, forceBold = 1, 64, 1 << 18
	return layout.Style{
		Bold:   f.Flags&forceBold != 0 || has("bold", "black", "heavy", "demi", "cmbx", "sfbx", "ecbx", "no9l-medi", "-bd", "ptmb", "phvb"),
		Italic: f.Flags&italic != 0 || has("italic", "oblique", "slanted"),
		Mono:   f.Flags&fixed != 0 || has("mono", "courier", "consol", "typewriter", "nimbusmon", "cmtt", "sftt", "ectt"),
	}
}

// unclear reports a character that means nothing outside of its font.
func unclear(r rune) bool {
	if r >= ' ' && r < 0x7F {
		return false
	}
	return r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Co, r)
}

// touches reports whether the boxes share more than an edge; a box without
// width counts by its place.
func touches(page, r pdfium.Rect) bool {
	return r.Right >= page.Left && r.Left <= page.Right && r.Top >= page.Bottom && r.Bottom <= page.Top
}
