package layout

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"
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

// script is what typeset can print: words that begin headings, captions, items,
// notes and articles, broken words, signs, other scripts.
var script = []string{
	"of", "rivers", "and", "Weirs", "the", "ends.", "self-help", "bro¬", "ken", "Figure 1", "Table 2:", "Tab. 3 –", "1.", "2)", "(a)", "iv.", "•", "–", "Art. 1", "§ 2", "Source:",
	"1.2.3 Of", "12", "3", "*", "†", "[4]", "THE COUNCIL", "שלום", "(עולם)", "مرحبا", "∑", "⎛", "½", "1,500.00", "45%", ".....", "f(x)", "日本語", "\uF0B7", "\u00AD", "é\u0301", "page 7", "ii",
}

// typeset prints a page by bytes, three for each step: words one after another,
// new lines, columns, sizes, styles, directions, marks of the file's own, steps
// back.
func typeset(data []byte) []Glyph {
	var out []Glyph
	pen := placed{x: 50, y: 60}
	left, size, turn, tag, style := 50.0, 10.0, 0, 0, byte(0)
	for ; len(data) >= 3 && len(out) < 800; data = data[3:] {
		op, a, b := data[0], int(data[1]), int(data[2])
		switch op % 16 {
		case 0: // the next line, with an indent
			pen.x, pen.y = left+float64(b%4)*size, pen.y+size*(1+float64(a%8)/8)
		case 1: // another column, or a step back
			left = 50 + 30*float64(a%20)
			pen.x, pen.y = left, 20+4*float64(b%200)
		case 2:
			size = []float64{10, 10, 8, 7, 12, 14, 20, 32}[a%8]
			style = byte(b)
		case 3: // raised or lowered
			pen.y += float64(int8(a)) / 32
			pen.x += float64(int8(b)) / 32
		case 4:
			turn = []int{0, 0, 90, 270, 180, 33}[a%6]
			tag = b % 6
		default:
			pen.text = script[a%len(script)]
			word := set(size, pen)
			for i := range word {
				g := &word[i]
				g.Seq, g.Index, g.End = len(out), 2*len(out), 2*len(out)+1
				g.Turn, g.Tag, g.Drawn, g.Tight = turn, tag, b&64 != 0, b&128 != 0
				g.Bold, g.Italic, g.Mono = style&1 != 0, style&2 != 0, style&4 != 0
				g.Hidden, g.Outside, g.Mapped = style&24 == 24, style&96 == 96, style&128 != 0
				if turn == 90 {
					g.Box = Rect{Left: g.At.Top, Right: g.At.Bottom, Top: -g.At.Right, Bottom: -g.At.Left}
				}
				out = append(out, *g)
				pen.x = g.At.Right + size*[]float64{0.3, 0.3, 0.3, 0, 1.2, 2, 6, -1}[b%8]
			}
		}
	}
	return out
}

// pageOf makes a page of glyphs: facts says what is known of the document.
func pageOf(glyphs []Glyph, facts byte) Page {
	p := Page{
		Width: 600, Height: 800, Glyphs: glyphs, Boxes: []Rect{{Left: 50, Top: 200, Right: 300, Bottom: 260}, {Left: 320, Top: 400, Right: 560, Bottom: 500}}, Walls: int(facts & 1),
		Tags: []Tag{{Kind: Heading, Level: 2, Element: 1}, {Element: 2}, {Kind: Caption, Element: 3}, {Kind: Footnote, Element: 4}},
	}
	p.Facts.BodySize, p.Facts.BodyMono = float64(facts&6)*2.5, facts&8 != 0
	p.Firsts = []int{int(facts)}
	if facts&16 != 0 {
		p.Facts.Running = func(lines []Line, _ []Rect) {
			for i := range lines {
				if lines[i].Base < 50 {
					lines[i].Running = PageHeader
				}
				lines[i].Doubtful = facts&32 != 0 && lines[i].Base > 700
			}
		}
	}
	if facts&64 != 0 {
		p.Facts.Level = func(size float64, _ bool) int { return int(size) % 7 }
		p.Facts.Titled = func(text string) int { return len(text) % 7 }
	}
	return p
}

// analyzed: each glyph is in exactly one block, printed there once, blocks have
// text, boxes come out once, and a second run says the same.
func analyzed(t *testing.T, p Page) {
	glyphs := slices.Clone(p.Glyphs)
	blocks, words := Analyze(p)
	seen, boxes := make([]bool, len(glyphs)), 0
	for i := range blocks {
		b := &blocks[i]
		held := map[rune]int{}
		for k := range b.Lines {
			for _, g := range b.Lines[k].Glyphs {
				if seen[g.Seq] {
					t.Fatalf("glyph %d is in two places", g.Seq)
				}
				seen[g.Seq] = true
				held[g.shown()]++
			}
		}
		text, printed := b.Text(words)
		if !utf8.ValidString(text) || !utf8.ValidString(printed) {
			t.Fatalf("text %q is not UTF-8", text)
		}
		if b.Kind == Box {
			boxes++
			continue
		}
		if printed == "" {
			t.Fatalf("block %d has lines and no text: %q", i, text)
		}
		for _, r := range printed {
			held[r]--
		}
		for r, n := range held {
			if n != 0 && !unicode.IsSpace(r) {
				t.Fatalf("%q of block %d stands %d times too rarely in %q", r, i, n, printed)
			}
		}
	}
	if boxes != len(p.Boxes) {
		t.Fatalf("%d of %d boxes", boxes, len(p.Boxes))
	}
	if seq := slices.Index(seen, false); seq >= 0 {
		t.Fatalf("glyph %d is in no block", seq)
	}
	p.Glyphs = glyphs
	if again, _ := Analyze(p); !reflect.DeepEqual(blocks, again) {
		t.Fatal("two runs differ")
	}
}

// FuzzBlocks scatters glyphs of all kinds over a page.
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
	f.Fuzz(func(t *testing.T, data []byte, facts byte) { analyzed(t, pageOf(randomGlyphs(data), facts)) })
}

// FuzzTypeset prints words as documents do.
func FuzzTypeset(f *testing.F) {
	var prose, columns []byte
	for i := range 120 {
		prose = append(prose, 5, byte(i*7), 0)
		if i%9 == 8 {
			prose = append(prose, 0, byte(i/9%5*2), 0)
		}
		columns = append(columns, 6, byte(i*11), byte(64*(i%2)))
		switch {
		case i == 60:
			columns = append(columns, 1, 9, 10)
		case i%5 == 4:
			columns = append(columns, 0, 2, byte(i%3/2))
		}
	}
	for facts := range 8 {
		f.Add(prose, byte(facts*37))
		f.Add(columns, byte(facts*41))
	}
	f.Add([]byte("\x02\x06\x01\x05\x0a\x00\x05\x1b\x00\x00\x04\x00\x02\x00\x00\x05\x01\x00\x05\x04\x00\x02\x03\x00\x03\x88\x00\x05\x17\x00"), byte(70))
	f.Fuzz(func(t *testing.T, data []byte, facts byte) { analyzed(t, pageOf(typeset(data), facts)) })
}
