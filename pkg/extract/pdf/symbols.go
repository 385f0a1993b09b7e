package pdf

import (
	"strings"

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

// symbols is the table of a font by code.
type symbols [128]rune

// symbolTables are the tables of the fonts of one page.
type symbolTables struct{ oms, omx, oml, msam *symbols }

func newSymbolTables() symbolTables {
	var t symbolTables
	t.oms, t.omx, t.oml, t.msam = &symbols{}, &symbols{}, &symbols{}, &symbols{}
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
	if s == nil || !c.UnicodeMapError || c.Rune < 0 || c.Rune > 127 || s[c.Rune] == 0 {
		return c.Rune, false
	}
	return s[c.Rune], true
}
