package charset

import (
	"fmt"
	"sort"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Text is a document that can be read piece by piece: Bytes are in an
// encoding in which ASCII characters stand for themselves and for nothing
// else, so that markup and line ends can be looked for; Decode turns pieces
// of them, cut beside such characters, into UTF-8; At gives their places in
// the raw bytes.
type Text struct {
	Bytes   []byte
	Choice  Choice
	decoder *encoding.Decoder // nil when Bytes are meant to be UTF-8
	runs    []run             // nil when Bytes are a slice of the raw bytes
	valid   bool              // Bytes are UTF-8 from end to end
	rawSize int64
	lines   lineCount

	replaced []model.Span // what had no meaning, in raw bytes; at most maxReplaced
	count    int
}

// maxReplaced is how many replaced places are listed; all are counted.
const maxReplaced = 100

// run maps places of decoded text: from (text, raw) on, every character takes
// dText bytes of text and dRaw of raw.
type run struct{ text, raw, dText, dRaw int64 }

// Open prepares raw for reading as c says.
func Open(raw []byte, c Choice) *Text {
	t := &Text{Choice: c, rawSize: int64(len(raw))}
	body := raw[c.BOM:]
	switch {
	case c.whole:
		t.decodeWhole(body, c)
		t.valid = true
	case c.Name == "utf-8":
		t.Bytes, t.valid = body, utf8.Valid(body)
	default:
		t.Bytes, t.decoder = body, c.codec.NewDecoder()
	}
	return t
}

// UTF8 reports whether Bytes are UTF-8 from end to end: Decode changes nothing then.
func (t *Text) UTF8() bool { return t.valid }

// At returns the place in the raw bytes of place i of t.Bytes.
func (t *Text) At(i int) int64 {
	if t.runs == nil {
		return int64(t.Choice.BOM + i)
	}
	if i >= len(t.Bytes) {
		return t.rawSize
	}
	n := sort.Search(len(t.runs), func(n int) bool { return t.runs[n].text > int64(i) }) - 1
	r := t.runs[n]
	return r.raw + (int64(i)-r.text)/r.dText*r.dRaw
}

// decodeWhole decodes body character by character into t.Bytes and keeps where
// each came from, as runs of equal steps.
func (t *Text) decodeWhole(body []byte, c Choice) {
	decoder := c.codec.NewDecoder()
	out := make([]byte, 0, len(body))
	t.runs = []run{}
	var buf [utf8.UTFMax]byte
	for at := 0; at < len(body); {
		nDst, nSrc := one(decoder, &buf, body[at:])
		if nSrc == 0 { // what is left has no meaning
			nDst, nSrc = utf8.EncodeRune(buf[:], utf8.RuneError), len(body)-at
		}
		t.step(int64(len(out)), int64(c.BOM+at), buf[:nDst], int64(nSrc))
		out = append(out, buf[:nDst]...)
		at += nSrc
	}
	t.Bytes = out
}

// one decodes the next character of src, or takes in what has none of its own
// (a change of state). A buffer that only just holds it keeps the decoder from
// going on to the next.
func one(decoder *encoding.Decoder, buf *[utf8.UTFMax]byte, src []byte) (nDst, nSrc int) {
	for size := 1; size <= len(buf); size++ {
		nDst, nSrc, _ = decoder.Transform(buf[:size], src, true)
		if nSrc > 0 {
			break
		}
	}
	return nDst, nSrc
}

// step records that the next characters came from the next n raw bytes.
func (t *Text) step(text, raw int64, chars []byte, n int64) {
	if len(chars) == 0 {
		return
	}
	if r, _ := utf8.DecodeRune(chars); r == utf8.RuneError {
		t.replace(raw, raw+n)
	}
	d := int64(len(chars))
	if k := len(t.runs) - 1; k >= 0 {
		last := t.runs[k]
		if last.dText == d && last.dRaw == n && last.raw+(text-last.text)/d*n == raw {
			return
		}
	}
	t.runs = append(t.runs, run{text, raw, d, n})
}

// Decode returns t.Bytes[from:to] as UTF-8. What has no meaning becomes
// U+FFFD and is noted with its place.
func (t *Text) Decode(from, to int) []byte {
	piece := t.Bytes[from:to]
	if t.valid || ascii(piece) {
		return piece
	}
	if t.decoder == nil {
		if utf8.Valid(piece) {
			return piece
		}
		return t.mend(piece, from)
	}
	t.decoder.Reset()
	out, err := t.decoder.Bytes(piece)
	if err != nil {
		return t.mend(piece, from)
	}
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError {
			t.replace(t.At(from), t.At(to))
			break
		}
		i += size
	}
	return out
}

// Slice returns t.Bytes[from:to] as UTF-8 without noting anything.
func (t *Text) Slice(from, to int) string {
	c := *t
	c.replaced, c.count = nil, 0
	return string(c.Decode(from, to))
}

// mend returns piece, which is at from, with U+FFFD for each byte that is not
// UTF-8.
func (t *Text) mend(piece []byte, from int) []byte {
	out := make([]byte, 0, len(piece)+16)
	for i := 0; i < len(piece); {
		r, size := utf8.DecodeRune(piece[i:])
		if r == utf8.RuneError && size == 1 {
			t.replace(t.At(from+i), t.At(from+i+1))
		}
		out = utf8.AppendRune(out, r)
		i += size
	}
	return out
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (t *Text) replace(start, end int64) {
	t.count++
	if n := len(t.replaced); n > 0 && t.replaced[n-1].End == start {
		t.replaced[n-1].End = end
		return
	}
	if len(t.replaced) < maxReplaced {
		t.replaced = append(t.replaced, model.Span{Start: start, End: end})
	}
}

// Notes returns the flags and warnings of a document about its encoding, once
// all of it is decoded.
func (t *Text) Notes() (flags, warnings []string) {
	if t.Choice.Flag != "" {
		flags, warnings = append(flags, t.Choice.Flag), append(warnings, t.Choice.Note)
	}
	if t.count > 0 {
		flags = append(flags, FlagReplaced)
		warnings = append(warnings, fmt.Sprintf("%d places have no meaning in %s, the first in bytes %d–%d",
			t.count, t.Choice.Name, t.replaced[0].Start, t.replaced[0].End))
	}
	return flags, warnings
}

// WarningsIn returns a warning for each listed place that is in a span of the
// raw bytes.
func (t *Text) WarningsIn(s model.Span) []string {
	var out []string
	for _, p := range t.replaced {
		if p.Start < s.End && p.End > s.Start {
			out = append(out, fmt.Sprintf("bytes %d–%d have no meaning in %s and stand as U+FFFD", p.Start, p.End, t.Choice.Name))
		}
	}
	return out
}
