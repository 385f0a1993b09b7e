package guard

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldWhole is fold without its short way over ASCII: the whole text is composed.
func foldWhole(s string, bars bool) (f folded) {
	space := true
	var it norm.Iter
	it.InitString(norm.NFC, s)
	add := func(c rune, start, end int) {
		f.text += string(c)
		for range utf8.RuneLen(c) {
			f.from, f.to = append(f.from, int32(start)), append(f.to, int32(end))
		}
	}
	for !it.Done() {
		start := it.Pos()
		segment := string(it.Next())
		for _, r := range segment {
			switch {
			case isInvisible(r):
			case unicode.IsSpace(r) || r == '\uFEFF' || bars && r == '|':
				if !space {
					add(' ', start, it.Pos())
				}
				space = true
			default:
				space = false
				for _, c := range plain(r) {
					add(c, start, it.Pos())
				}
			}
		}
	}
	if n := len(f.text); n > 0 && f.text[n-1] == ' ' {
		f.text, f.from, f.to = f.text[:n-1], f.from[:n-1], f.to[:n-1]
	}
	return f
}

func mustFoldAlike(t *testing.T, s string) {
	t.Helper()
	for _, bars := range []bool{false, true} {
		got, want := fold(s, bars), foldWhole(s, bars)
		if got.text != want.text || !slices.Equal(got.from, want.from) || !slices.Equal(got.to, want.to) {
			t.Fatalf("%q: %+v, as a whole %+v", s, got, want)
		}
	}
}

// TestFoldInParts: ASCII is not composed with what follows or goes before, and all else is as when the whole text is folded.
func TestFoldInParts(t *testing.T) {
	pieces := []string{"a", "B", " ", "\t", "|", "-", "'", "7", "e\u0301", "\u0301", "\u0323", "é", "ﬁ", "’", "“", "–", "\u00AD", "\u200B", "\uFEFF", "ſ", "K", "한", "\u1112\u1161\u11AB",
		"½", strings.Repeat("\u0301", 40), "\u0130", "ß", "\u034F", "\r\n"}
	random := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		mustFoldAlike(t, b.String())
	}
}

func FuzzFoldInParts(f *testing.F) {
	f.Add("Caf\u0065\u0301 – 12 mg/L | x")
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) {
			mustFoldAlike(t, s)
		}
	})
}
