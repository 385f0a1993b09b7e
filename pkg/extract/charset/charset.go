// Package charset decides how the bytes of a captured document are to be read
// and decodes them with their places in the raw bytes. A wrong or missing
// declaration loses nothing: what the bytes themselves say decides against it,
// and it is noted.
package charset

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// The flags that a choice may carry.
const (
	FlagOverridden = "encoding_overridden" // the declaration does not fit the bytes
	FlagDetected   = "encoding_detected"   // nothing is declared, and the bytes are not UTF-8
	FlagReplaced   = "bytes_replaced"      // some bytes have no meaning in the encoding
)

// Declared is what is known about a document's encoding, best first.
type Declared struct {
	HTTP     string // charset of the transport
	Document string // what the document says itself (meta, XML declaration)
	Language string // ISO 639-1: settles what bytes alone do not
}

// Where a choice is from.
const (
	FromMark     = "byte_order_mark"
	FromHTTP     = "http"
	FromDocument = "document" // its meta element or XML declaration
	FromBytes    = "bytes"
)

// Choice is how a document is read.
type Choice struct {
	Name    string // WHATWG name, "utf-8"
	Flag    string // "" when the declaration was right
	BOM     int    // bytes of byte order mark, before the text
	Note    string // a sentence, when there is a flag
	Origin  string // where it is from
	Percent int    // how sure it is: 100 for a mark, 50 for what two encodings say equally well
	codec   encoding.Encoding
	whole   bool // must be decoded whole: not ASCII-compatible, or with state
}

// How sure a choice is for which nothing is weighed, in percent: what is
// declared and fits the bytes, and a pattern that chance hardly makes.
const (
	sureDeclared = 90
	surePattern  = 95
)

// Whole returns the choice for reading a document at once: the bytes of its Text
// are then UTF-8, whatever the encoding.
func (c Choice) Whole() Choice {
	c.whole = true
	return c
}

// FromContentType returns the charset parameter of a content type, "".
func FromContentType(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		_, rest, ok := strings.Cut(strings.ToLower(contentType), "charset=")
		if !ok {
			return ""
		}
		return strings.Trim(strings.SplitN(rest, ";", 2)[0], ` "'`)
	}
	return params["charset"]
}

// Choose decides how raw is read: a byte order mark wins, then what is
// declared, as far as the bytes allow it, then the bytes.
func Choose(raw []byte, d Declared) Choice {
	if c, ok := byMark(raw); ok {
		c.Origin, c.Percent = FromMark, 100
		return c
	}
	if c, ok := byZeros(raw); ok {
		c.Origin, c.Percent = FromBytes, surePattern
		return c
	}
	valid, multi, broken := surveyUTF8(raw)
	for _, declared := range []struct{ label, origin string }{{d.HTTP, FromHTTP}, {d.Document, FromDocument}} {
		label := declared.label
		c, ok := byLabel(label)
		if !ok {
			continue
		}
		c.Origin, c.Percent = declared.origin, sureDeclared
		switch {
		case c.Name == "utf-8" && valid:
			c.Percent = 100
		case c.Name == "utf-8" && !valid && broken > multi:
			// Not UTF-8, whatever it says: what the document says against it, or the bytes.
			if own, ok := byLabel(d.Document); ok && own.Name != "utf-8" {
				c, c.Origin, c.Percent = own, FromDocument, sureDeclared
			} else {
				c = detect(raw, d.Language)
			}
			c.Flag, c.Note = FlagOverridden, fmt.Sprintf("declared as %q, but %d sequences of its bytes are not; read as %s", label, broken, c.Name)
		case c.Name != "utf-8" && !c.whole && valid && multi > 0:
			c = utf8Choice()
			c.Flag, c.Note = FlagOverridden, fmt.Sprintf("declared as %q, but its bytes are UTF-8 with %d characters beyond ASCII; read as utf-8", label, multi)
		}
		return c
	}
	c, escapes := byEscapes(raw)
	if (valid || broken*4 <= multi) && (multi > 0 || !escapes) {
		c = utf8Choice()
		if valid && multi == 0 {
			c.Percent = 100 // ASCII
		}
		return c
	}
	c = detect(raw, d.Language)
	c.Flag, c.Note = FlagDetected, "no encoding is declared; read as "+c.Name
	return c
}

// utf8Choice is the choice of UTF-8 because the bytes are that.
func utf8Choice() Choice {
	return Choice{Name: "utf-8", codec: unicode.UTF8, Origin: FromBytes, Percent: surePattern}
}

func byMark(raw []byte) (Choice, bool) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xEF\xBB\xBF")):
		c := utf8Choice()
		c.BOM = 3
		return c, true
	case bytes.HasPrefix(raw, []byte("\xFE\xFF")):
		c := utf16(unicode.BigEndian)
		c.BOM = 2
		return c, true
	case bytes.HasPrefix(raw, []byte("\xFF\xFE")):
		c := utf16(unicode.LittleEndian)
		c.BOM = 2
		return c, true
	}
	return Choice{}, false
}

func utf16(order unicode.Endianness) Choice {
	name := "utf-16be"
	if order == unicode.LittleEndian {
		name = "utf-16le"
	}
	return Choice{Name: name, codec: unicode.UTF16(order, unicode.IgnoreBOM), whole: true}
}

// byZeros finds UTF-16 without a mark: every other byte of the beginning is
// zero.
func byZeros(raw []byte) (Choice, bool) {
	const look, need = 512, 8
	var zeros [2]int
	n := min(len(raw), look) &^ 1
	for i := range n {
		if raw[i] == 0 {
			zeros[i&1]++
		}
	}
	half := n / 2
	for side, order := range []unicode.Endianness{unicode.BigEndian, unicode.LittleEndian} {
		if half >= need && zeros[side]*10 >= half*7 && zeros[1-side]*20 <= half {
			c := utf16(order)
			c.Flag, c.Note = FlagDetected, "no byte order mark; read as "+c.Name
			return c, true
		}
	}
	return Choice{}, false
}

// byLabel returns the encoding of a label of the WHATWG standard. UTF-16
// without a mark or zeros is not possible, so such a label is wrong: not ok,
// like a label that nobody knows and the encodings that the standard replaces.
func byLabel(label string) (Choice, bool) {
	label = strings.ToLower(strings.Trim(label, " \t\r\n\f\"'"))
	switch label {
	case "", "utf-16", "utf-16le", "utf-16be", "unicode", "csunicode":
		return Choice{}, false
	case "hz-gb-2312":
		return Choice{Name: label, codec: simplifiedchinese.HZGB2312, whole: true}, true
	}
	codec, err := htmlindex.Get(label)
	if err != nil || codec == encoding.Replacement {
		return Choice{}, false
	}
	name, err := htmlindex.Name(codec)
	if err != nil {
		return Choice{}, false
	}
	if name == "utf-8" {
		return utf8Choice(), true
	}
	return Choice{Name: name, codec: codec, whole: codec == japanese.ISO2022JP}, true
}

// surveyUTF8 counts the characters of raw beyond ASCII that are UTF-8 and the
// sequences that are not. A sequence that the end of raw cuts is no fault.
func surveyUTF8(raw []byte) (valid bool, multi, broken int) {
	if utf8.Valid(raw) {
		for _, c := range raw {
			if c >= 0xC0 { // the first byte of one
				multi++
			}
		}
		return true, multi, 0
	}
	for i := 0; i < len(raw); {
		if raw[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r != utf8.RuneError || size > 1:
			multi++
		case !utf8.FullRune(raw[i:]):
			return broken == 0, multi, broken
		default:
			broken++
		}
		i += size
	}
	return broken == 0, multi, broken
}
