package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("Rien de particulier ici. ", 40)
	content := filler + "Un mot sur le quorum. " + filler + "Le quórum mínimo des sessions est de sept membres. " + filler
	got := snippet(content, "quorum minimo sessions")
	if !strings.Contains(got, "quórum mínimo des sessions") || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("the snippet is %q", got)
	}
	if len(got) > snippetBytes+leadBytes {
		t.Errorf("the snippet has %d bytes", len(got))
	}
	if got := snippet(" short ", "x"); got != "short" {
		t.Errorf("a short content is %q", got)
	}
	if got := snippet(filler, "nothing"); !strings.HasPrefix(got, "Rien") {
		t.Errorf("without a match it is %q", got)
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add(strings.Repeat("é", 2000), "é")
	f.Add(strings.Repeat("a b ", 200), "b")
	f.Fuzz(func(t *testing.T, content, query string) {
		if !utf8.ValidString(content) {
			return
		}
		got := snippet(content, query)
		if !utf8.ValidString(got) || len(got) > 2*snippetBytes+8 {
			t.Errorf("%d bytes: %q", len(got), got)
		}
		if whole := strings.TrimSuffix(strings.TrimPrefix(got, "…"), "…"); !strings.Contains(content, whole) {
			t.Errorf("%q is not a part of the content", got)
		}
	})
}
