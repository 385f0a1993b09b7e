package pdf

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Fonts without names and encodings have ligatures by the encoding that the page
// shows, if they are fonts for text.
func TestUnnamedFonts(t *testing.T) {
	tests := []struct{ name, codes, want string }{
		{"the older encoding", "the \x0ef\x0bsh of the rivers swims o\x0f the water, and so it has to be \x0cled here", "the \uFB03f\uFB00sh of the rivers swims o\uFB04 the water, and so it has to be \uFB01led here"},
		{"the newer encoding", "the o\x1ece of the rivers is \x10here\x11, and so it has to be \x1clled in here, at once", "the o\uFB03ce of the rivers is “here”, and so it has to be \uFB01lled in here, at once"},
		{"accented letters", "the caf\xe9 of the town is \x10here\x11, the stra\xffe and its c\xf7ur as well, at once", "the café of the town is “here”, the straße and its cœur as well, at once"},
		{"a font for figures", "di\x1berent 123 456 \x15 1 234 567 890 1 234 567 890 1 234 567 890 places 99 rivers", "di\uFB00erent 123 456 – 1 234 567 890 1 234 567 890 1 234 567 890 places 99 rivers"},
		{"a font for symbols", "A\x1b B\x1c C 1234567890 1234567890 1234567890 1234567890 1234567890", "A\x1b B\x1c C 1234567890 1234567890 1234567890 1234567890 1234567890"},
	}
	for _, test := range tests {
		var chars []pdfium.Char
		for i := range len(test.codes) { // each byte is a code
			r := rune(test.codes[i])
			chars = append(chars, pdfium.Char{Index: i, Rune: r, UnicodeMapError: r < ' ' || r > '~', FontSize: 10,
				Box: pdfium.Rect{Left: float64(5 * i), Right: float64(5*i + 5), Top: 10}, Origin: pdfium.Point{X: float64(5 * i)}})
		}
		var got strings.Builder
		page := &pdfium.Page{MediaBox: pdfium.Rect{Right: 600, Top: 800}, CropBox: pdfium.Rect{Right: 600, Top: 800}}
		glyphs := glyphsOf(nil, page, sheetOf(page), chars, []pdfium.Font{{}})
		for i := range glyphs {
			if glyphs[i].Space != 0 {
				got.WriteByte(' ')
			}
			got.WriteRune(glyphs[i].Rune)
			if glyphs[i].Mapped == glyphs[i].Unclear && glyphs[i].Mapped {
				t.Errorf("%s: %q is mapped and unclear", test.name, glyphs[i].Rune)
			}
		}
		if got.String() != test.want {
			t.Errorf("%s: %q, want %q", test.name, got.String(), test.want)
		}
	}
}

// TestSignsOfTextCompanionFonts: the bullet of a bitmap font without a name is one, beside text
// and without; a font with letters keeps those that have the same codes.
func TestSignsOfTextCompanionFonts(t *testing.T) {
	const bullet = 136
	char := func(font int, r rune) pdfium.Char { return pdfium.Char{Font: font, Rune: r, UnicodeMapError: true} }
	for name, tt := range map[string]struct {
		chars []pdfium.Char
		want  rune
	}{
		"alone":           {[]pdfium.Char{char(0, bullet)}, '•'},
		"with a dagger":   {[]pdfium.Char{char(0, bullet), char(0, 132)}, '•'},
		"beside a letter": {[]pdfium.Char{char(0, bullet), char(0, 'a')}, bullet},
	} {
		encodings := make([]*symbols, 1)
		newSymbolTables().unnamed(tt.chars, make([]pdfium.Font, 1), encodings)
		if got, _ := encodings[0].read(&tt.chars[0]); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
