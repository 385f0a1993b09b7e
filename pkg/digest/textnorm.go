package digest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TextNormV1 returns textnorm_v1 of s (contracts#textnorm): NFC; U+2018 to U+201B and
// U+2032 to an apostrophe, U+201C to U+201F and U+2033 to a quotation mark;
// each run of White_Space and U+FEFF to one space; trimmed; simple lower-case
// mapping, code point by code point; NFC again. A byte that is not UTF-8
// becomes U+FFFD. It is idempotent.
func TextNormV1(s string) string {
	return string(appendTextNorm(make([]byte, 0, len(s)), s))
}

// Text returns the hex sha256 of textnorm_v1 of s: text_hash of a chunk's
// text, content_text_hash of its content.
func Text(s string) string {
	return Hex(appendTextNorm(make([]byte, 0, len(s)), s))
}

// BlockHash returns a block's hash: [Text] of the unit's text, so that equal
// blocks in other markup are one (contracts#block-hash).
func BlockHash(unitText string) string {
	return Text(unitText)
}

// BlockKey returns the key under which the catalog looks for equal blocks: the first 64 bits of
// the block's hash (contracts#same-blocks).
func BlockKey(text string) int64 {
	sum := sha256.Sum256(appendTextNorm(make([]byte, 0, len(text)), text))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// BlockHashHTML returns the hash of a block's markup and text together (seeds#conventions,
// block hashes), both in their normal form: equal words in other markup are another block
// (contracts#block-hash-html). html is empty where a block has none.
func BlockHashHTML(html, text string) string {
	return HexParts(TextNormV1(html), TextNormV1(text))
}

// Fingerprint hashes the unit texts of a document as if they were joined by
// "\n" and hashed by [Text], without holding them. The caller leaves out
// furniture, running heads and error units (contracts#fingerprint). The zero value is
// ready to use.
type Fingerprint struct {
	sum hash.Hash
	buf []byte
	any bool
}

// Add adds the next unit's text.
func (f *Fingerprint) Add(unitText string) {
	if f.sum == nil {
		f.sum = sha256.New()
	}
	f.buf = append(f.buf[:0], ' ')
	f.buf = appendTextNorm(f.buf, unitText)
	text := f.buf[1:]
	if len(text) == 0 {
		return
	}
	if f.any {
		text = f.buf
	}
	f.any = true
	f.sum.Write(text)
}

// Sum returns the fingerprint of what was added, in hex.
func (f *Fingerprint) Sum() string {
	if f.sum == nil {
		return Text("")
	}
	return hex.EncodeToString(f.sum.Sum(nil))
}

// appendTextNorm appends textnorm_v1 of s to dst.
func appendTextNorm(dst []byte, s string) []byte {
	start := len(dst)
	dst, ok := appendFolded(dst, s, inert)
	if ok {
		return dst
	}
	dst, _ = appendFolded(dst[:start], nfc(s), anyRune)
	if norm.NFC.IsNormal(dst[start:]) {
		return dst
	}
	return append(dst[:start], nfc(string(dst[start:]))...)
}

// inert tells whether r and what it is folded to are the same in every text
// under NFC: most text of European languages is made of such alone, and need
// not be normalised. U+0300 begins the combining marks; the second range holds
// spaces, punctuation and currencies.
func inert(r rune) bool {
	return r < 0x300 || r >= 0x2002 && r < 0x20D0
}

func anyRune(rune) bool { return true }

// appendFolded appends s with straight quotes, single spaces and in lower case
// to dst, trimmed. It stops at the first code point that allowed refuses.
func appendFolded(dst []byte, s string, allowed func(rune) bool) (out []byte, ok bool) {
	start, space := len(dst), true
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r > ' ' && r < 'A':
			dst = append(dst, byte(r))
			space = false
			continue
		case r >= utf8.RuneSelf && !allowed(r):
			return dst, false
		case r == '\uFEFF' || unicode.IsSpace(r): // IsSpace is White_Space
			if !space {
				dst = append(dst, ' ')
			}
			space = true
			continue
		default:
			r = unicode.ToLower(straightQuote(r))
		}
		space = false
		dst = utf8.AppendRune(dst, r)
	}
	return trimSpace(dst, start), true
}

// trimSpace removes the one space that may end dst after start.
func trimSpace(dst []byte, start int) []byte {
	if n := len(dst); n > start && dst[n-1] == ' ' {
		return dst[:n-1]
	}
	return dst
}

func straightQuote(r rune) rune {
	switch {
	case r < 0x2018 || r > 0x2033:
		return r
	case r <= 0x201B || r == 0x2032:
		return '\''
	case r <= 0x201F || r == 0x2033:
		return '"'
	default:
		return r
	}
}

// graphemeJoiner is U+034F, which golang.org/x/text puts into runs of more
// than 30 combining marks (stream-safe text, UAX 15). NFC knows no such rule.
const graphemeJoiner = "\u034F"

// nfc returns s in normal form C.
func nfc(s string) string {
	out := norm.NFC.String(s)
	if strings.Count(out, graphemeJoiner) == strings.Count(s, graphemeJoiner) {
		return out
	}
	return nfcLongRuns(s)
}

// mark is a decomposed code point and its canonical combining class.
type mark struct {
	r     rune
	class uint8
}

// nfcLongRuns is NFC as Unicode 3.11 defines it, for text with runs of
// combining marks of any length. It is slower than package norm.
func nfcLongRuns(s string) string {
	var marks []mark
	for _, r := range s {
		for _, d := range norm.NFD.String(string(r)) {
			marks = append(marks, mark{d, norm.NFD.PropertiesString(string(d)).CCC()})
		}
	}
	for i := 0; i < len(marks); i++ {
		end := i
		for end < len(marks) && marks[end].class != 0 {
			end++
		}
		slices.SortStableFunc(marks[i:end], func(a, b mark) int { return cmp.Compare(a.class, b.class) })
		i = end
	}
	return compose(marks)
}

// compose joins each mark with the last starter before it, unless one of equal
// or higher class, or a starter, stands between.
func compose(marks []mark) string {
	out := make([]mark, 0, len(marks))
	starter := -1
	for _, m := range marks {
		if starter >= 0 {
			last := out[len(out)-1]
			adjacent := starter == len(out)-1
			if adjacent || last.class != 0 && last.class < m.class {
				if r, ok := composite(out[starter].r, m.r); ok {
					out[starter].r = r
					continue
				}
			}
		}
		if m.class == 0 {
			starter = len(out)
		}
		out = append(out, m)
	}
	var b strings.Builder
	for _, m := range out {
		b.WriteRune(m.r)
	}
	return b.String()
}

// composite returns the primary composite of two code points, if there is one.
func composite(a, b rune) (rune, bool) {
	pair := norm.NFC.String(string([]rune{a, b}))
	r, size := utf8.DecodeRuneInString(pair)
	return r, size == len(pair)
}
