package header

import (
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// The bounds of the parts of a context line, in code points: with them it has about a fifth of the
// tokens of a chunk at most, and mostly a twentieth.
const (
	lineTitle   = 120
	lineSection = 160
	lineSource  = 80
)

const lineSeparator = " › "

// LineEnd stands between a context line and the content.
const LineEnd = "\n\n"

// ContextLine returns the line that says where a chunk stands: "title › section › date › source"
// (contracts#context-line). The section is the headings above it, of which the outermost are left out where all
// are too long; one that only repeats the title is left out, and so is what is empty.
func ContextLine(title string, sectionPath []string, date, source string) string {
	title = linePart(title, lineTitle)
	var section []string
	room := lineSection
	for i := len(sectionPath) - 1; i >= 0; i-- {
		entry := linePart(sectionPath[i], lineSection)
		if entry == "" || entry == title {
			continue
		}
		if room -= utf8.RuneCountInString(entry); room < 0 {
			break
		}
		section = append([]string{entry}, section...)
	}
	parts := append([]string{title}, section...)
	var filled []string
	for _, part := range append(parts, date, linePart(source, lineSource)) {
		if part != "" {
			filled = append(filled, part)
		}
	}
	return strings.Join(filled, lineSeparator)
}

// ContextLineOf returns the context line of a chunk, from the chunk's own fields: what a proof compares
// with its text.
func ContextLineOf(c model.Chunk) string {
	return ContextLine(c.Title, c.SectionPath, c.InfoDate, c.Source)
}

// linePart returns text on one line, of at most so many code points.
func linePart(text string, most int) string {
	text = strings.Join(strings.Fields(oneLine(text)), " ")
	if runes := []rune(text); len(runes) > most {
		text = strings.TrimSpace(string(runes[:most]))
	}
	return text
}
