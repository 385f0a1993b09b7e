package convert

import (
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// Each document that is converted gets a file of its own, by a name that file
// systems take.
func TestNamesOfConvertedFiles(t *testing.T) {
	long := strings.Repeat("é", 300)
	urls := []string{
		"file:///notes%20caf%C3%A9.txt", "file:///a/b.txt", "file:///a_b.txt", "file:///box.zip!/%2E%2E/x%00.txt", "file:///bad%FF%zz",
		"https://town.example/a?b=c", "file:///" + long,
	}
	results := make([]catalog.Result, len(urls))
	for i, u := range urls {
		results[i].URL = u
	}
	want := []string{
		"notes café.txt", "a_b.txt", "a_b.txt~2", "box.zip!_.._x_.txt", "bad%FF%zz", "https:__town.example_a?b=c", strings.Repeat("é", 100),
	}
	if got := fileNames(results); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
