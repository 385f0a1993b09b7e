package header

import (
	"strings"
	"unicode/utf8"
)

// The limits of a section path: eight levels of 200 characters (contracts#event-size).
const (
	MaxLevels = 8
	maxEntry  = 200
)

const contextSeparator = " > "

// Entry returns a heading's text as it stands in a section path: on one line,
// runs of white space as one space, at most 200 code points.
func Entry(heading string) string {
	s := strings.Join(strings.Fields(heading), " ")
	if utf8.RuneCountInString(s) <= maxEntry {
		return s
	}
	return string([]rune(s)[:maxEntry])
}

// Context returns the line that a later chunk of a section starts with:
// "A > B" (contracts#cutting). It is "" for no entries.
func Context(entries []string) string { return strings.Join(entries, contextSeparator) }

// IsContext reports whether text is the context of a chunk with this section
// path: some of its entries, in their order. A heading that the chunk itself
// holds is not repeated in its context.
func IsContext(text string, sectionPath []string) bool {
	if text == "" {
		return false
	}
	return contextOf(text, sectionPath)
}

func contextOf(text string, path []string) bool {
	for i, entry := range path {
		rest, ok := strings.CutPrefix(text, entry)
		if !ok {
			continue
		}
		if rest == "" {
			return true
		}
		if rest, ok = strings.CutPrefix(rest, contextSeparator); ok && contextOf(rest, path[i+1:]) {
			return true
		}
	}
	return false
}
