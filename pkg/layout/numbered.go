package layout

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNumbered is how many characters a heading has at most that only its number
// tells.
const maxNumbered = 80

// sectionNumber begins headings of the second level and below: "5.4.8 Of weirs".
var sectionNumber = regexp.MustCompile(`^\d{1,2}(?:\.\d{1,2}){1,5}\.?\s+\p{Lu}`)

// numberedHeadings types as headings the short numbered lines in the type of the
// text that are no items of a list: each has a paragraph of its own below, which
// is not set in under it.
func numberedHeadings(blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph && b.Kind != ListItem || b.rows != 1 || b.full || b.Turn != 0 || b.Hidden || b.Outside || i+1 == len(blocks) {
			continue
		}
		text := b.plain()
		section := sectionNumber.MatchString(text)
		if !section && (b.Kind == Paragraph || !startsNumber(b.Marker) || i > 0 && blocks[i-1].Kind == ListItem) {
			continue
		}
		title := strings.TrimSpace(strings.TrimPrefix(text, b.Marker))
		r, _ := utf8.DecodeRuneInString(title)
		if utf8.RuneCountInString(text) > maxNumbered || strings.ContainsAny(text[len(text)-1:], ".,;:?!") || !section && !unicode.IsUpper(r) || !b.opens(&blocks[i+1]) {
			continue
		}
		b.Marker, b.Depth = "", 0
		b.makeHeading(b.level(0, text, 3), "by its number", 0.7)
	}
}

// startsNumber reports whether the mark of an item counts, rather than being a
// bullet.
func startsNumber(marker string) bool {
	return strings.ContainsFunc(marker, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsLetter(r) })
}

// opens reports whether next is the paragraph that begins below the heading b.
func (b *Block) opens(next *Block) bool {
	return next.Kind == Paragraph && next.Turn == b.Turn && sameSize(b.Size, next.Size) && next.At.Top > b.At.Top &&
		next.At.Left <= b.At.Left+float64(0.5*b.Size) && !next.Lines[0].lowerStart() &&
		(next.rows > 1 || endsSentence(&next.Lines[len(next.Lines)-1]))
}
