package pdf

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// The symbol fonts of TeX rarely say which characters their glyphs are. The
// engine then gives the code, marked as a guess: a prime becomes "0", a norm
// "k". Their encodings are fixed (OMS, OMX, OML and the AMS fonts), so the code
// tells the character. Zero: no character of its own, or not certain.

// omsSymbols are codes 0 to 63 and 96 to 127 of OMS; those between are letters.
const (
	omsLow  = "−·×∗÷⋄±∓⊕⊖⊗⊘⊙○◦•≍≡⊆⊇≤≥≼≽∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽\u0338↦∀∃¬∅ℜℑ⊤⊥"
	omsHigh = "⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠"
	omsMid  = "∪∩⊎∧∨" // 91 to 95
	omx     = "()[]⌊⌋⌈⌉{}⟨⟩|‖/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐⎝⎠⎜⎟⟨⟩⊔⊔∮∮⊙⊙⊕⊕⊗⊗∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁∐∐^^^˜˜˜[]⌊⌋⌈⌉{}√√√√√⎷⎷‖↑↓⏞⏞⏞⏞⇑⇓"
)

// The text fonts of TeX, drawn as bitmaps without names, have no encoding at all:
// the engine gives their codes, and those below the space are the ligatures and
// quotation marks of one of two encodings (OT1, T1).
const (
	ot1 = "ΓΔΘΛΞΠΣΥΦΨΩ\uFB00\uFB01\uFB02\uFB03\uFB04ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ"
	t1  = "`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—\x00\x00ıȷ\uFB00\uFB01\uFB02\uFB03\uFB04"
	// t1High are codes 128 to 191 of T1; those behind are Latin-1's but for four.
	// ts1 are codes 132 to 146 of TS1, whose signs stand beside text of T1: a font with those
	// alone has no letters. The others are Latin-1's.
	ts1    = "†‡‖‰•℃$¢ƒ₡₩₦₲₱₤"
	t1High = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
)

const (
	// The ligatures of the two encodings.
	ot1First, ot1Last = 0x0B, 0x0F
	t1First, t1Last   = 0x1B, 0x1F
	ts1First, ts1Last = 132, 146
	// t1Letters is the first of the accented letters of T1; OT1 ends before.
	t1Letters = 0xC0
	// leastText is how many characters show what a font is for; textFont is the
	// share of small letters, in tenths, from which on it is for text. Of one for
	// tables, leastWords words of wordLetters small letters tell that.
	leastText, textFont     = 40, 6
	leastWords, wordLetters = 3, 4
)

// unnamed gives the text fonts without a name, by font of the page, the encoding
// whose ligatures, or accented letters, stand beside letters in them.
func (t symbolTables) unnamed(chars []pdfium.Char, fonts []pdfium.Font, encodings []*symbols) {
	all, small, words, signs := make([]int, len(fonts)), make([]int, len(fonts)), make([]int, len(fonts)), make([]int, len(fonts))
	run := 0 // small letters of one font
	oldest, newer := 0, 0
	letter := func(i, font int) bool {
		return i >= 0 && i < len(chars) && chars[i].Font == font && chars[i].Rune >= 'a' && chars[i].Rune <= 'z'
	}
	for i := range chars {
		c := &chars[i]
		if c.Font < 0 || c.Font >= len(fonts) || fonts[c.Font].Name != "" || c.Generated {
			continue
		}
		all[c.Font]++
		signs[c.Font] += layout.CountIf(c.UnicodeMapError && c.Rune >= ts1First && c.Rune <= ts1Last)
		small[c.Font] += layout.CountIf(letter(i, c.Font))
		if run++; !letter(i, c.Font) || !letter(i-1, c.Font) {
			run = layout.CountIf(letter(i, c.Font))
		}
		words[c.Font] += layout.CountIf(run == wordLetters)
		if c.UnicodeMapError && (letter(i-1, c.Font) || letter(i+1, c.Font)) {
			oldest += layout.CountIf(c.Rune >= ot1First && c.Rune <= ot1Last)
			newer += layout.CountIf(c.Rune >= t1First && c.Rune <= t1Last || c.Rune >= t1Letters && c.Rune <= 0xFF)
		}
	}
	for i := range fonts {
		if all[i] > 0 && signs[i] == all[i] {
			encodings[i] = t.ts1
		}
	}
	if oldest == newer {
		return
	}
	table := t.t1
	if oldest > newer {
		table = t.ot1
	}
	for i := range fonts {
		if all[i] >= leastText && 10*small[i] >= textFont*all[i] || words[i] >= leastWords {
			encodings[i] = table
		}
	}
}

// symbols is the table of a font by code.
type symbols [256]rune

// symbolTables are the tables of the fonts of one page.
type symbolTables struct{ oms, omx, oml, msam, ot1, t1, ts1 *symbols }

func newSymbolTables() symbolTables {
	var t symbolTables
	t.oms, t.omx, t.oml, t.msam = &symbols{}, &symbols{}, &symbols{}, &symbols{}
	t.ot1, t.t1, t.ts1 = &symbols{}, &symbols{}, &symbols{}
	t.ot1.fill(0, ot1)
	t.t1.fill(0, t1)
	t.t1.fill(128, t1High)
	t.ts1.fill(ts1First, ts1)
	t.t1[0xD7], t.t1[0xDF], t.t1[0xF7], t.t1[0xFF] = 'Œ', 'ẞ', 'œ', 'ß'
	t.oms.fill(0, omsLow)
	t.oms[64] = 'ℵ'
	for r := 'A'; r <= 'Z'; r++ {
		t.oms[r] = r
	}
	t.oms.fill(91, omsMid)
	t.oms.fill(96, omsHigh)
	t.omx.fill(0, omx)
	t.oml['?'], t.oml['`'], t.oml['~'] = '⋆', 'ℓ', '\u20D7'
	t.oml['<'], t.oml['>'], t.oml['/'], t.oml['.'], t.oml[','] = '<', '>', '/', '.', ','
	t.msam[3], t.msam[4], t.msam[0x5C], t.msam[0x5D] = '□', '■', '∠', '∡'
	return t
}

func (s *symbols) fill(from int, runes string) {
	for _, r := range runes {
		s[from] = r
		from++
	}
}

// of returns the table of a font, nil for none.
func (t symbolTables) of(f pdfium.Font) *symbols {
	name := strings.ToUpper(fontName(f))
	switch {
	case strings.HasPrefix(name, "CMSY"), strings.HasPrefix(name, "CMBSY"):
		return t.oms
	case strings.HasPrefix(name, "CMEX"):
		return t.omx
	case strings.HasPrefix(name, "CMMI"):
		return t.oml
	case strings.HasPrefix(name, "MSAM"):
		return t.msam
	}
	return nil
}

// read returns the character that c is, and whether the table knows it.
func (s *symbols) read(c *pdfium.Char) (rune, bool) {
	if s == nil || !c.UnicodeMapError || c.Rune < 0 || c.Rune > 255 || s[c.Rune] == 0 {
		return c.Rune, false
	}
	return s[c.Rune], true
}
