package charset

import (
	"math/rand/v2"
	"testing"
)

// TestLines holds the count against one that goes from byte to byte, for ranges in any
// order.
func TestLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		raw := make([]byte, 1+r.IntN(40))
		for i := range raw {
			raw[i] = "ab\n\r"[r.IntN(4)]
		}
		of := make([]int, len(raw)) // line of each byte
		line := 1
		for i, c := range raw {
			of[i] = line
			if c == '\n' || c == '\r' && (i+1 == len(raw) || raw[i+1] != '\n') {
				line++
			}
		}
		doc := Open(raw, Choice{Name: "utf-8"})
		for range 20 {
			start := r.IntN(len(raw))
			end := start + 1 + r.IntN(len(raw)-start)
			if start > 0 && raw[start] == '\n' && raw[start-1] == '\r' || raw[end-1] == '\n' && end > 1 && raw[end-2] == '\r' {
				continue // no range begins or ends within a line end
			}
			if got := doc.Lines(start, end); got.First != of[start] || got.Last != of[end-1] {
				t.Fatalf("%q [%d:%d]: lines %d–%d, want %d–%d", raw, start, end, got.First, got.Last, of[start], of[end-1])
			}
		}
	}
	utf16 := Open([]byte("\xff\xfea\x00\n\x00b\x00\r\x00\n\x00c\x00"), Choose([]byte("\xff\xfea\x00\n\x00b\x00\r\x00\n\x00c\x00"), Declared{}))
	if got := utf16.Lines(len(utf16.Bytes)-1, len(utf16.Bytes)); got.First != 3 || got.Last != 3 {
		t.Errorf("UTF-16: %+v in %q", got, utf16.Bytes)
	}
}
