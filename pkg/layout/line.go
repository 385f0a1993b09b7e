package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// All distances are in ems: multiples of the size of the font at hand.
const (
	// sameBase is how far baselines of one line may differ.
	sameBase = 0.25
	// scriptBase is how far a raised or lowered character may be off.
	scriptBase = 0.65
	// dropBase is how far a letter of the same size may be lowered that is moved
	// into the one before it, by no more than dropGap, as in the names of typesetters.
	dropBase, dropGap = 0.35, 0.3
	// hangBase is how far the origin of a large operator may be off.
	hangBase = 1.3
	// scriptSize is the share of the line's size below which a character can
	// be a raised or lowered one.
	scriptSize = 0.86
	// cellGap is the gap beyond which a fragment ends: two columns, or two
	// cells of a table.
	cellGap = 1.4
	// wordGap is the gap from which on a space stands between two characters
	// even if the engine has none.
	wordGap = 0.28
	// noGap is the gap below which a space that the engine put in is none,
	// scriptGap the same beside a raised or lowered character.
	noGap     = 0.15
	scriptGap = 0.22
)

// Line is a line of text, or a part of one: glyphs on one baseline, in reading
// order, without a wide gap among them.
type Line struct {
	Glyphs []Glyph
	Box    Rect    // on the page
	At     Rect    // in the frame of its direction
	Base   float64 // in the frame
	Size   float64 // of most of its characters
	Style
	Turn            int
	Hidden, Outside bool
	// Running is PageHeader or PageFooter for a line that is one by Facts.Running,
	// else Paragraph. Doubtful: it is none, but stands where they do.
	// Why is the flag of what proves it, where that is not its text on other pages.
	Running  Kind
	Doubtful bool
	Why      string
}

// fragments cuts the glyphs of one direction, in the engine's order, into
// lines without wide gaps.
func fragments(glyphs []Glyph) []Line {
	var out []Line
	start := 0
	row := rowState{}
	for i := range glyphs {
		g := &glyphs[i]
		if i > start && !row.takes(&glyphs[i-1], g) {
			out = append(out, newLine(glyphs[start:i:i]))
			start = i
		}
		if i == start {
			row = rowState{}
		} else if row.limits && g.Space != 0 && g.At.Left < middle(glyphs[i-1].At) {
			g.Drawn = true // from the upper limit of an operator to the lower one
		}
		row.add(g)
	}
	if start < len(glyphs) {
		out = append(out, newLine(glyphs[start:]))
	}
	return out
}

// rowState is the row that is being collected: baseline and size of its
// largest character.
type rowState struct {
	base, size float64
	firm       bool    // more than signs that stand off the baseline are in it
	stack      float64 // where raised and lowered characters begin
	limits     bool    // they are the limits of an operator
}

func (r *rowState) add(g *Glyph) {
	hangs := hanging(g)
	if g.Size > r.size*1.05 || !r.firm && !hangs {
		r.base, r.size = g.Base, g.Size
	}
	if hangs || g.Size > scriptSize*r.size {
		r.stack, r.limits = g.At.Right, hangs
	}
	r.firm = r.firm || !hangs
}

// hanging reports a sign whose glyph hangs from its origin, as the large
// operators and brackets of formulas do: its baseline says nothing.
func hanging(g *Glyph) bool {
	if g.Rune < 0x2000 && !g.Mapped {
		return false
	}
	if g.Rune < '\u2200' && !g.Mapped {
		return false
	}
	return strings.ContainsRune("∑∏∐∫∮⋃⋂⋁⋀⨄⨁⨂⎛⎞⎡⎤⎢⎥⎣⎦⎧⎫⎨⎬⎩⎭⎪⏐⎝⎠⎜⎟√⎷", g.Rune) || g.Mapped && strings.ContainsRune("()[]{}⌊⌋⌈⌉⟨⟩|‖", g.Rune)
}

// takes reports whether g goes on after last in the same row.
func (r *rowState) takes(last, g *Glyph) bool {
	if last.Hidden != g.Hidden || last.Outside != g.Outside {
		return false
	}
	size := max(last.Size, g.Size)
	gap := g.At.Left - last.At.Right
	if rightToLeft(g.Rune) || rightToLeft(last.Rune) {
		gap = math.Max(gap, last.At.Left-g.At.Right)
	}
	off := math.Abs(g.Base - r.base)
	switch {
	case off > sameBase*size && (hanging(g) || !r.firm):
		return off <= hangBase*size && gap <= 0.5*size && gap >= -0.5*size
	case off <= sameBase*max(r.size, g.Size):
		return gap <= cellGap*size && g.At.Left >= last.At.Left-size || rightToLeft(g.Rune) && gap <= cellGap*size
	case off <= dropBase*size && g.Base > r.base && sameSize(g.Size, r.size) && gap >= -dropGap*size && gap <= 0:
		return true
	case off <= scriptBase*max(r.size, g.Size):
		small := g.Size <= scriptSize*r.size || r.size <= scriptSize*g.Size || math.Abs(g.Base-last.Base) <= sameBase*g.Size
		return small && gap <= 0.5*size && (gap >= -0.5*size || g.At.Left >= r.stack-float64(0.5*size))
	}
	return false
}

// newLine measures a line.
func newLine(glyphs []Glyph) Line {
	l := Line{Glyphs: glyphs, Box: glyphs[0].Box, At: glyphs[0].At, Turn: glyphs[0].Turn, Hidden: glyphs[0].Hidden, Outside: glyphs[0].Outside}
	bold, italic, mono := 0, 0, 0
	for i := range glyphs {
		g := &glyphs[i]
		l.Box, l.At = l.Box.Union(g.Box), l.At.Union(g.At)
		bold += CountIf(g.Bold)
		italic += CountIf(g.Italic)
		mono += CountIf(g.Mono)
	}
	l.Bold, l.Italic, l.Mono = 2*bold > len(glyphs), 2*italic > len(glyphs), 2*mono > len(glyphs)
	l.Size, l.Base = mainSize(glyphs)
	return l
}

// mainSize returns the size that most characters have, the larger of two that
// are equally frequent, and the baseline of the first of them. It looks at no
// more than 16 sizes.
func mainSize(glyphs []Glyph) (size, base float64) {
	type tally struct {
		size, base float64
		n          int
	}
	tallies := make([]tally, 0, 16)
	for i := range glyphs {
		g := &glyphs[i]
		if len(tallies) > 0 && hanging(g) {
			continue
		}
		at := slices.IndexFunc(tallies, func(t tally) bool { return t.size == g.Size })
		if at == 0 && hanging(&glyphs[0]) && tallies[0].n == 1 {
			tallies[0].base = g.Base
		}
		if at >= 0 {
			tallies[at].n++
		} else if len(tallies) < 16 {
			tallies = append(tallies, tally{g.Size, g.Base, 1})
		}
	}
	best := tallies[0]
	for _, t := range tallies[1:] {
		if t.n > best.n || t.n == best.n && t.size > best.size {
			best = t
		}
	}
	return best.size, best.base
}

// allBold reports whether no letter or digit of the line is set otherwise.
func (l *Line) allBold() bool {
	if !l.Bold {
		return false
	}
	for i := range l.Glyphs {
		if g := &l.Glyphs[i]; !g.Bold && wordRune(g.Rune) {
			return false
		}
	}
	return true
}

// endsWithHyphen reports whether the line's last character breaks a word.
func (l *Line) endsWithHyphen() bool {
	n := len(l.Glyphs)
	last := &l.Glyphs[n-1]
	return last.Hyphen || last.Rune == softHyphen || last.Rune == hyphen && n > 1 && unicode.IsLetter(l.Glyphs[n-2].Rune)
}

func (l *Line) first() *Glyph { return &l.Glyphs[0] }
func (l *Line) last() *Glyph  { return &l.Glyphs[len(l.Glyphs)-1] }

// sameRow reports whether b goes on in the row of a, to the right of it.
func sameRow(a, b *Line) bool {
	size := math.Max(a.Size, b.Size)
	return a.Turn == b.Turn && math.Abs(a.Base-b.Base) <= 0.3*size && b.At.Left >= a.At.Right-float64(0.5*size)
}

// softHyphen breaks a word only where it stands at the end of a line; hyphen is
// what browsers draw there.
const (
	softHyphen = '\u00AD'
	hyphen     = '\u2010'
)

// spaceBetween returns the white space between two neighbours of a line, 0 for
// none. What stands in the file stays; what the engine put in is measured
// again, since it puts a space beside every raised or lowered character.
func spaceBetween(a, b *Glyph) rune {
	if b.Tight {
		return 0
	}
	if b.Space != 0 && b.Drawn {
		return b.Space
	}
	if rightToLeft(a.Rune) || rightToLeft(b.Rune) || b.At.Left < a.At.Left {
		return b.Space
	}
	gap := b.At.Left - a.At.Right
	size := min(a.Size, b.Size)
	if b.Space != 0 {
		least := noGap
		if math.Abs(a.Base-b.Base) > 0.1*size {
			least = scriptGap
		}
		if gap < least*size {
			return 0
		}
		return ' '
	}
	if gap >= wordGap*size && b.Seq == a.Seq+1 {
		return ' '
	}
	return 0
}

// text appends the characters of the line.
func (l *Line) text(b *strings.Builder, printed bool) {
	for i := range l.Glyphs {
		g := &l.Glyphs[i]
		if i > 0 {
			if s := spaceBetween(&l.Glyphs[i-1], g); s != 0 {
				b.WriteRune(s)
			}
		}
		if g.Rune == softHyphen && !printed {
			continue
		}
		b.WriteRune(g.shown())
	}
}

// shown is the character as printed.
func (g *Glyph) shown() rune {
	if g.Hyphen {
		return '-'
	}
	return g.Rune
}

// String returns the line as printed.
func (l *Line) String() string {
	var b strings.Builder
	l.text(&b, true)
	return b.String()
}

// firstWord is the width of the line's first word, in points.
func (l *Line) firstWord() float64 {
	for i := 1; i < len(l.Glyphs); i++ {
		if spaceBetween(&l.Glyphs[i-1], &l.Glyphs[i]) != 0 {
			return l.Glyphs[i-1].At.Right - l.At.Left
		}
	}
	return l.At.Width()
}

// lowerStart reports whether the line begins with a small letter.
func (l *Line) lowerStart() bool {
	for i := range l.Glyphs {
		if r := l.Glyphs[i].Rune; wordRune(r) {
			return unicode.IsLower(r)
		}
	}
	return false
}
