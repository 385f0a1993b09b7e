package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// The size of a snippet in bytes, and how much of it stands before the first
// word that fits. stem is how many letters two forms of a word share.
const (
	snippetBytes = 300
	leadBytes    = 60
	stem         = 5
)

// snippet returns the part of content that holds the most of the query's words,
// cut at words, with an ellipsis where something is left out.
func snippet(content, query string) string {
	if len(content) <= snippetBytes {
		return strings.TrimSpace(content)
	}
	wanted := stemsOf(query)
	type match struct {
		at   int
		word string
	}
	var matches []match
	for w := range retrieval.Words(content) {
		if word := stemOf(strings.ToLower(w.Text)); wanted[word] {
			matches = append(matches, match{w.Start, word})
		}
	}
	start, best := 0, 0
	for i, first := range matches {
		distinct := make(map[string]bool, len(wanted))
		for _, m := range matches[i:] {
			if m.at > first.at+snippetBytes-leadBytes {
				break
			}
			distinct[m.word] = true
		}
		if len(distinct) > best {
			start, best = first.at, len(distinct)
		}
	}
	return cut(content, max(0, start-leadBytes))
}

// cut returns what follows start, from the beginning of a word to the end of
// one.
func cut(content string, start int) string {
	from, to := 0, len(content)
	for at, end := range words(content) {
		if start > 0 && from == 0 && at >= start {
			from = at
		}
		if at >= start && end-start > snippetBytes {
			to = at
			break
		}
	}
	if to-from > 2*snippetBytes { // one endless word
		for to = from + 2*snippetBytes; !utf8.RuneStart(content[to]); to-- {
		}
	}
	text := strings.TrimSpace(content[from:to])
	if from > 0 {
		text = "…" + text
	}
	if to < len(content) {
		text += "…"
	}
	return text
}

func stemOf(word string) string {
	n := 0
	for i := range word {
		if n == stem {
			return word[:i]
		}
		n++
	}
	return word
}

// words yields where each run of letters, marks and digits begins and ends.
func words(text string) func(yield func(at, end int) bool) {
	return func(yield func(at, end int) bool) {
		at := -1
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
			if inside && at < 0 {
				at = i
			}
			if !inside && at >= 0 {
				if !yield(at, i) {
					return
				}
				at = -1
			}
			i += size
		}
		if at >= 0 {
			yield(at, len(text))
		}
	}
}
