package language

import (
	"strings"
	"unicode"
)

// The costs of what a text in the wrong encoding is full of, in 64ths of a bit.
const (
	costBroken   = 20 * bit    // control characters, and what has no meaning
	costForeign  = 8 * bit     // letters of another script, and words of two
	costSign     = 4 * bit     // signs of prose beyond ASCII: there are few
	costSymbol   = 5 * bit     // signs that are not those of running text
	costCapital  = 4 * bit     // a capital within a word
	costUnknown  = bit * 5 / 2 // a letter of a script of which no words are known
	signsOfProse = "«»‘’‚“”„–—…€£§°·•©®ªº½¼¾²³¿¡\u00A0\u00AD،؛؟\u200E\u200F"
)

// Bit is the unit of Plausible: so many are a factor of two.
const Bit = bit

// Plausible returns how likely a text is in the language that fits it best, as a
// logarithm: the higher the likelier. It compares what the same bytes mean in
// one encoding and another.
func Plausible(text string) int { return new(Memory).Plausible(text) }

// Plausible returns what the function [Plausible] does, faster for several texts with
// the same words. It
// forgets what was said among fewer languages.
func (memory *Memory) Plausible(text string) int {
	main, _, _ := mainScript(text)
	m := memory.family(main)
	cost, before, last, at := 0, rune(' '), none, 0
	for _, r := range text {
		s := scriptNear(r, &at)
		if s == han {
			s = kana // they are written as one
		}
		switch {
		case s != none && last != none && s != last:
			cost += costForeign
		case r == unicode.ReplacementChar || unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && r != '\f':
			cost += costBroken
		case unicode.IsUpper(r) && unicode.IsLower(before):
			cost += costCapital
		case s != none && s != main && (s != latin || r >= 0x80) && (s != kana || main != han):
			cost += costForeign
		case s == none && r >= 0x80 && !unicode.IsMark(r):
			if cost += costSign; !strings.ContainsRune(signsOfProse, r) {
				cost += costSymbol
			}
		}
		if m == nil && s != none {
			cost += costUnknown
		}
		before, last = r, s
	}
	if m == nil {
		return -cost
	}
	memory.hold(nil)
	found, _ := m.score(text, memory)
	lead(found)
	return found[0].score - cost
}
