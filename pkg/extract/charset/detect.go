package charset

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/colophon-dev/colophon/pkg/language"
)

// maxSample is how many bytes are looked at to tell an encoding.
const maxSample = 64 << 10

// detect chooses the encoding of bytes that are not UTF-8 and of which nothing
// true is declared: by escapes, then by what the bytes would mean, with the
// language as a hint. Where nothing speaks for another it is windows-1252, as
// browsers do it.
func detect(raw []byte, lang string) Choice {
	if c, ok := byEscapes(raw); ok {
		c.Origin, c.Percent = FromBytes, surePattern
		return c
	}
	sample := raw[:min(len(raw), maxSample)]
	single, likely := singleByte(telling(sample), lang)
	if c, ok := eastAsian(sample, lang); ok {
		text, err := c.codec.NewDecoder().Bytes(telling(sample))
		if margin := language.Plausible(string(text)) - likely; err == nil && margin > 0 {
			c.Origin, c.Percent = FromBytes, percent(margin)
			return c
		}
	}
	return single
}

// percent returns how sure the likelier of two readings is, by the distance of
// their logarithms: 50 when they are equally likely.
func percent(margin int) int {
	bits := min(max(margin*bitsOfHint/hint, 0), 7)
	return []int{50, 67, 80, 89, 94, 97, 98, 99}[bits]
}

// hint is what the language of a document counts when encodings are compared, as
// language.Plausible counts: about eight bits.
const (
	hint       = 500
	bitsOfHint = 8
)

// single are the encodings of one byte a character, those that are likelier
// first, and by how many bits the others are rarer than the first.
func single() []struct {
	name  string
	codec *charmap.Charmap
	langs string // that the encoding is usual for
	rarer int
} {
	return []struct {
		name  string
		codec *charmap.Charmap
		langs string
		rarer int
	}{
		{"windows-1252", charmap.Windows1252, "", 0},
		{"iso-8859-15", charmap.ISO8859_15, "", 1},
		{"windows-1250", charmap.Windows1250, "pl cs sk hu hr sl ro", 3},
		{"iso-8859-2", charmap.ISO8859_2, "pl cs sk hu hr sl ro", 3},
		{"windows-1251", charmap.Windows1251, "ru uk bg sr mk be", 3},
		{"koi8-r", charmap.KOI8R, "ru", 3},
		{"koi8-u", charmap.KOI8U, "uk", 4},
		{"ibm866", charmap.CodePage866, "ru", 4},
		{"windows-1253", charmap.Windows1253, "el", 3},
		{"iso-8859-7", charmap.ISO8859_7, "el", 3},
		{"windows-1254", charmap.Windows1254, "tr", 3},
		{"windows-1255", charmap.Windows1255, "he", 3},
		{"windows-1256", charmap.Windows1256, "ar fa ur", 3},
		{"windows-1257", charmap.Windows1257, "lt lv et", 5},
		{"macintosh", charmap.Macintosh, "", 4},
		{"x-mac-cyrillic", charmap.MacintoshCyrillic, "ru uk", 6},
	}
}

// singleByte returns the encoding in which the bytes are most likely text of
// some language, and how likely. A hint of the language settles what is nearly
// alike.
func singleByte(sample []byte, lang string) (Choice, int) {
	type reading struct {
		at, score int
		text      string
	}
	var readings []reading
	all := single()
	var words language.Memory // most words are the same in all of them
	for i, c := range all {
		text, err := c.codec.NewDecoder().Bytes(sample)
		if err != nil {
			continue
		}
		score := words.Plausible(string(text)) - c.rarer*hint/bitsOfHint
		if lang != "" && slices.Contains(strings.Fields(c.langs), lang) {
			score += hint
		}
		readings = append(readings, reading{i, score, string(text)})
	}
	best := reading{}
	for i, r := range readings {
		if i == 0 || r.score > best.score {
			best = r
		}
	}
	sure := 99
	for _, r := range readings { // others that give the same text are no others
		if r.text != best.text {
			sure = min(sure, percent(best.score-r.score))
		}
	}
	return Choice{Name: all[best.at].name, codec: all[best.at].codec, Origin: FromBytes, Percent: sure}, best.score
}

// telling returns the lines of a sample that have bytes beyond ASCII: only they
// tell one encoding from another.
func telling(sample []byte) []byte {
	const enough = 2 << 10
	var out []byte
	for line := range bytes.Lines(sample) {
		if slices.ContainsFunc(line, func(b byte) bool { return b >= 0x80 }) {
			out = append(out, line[:min(len(line), enough)]...)
		}
		if len(out) >= enough {
			return out[:enough]
		}
	}
	return out
}

// byEscapes finds ISO-2022-JP, which is all ASCII.
func byEscapes(raw []byte) (Choice, bool) {
	if (bytes.Contains(raw, []byte("\x1b$B")) || bytes.Contains(raw, []byte("\x1b$@"))) && bytes.Contains(raw, []byte("\x1b(")) {
		return Choice{Name: "iso-2022-jp", codec: japanese.ISO2022JP, whole: true}, true
	}
	return Choice{}, false
}

// eastAsian tries the multi-byte encodings: one fits when (almost) no byte is
// left without a meaning and the characters are those that its language is
// full of.
func eastAsian(sample []byte, lang string) (Choice, bool) {
	type candidate struct {
		name  string
		codec encoding.Encoding
		lang  string
		usual func(r rune) bool
		share int // percent of the characters beyond ASCII that must be usual
	}
	kana := func(r rune) bool { return r >= 0x3041 && r <= 0x30FF }
	hangul := func(r rune) bool { return unicode.Is(unicode.Hangul, r) }
	han := func(r rune) bool {
		return r >= 0x4E00 && r <= 0x9FA5 || r >= 0x3000 && r <= 0x3002 || r >= 0xFF01 && r <= 0xFF5E
	}
	for _, c := range []candidate{
		{"shift_jis", japanese.ShiftJIS, "ja", kana, 25},
		{"euc-jp", japanese.EUCJP, "ja", kana, 25},
		{"euc-kr", korean.EUCKR, "ko", hangul, 60},
		{"big5", traditionalchinese.Big5, "zh", func(r rune) bool { return han(r) && lang == "zh" }, 90},
		{"gb18030", simplifiedchinese.GB18030, "zh", han, 90},
	} {
		out, err := c.codec.NewDecoder().Bytes(sample)
		if err != nil {
			continue
		}
		beyond, usual, bad := 0, 0, 0
		for _, r := range string(out) {
			switch {
			case r == utf8.RuneError:
				bad++
			case r >= utf8.RuneSelf:
				beyond++
				if c.usual(r) {
					usual++
				}
			}
		}
		if beyond >= 8 && bad*50 <= beyond && usual*100 >= beyond*c.share {
			return Choice{Name: c.name, codec: c.codec}, true
		}
	}
	return Choice{}, false
}
