package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// Version 1 is the founding document's prompt to the letter: these are the digests of its words.
func TestVersion1IsTheSeeds(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"system": {systemV1, "2be87200737944a39bceb32f5613e9296fff3891678a6a1ef7492514e2b5a92a"},
		"user":   {userV1, "766fa8f96dca22c4ca9c6d231a373f1cb3de8d1cb1c1b0af22383b3ae09b0f39"},
	} {
		sum := sha256.Sum256([]byte(c.text))
		if got := hex.EncodeToString(sum[:]); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	m, err := Of(entity.PromptV1, "<p>x</p>")
	if err != nil || !strings.HasSuffix(m.User, "extractedHtml:\n<p>x</p>\n") {
		t.Errorf("%v %q", err, m.User[len(m.User)-60:])
	}
}

// Version 2 defines every field of every type, and keeps the words around them.
func TestVersion2HasAllFields(t *testing.T) {
	m, err := Of(entity.PromptV2, "<p>x</p>")
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range entity.Types() {
		_, definition, ok := strings.Cut(m.User, "\n"+typ.Schema+" = {\n")
		if !ok {
			t.Fatalf("%s is not defined", typ.Schema)
		}
		definition, _, _ = strings.Cut(definition, "\n}\n")
		for _, f := range typ.Fields {
			if !strings.Contains(definition, `"`+f.Name+`": `) {
				t.Errorf("%s.%s is missing", typ.Schema, f.Name)
			}
		}
	}
	for _, words := range []string{"✅ OUTPUT SCHEMA", "Return empty arrays for sections not present.", "Never join text from two places.", "extractedHtml:\n<p>x</p>"} {
		if !strings.Contains(m.User, words) {
			t.Errorf("%q is missing", words)
		}
	}
	if _, err := Of(3, ""); err == nil {
		t.Error("version 3 is not there")
	}
}
