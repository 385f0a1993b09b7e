package running

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	// itemNumber is a number as items of a list have it, all of a row.
	itemNumber = regexp.MustCompile(`^(?:[(\[]\d{1,4}[)\]]|\d{1,4}[.)])$`)
	// capitalRoman is a Roman number in capitals, as poems and chapters have.
	capitalRoman = regexp.MustCompile(`^[IVXLC]+\.?$`)
)

// firstYear and lastYear are between which numbers that run with the pages are years as
// often as not.
const firstYear, lastYear = 1900, 2099

// edgeNumber is a row at an edge whose number may run with the pages.
type edgeNumber struct {
	page   *Page
	row    int
	foot   bool
	leads  bool // the number is at the left end of the row
	number int
}

// countsThings reports rows whose numbers are as likely those of things that are counted
// page by page, by all that the row shows: of these alone no number is learnt to be that
// of pages. Poems, questions and lots have theirs above the text, in its type or in larger
// one, as a list has or where its lines begin; vouchers and graves have one behind a word
// that is said nowhere else, and begin anywhere; sums stand in the columns of the table
// above them.
func (f *Facts) countsThings(pages []Page, n edgeNumber, mirrored bool, titles Titles) bool {
	r := &n.page.Rows[n.row]
	texts := make([]string, len(r.Parts))
	for i := range r.Parts {
		texts[i] = fold(r.Parts[i].Text)
	}
	if mirrored || slices.ContainsFunc(texts, func(t string) bool { return counted.MatchString(t) }) {
		return false
	}
	if len(texts) == 1 && alone.MatchString(texts[0]) {
		return !n.foot && f.isItem(n.page, r)
	}
	if !(labelOf(texts) != "" && (n.number != n.page.No || !f.isSmall(r))) && !f.endsColumns(n.page, n.row, n.foot) {
		return false
	}
	c := candidate{page: n.page, row: n.row, foot: n.foot, from: n.page.from(r, n.foot)}
	return slices.ContainsFunc(texts, func(t string) bool { return hasWord(t) && !f.partIsSaid(pages, &c, titleOf(wordsOf(t)), titles) })
}

// endsColumns reports a row that stands in the columns of the row of a table next to it, in
// its type, or near to a table in the type of the text.
func (f *Facts) endsColumns(p *Page, i int, foot bool) bool {
	r, inner := &p.Rows[i], p.inner(i, foot)
	if inner != nil && inner.Solid {
		return len(r.Parts) > 1 && !f.isSmall(r) && gapBetween(r, inner, foot) <= (tablePitch-1)*f.Pitch
	}
	return f.inColumns(p, i, foot) && f.sameSize(inner.Size, r.Size) && inner.Bold == r.Bold
}

// isItem reports a lone number above the text that is set as the number of an item is.
func (f *Facts) isItem(p *Page, r *Row) bool {
	if f.isSmall(r) {
		return false
	}
	text := strings.TrimSpace(r.Parts[0].Text)
	return f.isLarge(r) || itemNumber.MatchString(text) || capitalRoman.MatchString(text) || math.Abs(r.Parts[0].Left-p.left()) <= columnSlack*r.Size
}

// left is where most lines of the page begin, in points.
func (p *Page) left() float64 {
	var lefts []float64
	for i := range p.Rows {
		if r := &p.Rows[i]; len(r.Parts) > 0 {
			lefts = append(lefts, r.Parts[0].Left)
		}
	}
	return median(lefts)
}

// labelOf is the one word beside the number of a row, "" when there is none or more.
func labelOf(texts []string) string {
	label := ""
	for _, t := range texts {
		for _, s := range slices.Backward(numbersIn(t)) {
			t = t[:s.from] + t[s.to:]
		}
		for _, w := range strings.Fields(t) {
			switch {
			case !strings.ContainsFunc(w, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }):
			case label != "" || !hasWord(w):
				return ""
			default:
				label = w
			}
		}
	}
	return label
}

// wordsOf are the words of a text that have a letter.
func wordsOf(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(w string) bool { return !hasWord(w) }), " ")
}

func hasWord(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// isMirroredEdge reports whether the numbers of rows at an edge stand at their left end on
// left pages and at another on right ones, as those of books do.
func isMirroredEdge(all []edgeNumber, foot bool) bool {
	sides := [2]bool{}
	for _, n := range all {
		if n.foot != foot {
			continue
		}
		if n.leads != (n.page.No%2 == 0) {
			return false
		}
		sides[n.page.No%2] = true
	}
	return sides[0] && sides[1]
}
