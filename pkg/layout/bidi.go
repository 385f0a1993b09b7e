package layout

import (
	"cmp"
	"math"
	"slices"
	"unicode"
)

// The engine turns runs of right-to-left script about, after a guess at the
// order in which the file draws them, and is wrong where one glyph stands for
// several letters or a line is drawn word by word. Here places decide: what a
// reader of the script reads first comes first.

// bidirectional puts lines that hold right-to-left script into logical order;
// others stay as they are. When most letters run to the left, the frame is mirrored, so that all that
// follows may take the line to run to the right.
func bidirectional(lines []Line) []Line {
	if !slices.ContainsFunc(lines, func(l Line) bool { return l.leftward() }) {
		return lines
	}
	lines = logically(lines)
	left, right := 0, 0
	for i := range lines {
		l, r := strong(lines[i].Glyphs)
		left, right = left+l, right+r
	}
	if left > right {
		for i := range lines {
			lines[i].mirror()
		}
	}
	return lines
}

// logically joins the parts of each line that holds right-to-left script and
// puts their glyphs into logical order.
func logically(lines []Line) []Line {
	var out []Line
	var joined []bool // by line of out: it has parts to measure again
	var leftward []bool
	for i := range lines {
		n := len(out) - 1
		left := lines[i].leftward()
		if n < 0 || !left && !leftward[n] || !beside(&out[n], &lines[i]) {
			out, joined, leftward = append(out, lines[i]), append(joined, false), append(leftward, left)
			continue
		}
		if !joined[n] {
			joined[n], out[n].Glyphs = true, slices.Clone(out[n].Glyphs)
		}
		out[n].Glyphs = append(out[n].Glyphs, lines[i].Glyphs...)
		out[n].At = out[n].At.Union(lines[i].At)
		leftward[n] = leftward[n] || left
	}
	for i := range out {
		if leftward[i] {
			out[i] = newLine(logical(out[i].Glyphs))
		}
	}
	return out
}

func (l *Line) leftward() bool {
	return slices.ContainsFunc(l.Glyphs, func(g Glyph) bool { return rightToLeft(g.Rune) })
}

// beside reports whether two parts of a line stand side by side, whichever is
// first.
func beside(a, b *Line) bool {
	size := math.Max(a.Size, b.Size)
	gap := math.Max(a.At.Left-b.At.Right, b.At.Left-a.At.Right)
	return a.Hidden == b.Hidden && a.Outside == b.Outside && math.Abs(a.Base-b.Base) <= sameBase*size && gap <= cellGap*size && gap >= -0.5*size
}

// mirror turns the frame of the line about, its glyphs with it.
func (l *Line) mirror() {
	flip := func(r Rect) Rect { r.Left, r.Right = -r.Right, -r.Left; return r }
	l.At = flip(l.At)
	l.Glyphs = slices.Clone(l.Glyphs)
	for i := range l.Glyphs {
		l.Glyphs[i].At = flip(l.Glyphs[i].At)
	}
}

// strong counts the letters that run to the left and to the right.
func strong(glyphs []Glyph) (left, right int) {
	for i := range glyphs {
		switch r := glyphs[i].Rune; {
		case rightToLeft(r) && !unicode.IsDigit(r):
			left++
		case unicode.IsLetter(r):
			right++
		}
	}
	return left, right
}

// cluster is what one glyph of the font stands for, with its marks.
type cluster struct {
	glyphs    []Glyph
	at        Rect
	direction int // 1 to the right, -1 to the left, 0 not known by itself
}

// logical returns the glyphs of a line in the order in which they are read.
func logical(glyphs []Glyph) []Glyph {
	clusters := clustersOf(glyphs)
	spaces := map[int]rune{}
	for i := range glyphs {
		spaces[glyphs[i].Seq] = glyphs[i].Space
	}
	base := 1
	if left, right := strong(glyphs); left >= right {
		base = -1
	}
	resolve(clusters, base)
	if base < 0 {
		slices.Reverse(clusters)
	}
	for start := 0; start < len(clusters); { // runs against the line's direction are turned about
		end := start + 1
		for end < len(clusters) && clusters[end].direction == clusters[start].direction {
			end++
		}
		if clusters[start].direction != base {
			slices.Reverse(clusters[start:end])
		}
		start = end
	}
	pairBrackets(clusters)
	out := make([]Glyph, 0, len(glyphs))
	for i := range clusters {
		for k := range clusters[i].glyphs {
			clusters[i].glyphs[k].Space, clusters[i].glyphs[k].Drawn = 0, false
		}
		first := &clusters[i].glyphs[0]
		if i > 0 {
			first.Space = spaceAcross(spaces, &clusters[i-1], &clusters[i])
		}
		first.Drawn = first.Space != 0
		out = append(out, clusters[i].glyphs...)
	}
	return out
}

// clustersOf returns the clusters of a line from left to right as printed: the
// letters that one glyph stands for, which the engine hands over backwards, and
// with each letter the marks that are drawn over it.
func clustersOf(glyphs []Glyph) []cluster {
	var out []cluster
	var marks []Glyph
	for start := 0; start < len(glyphs); {
		end := start + 1
		for end < len(glyphs) && glyphs[end].At == glyphs[start].At && rightToLeft(glyphs[end].Rune) && rightToLeft(glyphs[start].Rune) {
			end++
		}
		if end == start+1 && unicode.Is(unicode.Mn, glyphs[start].Rune) {
			marks = append(marks, glyphs[start])
			start = end
			continue
		}
		c := cluster{glyphs: slices.Clone(glyphs[start:end]), at: glyphs[start].At, direction: directionOf(glyphs[start].Rune)}
		if end > start+1 {
			slices.Reverse(c.glyphs)
		}
		out = append(out, c)
		start = end
	}
	if len(out) == 0 {
		return []cluster{{glyphs: marks, at: marks[0].At, direction: -1}}
	}
	slices.SortStableFunc(out, func(a, b cluster) int { return cmp.Compare(middle(a.at), middle(b.at)) })
	for _, m := range marks {
		x := middle(m.At)
		k, _ := slices.BinarySearchFunc(out, x, func(c cluster, x float64) int { return cmp.Compare(middle(c.at), x) })
		if k == len(out) || k > 0 && x-middle(out[k-1].at) < middle(out[k].at)-x {
			k--
		}
		out[k].glyphs = append(out[k].glyphs, m)
	}
	return out
}

func middle(r Rect) float64 { return (r.Left + r.Right) / 2 }

// directionOf is the direction of writing of a character; digits run to the
// right in every script.
func directionOf(r rune) int {
	switch {
	case unicode.IsDigit(r):
		return 1
	case rightToLeft(r):
		return -1
	case unicode.IsLetter(r):
		return 1
	}
	return 0
}

// resolve gives each neutral the direction of its neighbours where these agree,
// else that of the line. clusters stand as printed, from left to right.
func resolve(clusters []cluster, base int) {
	for start := 0; start < len(clusters); {
		if clusters[start].direction != 0 {
			start++
			continue
		}
		end := start
		for end < len(clusters) && clusters[end].direction == 0 {
			end++
		}
		direction := base
		if start > 0 && end < len(clusters) && clusters[start-1].direction == clusters[end].direction {
			direction = clusters[end].direction
		}
		for i := start; i < end; i++ {
			clusters[i].direction = direction
		}
		start = end
	}
}

// brackets are the pairs whose shape is turned about in text that runs to the
// left.
var brackets = map[rune]rune{'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '«': '»', '»': '«'}

// pairBrackets writes brackets that run to the left by what they mean, not by
// their shape: the one that is read first opens.
func pairBrackets(clusters []cluster) {
	for i := range clusters {
		r := clusters[i].glyphs[0].Rune
		if clusters[i].direction > 0 || brackets[r] == 0 {
			continue
		}
		if r == '(' || r == '[' || r == '{' || r == '«' {
			return
		}
		for k := i; k < len(clusters); k++ {
			g := &clusters[k].glyphs[0]
			if other := brackets[g.Rune]; clusters[k].direction < 0 && other != 0 {
				g.Rune, g.Mapped = other, true
			}
		}
		return
	}
}

// spaceAcross is the white space between two clusters that are neighbours in
// the order of reading: what the engine has between them, else what a gap says.
// spaces is the white space before each glyph, by its number.
func spaceAcross(spaces map[int]rune, a, b *cluster) rune {
	for _, x := range a.glyphs {
		for _, y := range b.glyphs {
			if s := spaces[max(x.Seq, y.Seq)]; s != 0 && (x.Seq == y.Seq+1 || y.Seq == x.Seq+1) {
				return s
			}
		}
	}
	gap := math.Max(a.at.Left-b.at.Right, b.at.Left-a.at.Right)
	if gap >= wordGap*math.Min(a.glyphs[0].Size, b.glyphs[0].Size) {
		return ' '
	}
	return 0
}
