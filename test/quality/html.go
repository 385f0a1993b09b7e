package quality

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// Segments are sentences that the main content of a page must hold, and others
// that it must not.
type Segments struct {
	With    []string `json:"with"`
	Without []string `json:"without"`
}

// SegmentCounts says how many wanted segments are there and missing, and how
// many unwanted ones are there.
type SegmentCounts struct{ Found, Missing, Unwanted int }

// Count looks for the segments in a text; runs of white space are equal.
func (s Segments) Count(text string) SegmentCounts {
	text = squeeze(text)
	var n SegmentCounts
	for _, w := range s.With {
		if strings.Contains(text, squeeze(w)) {
			n.Found++
		} else {
			n.Missing++
		}
	}
	for _, w := range s.Without {
		if strings.Contains(text, squeeze(w)) {
			n.Unwanted++
		}
	}
	return n
}

// Score takes unwanted segments as found wrongly.
func (n SegmentCounts) Score() PRF { return newPRF(n.Found, n.Found+n.Missing, n.Found+n.Unwanted) }

// squeeze makes each run of white space one space, at the ends as well.
func squeeze(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

// VisibleText returns the text of HTML without scripts and styles; each tag
// divides words.
func VisibleText(markup string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	hidden := 0
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken: // the end: a reader of a string fails in no other way
			return b.String()
		case html.TextToken:
			if hidden == 0 {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			b.WriteByte(' ')
			name, _ := z.TagName()
			switch string(name) {
			case "script", "style", "noscript", "template":
				if kind == html.StartTagToken {
					hidden++
				} else if kind == html.EndTagToken {
					hidden = max(0, hidden-1)
				}
			}
		}
	}
}
