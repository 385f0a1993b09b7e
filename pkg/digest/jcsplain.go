package digest

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// canonicalPlain returns the canonical form of what encoding/json wrote, when
// that needs no more than sorting keys and writing floats: the case of nearly
// every record, at a third of the cost of package jcs. It gives up, and ok is
// false, at escapes that RFC 8785 writes otherwise, keys that are not plain
// ASCII or occur twice, integers of more than 15 digits, bytes that are not
// UTF-8, and objects too deep in each other, since each copies what it holds.
func canonicalPlain(in []byte) (out []byte, ok bool) {
	if !utf8.Valid(in) {
		return nil, false
	}
	w := plainWriter{in: in, out: make([]byte, 0, len(in))}
	ok = w.value()
	return w.out, ok
}

// plainDepth is how deep objects may be in each other for [canonicalPlain].
const plainDepth = 32

// plainWriter goes once through compact, valid JSON.
type plainWriter struct {
	in  []byte
	at  int // next byte of in
	out []byte

	depth int // of objects
}

func (w *plainWriter) value() bool {
	switch c := w.in[w.at]; c {
	case '{':
		return w.object()
	case '[':
		w.copyByte()
		for w.in[w.at] != ']' {
			if w.in[w.at] == ',' {
				w.copyByte()
			}
			if !w.value() {
				return false
			}
		}
		w.copyByte()
		return true
	case '"':
		return w.text()
	case 't', 'f', 'n':
		for c := w.in[w.at]; c >= 'a' && c <= 'z'; c = w.in[w.at] {
			w.copyByte()
		}
		return true
	default:
		return w.number()
	}
}

// member is where "name":value stands in the output.
type member struct {
	name     []byte // without quotes
	from, to int
}

func (w *plainWriter) object() bool {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > plainDepth {
		return false
	}
	w.copyByte()
	start := len(w.out)
	members := make([]member, 0, 16)
	for w.in[w.at] != '}' {
		if w.in[w.at] == ',' {
			w.at++
		}
		from, name := len(w.out), w.at+1
		if !w.text() {
			return false
		}
		m := member{name: w.in[name : w.at-1], from: from}
		if !isPlainName(m.name) {
			return false
		}
		w.copyByte() // the colon
		if !w.value() {
			return false
		}
		m.to = len(w.out)
		members = append(members, m)
	}
	w.at++
	// So far the members stand in the order of the input, nothing between them.
	unsorted := bytes.Clone(w.out[start:])
	w.out = w.out[:start]
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	for i, m := range members {
		if i > 0 {
			if bytes.Equal(m.name, members[i-1].name) {
				return false
			}
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, unsorted[m.from-start:m.to-start]...)
	}
	w.out = append(w.out, '}')
	return true
}

// isPlainName tells whether the order of the name's bytes is that of its
// UTF-16 code units.
func isPlainName(name []byte) bool {
	return !bytes.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || r == '\\' })
}

func (w *plainWriter) text() bool {
	start := w.at
	for w.at++; w.in[w.at] != '"'; w.at++ {
		if w.in[w.at] == '\\' {
			w.at++
			if c := w.in[w.at]; c == 'u' || c == '/' {
				return false
			}
		}
	}
	w.at++
	w.out = append(w.out, w.in[start:w.at]...)
	return true
}

func (w *plainWriter) number() bool {
	start, integer := w.at, true
	for ; w.at < len(w.in) && isNumberByte(w.in[w.at]); w.at++ {
		c := w.in[w.at]
		integer = integer && c != '.' && c != 'e' && c != 'E'
	}
	number := w.in[start:w.at]
	if integer {
		w.out = append(w.out, number...)
		return len(number) <= exactDigits && string(number) != "-0"
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return false
	}
	canonical, err := jcs.NumberToJSON(f)
	w.out = append(w.out, canonical...)
	return err == nil
}

func (w *plainWriter) copyByte() {
	w.out = append(w.out, w.in[w.at])
	w.at++
}
