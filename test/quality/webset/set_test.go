package webset_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/test/quality"
	"github.com/colophon-dev/colophon/test/quality/webset"
)

// Equal seeds make equal pages, other seeds other ones.
func TestSeeds(t *testing.T) {
	for _, half := range []string{webset.Learnt, webset.Judged} {
		first, second, other := pages(t, 3, half), pages(t, 3, half), pages(t, 4, half)
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%s: one seed made two sets", half)
		}
		if reflect.DeepEqual(first, other) {
			t.Errorf("%s: two seeds made one set", half)
		}
	}
}

// Every text that is known of a page stands on it, and none is both wanted and not.
func TestTextsAreThere(t *testing.T) {
	for _, half := range []string{webset.Learnt, webset.Judged} {
		for _, p := range pages(t, 5, half) {
			if !utf8.Valid(p.HTML) {
				t.Errorf("%s: bytes that are no text", p.Theme)
			}
			shown := strings.ReplaceAll(quality.Canon(bare(string(p.HTML))), "&shy;", "")
			wanted := make(map[string]bool)
			for _, w := range p.Want {
				wanted[w] = true
				if !strings.Contains(shown, quality.Canon(w)) {
					t.Errorf("%s: %q is not on the page", p.Theme, w)
				}
			}
			if len(p.Want) < 3 || len(p.Unwanted) < 3 {
				t.Errorf("%s: %d texts wanted, %d not", p.Theme, len(p.Want), len(p.Unwanted))
			}
			for _, u := range p.Unwanted {
				if !strings.Contains(shown, quality.Canon(u)) {
					t.Errorf("%s: %q is not on the page", p.Theme, u)
				}
			}
		}
	}
}

// The halves share no theme, and there are enough of them.
func TestThemes(t *testing.T) {
	learnt, err := webset.Themes(webset.Learnt)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := webset.Themes(webset.Judged)
	if err != nil {
		t.Fatal(err)
	}
	if len(learnt) < 12 || len(judged) < 8 {
		t.Errorf("%d themes to learn from and %d to judge by", len(learnt), len(judged))
	}
}

func pages(t *testing.T, seed uint64, half string) []webset.Page {
	t.Helper()
	made, err := webset.Make(seed, half, 2)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// bare returns markup without its tags.
func bare(markup string) string {
	var b strings.Builder
	inTag := false
	for _, r := range markup {
		switch {
		case r == '<':
			inTag = true
		case r == '>' && inTag:
			inTag = false
		case !inTag:
			b.WriteRune(r)
		}
	}
	return b.String()
}
