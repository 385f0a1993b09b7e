package language

import "unicode"

// script is a writing system, as far as languages are told by it.
type script uint8

// The scripts that several languages share have a family; the others stand for
// one language.
const (
	none script = iota
	latin
	cyrillic
	arabic
	devanagari
	greek
	hebrew
	han
	kana
	hangul
	thai
	georgian
	armenian
	bengali
	gurmukhi
	gujarati
	tamil
	telugu
	kannada
	malayalam
	sinhala
	lao
	tibetan
	burmese
	ethiopic
	khmer
	scripts
)

// alone holds the language that a script stands for.
var alone = [scripts]string{
	greek: "el", hebrew: "he", han: "zh", kana: "ja", hangul: "ko", thai: "th", georgian: "ka", armenian: "hy",
	bengali: "bn", gurmukhi: "pa", gujarati: "gu", tamil: "ta", telugu: "te", kannada: "kn", malayalam: "ml",
	sinhala: "si", lao: "lo", tibetan: "bo", burmese: "my", ethiopic: "am", khmer: "km",
}

// tables are the code points of the scripts beyond Latin.
var tables = []struct {
	script script
	table  *unicode.RangeTable
}{
	{cyrillic, unicode.Cyrillic}, {arabic, unicode.Arabic}, {devanagari, unicode.Devanagari}, {greek, unicode.Greek},
	{hebrew, unicode.Hebrew}, {han, unicode.Han}, {kana, unicode.Hiragana}, {kana, unicode.Katakana}, {hangul, unicode.Hangul},
	{thai, unicode.Thai}, {georgian, unicode.Georgian}, {armenian, unicode.Armenian}, {bengali, unicode.Bengali},
	{gurmukhi, unicode.Gurmukhi}, {gujarati, unicode.Gujarati}, {tamil, unicode.Tamil}, {telugu, unicode.Telugu},
	{kannada, unicode.Kannada}, {malayalam, unicode.Malayalam}, {sinhala, unicode.Sinhala}, {lao, unicode.Lao},
	{tibetan, unicode.Tibetan}, {burmese, unicode.Myanmar}, {ethiopic, unicode.Ethiopic}, {khmer, unicode.Khmer},
}

// scriptOf returns the script of a letter, none for what belongs to no script
// that is known.
func scriptOf(r rune) script {
	at := 0
	return scriptNear(r, &at)
}

// scriptNear returns the script of a letter, and looks first among those of the
// table that the letter before was in.
func scriptNear(r rune, at *int) script {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		return latin
	case r < 0xAA:
		return none
	case r < 0x370 || r >= 0x1E00 && r < 0x1F00:
		if unicode.Is(unicode.Latin, r) {
			return latin
		}
		return none
	}
	if unicode.Is(tables[*at].table, r) {
		return tables[*at].script
	}
	for i, t := range tables {
		if unicode.Is(t.table, r) {
			*at = i
			return t.script
		}
	}
	return none
}

// mainScript returns the script of most letters of a text, and how many letters
// there are in it and in all. Where there is kana in a text of Chinese
// characters, it is Japanese.
func mainScript(text string) (main script, in, all int) {
	var n [scripts]int
	at := 0
	for _, r := range text {
		if s := scriptNear(r, &at); s != none {
			n[s]++
			all++
		}
	}
	if n[kana]*10 >= n[han] && n[kana] > 0 {
		n[kana] += n[han]
		n[han] = 0
	}
	for s := range n {
		if n[s] > in {
			main, in = script(s), n[s]
		}
	}
	return main, in, all
}
