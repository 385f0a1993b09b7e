// Package coverage accounts for the text of a page: how much of what a reader
// sees is in some unit (contracts#coverage). Whatever is missing is a warning with its
// reason.
package coverage

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Characters counts the characters of s but white space: what a page and its
// units are compared by, since white space is normalised in units.
func Characters(s string) int {
	n := 0
	for i, r := range s {
		if r < utf8.RuneSelf {
			if c := s[i]; c > ' ' || c < '\t' || c > '\r' && c < ' ' {
				n++
			}
		} else if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// Share returns covered/visible in [0, 1], cut to four decimals so that only
// full coverage is 1. Nothing visible is full coverage.
func Share(covered, visible int) float64 {
	if covered >= visible {
		return 1
	}
	return float64(covered*10_000/visible) / 10_000
}

// Note returns the warning for a page on which characters are missing, "" when
// none is. reason may be empty.
func Note(covered, visible int, reason string) string {
	if covered >= visible {
		return ""
	}
	if reason == "" {
		reason = "the extractor did not place them"
	}
	return fmt.Sprintf("%d of %d visible characters are in no unit: %s", visible-covered, visible, reason)
}
