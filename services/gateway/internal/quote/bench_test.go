package quote

import (
	"strings"
	"testing"
)

// BenchmarkFind folds the text of a chunk and looks for a quotation at its end.
func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("The council’s deputy did not sign the 12-page agreement — so “never again” on 12/03/2024; ", 23) + "it cost 3.5 million euros and not 35 in all."
	q := fold("it cost 3.5 million euros and not 35 in all")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if found, _ := find(fold(text), q); len(found) != 1 {
			b.Fatal(found)
		}
	}
}
