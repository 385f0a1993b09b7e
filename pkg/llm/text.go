package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bytesPerToken is of how many bytes of UTF-8 one token is at least, in the mean of a
// text: words of European languages have four and more to a token, and a sign of Chinese
// or Japanese has three bytes. What is shorter is refused by the endpoint as too long, and
// halved then.
const bytesPerToken = 3

// estimate returns how many tokens a text has at most, about.
func estimate(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// clean returns a text that any endpoint takes: valid UTF-8 without U+0000, at which some
// end a text silently, and without white space around.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.TrimSpace(strings.ReplaceAll(text, "\x00", " "))
}

// split returns the parts of a text of at most so many tokens each, by estimate, cut at
// white space where there is some in the last quarter of a part.
func split(text string, tokens int) []string {
	most := max(tokens*bytesPerToken, utf8.UTFMax)
	var parts []string
	for len(text) > most {
		end := cutAt(text, most)
		if part := strings.TrimSpace(text[:end]); part != "" {
			parts = append(parts, part)
		}
		text = strings.TrimSpace(text[end:])
	}
	if text != "" {
		parts = append(parts, text)
	}
	return parts
}

// cutAt returns the place, at most most, at which a longer text is cut.
func cutAt(text string, most int) int {
	for !utf8.RuneStart(text[most]) {
		most--
	}
	if space := strings.LastIndexFunc(text[:most], unicode.IsSpace); space >= most-most/4 {
		return space
	}
	return most
}
