// Package quote says where a quotation stands: exactly, in the text of chunks as their
// provenance maps it, or nowhere. Nothing is compared by likeness. What is made alike before
// two texts are compared is what a reader copies without a change of meaning, and no more
// (contracts#quotation).
package quote

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// symbol is a letter, digit, mark or sign of a text, with what stands between it and the
// one before.
type symbol struct {
	letter rune // in lower case
	raw    rune // as it is written, under NFC
	start  int  // first byte in the text
	end    int  // byte behind the last one
	gap    gap
}

// gap is what stands between two symbols.
type gap struct {
	key    string // punctuation and spaces, folded: what must be equal
	joins  bool   // a hyphen at the end of a line: it may be the word's own or not
	hyphen bool   // the two may be parts of one word
	cell   bool   // a line, or a cell of a table, ends
	line   bool   // a line ends
	known  bool   // none of its characters is one that the catalog takes for a part of a word
	binds  bool   // it stands within one word: an apostrophe, a hyphen of the word's own
	elides bool   // it begins with an apostrophe
	tick   bool   // a filled box or circle: a bullet, or a choice that was made
	sign   sign   // of a number, before the symbol behind the gap
}

// sign is what a number has before its first digit that is no symbol.
type sign uint8

// The signs, which may come together.
const (
	signMinus sign = 1 << iota // a minus
	signPoint                  // the point of decimals, as in .5
)

// same reports whether two gaps are the same text. A filled box may be left out where it
// begins a line, as bullets do: elsewhere it is a choice.
func (g gap) same(h gap) bool {
	if g.tick != h.tick && !(g.tick && g.line) && !(h.tick && h.line) {
		return false
	}
	return g.key == h.key || (g.joins || h.joins) && wordJoint(g.key) && wordJoint(h.key)
}

func wordJoint(key string) bool { return key == "" || key == "-" }

// folded is a text as it is compared.
type folded struct {
	symbols []symbol
	letters string // the letters of all symbols
	at      []int  // where in letters each symbol begins
	last    gap    // behind the last symbol
}

// Len returns how many letters, digits and signs the text has.
func (f folded) Len() int { return len(f.symbols) }

// symbolAt returns the symbol that begins at a byte of letters.
func (f folded) symbolAt(offset int) int { return sort.SearchInts(f.at, offset) }

// part returns the letters of the symbols [from, to).
func (f folded) part(from, to int) string {
	end := len(f.letters)
	if to < len(f.at) {
		end = f.at[to]
	}
	return f.letters[f.at[from]:end]
}

// folder makes a folded text of its characters.
type folder struct {
	out     folded
	letters strings.Builder
	between []rune // since the last symbol, folded
	lines   bool   // among them a line end
	cell    bool   // or the border of a cell
	soft    bool   // or a soft hyphen
	tick    bool   // or a filled box
	dash    rune   // the last dash among them, as it is written
	strange bool   // or a character that the catalog does not divide words at
}

// fold makes a text comparable. Offsets count in s.
func fold(s string) folded {
	var f folder
	n := utf8.RuneCountInString(s) // no text has more symbols but one of ligatures
	f.out.symbols, f.out.at = make([]symbol, 0, n), make([]int, 0, n)
	f.letters.Grow(len(s))
	if norm.NFC.IsNormalString(s) {
		for i, r := range s {
			f.add(r, i, i+width(s[i:]))
		}
		return f.end()
	}
	var it norm.Iter
	for it.InitString(norm.NFC, s); !it.Done(); {
		start := it.Pos()
		for _, r := range string(it.Next()) {
			f.add(r, start, it.Pos())
		}
	}
	return f.end()
}

func width(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func (f *folder) end() folded {
	f.out.letters = f.letters.String()
	f.out.last = f.close(0)
	return f.out
}

// ligatures are pairs of letters that are printed as one.
var ligatures = map[rune]string{'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "ſt", 'ﬆ': "st"}

func (f *folder) add(r rune, start, end int) {
	if parts, ok := ligatures[r]; ok {
		for _, part := range parts {
			f.symbol(part, start, end)
		}
		return
	}
	switch {
	case r == '\u00ad':
		f.soft = true
	case noWidth(r):
	case isSymbol(r):
		f.symbol(r, start, end)
	default:
		f.betweenSymbols(r)
	}
}

func (f *folder) symbol(r rune, start, end int) {
	s := symbol{letter: unicode.ToLower(r), raw: r, start: start, end: end}
	s.gap = f.close(r)
	f.out.at = append(f.out.at, f.letters.Len())
	f.letters.WriteRune(s.letter)
	f.out.symbols = append(f.out.symbols, s)
}

// betweenSymbols takes a character that is none.
func (f *folder) betweenSymbols(r rune) {
	add := func(r rune) { f.between = append(f.between, r) }
	switch {
	case unicode.IsSpace(r), r == '\ufeff', r == '|', strings.ContainsRune(bullets, r):
		f.lines = f.lines || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
		f.cell = f.cell || r == '|' || r == '\t'
		f.tick = f.tick || strings.ContainsRune(ticks, r)
		if n := len(f.between); n == 0 || f.between[n-1] != ' ' {
			add(' ')
		}
	case strings.ContainsRune(dashes, r):
		f.dash = r
		add('-')
	case strings.ContainsRune(doubleQuotes, r):
		add('"')
	case strings.ContainsRune(singleQuotes, r):
		add('\'')
	case r == '…':
		f.between = append(f.between, '.', '.', '.')
	default:
		f.strange = f.strange || !divides(r)
		add(r)
	}
}

// What is written in more than one way.
const (
	hyphens      = "-\u2010\u2011"
	dashes       = hyphens + "\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"
	doubleQuotes = "\"\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\u301f\uff02"
	singleQuotes = "'\u2018\u2019\u201a\u201b\u2032\u2039\u203a`\u00b4\uff07\u02bc"
	bullets      = "\u2022\u2023\u25aa\u25e6\u2219" + ticks
	ticks        = "\u25cf\u25a0" // bullets in lists, but in forms what was chosen
)

// noWidth reports whether a character does not show.
func noWidth(r rune) bool {
	return r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r >= '\ufe00' && r <= '\ufe0f' || unicode.IsControl(r) && !unicode.IsSpace(r)
}

// isSymbol reports whether a character is compared as a letter is: letters, digits, and
// signs that say how much or of what.
func isSymbol(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("%&@#*/\\+<=>~^$", r)
	case r == '\u02bc': // an apostrophe
		return false
	case strings.ContainsRune(bullets, r), strings.ContainsRune(dashes, r):
		return false
	default:
		return isWord(r) || unicode.In(r, unicode.Sm, unicode.Sc, unicode.So) || strings.ContainsRune("§‰‱٪؉¶†‡", r)
	}
}

// isWord reports whether a character is part of a word or number.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// close folds what stands between the last symbol and the next one; 0 is the end.
func (f *folder) close(right rune) gap {
	left := rune(0)
	if n := len(f.out.symbols); n > 0 {
		left = f.out.symbols[n-1].letter
	}
	g := gap{cell: f.lines || f.cell, line: f.lines, known: !f.strange, tick: f.tick}
	switch {
	case len(f.between) == 0:
		g.hyphen = f.soft
	case len(f.between) == 1 && f.between[0] == ' ':
		g.key = " "
		switch {
		case f.soft && unicode.IsLetter(left) && unicode.IsLetter(right):
			g.key, g.hyphen = "", true
		case unspaced(left) && unspaced(right), sticks(left, right):
			g.key = ""
		}
	case f.breaks(left, right):
		g.key, g.hyphen = "-", true
		g.joins = unicode.IsLetter(left) && unicode.IsLetter(right)
		g.binds = !g.joins
	default:
		g.key = foldBetween(f.between, left, right)
		g.hyphen = strings.Contains(g.key, "-")
		g.elides = f.between[0] == '\''
		g.binds = isWord(left) && isWord(right) && binds(f.between, f.dash, right)
		if unicode.IsNumber(right) || unicode.Is(unicode.Sc, right) {
			g.sign = signOf(f.between, left, f.dash)
		}
	}
	f.between, f.lines, f.cell, f.soft, f.tick, f.dash, f.strange = f.between[:0], false, false, false, false, 0, false
	return g
}

// breaks reports whether a line ends behind a hyphen within a word or a number. Of a word
// and a number the hyphen is their own: 19 in COVID-19. Between numbers any dash stands for
// one, but behind the last number of a cell, where it may be its minus.
func (f *folder) breaks(left, right rune) bool {
	if len(f.between) != 2 || f.between[0] != '-' || f.between[1] != ' ' || f.tick {
		return false
	}
	hyphen := strings.ContainsRune(hyphens, f.dash)
	switch letter, number := unicode.IsLetter(left), unicode.IsDigit(left); {
	case letter && unicode.IsLetter(right):
		return hyphen
	case letter && unicode.IsDigit(right):
		return hyphen
	case number && unicode.IsLetter(right):
		return hyphen && f.lines
	default:
		return number && unicode.IsDigit(right) && (f.lines || !f.cell)
	}
}

// foldBetween folds punctuation. Spaces beside it are set in one way in one language and in
// another in the next: they count between digits and before a minus only. A quotation
// within a quotation has other marks than by itself: behind digits alone, where they are
// minutes or feet, marks count as they are.
func foldBetween(between []rune, left, right rune) string {
	spaces := unicode.IsDigit(right) && (unicode.IsDigit(left) || left == 0 || slices.Contains(between, '-'))
	out := make([]rune, 0, len(between))
	for _, r := range between {
		switch {
		case r == ' ' && !spaces:
			continue
		case r == '"' && !unicode.IsDigit(left):
			r = '\''
		}
		if r == '\'' && len(out) > 0 && out[len(out)-1] == '\'' {
			continue
		}
		out = append(out, r)
	}
	return string(out)
}

// unspaced reports whether a letter is of a script that has no spaces between words.
func unspaced(r rune) bool {
	const long = '\u30fc' // of Katakana, and in no script of its own
	return r >= 0x0e00 && (r == long || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// sticks reports whether one of the two is a number and the other a sign of it, between which
// some set a space.
func sticks(left, right rune) bool {
	const before, behind = "$€£¥§#", "%‰٪؉€$£¥°"
	return unicode.IsDigit(left) && strings.ContainsRune(behind, right) || strings.ContainsRune(before, left) && unicode.IsDigit(right)
}
