package layout

import (
	"math"
	"regexp"
	"slices"
	"unicode"
)

// pageNumber is a page's number standing alone, also as "Page 3 of 7", "- 3 -"
// or "7-45".
var pageNumber = regexp.MustCompile(`^(?i)(?:(?:page|página|pagina|seite|p\.)\s*)?[-–—]?\s*(?:\d{1,4}(?:[-–.]\d{1,4})?|[ivxlc]{1,7})\s*[-–—]?(?:\s*(?:/|of|de|sur|di|von)\s*\d{1,4})?$`)

// numbers types the page's number: alone in a row at the very edge of the page.
func numbers(p Page, blocks []Block) {
	highest, lowest := math.Inf(1), math.Inf(-1) // where the first block ends and the last begins
	for i := range blocks {
		if b := &blocks[i]; b.Turn == 0 {
			highest, lowest = math.Min(highest, b.At.Bottom), math.Max(lowest, b.At.Top)
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph || b.Turn != 0 || b.rows != 1 || len(b.Lines) != 1 || len(b.Lines[0].Glyphs) > 24 {
			continue
		}
		kind := Paragraph
		switch {
		case (b.At.Top > 0.9*p.Height || b.At.Top > 0.75*p.Height && p.apart(blocks, i)) && b.At.Bottom >= lowest:
			kind = PageFooter
		case b.At.Bottom < 0.08*p.Height && b.At.Top <= highest:
			kind = PageHeader
		}
		if kind != Paragraph && pageNumber.MatchString(b.plain()) {
			b.Kind, b.Confidence = kind, 0.8
		}
	}
}

// apart reports whether block i stands in the middle of the page's width, with
// white space of more than two lines above it.
func (p *Page) apart(blocks []Block, i int) bool {
	a := &blocks[i]
	if math.Abs(middle(a.At)-p.Width/2) > 0.05*p.Width {
		return false
	}
	return !slices.ContainsFunc(blocks, func(b Block) bool {
		return b.Turn == 0 && b.At.Top < a.At.Top && b.At.Bottom > a.At.Top-float64(2.5*a.Size)
	})
}

const (
	// marginShare is the share of the page's height at its edges in which a
	// document of few pages has running heads.
	marginShare = 0.08
	// marginStep is how far, in ems, their baselines are from those of the text.
	marginStep = 1.9
	// maxMargin is how many characters each of them has at most, and maxRows how
	// many there are.
	maxMargin, maxRows = 120, 8
)

// margins types the rows that stand alone at the very edge of the page as
// running heads or feet, when the document has too few pages to see them
// repeated and one of them has a number at an end. Without a number they are no
// more than no headings.
func margins(p Page, blocks []Block) {
	if !p.Facts.Few {
		return
	}
	for _, kind := range []Kind{PageHeader, PageFooter} {
		found := p.inMargin(blocks, kind)
		numbered := slices.ContainsFunc(found, func(i int) bool { return blocks[i].numbered() })
		for _, i := range found {
			b := &blocks[i]
			b.Kind, b.Level, b.Guess, b.Confidence = Paragraph, 0, "", 1
			if numbered {
				b.Kind, b.Confidence = kind, 0.7
			}
		}
	}
}

// inMargin returns the blocks that are running heads, or feet, by their place:
// rows at the edge that are apart from all else, if there is anything else.
func (p *Page) inMargin(blocks []Block, kind Kind) []int {
	var found []int
	for i := range blocks {
		if p.edgeRow(&blocks[i], kind) {
			found = append(found, i)
		}
	}
	if len(found) > maxRows {
		return nil
	}
	for again := true; again && len(found) > 0; {
		again = false
		others := 0
		for i := range blocks {
			o := &blocks[i]
			if o.Turn != 0 || o.Hidden || o.Outside || o.Kind == kind || slices.Contains(found, i) {
				continue
			}
			others++
			n := len(found)
			found = slices.DeleteFunc(found, func(k int) bool {
				b := &blocks[k]
				step := b.Lines[0].Base - o.Lines[len(o.Lines)-1].Base
				if kind == PageHeader {
					step = o.Lines[0].Base - b.Lines[0].Base
				}
				return step < marginStep*b.Size
			})
			again = again || len(found) < n
		}
		for _, box := range p.Boxes {
			others++
			found = slices.DeleteFunc(found, func(k int) bool {
				at := blocks[k].At
				return box.Height() < 0.8*p.Height && box.Bottom > at.Top && box.Top < at.Bottom && sharedX(box, at) > 0
			})
		}
		if others == 0 {
			return nil
		}
	}
	return found
}

// edgeRow reports whether the block can be a running head or foot: one row at the
// edge of the page that is no item, note, sentence or title.
func (p *Page) edgeRow(b *Block, kind Kind) bool {
	sure := b.Kind == Heading && b.Confidence > 0.9 // the file says so
	if b.Kind != Paragraph && b.Kind != Heading || sure || b.Turn != 0 || b.Hidden || b.Outside || b.rows != 1 || b.isItem() {
		return false
	}
	if !p.inEdge(b) || (kind == PageFooter) != (b.At.Top > p.Height/2) {
		return false
	}
	text := b.plain()
	title := kind == PageHeader && (b.Bold || b.Size > 1.05*p.Facts.BodySize)
	return len(text) <= maxMargin && (b.numbered() || !isSentence(text) && !title)
}

// inEdge reports whether the block is one row in the margin above or below the
// text of the page.
func (p *Page) inEdge(b *Block) bool {
	return b.rows == 1 && (b.At.Top >= (1-marginShare)*p.Height || b.At.Bottom <= marginShare*p.Height)
}

// numbered reports whether the row begins or ends with a number that white
// space sets apart.
func (b *Block) numbered() bool {
	first, last := &b.Lines[0], &b.Lines[len(b.Lines)-1]
	if len(b.Lines) > 1 && (pageNumber.MatchString(first.String()) || pageNumber.MatchString(last.String())) {
		return true
	}
	word, more := first.wordAt(0)
	n := len([]rune(word))
	return more && pageNumber.MatchString(word) && first.Glyphs[n].At.Left-first.Glyphs[n-1].At.Right > 0.6*first.Size
}

// isItem reports a block that begins as an item of a list or as a note.
func (b *Block) isItem() bool {
	r := row{lines: b.Lines[:1], at: b.Lines[0].At, left: b.left, size: b.Size}
	word, raised, more := b.Lines[0].noteMark()
	return marker(&r) != "" || more && (raised || word != "" && !unicode.IsLetter([]rune(word)[0]) && noteMark.MatchString(word) && !b.numbered())
}
