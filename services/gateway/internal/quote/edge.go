package quote

import (
	"slices"
	"strings"
	"unicode"
)

// whole reports whether the symbols of t that q is compared with are whole words and
// numbers at both ends: with their signs, and with the empty box that they stand behind.
func whole(t, q folded, from int) bool {
	to := from + q.Len()
	return !cuts(t, from, true) && !cuts(t, to, false) && startsAlike(t, q, from) && !leavesBox(t, q, from, to)
}

// cuts reports whether a quotation that begins at symbol i of a text, or ends before it,
// divides what belongs together.
func cuts(t folded, i int, begins bool) bool {
	if i <= 0 || i >= t.Len() {
		return false
	}
	return sameWord(t, i, begins) || sameNumber(t, i) || joinsBySign(t, i)
}

// sameWord reports whether the symbol at i goes on the word of the one before.
func sameWord(t folded, i int, begins bool) bool {
	left, right := t.symbols[i-1].letter, t.symbols[i]
	if !isWord(left) || !isWord(right.letter) {
		return false
	}
	if unspaced(left) || unspaced(right.letter) {
		return right.gap.key == "" && sameUnspaced(t, i, begins)
	}
	switch {
	case right.gap.joins:
		return !suspended(t, i)
	case right.gap.key == "":
		return !right.gap.cell || right.gap.hyphen
	case right.gap.binds:
		return !(begins && right.gap.elides && elided(t, i))
	default:
		return false
	}
}

// Characters that may bind two parts of one word when no space is beside them. Points and
// colons do before a small letter only: elsewhere a sentence ends and the space is missing.
const (
	bindsWords = "_·־׳״֊‧" // "_", middle dot, Hebrew maqaf, geresh and gershayim, Armenian hyphen, hyphenation point
	wraps      = "'\"()[]{}"
)

// binds reports whether what stands between two letters or digits makes one word of them:
// won't, non-violent, (un)lawful. A dash that is wider than a number's is none of a word.
func binds(between []rune, dash, right rune) bool {
	marks := 0
	for _, r := range between {
		switch {
		case strings.ContainsRune(wraps, r):
		case r == '-' && dash != '\u2014' && dash != '\u2015', strings.ContainsRune(bindsWords, r), (r == '.' || r == ':') && unicode.IsLower(right):
			marks++
		default:
			return false
		}
	}
	return marks <= 1
}

// elisions are words that lose their last letter before a vowel and take an apostrophe.
// They are words: a quotation may begin behind them, as behind any article. Those that
// deny (n') are not among them.
func elisions() []string {
	return strings.Fields("l d j m t s c qu jusqu lorsqu puisqu un dell all nell sull dall quell quest")
}

// elided reports whether the word before i is one that an apostrophe ends.
func elided(t folded, i int) bool {
	from := i - 1
	for from > 0 && t.symbols[from].gap.key == "" && isWord(t.symbols[from-1].letter) {
		from--
	}
	if from > 0 && (t.symbols[from].gap.binds || t.symbols[from].gap.joins) {
		return false
	}
	return slices.Contains(elisions(), t.part(from, i))
}

// suspended reports whether the hyphen before i is one of a word whose second part comes
// later: Haupt- und Nebenstraßen.
func suspended(t folded, i int) bool {
	if t.symbols[i].gap.line {
		return false
	}
	to := i + 1
	for to < t.Len() && t.symbols[to].gap.key == "" {
		to++
	}
	return slices.Contains(strings.Fields("und oder bis sowie and or to et ou y o e en of och og"), t.part(i, to))
}

// negatesBefore are characters and words that deny what follows them, of scripts without
// spaces; negatesBehind are endings that deny.
var (
	negatesBefore = []string{"不", "非", "无", "無", "未", "没", "沒", "没有", "勿", "否", "ไม่", "มิ", "ບໍ່", "មិន", "မ"}
	negatesBehind = []string{"ない", "なか", "なく", "なけ", "ませ", "ず", "ぬ", "まい", "မ", "ဘူး"}
)

// numerals are digits, and what makes tens and thousands of them, in Han characters.
const numerals = "〇零一二三四五六七八九十百千万萬亿億兆两兩点點"

// sameUnspaced reports whether a text without spaces may not be divided at i: within a
// letter and its marks, a word of Katakana, a number, or behind what denies.
func sameUnspaced(t folded, i int, begins bool) bool {
	left, right := t.symbols[i-1].letter, t.symbols[i].letter
	switch {
	case unicode.IsMark(right), leads(left):
		return true
	case loan(left) && loan(right):
		return true
	case strings.ContainsRune(numerals, right) && (strings.ContainsRune(numerals, left) || unicode.IsDigit(left)):
		return true
	case unicode.IsDigit(right):
		return strings.ContainsRune(numerals+"第负負減减", left)
	case unicode.IsDigit(left): // the unit of a number
		return true
	case begins:
		before := t.part(max(0, i-4), i)
		return slices.ContainsFunc(negatesBefore, func(s string) bool { return strings.HasSuffix(before, s) })
	default:
		behind := t.part(i, min(t.Len(), i+4))
		return slices.ContainsFunc(negatesBehind, func(s string) bool { return strings.HasPrefix(behind, s) })
	}
}

// leads reports whether a letter is a vowel of Thai or Lao that stands before its consonant.
func leads(r rune) bool { return r >= 0x0e40 && r <= 0x0e44 || r >= 0x0ec0 && r <= 0x0ec4 }

// loan reports whether a letter is of Katakana, of which words from other languages are made.
func loan(r rune) bool { return r == '\u30fc' || unicode.Is(unicode.Katakana, r) }

// sameNumber reports whether the symbol at i goes on the number of the one before: behind a
// point, a comma, a colon, a hyphen or a slash, or, of thousands and fractions, a space.
func sameNumber(t folded, i int) bool {
	left, right := t.symbols[i-1], t.symbols[i]
	if slash(t, i) {
		return true
	}
	if !unicode.IsDigit(left.letter) || !unicode.IsNumber(right.letter) {
		return false
	}
	switch key := right.gap.key; {
	case right.gap.binds:
		return true
	case right.gap.cell:
		return false
	case key == " ":
		return thousands(t, i) || mixed(t, i)
	default:
		return !strings.Contains(key, " ")
	}
}

// slash reports whether the symbols beside i are those of a fraction or a date, 1/2.
func slash(t folded, i int) bool {
	digit := func(i int) bool { return i >= 0 && i < t.Len() && unicode.IsDigit(t.symbols[i].letter) }
	touches := func(i int) bool { return i < t.Len() && t.symbols[i].gap.key == "" }
	before := t.symbols[i-1].letter == '/' && digit(i-2) && digit(i) && touches(i) && touches(i-1)
	after := t.symbols[i].letter == '/' && digit(i-1) && digit(i+1) && touches(i) && touches(i+1)
	return before || after
}

// thousands reports whether a space at i divides a number in groups of three digits.
func thousands(t folded, i int) bool {
	run := func(i, step int) int {
		n := 0
		for i >= 0 && i < t.Len() && unicode.IsDigit(t.symbols[i].letter) {
			n++
			if step > 0 && i+1 < t.Len() && t.symbols[i+1].gap.key != "" || step < 0 && t.symbols[i].gap.key != "" {
				break
			}
			i += step
		}
		return n
	}
	const group = 3
	return run(i, 1) == group && run(i-1, -1) <= group
}

// mixed reports whether a fraction begins at i, behind a number: 5 1/2, 5 ½.
func mixed(t folded, i int) bool {
	if r := t.symbols[i].letter; r > unicode.MaxLatin1 || r >= '¼' && r <= '¾' {
		return !unicode.IsDigit(r)
	}
	for i++; i+1 < t.Len() && t.symbols[i].gap.key == ""; i++ {
		switch r := t.symbols[i].letter; {
		case r == '/' || r == '\u2044':
			return t.symbols[i+1].gap.key == "" && unicode.IsDigit(t.symbols[i+1].letter)
		case !unicode.IsDigit(r):
			return false
		}
	}
	return false
}

// joinsBySign reports whether a sign stands at i that belongs to the word or number before
// it or behind it, without a space between: +5, $5, 30 %, km/h, C++.
func joinsBySign(t folded, i int) bool {
	left, right := t.symbols[i-1].letter, t.symbols[i]
	if right.gap.key != "" || right.gap.cell {
		return false
	}
	word := func(i int) bool {
		return i >= 0 && i < t.Len() && isWord(t.symbols[i].letter) && !unspaced(t.symbols[i].letter)
	}
	touches := func(i int) bool {
		return i < t.Len() && t.symbols[i].gap.key == "" && !t.symbols[i].gap.cell
	}
	const binding, behindWord, ofNumber = `/\&@^`, "+#^", "%‰‱٪؉°^#§~"
	binds := func(r rune) bool { return strings.ContainsRune(binding, r) || unicode.Is(unicode.Sm, r) }
	numeric := func(r rune) bool { return unicode.In(r, unicode.Sm, unicode.Sc) || strings.ContainsRune(ofNumber, r) }
	switch {
	case binds(left) && word(i) && word(i-2) && touches(i-1), binds(right.letter) && word(i-1) && word(i+1) && touches(i+1):
		return true
	case numeric(left) && numeric(right.letter): // C++
		return true
	case unicode.IsNumber(right.letter):
		return numeric(left)
	case unicode.IsNumber(left):
		return numeric(right.letter)
	default:
		return word(i-1) && (strings.ContainsRune(behindWord, right.letter) || unicode.Is(unicode.Sc, right.letter)) // C+, US$
	}
}

// startsAlike reports whether a number at the beginning has the same signs in both.
func startsAlike(t, q folded, from int) bool {
	first := t.symbols[from].letter
	money := unicode.Is(unicode.Sc, first) && q.Len() > 1 && unicode.IsNumber(q.symbols[1].letter)
	return !money && !unicode.IsNumber(first) || t.symbols[from].gap.sign == q.symbols[0].gap.sign
}

// signOf returns the signs of a number before which between stands, behind left. Quotation
// marks and brackets do not part a number from its minus; a space does, since hyphens begin
// the items of lists, but from no hyphen: U+2212 is nothing but a minus.
func signOf(between []rune, left, dash rune) (s sign) {
	point := len(between) - 1
	if strings.ContainsRune(".,٫", between[point]) && (point > 0 || !isWord(left)) && (point == 0 || between[point-1] != '.') {
		s, between = signPoint, between[:point]
	}
	for n := len(between); n > 0; n-- {
		switch r := between[n-1]; {
		case r == '-':
			if dash != '\u2014' && dash != '\u2015' {
				s |= signMinus
			}
			return s
		case strings.ContainsRune(wraps, r), r == ' ' && dash == '\u2212':
		default:
			return s
		}
	}
	return s
}

// Marks of choices that were not made, or that say no: what stands behind one is not
// affirmed.
const emptyBoxes = "□▢▫○◯◌◻◽☐☒✗✘✕✖❌❎❏❐❑❒⬜⬚🔲🔳🗆🗷🗵"

// leavesBox reports whether the quotation leaves out an empty box: before its beginning,
// or on the same line behind its end.
func leavesBox(t, q folded, from, to int) bool {
	box := func(i int) bool {
		return i >= 0 && i < t.Len() && strings.ContainsRune(emptyBoxes, t.symbols[i].letter)
	}
	drawn := func(key string) bool { return strings.HasSuffix(key, "[]") || strings.HasSuffix(key, "()") }
	first := t.symbols[from].gap
	if drawn(first.key) && !drawn(q.symbols[0].gap.key) {
		return true
	}
	if box(from - 1) {
		own := first.cell && from > 1 && !t.symbols[from-1].gap.cell // the last of its line
		return !own && (first.cell || !boxesBehind(t, from-1))
	}
	return box(to) && !t.symbols[to].gap.cell && boxesBehind(t, to)
}

// boxesBehind reports whether a sign ends the line of a box, so that boxes stand behind what
// they are of: Yes □ No □.
func boxesBehind(t folded, box int) bool {
	last := box
	for last+1 < t.Len() && !t.symbols[last+1].gap.cell {
		last++
	}
	return unicode.Is(unicode.So, t.symbols[last].letter)
}
