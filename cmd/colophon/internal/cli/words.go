package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// Because says why a document has come to what it is, or what a container holds.
func Because(r catalog.Result) string {
	switch {
	case r.Reason != "":
		return "  " + r.Reason + ": " + r.Message
	case r.Message != "":
		return "  " + r.Message
	default:
		return ""
	}
}

// Many is a number with its noun, in the plural unless it is one.
func Many(n int, noun string) string { return fmt.Sprintf("%d %s", n, Plural(n, noun)) }

// Plural is a noun as it stands behind a number.
func Plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Quoted is a text as one word for a shell.
func Quoted(s string) string {
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./", r) }
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Shown is a text as a terminal may have it: what documents and servers say may hold
// control characters, which a terminal obeys, and marks that turn the direction of
// writing. They become U+FFFD, but for line ends and tabs.
func Shown(s string) string {
	return strings.Map(func(r rune) rune {
		turns := 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
		if turns || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// ForPeople shows to a person what is written to it: w gets it as Shown has it. A
// character must come in one piece.
func ForPeople(w io.Writer) io.Writer { return forPeople{w} }

type forPeople struct{ io.Writer }

// Write is io.Writer.
func (w forPeople) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Shown(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
