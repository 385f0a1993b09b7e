package digest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// JCS returns v as canonical JSON (RFC 8785): what encoding/json makes of v,
// with keys in the order of their UTF-16 code units, numbers as ECMAScript
// prints them, and nothing escaped that need not be. It fails for what JSON
// cannot hold (NaN, channels, a failing MarshalJSON), for keys that occur twice, and for
// a number that a float64 cannot hold: RFC 8785 would round it.
func JCS(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	out := jsontext.Value(buf.Bytes())
	if err == nil {
		err = checkNumbers(out)
	}
	if err == nil {
		err = out.Canonicalize()
	}
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return out, nil
}

// errNotFinite says that a float is no number that JSON can hold.
var errNotFinite = errors.New("not a finite number")

// appendNumber appends a float as canonical JSON prints it (RFC 8785, 3.2.2.3).
func appendNumber(dst []byte, f float64) ([]byte, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return dst, errNotFinite
	case f == 0: // minus zero, too
		return append(dst, '0'), nil
	}
	return append(dst, jsontext.Float(f).String()...), nil
}

// OCRRun returns the ocr_run of an extraction_id (contracts#extraction-id): the hex sha256 of
// the settings of an explicit OCR run. It fails when they have no canonical JSON.
func OCRRun(settings any) (string, error) {
	b, err := JCS(settings)
	if err != nil {
		return "", fmt.Errorf("settings of an OCR run: %w", err)
	}
	return Hex(b), nil
}

// SourceRulesDigest returns the source_rules_digest: hex sha256 of the JCS of
// the rules that shape units, of {} when rules is nil (contracts#source-rules-digest).
func SourceRulesDigest(rules any) (string, error) {
	if rules == nil {
		rules = struct{}{}
	}
	b, err := JCS(rules)
	if err != nil {
		return "", fmt.Errorf("source rules digest: %w", err)
	}
	return Hex(b), nil
}

// exactDigits is how many digits any integer may have and be exact as float64.
const exactDigits = 15

// checkNumbers refuses numbers in the JSON text b that are beyond a float64, and
// integers that are not exact as one.
func checkNumbers(b []byte) error {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case c == '-' || c >= '0' && c <= '9':
			start, integer := i, true
			for ; i < len(b) && isNumberByte(b[i]); i++ {
				integer = integer && b[i] != '.' && b[i] != 'e' && b[i] != 'E'
			}
			number := b[start:i]
			if integer && len(number) > exactDigits && !exactInteger(string(number)) {
				return fmt.Errorf("integer %.40s is not exact as a 64 bit float", number)
			}
			if !integer && !finite(string(number)) {
				return fmt.Errorf("number %.40s is beyond a 64 bit float", number)
			}
			i--
		}
	}
	return nil
}

func finite(number string) bool {
	_, err := strconv.ParseFloat(number, 64)
	return err == nil
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// exactInteger tells whether a float64 holds the integer, or whether it is the
// way in which canonical JSON itself writes one.
func exactInteger(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	canonical, err := appendNumber(nil, f)
	return err == nil && (string(canonical) == number || strconv.FormatFloat(f, 'f', 0, 64) == number)
}

// appendStringArray appends the JCS array of parts to dst.
func appendStringArray(dst []byte, parts []string) []byte {
	dst = append(dst, '[')
	for i, part := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, part)
	}
	return append(dst, ']')
}

// appendString appends the JCS form of s to dst (RFC 8785, 3.2.2.2).
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	beyond := byte(utf8.RuneSelf) // until it is known to be UTF-8, what is not ASCII is looked at
	for {
		n := unescaped(s, beyond)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"')
		}
		switch c := s[n]; {
		case c >= utf8.RuneSelf:
			if s, n, beyond = s[n:], -1, 0; !utf8.ValidString(s) {
				s = string([]rune(s)) // each byte that is none as U+FFFD
			}
		case c >= ' ':
			dst = append(dst, '\\', c)
		default:
			dst = appendControl(dst, rune(c))
		}
		s = s[n+1:]
	}
}

// Words of eight bytes that have the low bit, or the high bit, of each byte set.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// unescaped returns how many bytes of s come before the first that must be escaped,
// or has the bit beyond.
func unescaped(s string, beyond byte) int {
	b := []byte(s) // not written to: no copy
	n := 0
	for ; n+8 <= len(b); n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		quotes, slashes := w^lowBits*'"', w^lowBits*'\\'
		// The high bit of a byte stays set where the byte is less than what is taken
		// away from it, or comes after such a byte.
		if ((w-lowBits*' ')&^w|(quotes-lowBits)&^quotes|(slashes-lowBits)&^slashes)&highBits|w&(lowBits*uint64(beyond)) != 0 {
			break
		}
	}
	for ; n < len(b); n++ {
		if c := b[n]; c < ' ' || c == '"' || c == '\\' || c&beyond != 0 {
			break
		}
	}
	return n
}

func appendControl(dst []byte, r rune) []byte {
	switch r {
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	default:
		return fmt.Appendf(dst, `\u%04x`, r)
	}
}
