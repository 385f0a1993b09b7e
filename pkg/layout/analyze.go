package layout

import (
	"cmp"
	"maps"
	"slices"
)

// Page is what is known of a page.
type Page struct {
	Width, Height float64 // upright, points
	Glyphs        []Glyph // in the engine's order
	// Facts are what the document says about its pages.
	Facts Facts
	// Boxes are the places of what is not text here, tables and pictures. Each
	// has a block of its own in the reading order; no paragraph goes across the
	// first Walls of them.
	Boxes []Rect
	Walls int
	// Firsts are, by box, 1 + the number of the first glyph that belongs to it, 0
	// for none: where the file draws it says which of the places in the reading
	// order it has that its own place allows. It may be shorter than Boxes.
	Firsts []int
	// Tags are the pieces of tagged text in the order in which they are to be
	// read, as far as the file is to be believed.
	Tags []Tag
}

// Facts are the findings about the whole document that blocks are typed by.
type Facts struct {
	// BodySize is the size of most of the document's text; 0: unknown.
	BodySize float64
	// BodyBold and BodyMono: most of the document is set in bold, or in letters
	// of one width.
	BodyBold, BodyMono bool
	// Words are those that the document writes with a hyphen elsewhere.
	Words Words
	// Level returns the level of a heading in this size and weight, 0 for none.
	Level func(size float64, bold bool) int
	// Titled returns the level of the outline entry for this page with this
	// text, 0 for none.
	Titled func(text string) int
	// Running sets Running and Doubtful of the lines of a page, among which stand
	// tables.
	Running func(lines []Line, tables []Rect)
}

// Analyze returns the blocks of the page in reading order, and the words that
// are written with a hyphen on it and elsewhere in its document. Every glyph is in
// exactly one block.
func Analyze(p Page) ([]Block, Words) {
	lines := Lines(p)
	words := Hyphenated(lines)
	maps.Copy(words, p.Facts.Words)
	return Blocks(p, lines), words
}

// Blocks returns the blocks of lines that are in reading order.
func Blocks(p Page, lines []Line) []Block {
	if p.Facts.Running != nil {
		p.Facts.Running(lines, p.Boxes[:p.Walls])
	}
	var blocks []Block
	between := guttersOf(lines)
	for _, part := range split(lines, p) {
		blocks = append(blocks, paragraphs(rowsOf(part, between), p.Facts.BodyMono)...)
	}
	classify(p, blocks)
	blocks = captionsWhole(blocks)
	blocks = joinParts(p, lastNotes(blocks))
	continuations(p, blocks)
	outermost(blocks)
	for i, box := range p.Boxes {
		first := 0
		if i < len(p.Firsts) {
			first = p.Firsts[i]
		}
		at := p.insertion(blocks, box, first-1, i < p.Walls)
		blocks = slices.Insert(blocks, at, Block{Kind: Box, Box: box, At: box, Ref: i, Confidence: 1})
	}
	return besideBoxes(p, blocks)
}

// Lines returns the lines of the page in reading order. Text that is not seen
// comes last, unless it is most of what there is.
func Lines(p Page) []Line {
	var out []Line
	for _, layer := range layers(p.Glyphs) {
		for _, group := range directions(layer) {
			parts := fragments(group)
			for i := range parts {
				spread(&parts[i])
			}
			out = append(out, initials(marksFirst(withoutAsides(order(scripts(bidirectional(parts))))))...)
		}
	}
	return out
}

// layers divides glyphs into those that are seen and those that are not, when
// the first are more: what a file draws invisible for itself must not come
// between the lines of its text.
func layers(glyphs []Glyph) [][]Glyph {
	unseen := 0
	for i := range glyphs {
		unseen += CountIf(glyphs[i].unseen())
	}
	if unseen == 0 || 2*unseen > len(glyphs) {
		return [][]Glyph{glyphs}
	}
	seen, rest := make([]Glyph, 0, len(glyphs)-unseen), make([]Glyph, 0, unseen)
	for i := range glyphs {
		if glyphs[i].unseen() {
			rest = append(rest, glyphs[i])
		} else {
			seen = append(seen, glyphs[i])
		}
	}
	return [][]Glyph{seen, rest}
}

func (g *Glyph) unseen() bool { return g.Hidden || g.Outside }

// outermost moves running heads to the front and running feet to the end.
func outermost(blocks []Block) {
	rank := func(b *Block) int {
		switch b.Kind {
		case PageHeader:
			return 0
		case PageFooter:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(blocks, func(a, b Block) int { return cmp.Compare(rank(&a), rank(&b)) })
}

// directions divides glyphs by their direction of writing, the most frequent
// one first, each in the engine's order.
func directions(glyphs []Glyph) [][]Glyph {
	if oneDirection(glyphs) {
		return [][]Glyph{glyphs} // as on nearly every page
	}
	count := map[int]int{}
	for i := range glyphs {
		count[glyphs[i].Turn]++
	}
	at := map[int]int{}
	var groups [][]Glyph
	for i := range glyphs {
		turn := glyphs[i].Turn
		k, ok := at[turn]
		if !ok {
			k = len(groups)
			at[turn] = k
			groups = append(groups, make([]Glyph, 0, count[turn]))
		}
		groups[k] = append(groups[k], glyphs[i])
	}
	slices.SortStableFunc(groups, func(a, b []Glyph) int { return cmp.Compare(len(b), len(a)) })
	return groups
}

// oneDirection reports whether all glyphs run in the same direction; false when
// there are none.
func oneDirection(glyphs []Glyph) bool {
	for i := range glyphs {
		if glyphs[i].Turn != glyphs[0].Turn {
			return false
		}
	}
	return len(glyphs) > 0
}

// split divides the lines where running heads, and what stands in their place, begin
// and end, and where a wall stands between two of them.
func split(lines []Line, p Page) [][]Line {
	var parts [][]Line
	start := 0
	for i := 1; i < len(lines); i++ {
		a, b := &lines[i-1], &lines[i]
		if a.Running != b.Running || a.Doubtful != b.Doubtful || p.walled(a, b) {
			parts = append(parts, lines[start:i])
			start = i
		}
	}
	return append(parts, lines[start:])
}

// walled reports whether a table or the like lies between two lines.
func (p *Page) walled(a, b *Line) bool {
	if a.Turn != 0 || b.Turn != 0 {
		return false
	}
	for _, w := range p.Boxes[:p.Walls] {
		middle := (w.Top + w.Bottom) / 2
		if a.Base <= middle && b.Base >= middle && (sharedX(a.Box, w) > 0 || sharedX(b.Box, w) > 0) {
			return true
		}
	}
	return false
}

// insertion returns where in the reading order a box belongs: behind the
// blocks above it, before those below it. Where that leaves a choice, it stands
// before the first block that is drawn after seq, if that is one of its places,
// else as early as it can. Above a wall, which divides the text, is all that stands
// higher in its flow.
func (p *Page) insertion(blocks []Block, box Rect, seq int, wall bool) int {
	above, below := make([]bool, len(blocks)), make([]bool, len(blocks))
	last := 0 // blocks below that stand before place i, and above that stand behind it
	anyAbove := false
	drawn := -1 // where it is drawn
	for i := range blocks {
		b := &blocks[i]
		if drawn < 0 && seq >= 0 && b.Kind != Box && b.Lines[0].Glyphs[0].Seq > seq {
			drawn = i
		}
		if b.Turn != 0 || sharedX(b.Box, box) <= 0 && !(wall && b.flowsBy(box)) || b.Kind == Caption && b.nextTo(box) && !p.between(b) {
			continue // a caption goes where its box does
		}
		middle := (b.At.Top + b.At.Bottom) / 2
		above[i], below[i] = middle < box.Top, middle > box.Bottom
		last += CountIf(above[i])
		anyAbove = anyAbove || above[i]
	}
	best, place := last, 0
	for i := range blocks {
		last += CountIf(below[i]) - CountIf(above[i])
		if last < best || last == best && (!anyAbove || i+1 == drawn) {
			best, place = last, i+1
		}
	}
	return place
}

// flowsBy reports whether the box stands in the flow of text that the block is a
// part of, where a full line of it would be.
func (b *Block) flowsBy(box Rect) bool {
	return b.left < b.right && b.right > box.Left && b.left < box.Right
}
