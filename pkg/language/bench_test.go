package language

import (
	"strings"
	"testing"
)

// BenchmarkBlock is one paragraph of 450 characters among all languages.
func BenchmarkBlock(b *testing.B) {
	d := New(Hints{}, "")
	text := strings.Repeat("The committee recorded 45 samples at the station in the meadow above the old bridge. ", 6)[:450]
	b.ReportAllocs()
	for b.Loop() {
		d.Block(text, "")
	}
}

// BenchmarkTrain is what the first detection of a process costs besides.
func BenchmarkTrain(b *testing.B) {
	files, err := Words()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Train(files); err != nil {
			b.Fatal(err)
		}
	}
}
