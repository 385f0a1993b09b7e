package charset

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// maxSample is how many bytes are looked at to tell an encoding.
const maxSample = 64 << 10

// detect chooses the encoding of bytes that are not UTF-8 and of which nothing
// true is declared: by escapes, then by what the bytes would mean, with the
// language as a hint. What is left is windows-1252, in which every byte has a
// meaning, as browsers do it.
func detect(raw []byte, lang string) Choice {
	if bytes.Contains(raw, []byte("\x1b$")) && bytes.Contains(raw, []byte("\x1b(")) {
		return Choice{Name: "iso-2022-jp", codec: japanese.ISO2022JP, whole: true}
	}
	sample := raw[:min(len(raw), maxSample)]
	if c, ok := eastAsian(sample, lang); ok {
		return c
	}
	high, letters := 0, 0
	for _, b := range sample {
		if b >= 0xC0 {
			high++
		}
		if b|0x20 >= 'a' && b|0x20 <= 'z' {
			letters++
		}
	}
	if high > letters/2 && high > 8 || lang == "ru" || lang == "uk" || lang == "bg" || lang == "el" {
		return highLetters(sample, lang)
	}
	switch lang {
	case "pl", "cs", "sk", "hu", "hr", "sl", "ro":
		return Choice{Name: "windows-1250", codec: charmap.Windows1250}
	case "tr":
		return Choice{Name: "windows-1254", codec: charmap.Windows1254}
	}
	return Choice{Name: "windows-1252", codec: charmap.Windows1252}
}

// highLetters tells the encodings in which most letters are above 0xC0: in
// KOI8 the small ones are the lower half, in the others the upper.
func highLetters(sample []byte, lang string) Choice {
	lower, upper := 0, 0
	for _, b := range sample {
		switch {
		case b >= 0xE0:
			upper++
		case b >= 0xC0:
			lower++
		}
	}
	switch {
	case lang == "el":
		return Choice{Name: "windows-1253", codec: charmap.Windows1253}
	case lang == "he":
		return Choice{Name: "windows-1255", codec: charmap.Windows1255}
	case lang == "ar":
		return Choice{Name: "windows-1256", codec: charmap.Windows1256}
	case lower > upper:
		return Choice{Name: "koi8-r", codec: charmap.KOI8R}
	default:
		return Choice{Name: "windows-1251", codec: charmap.Windows1251}
	}
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
