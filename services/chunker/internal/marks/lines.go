package marks

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// maxLine is how long a line may be, in code points, that says who wrote and when.
	maxLine = 120
	// maxHeadword is how long the words of an entry may be, in code points, before what
	// they are is said.
	maxHeadword = 60
)

const months = `(?:jan|f[eé]v|feb|m[aä]r|mars|a[bv]r|apr|ma[iyg]|gen|giu|lug|ju[inl]|jui|ago|a[ou][uû]?[gt]|set|sep|o[ck]t|out|ott|nov|d[eéi][cz])[\pL]*\.?`

var (
	dates = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./-]\d{1,2}[./-]\d{1,2}|` +
		`\d{1,2}(?:er|st|nd|rd|th|º|°|\.)?\s+(?:de\s+|di\s+)?` + months + `(?:\s+(?:de\s+|del\s+)?\d{4})?|` + months + `\s+\d{1,2},?\s+\d{4})`)
	// fullStop is one that an initial or a number does not have.
	fullStop = regexp.MustCompile(`(?:\pL{3,}|\d{4})\.\s+\p{Lu}`)
	times    = regexp.MustCompile(`(?:^|[^\d])(?:[01]?\d|2[0-3])[:h][0-5]\d`)
	// wordKinds are how dictionaries say what a word is.
	wordKinds = regexp.MustCompile(`(?i)^(?:[(\[]?(?:n|s|v|adj|adv|pr[eé]p|pron|conj|cong|interj|inter|loc|art|num|subst|sost|agg|avv|subs|verb|noun)\b\.?)`)
)

// Dated reports whether a text is a short line that has a date and is no sentence: "12
// mars 2024", "by A. Corti on 3 May 2024".
func Dated(text string) bool {
	return isLine(text) && dates.MatchString(text)
}

// Byline reports whether a text is a short line that says when something was written, to
// the minute or beside a name, and is no sentence.
func Byline(text string) bool {
	if !isLine(text) || !dates.MatchString(text) {
		return false
	}
	return times.MatchString(text) || len(strings.Fields(dates.ReplaceAllString(text, " "))) > 0
}

// isLine reports whether a text is short, holds a figure, and does not end as sentences do.
func isLine(text string) bool {
	if len(text) > 2*maxLine || !strings.ContainsAny(text, "0123456789") || utf8.RuneCountInString(text) > maxLine {
		return false
	}
	text = strings.TrimSpace(text)
	return !strings.ContainsAny(text[max(0, len(text)-1):], ".!?;") && !fullStop.MatchString(text) && len(strings.Fields(text)) <= 16
}

// Entry reports whether a text begins as an entry of a dictionary does: with a word or a
// few, then what sort of word it is, abbreviated: "bara, bàra n. m. work".
func Entry(text string) bool {
	head := text
	if len(head) > 4*maxHeadword {
		head = head[:4*maxHeadword]
	}
	words := 0
	for at := 0; words < 5; words++ {
		space := strings.IndexAny(head[at:], " \u00a0\n\t")
		if space < 0 {
			return false
		}
		at += space + 1
		if utf8.RuneCountInString(head[:at]) > maxHeadword {
			return false
		}
		if strings.ContainsAny(head[at-space-1:at], ".;:!?") {
			return false
		}
		m := wordKinds.FindString(head[at:])
		if m == "" {
			continue
		}
		return strings.HasSuffix(m, ".") || strings.ContainsAny(head[at+len(m):min(len(head), at+len(m)+1)], ")] ,")
	}
	return false
}
