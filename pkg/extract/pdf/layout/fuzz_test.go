package layout

import (
	"encoding/binary"
	"math"
	"testing"
)

// glyphSize is how many bytes of a fuzzer's input make one glyph.
const glyphSize = 12

// randomGlyphs makes glyphs of bytes: places on and off the page, sizes, turns,
// scripts, flags, in any order.
func randomGlyphs(data []byte) []Glyph {
	var out []Glyph
	for ; len(data) >= glyphSize && len(out) < 600; data = data[glyphSize:] {
		x, y := float64(int16(binary.LittleEndian.Uint16(data)))/16, float64(int16(binary.LittleEndian.Uint16(data[2:])))/16
		w, size := float64(data[4])/8, float64(data[5])/4
		n := len(out)
		g := Glyph{
			Seq: n, Index: n, End: n + 1, Size: math.Max(size, 0.5), Base: y,
			Box:   Rect{Left: x, Right: x + w, Top: y - 0.8*size, Bottom: y + 0.2*size},
			Style: Style{Bold: data[6]&1 != 0, Italic: data[6]&2 != 0, Mono: data[6]&4 != 0},
			Drawn: data[6]&8 != 0, Hyphen: data[6]&16 != 0, Mapped: data[6]&32 != 0,
			Hidden: data[6]&64 != 0, Outside: data[6]&128 != 0,
			Rune: []rune{rune('a' + data[7]%26), 'A', '1', '.', '-', '•', 'ש', 'م', '\u064E', '(', '∑', '\uFFFD', '\u00AD', '½'}[data[8]%14],
			Turn: []int{0, 0, 0, 0, 90, 180, 270, 33}[data[9]%8],
			Tag:  int(data[10] % 8),
		}
		g.At = g.Box
		if data[11]&1 != 0 {
			g.Space = ' '
		}
		out = append(out, g)
	}
	return out
}

// FuzzBlocks: whatever is on a page, every glyph comes out in exactly one
// block, and the blocks have text.
func FuzzBlocks(f *testing.F) {
	f.Add([]byte("a page without any sense, but with enough bytes for a few glyphs of all kinds"), byte(0))
	f.Add(make([]byte, 40*glyphSize), byte(3))
	var lines []byte
	for i := range 300 { // columns of text
		g := make([]byte, glyphSize)
		binary.LittleEndian.PutUint16(g, uint16(16*(50+6*(i%30)+250*(i/150))))
		binary.LittleEndian.PutUint16(g[2:], uint16(16*(100+12*(i%150/30))))
		g[4], g[5], g[7], g[11] = 44, 40, byte(i), byte(i%6/5)
		lines = append(lines, g...)
	}
	f.Add(lines, byte(7))
	f.Fuzz(func(t *testing.T, data []byte, facts byte) {
		glyphs := randomGlyphs(data)
		p := Page{Width: 600, Height: 800, Glyphs: glyphs, Boxes: []Rect{{Left: 50, Top: 200, Right: 300, Bottom: 260}}, Walls: int(facts & 1),
			Tags: []Tag{{Kind: Heading, Level: 2, Element: 1}, {Element: 2}, {Kind: Caption, Element: 3}, {Kind: Footnote, Element: 4}}}
		p.Facts.BodySize, p.Facts.BodyMono, p.Facts.Few = float64(facts&6)*2, facts&8 != 0, facts&32 != 0
		p.Firsts = []int{int(facts)}
		if facts&16 != 0 {
			p.Facts.Running = func(l *Line) Kind {
				if l.Base < 50 {
					return PageHeader
				}
				return Paragraph
			}
		}
		blocks, words := Analyze(p)
		seen := make([]bool, len(glyphs))
		for i := range blocks {
			b := &blocks[i]
			for k := range b.Lines {
				for _, g := range b.Lines[k].Glyphs {
					if seen[g.Seq] {
						t.Fatalf("glyph %d is in two places", g.Seq)
					}
					seen[g.Seq] = true
				}
			}
			if text, printed := b.Text(words); b.Kind != Box && printed == "" {
				t.Errorf("block %d has lines and no text: %q", i, text)
			}
		}
		for seq, ok := range seen {
			if !ok {
				t.Fatalf("glyph %d is in no block", seq)
			}
		}
	})
}
