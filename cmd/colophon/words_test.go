package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// A terminal obeys nothing that a document says.
func TestWhatDocumentsSayIsShownAndNotObeyed(t *testing.T) {
	var out strings.Builder
	writeHits(forPeople{&out}, searchAnswer{Hits: []searchHit{{
		ChunkRef: "a:0", Type: "fact", Status: "under_\x1breview", Title: "Evil \x1b]0;title\a\u009b31m\u202e", URL: "u", Snippet: "ça\x1b[2J va\x7f 😀",
	}}})
	want := "1. 0.000  Evil \ufffd]0;title\ufffd\ufffd31m\ufffd\n   a:0\n   fact, under_\ufffdreview, said by \n   ça\ufffd[2J va\ufffd 😀\n"
	if out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	if text := "two\n\tlines of Ελληνικά, עברית"; shown(text) != text {
		t.Errorf("%q", shown(text))
	}
}

// What is told to be typed is one word of a shell.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"test/documents": "test/documents", "the mill": "'the mill'", "l'eau": `'l'\''eau'`, "$HOME": "'$HOME'", "": "''", "année": "année",
	} {
		if got := quoted(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
}

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
