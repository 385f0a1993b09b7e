package docxt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// maxText is how many code points of a heading its marker holds: what is longer is text
// that looks like a heading, and stands in its element.
const maxText = 300

// sectionText returns the text of a section as its marker holds it.
func sectionText(text string) string {
	text = oneLine(text)
	n := 0
	for i := range text {
		if n == maxText {
			return text[:i]
		}
		n++
	}
	return text
}

const sectionStart = `<!-- DOCXT:SECTION_START kind="`

func startMarker(s model.Section) string {
	return fmt.Sprintf(sectionStart+`%s" level=%d text="%s" -->`, attr(s.Kind), s.Level, attr(s.Text))
}

func endMarker(s model.Section) string {
	return fmt.Sprintf(`<!-- DOCXT:SECTION_END kind="%s" -->`, attr(s.Kind))
}

// Carry returns the sections that are open after a page, given those that were open
// before it and those that the page itself leaves open, the outermost first: the first
// of the page has closed all before it that are not above it.
func Carry(open, page []model.Section) []model.Section {
	if len(page) == 0 {
		return open
	}
	n := 0
	for n < len(open) && open[n].Level < page[0].Level {
		n++
	}
	return append(append(make([]model.Section, 0, n+len(page)), open[:n]...), page...)
}

// Reopen returns the HTML of a page, as it is stored, with the sections that are open
// when it begins: they open again behind its PAGE marker with the attributes that they
// have, and close before the heading of the page that ends them, or at its end
// (contracts#open-sections).
func Reopen(html string, open []model.Section) string {
	if len(open) == 0 {
		return html
	}
	var b strings.Builder
	b.Grow(len(html) + len(open)*2*len(sectionStart))
	line := func(s string) {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	marker, rest, _ := strings.Cut(html, "\n")
	line(marker)
	for _, s := range open {
		line(startMarker(s))
	}
	n := len(open)
	closeTo := func(keep int) {
		for n > keep {
			n--
			line(endMarker(open[n]))
		}
	}
	for rest != "" {
		next, behind, _ := strings.Cut(rest, "\n")
		for level := headingLevel(next, behind); level > 0 && n > 0 && open[n-1].Level >= level; {
			closeTo(n - 1)
		}
		line(next)
		rest = behind
	}
	closeTo(0)
	return b.String()
}

// headingLevel returns the level of the section that a line opens, 0 when it opens none
// or one that no heading opens. Text cannot look so: it is escaped.
func headingLevel(line, behind string) int {
	rest, ok := strings.CutPrefix(line, sectionStart)
	if !ok || len(behind) < 3 || behind[:2] != "<h" || behind[2] < '1' || behind[2] > '0'+maxLevel {
		return 0
	}
	_, rest, _ = strings.Cut(rest, `" level=`)
	digits, _, _ := strings.Cut(rest, " ")
	level, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return level
}
