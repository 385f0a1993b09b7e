package scanset

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// open returns the fonts of both halves, and skips where they are not installed.
func open(t *testing.T) *Fonts {
	t.Helper()
	fonts, err := OpenFonts("")
	if err != nil {
		t.Skip(err)
	}
	return fonts
}

// Every letter of every language can be drawn in every font: what a font lacks would be an
// error of no reader.
func TestFontsDrawAllLetters(t *testing.T) {
	var all strings.Builder
	for _, of := range tongues {
		for _, words := range [][]string{of.things, of.kinds, of.months, of.patterns, of.stamps} {
			all.WriteString(strings.Join(words, ""))
		}
	}
	fonts := open(t)
	for i, f := range fonts.parsed {
		var b sfnt.Buffer
		missing := ""
		for _, r := range all.String() + "0123456789€," + strings.Join(places, "") + strings.Join(people, "") {
			glyph, err := f.GlyphIndex(&b, r)
			if err == nil && glyph != 0 && !unicode.IsSpace(r) {
				var outline sfnt.Segments
				if outline, err = f.LoadGlyph(&b, glyph, fixed.I(20), nil); err == nil && len(outline) > 0 {
					continue
				}
			}
			if !unicode.IsSpace(r) && !strings.ContainsRune(missing, r) {
				missing += string(r)
			}
		}
		if missing != "" {
			t.Errorf("%s lacks %s", fonts.names[i], missing)
		}
	}
}

// A page of each class says something, and has its resolution in its file.
func TestMakeEachClass(t *testing.T) {
	fonts := open(t)
	for _, class := range Classes() {
		p, err := Make(7, class, 0, fonts)
		if err != nil {
			t.Fatalf("%s: %v", class, err)
		}
		if len(strings.Fields(p.Text)) < 20 || p.Language == "" || p.DPI < 72 || !bytes.Contains(p.PNG[:64], []byte("pHYs")) {
			t.Errorf("%s: %d words, %q, %d dpi", class, len(strings.Fields(p.Text)), p.Language, p.DPI)
		}
		if _, err := png.Decode(bytes.NewReader(p.PNG)); err != nil {
			t.Errorf("%s: %v", class, err)
		}
	}
	if _, err := Make(7, "folded twice", 0, fonts); err == nil {
		t.Error("a class that is none is no error")
	}
}

// The same seed makes the same page, another one another.
func TestMakeIsSeeded(t *testing.T) {
	fonts := open(t)
	var pages [3]Page
	for i, seed := range []uint64{7, 7, 8} {
		var err error
		if pages[i], err = Make(seed, "mixed", 3, fonts); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pages[0].PNG, pages[1].PNG) || pages[0].Text != pages[1].Text {
		t.Error("two pages of a seed")
	}
	if bytes.Equal(pages[0].PNG, pages[2].PNG) {
		t.Error("one page of two seeds")
	}
}

// Letters that stand for something do not stay in the text.
func TestSentence(t *testing.T) {
	for _, language := range languages {
		w := writer{rand: rand.New(rand.NewPCG(3, 4)), of: tongues[language]}
		text := w.paragraph(100)
		for _, word := range strings.Fields(text) {
			if bare := strings.Trim(word, ".,;:()\"«»„“"); len(bare) == 1 && strings.Contains("NPWDXS", bare) {
				t.Errorf("%s: %q is left in %q", language, word, text)
			}
		}
	}
}
