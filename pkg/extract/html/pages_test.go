package html

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestPages holds pages of different kinds against what a careful reader says
// of them. A line of NAME.want is a word and a text: "+" is in the main matter,
// "-" is in some furniture, a role in furniture of that role, "hidden" in what
// the page does not show. Nothing else is both.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			check(t, string(raw))
			texts := map[string]string{} // by "+", "-", role and "hidden"
			for _, b := range extract(t, string(raw)).Blocks {
				text := strings.Join(strings.FieldsFunc(b.Text, func(r rune) bool { return r == ' ' || r == '\n' }), " ") + "\n"
				switch {
				case hiddenBlock(&b):
					texts["hidden"] += text
				case b.Type == model.UnitFurniture:
					texts["-"] += text
					texts[b.Role] += text
				default:
					texts["+"] += text
				}
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".html") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(want)) {
				where, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				if !ok {
					t.Fatalf("%q says nothing", line)
				}
				if !strings.Contains(texts[where], text) {
					t.Errorf("%q is not in %q", text, where)
				}
			}
		})
	}
}

// BenchmarkPages extracts the test pages: its speed is that of decoding, parsing,
// judging and writing blocks, without ids and hashes.
func BenchmarkPages(b *testing.B) {
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil {
		b.Fatal(err)
	}
	var pages []string
	size := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		pages = append(pages, string(raw))
		size += len(raw)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, page := range pages {
			extract(b, page)
		}
	}
}
