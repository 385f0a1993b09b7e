package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// many is a number with its noun, in the plural unless it is one.
func many(n int, noun string) string { return fmt.Sprintf("%d %s", n, plural(n, noun)) }

// plural is a noun as it stands behind a number.
func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// quoted is a text as one word for a shell.
func quoted(s string) string {
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./", r) }
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shown is a text as a terminal may have it: what documents and servers say may hold
// control characters, which a terminal obeys, and marks that turn the direction of
// writing. They become U+FFFD, but for line ends and tabs.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		turns := 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
		if turns || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// forPeople shows what is written to it. A character must come in one piece.
type forPeople struct{ io.Writer }

// Write is io.Writer.
func (w forPeople) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, shown(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
