package cli

import (
	"testing"
)

// What is told to be typed is one word of a shell.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"test/documents": "test/documents", "the mill": "'the mill'", "l'eau": `'l'\''eau'`, "$HOME": "'$HOME'", "": "''", "année": "année",
	} {
		if got := Quoted(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
}
