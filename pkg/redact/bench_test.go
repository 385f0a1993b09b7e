package redact_test

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// BenchmarkURL compares what the rules of each version cost, over addresses without a secret: ns by address.
func BenchmarkURL(b *testing.B) {
	urls := readList(b, "testdata/apart.txt")
	for _, version := range []struct {
		name string
		form redact.Form
	}{{"v4", redact.Stored}, {"v3", redact.StoredV3}, {"v2", redact.StoredV2}} {
		b.Run(version.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				redact.URL(urls[i%len(urls)], version.form)
			}
		})
	}
}

// BenchmarkText compares what the rules of two versions cost over a text of 1 KB of prose, as titles, reasons
// and facts of pages are, with an address in it.
func BenchmarkText(b *testing.B) {
	text := strings.Repeat("The council of the valley met on 4 March and granted 1,200 francs to the mill, as its minutes say. ", 9) +
		"See https://www.valley.example/minutes?session=2024&page=3 and the annex of the plan."
	for _, version := range []struct {
		name string
		form redact.Form
	}{{"v4", redact.Stored}, {"v3", redact.StoredV3}} {
		b.Run(version.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redact.Text(text, version.form)
			}
		})
	}
}
