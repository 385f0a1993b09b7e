package layout

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxTitle is how many characters, and lines, the title below a label has at
	// most.
	maxTitle, maxTitleRows = 250, 4
	// captionStep is how far below a line of a caption the next one stands at
	// most, and captionGap how far from what it names it stands, in ems.
	captionStep = 1.8
	captionGap  = 4
	// titleGap is how far above a table, in ems, a title without a label stands.
	titleGap = 1.2
)

var (
	// captionLabel is a caption without a title.
	captionLabel = regexp.MustCompile(`^\pL+\.?\s*[\dIVXA-Z][\d.\-–A-Za-z]*\s*[.:–—-]?$`)
	// tableCaption begins that of a table.
	tableCaption = regexp.MustCompile(`^(?i:tab|quadro|tavola)`)
	// pictureCaption begins that of a picture or drawing.
	pictureCaption = regexp.MustCompile(`^(?i:fig|abb|gra|grá|chart|map|carte)`)
)

// tableTitles types as captions the short lines right above a table that stand
// over its middle.
func tableTitles(p Page, blocks []Block) {
	for _, table := range p.Boxes[:p.Walls] {
		for i := range blocks {
			b := &blocks[i]
			gap := table.Top - b.At.Bottom
			if b.Kind != Paragraph || b.Turn != 0 || b.rows > 2 || gap < -0.5*b.Size || gap > titleGap*b.Size || b.At.Width() > 0.7*table.Width() {
				continue
			}
			if math.Abs(middle(b.At)-middle(table)) <= 0.02*table.Width() && math.Abs(b.At.Left-table.Left) > 2*b.Size && !endsSentence(&b.Lines[len(b.Lines)-1]) {
				b.Kind, b.Confidence = Caption, 0.6
			}
		}
	}
}

// captionsWhole joins captions with what goes on below them: the title of a label
// alone, and lines that continue an unfinished one in another style.
func captionsWhole(blocks []Block) []Block {
	var out []Block
	for i := range blocks {
		b := &blocks[i]
		if n := len(out); n > 0 && out[n-1].Kind == Caption && out[n-1].heads(b) {
			a := &out[n-1]
			a.Lines = slices.Concat(a.Lines, b.Lines)
			a.Box, a.At = a.Box.Union(b.Box), a.At.Union(b.At)
			a.rows, a.full = a.rows+b.rows, b.full
			continue
		}
		out = append(out, *b)
	}
	return out
}

// heads reports whether b is a part of caption a: right below it, as its title or
// as the rest of it.
func (a *Block) heads(b *Block) bool {
	if b.Kind != Paragraph && b.Kind != Heading || b.Turn != a.Turn || b.Hidden != a.Hidden || b.Outside != a.Outside || len(a.Parts)+len(b.Parts) > 0 {
		return false
	}
	last, next := &a.Lines[len(a.Lines)-1], &b.Lines[0]
	step := next.Base - last.Base
	if step < 0 || step > captionStep*math.Max(last.Size, next.Size) || sharedX(a.At, b.At) <= 0 || b.rows > maxTitleRows {
		return false
	}
	text, title := a.plain(), b.plain()
	if utf8.RuneCountInString(title) > maxTitle || BeginsCaption(title) {
		return false
	}
	if captionLabel.MatchString(text) {
		return true
	}
	open := strings.ContainsRune("-–—,:", last.last().Rune)
	return (next.lowerStart() || open) && !endsSentence(last) && b.rows <= 2 && math.Abs(last.Size-next.Size) <= 1
}

// besideBoxes notes in Ref what captions name, and moves them to it, when they
// stand elsewhere in the order: before a table or picture below them, behind one
// above them.
func besideBoxes(p Page, blocks []Block) []Block {
	var before, after map[int][]Block
	var moved []bool
	for i := range blocks {
		if blocks[i].Kind != Caption {
			continue
		}
		k, below := p.named(blocks, i)
		if k < 0 {
			continue
		}
		blocks[i].Ref = blocks[k].Ref + 1
		if below && i < k && near(blocks, i, k) || !below && k < i && near(blocks, k, i) {
			continue
		}
		if moved == nil {
			before, after, moved = map[int][]Block{}, map[int][]Block{}, make([]bool, len(blocks))
		}
		moved[i] = true
		if below {
			before[k] = append(before[k], blocks[i])
		} else {
			after[k] = append(after[k], blocks[i])
		}
	}
	if moved == nil {
		return blocks
	}
	out := make([]Block, 0, len(blocks))
	for i := range blocks {
		if !moved[i] {
			out = append(append(append(out, before[i]...), blocks[i]), after[i]...)
		}
	}
	return out
}

// named returns the block of the table or picture that caption i stands next to,
// -1 for none, and whether it is below the caption.
func (p *Page) named(blocks []Block, i int) (box int, below bool) {
	c := &blocks[i]
	text := c.plain()
	isTable, isOther := tableCaption.MatchString(text), pictureCaption.MatchString(text)
	box = -1
	nearest := captionGap * c.Size
	for k := range blocks {
		b := &blocks[k]
		if b.Kind != Box || c.Turn != 0 || isTable && b.Ref >= p.Walls || isOther && b.Ref < p.Walls {
			continue
		}
		shared := sharedX(c.At, b.Box)
		if 2*shared < math.Min(c.At.Width(), b.Box.Width()) && !(isTable && (shared > 0 || c.flowsBy(b.Box))) {
			continue
		}
		under, over := b.Box.Top-c.At.Bottom, c.At.Top-b.Box.Bottom
		if under > -0.5*c.Size && under < nearest {
			box, below, nearest = k, true, under
		}
		if over > -0.5*c.Size && over < nearest {
			box, below, nearest = k, false, over
		}
	}
	return box, below
}

// nextTo reports whether the caption stands right above or below the box.
func (b *Block) nextTo(box Rect) bool {
	gap := math.Max(box.Top-b.At.Bottom, b.At.Top-box.Bottom)
	return gap > -0.5*b.Size && gap < captionGap*b.Size
}

// between reports whether the caption stands next to several boxes.
func (p *Page) between(b *Block) bool {
	n := 0
	for _, box := range p.Boxes {
		n += CountIf(sharedX(b.Box, box) > 0 && b.nextTo(box))
	}
	return n > 1
}

// foreign is how many characters a text has at least that parts a caption from
// what it names.
const foreign = 40

// near reports whether nothing but short texts, and what stands between them on
// the page too, comes between two blocks in the order.
func near(blocks []Block, first, last int) bool {
	from, to := math.Min(blocks[first].At.Top, blocks[last].At.Top), math.Max(blocks[first].At.Bottom, blocks[last].At.Bottom)
	for k := first + 1; k < last; k++ {
		b := &blocks[k]
		n := 0
		for i := range b.Lines {
			n += len(b.Lines[i].Glyphs)
		}
		between := b.At.Top >= from && b.At.Bottom <= to && (sharedX(b.At, blocks[last].At) > 0 || sharedX(b.At, blocks[first].At) > 0)
		if n >= foreign && !between {
			return false
		}
	}
	return true
}
