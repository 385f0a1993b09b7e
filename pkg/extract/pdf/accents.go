package pdf

import (
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// combining returns the combining mark that a spacing accent is when it is drawn
// over a letter, and itself for a combining mark; 0 for other characters.
func combining(r rune) rune {
	switch r {
	case '`':
		return '\u0300'
	case '´':
		return '\u0301'
	case '^', 'ˆ':
		return '\u0302'
	case '~', '˜':
		return '\u0303'
	case '¯', 'ˉ':
		return '\u0304'
	case '˘':
		return '\u0306'
	case '˙':
		return '\u0307'
	case '¨':
		return '\u0308'
	case '˚':
		return '\u030A'
	case '˝':
		return '\u030B'
	case 'ˇ':
		return '\u030C'
	case '¸':
		return '\u0327'
	case '˛':
		return '\u0328'
	}
	if r == '\u0338' || r >= '\u0300' && r <= '\u0328' {
		return r
	}
	return 0
}

// compose joins letters and the accents that the file draws over them as glyphs
// of their own, which old fonts and formulas do: an acute and an e are one é.
// An accent without a letter of its kind stays, behind its letter as a combining
// mark.
func compose(glyphs []layout.Glyph) []layout.Glyph {
	first := 0
	for first < len(glyphs) && combining(glyphs[first].Rune) == 0 {
		first++
	}
	if first == len(glyphs) {
		return glyphs
	}
	first = max(first-1, 0) // the letter before it
	out := glyphs[:first]
	for i := first; i < len(glyphs); i++ {
		g := glyphs[i]
		if n := len(out); n > 0 {
			last := &out[n-1]
			next := i+1 < len(glyphs) && over(&g, &glyphs[i+1]) && offCentre(&g, &glyphs[i+1]) < offCentre(&g, last)
			switch {
			case over(&g, last) && !next:
				if !merge(last, &g, last.Rune, combining(g.Rune)) {
					g.Rune, g.Mapped = combining(g.Rune), g.Mapped || combining(g.Rune) != g.Rune
					break
				}
				continue
			case over(last, &g) && merge(last, &g, g.Rune, combining(last.Rune)):
				continue
			}
		}
		out = append(out, g)
	}
	for i := range out {
		out[i].Seq = i
	}
	return out
}

// over reports whether accent is one that is drawn over the letter.
func over(accent, letter *layout.Glyph) bool {
	mark := combining(accent.Rune)
	if mark == 0 || accent.Turn != letter.Turn || accent.Hidden != letter.Hidden || accent.Outside != letter.Outside {
		return false
	}
	if !unicode.IsLetter(letter.Rune) && mark != '\u0338' || unicode.Is(unicode.Mn, letter.Rune) || letter.Rune > unicode.MaxLatin1 && combining(letter.Rune) != 0 {
		return false
	}
	size := math.Max(accent.Size, letter.Size)
	return letter.At.Width() > 0 && accent.At.Width() > 0 && math.Abs(accent.Base-letter.Base) <= float64(0.6*size) && offCentre(accent, letter) <= letter.At.Width()/2
}

// offCentre is how far the accent's middle is from the letter's, in points.
func offCentre(accent, letter *layout.Glyph) float64 {
	return math.Abs(accent.At.Left+accent.At.Right-letter.At.Left-letter.At.Right) / 2
}

// dotted is the letter that an accent above it has taken the dot of: old fonts
// set it over a letter without one.
func dotted(letter, mark rune) rune {
	switch {
	case letter == 'ı' && mark < '\u0315':
		return 'i'
	case letter == 'ȷ' && mark < '\u0315':
		return 'j'
	}
	return letter
}

// merge makes one glyph of two neighbours in the engine's order when one
// character stands for both.
func merge(first, second *layout.Glyph, letter, mark rune) bool {
	whole := norm.NFC.String(string(dotted(letter, mark)) + string(mark))
	composed, size := utf8.DecodeRuneInString(whole)
	if size != len(whole) || second.Drawn && second.Space != 0 {
		return false
	}
	base := *first
	if letter == second.Rune {
		base = *second
		base.Space, base.Drawn, base.Index = first.Space, first.Drawn, first.Index
	}
	base.End = second.End
	base.Rune, base.Mapped = composed, true
	base.Unclear = first.Unclear || second.Unclear
	*first = base
	return true
}
