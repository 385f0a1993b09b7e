package pdfium

import (
	"encoding/binary"
	"slices"
	"testing"
	"unicode/utf16"
)

// FuzzDecodeUTF16 expects what the library makes of the units before the first
// NUL.
func FuzzDecodeUTF16(f *testing.F) {
	for _, s := range []string{"", "plain", "é – 😀", "\xd8", "cut\x00off", "a\x3d\xd8b\x00", "\x00\xdc\x00\xd8"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var units []uint16
		for i := 0; i+1 < len(b); i += 2 {
			units = append(units, binary.LittleEndian.Uint16(b[i:]))
		}
		if end := slices.Index(units, 0); end >= 0 {
			units = units[:end]
		}
		if got, want := decodeUTF16(b), string(utf16.Decode(units)); got != want {
			t.Errorf("%x: %q, want %q", b, got, want)
		}
	})
}
