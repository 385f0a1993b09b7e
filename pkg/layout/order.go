package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// order puts the fragments of one direction into reading order. The order in
// which the file draws its text is that of the program that set the page, and
// right more often than any order told from places alone. It is left where it
// contradicts what can be seen: numbers or marks that are drawn apart from the
// lines they stand beside, and pages that are drawn in leaps. The order of the
// file's tags comes in its place where it contradicts less.
func order(lines []Line) []Line {
	leap := jumps(lines)
	if byTags, ok := tagged(lines); ok && leap >= 2 {
		if n := jumps(byTags); 2*n <= leap && !leaps(n, len(lines)) {
			return withSatellites(byTags)
		}
	}
	if leaps(leap, len(lines)) {
		return byPlace(lines, 0)
	}
	return withSatellites(lines)
}

// leaps reports whether an order of n lines jumps about.
func leaps(jumps, n int) bool { return jumps >= 6 && 4*jumps > n }

// jumps counts the lines that begin above the one before without being in
// another column, or left of it in its row.
func jumps(lines []Line) int {
	bad := 0
	for i := 1; i < len(lines); i++ {
		a, b := &lines[i-1], &lines[i]
		size := math.Max(a.Size, b.Size)
		back := b.Base < a.Base-float64(0.6*size) && sharedX(a.At, b.At) > 0
		beside := math.Abs(a.Base-b.Base) <= 0.3*size && b.At.Right < a.At.Left && !rightToLeft(b.first().Rune)
		if back || beside {
			bad++
		}
	}
	return bad
}

// maxDepth bounds how often a page is cut.
const maxDepth = 24

// byPlace orders lines by place alone: it cuts the page along white space,
// first between columns, then between what stands above and below, and reads
// what cannot be cut row by row.
func byPlace(lines []Line, depth int) []Line {
	if len(lines) < 2 {
		return lines
	}
	if depth < maxDepth {
		if left, right, ok := columns(lines); ok {
			return append(byPlace(left, depth+1), byPlace(right, depth+1)...)
		}
		if upper, lower, ok := bands(lines); ok {
			return append(byPlace(upper, depth+1), byPlace(lower, depth+1)...)
		}
	}
	return Rows(lines)
}

// Rows sorts lines by their rows from top to bottom, each row from left to
// right.
func Rows(lines []Line) []Line {
	out := slices.Clone(lines)
	slices.SortStableFunc(out, func(a, b Line) int { return cmp.Compare(a.Base, b.Base) })
	for start := 0; start < len(out); {
		end := start + 1
		for end < len(out) && math.Abs(out[end].Base-out[start].Base) <= 0.4*math.Max(out[start].Size, out[end].Size) {
			end++
		}
		slices.SortStableFunc(out[start:end], func(a, b Line) int { return cmp.Compare(a.At.Left, b.At.Left) })
		start = end
	}
	return out
}

// columns cuts lines at the widest strip of white space that runs from top to
// bottom between two columns of text, each of at least three rows.
func columns(lines []Line) (left, right []Line, ok bool) {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b Line) int { return cmp.Compare(a.At.Left, b.At.Left) })
	reach, best, cut := sorted[0].At.Right, 0.0, 0
	for i := 1; i < len(sorted); i++ {
		gap := sorted[i].At.Left - reach
		if gap > best && gap >= sorted[i].Size && i >= 3 && len(sorted)-i >= 3 {
			best, cut = gap, i
		}
		reach = math.Max(reach, sorted[i].At.Right)
	}
	if cut == 0 || !prose(sorted[:cut]) || !prose(sorted[cut:]) {
		return nil, nil, false
	}
	at := sorted[cut].At.Left
	for i := range lines {
		if lines[i].At.Left < at {
			left = append(left, lines[i])
		} else {
			right = append(right, lines[i])
		}
	}
	return left, right, true
}

// prose reports lines that are wide enough for text that runs on, rather than
// a column of a table.
func prose(lines []Line) bool {
	wide := 0
	for i := range lines {
		wide += CountIf(lines[i].At.Width() > 9*lines[i].Size)
	}
	return 2*wide >= len(lines)
}

// bands cuts lines at the widest white space between what stands above and
// what stands below.
func bands(lines []Line) (upper, lower []Line, ok bool) {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b Line) int { return cmp.Compare(a.At.Top, b.At.Top) })
	reach, best, cut := sorted[0].At.Bottom, 0.0, 0
	for i := 1; i < len(sorted); i++ {
		if gap := sorted[i].At.Top - reach; gap > best {
			best, cut = gap, i
		}
		reach = math.Max(reach, sorted[i].At.Bottom)
	}
	if cut == 0 {
		return nil, nil, false
	}
	at := sorted[cut].At.Top
	for i := range lines {
		if lines[i].At.Top < at {
			upper = append(upper, lines[i])
		} else {
			lower = append(lower, lines[i])
		}
	}
	return upper, lower, true
}

const (
	// satelliteGlyphs and satelliteWidth (ems) bound what can be a number or
	// mark beside a line.
	satelliteGlyphs = 6
	satelliteWidth  = 5
	// satelliteGap is how far from its line it may stand, in ems, bulletGap how far
	// a bullet does that is drawn apart alone.
	satelliteGap = 14
	bulletGap    = 3
)

// withSatellites moves columns of short marks, such as line numbers and
// bullets, that are drawn apart from their lines to where they stand: each
// before the line to the right of it.
func withSatellites(lines []Line) []Line {
	mates := matesOf(lines)
	moved := make([]bool, len(lines))
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && small(&lines[start]) && small(&lines[end]) && aligned(&lines[start], &lines[end]) {
			end++
		}
		beside := 0
		for i := start; i < end; i++ {
			beside += CountIf(mates[i] >= 0 && (mates[i] < start || mates[i] > end))
		}
		if end-start >= 3 && 2*beside >= end-start {
			for i := start; i < end; i++ {
				moved[i] = true
			}
		}
		start = end
	}
	for i := range lines {
		moved[i] = moved[i] || mates[i] >= 0 && mates[i] != i+1 && lines[i].isBullet() && lines[mates[i]].At.Left-lines[i].At.Right <= bulletGap*lines[i].Size
	}
	if !slices.Contains(moved, true) {
		return lines
	}
	return replace(lines, mates, moved)
}

func small(l *Line) bool {
	return len(l.Glyphs) <= satelliteGlyphs && l.At.Width() <= satelliteWidth*l.Size
}

// isBullet reports whether the line is a bullet alone that is no sign of another
// kind.
func (l *Line) isBullet() bool {
	return len(l.Glyphs) == 1 && l.first().Rune > unicode.MaxLatin1 && strings.ContainsRune(bullets, l.first().Rune) && !strings.ContainsRune("–—", l.first().Rune)
}

// aligned reports whether two lines share their left or right edge.
func aligned(a, b *Line) bool {
	slack := 0.3 * a.Size
	return math.Abs(a.At.Left-b.At.Left) <= slack || math.Abs(a.At.Right-b.At.Right) <= slack
}

// matesOf returns for each small line the nearest one to the right of it in
// its row, -1 for none. Only a line that is no mark itself is a mate.
func matesOf(lines []Line) []int {
	byBase := make([]int, len(lines))
	for i := range byBase {
		byBase[i] = i
	}
	slices.SortStableFunc(byBase, func(a, b int) int { return cmp.Compare(lines[a].Base, lines[b].Base) })
	mates := make([]int, len(lines))
	for i := range mates {
		mates[i] = -1
	}
	for at, i := range byBase {
		a := &lines[i]
		if !small(a) {
			continue
		}
		nearest := satelliteGap * a.Size
		look := func(k int) bool {
			b := &lines[k]
			if math.Abs(b.Base-a.Base) > 0.3*math.Max(a.Size, b.Size) {
				return false
			}
			if gap := b.At.Left - a.At.Right; !small(b) && gap >= 0 && gap < nearest {
				nearest, mates[i] = gap, k
			}
			return true
		}
		for k := at - 1; k >= 0 && at-k < 64 && look(byBase[k]); k-- {
		}
		for k := at + 1; k < len(byBase) && k-at < 64 && look(byBase[k]); k++ {
		}
	}
	return mates
}

// precedes reports whether b stands lower than a, or right of it in its row.
func (a *Line) precedes(b *Line) bool {
	if math.Abs(a.Base-b.Base) <= 0.3*math.Max(a.Size, b.Size) {
		return b.At.Left >= a.At.Right
	}
	return b.Base > a.Base
}

// replace puts each moved line before its mate, or, without one, before the
// first line that stands lower.
func replace(lines []Line, mates []int, moved []bool) []Line {
	before := make([][]int, len(lines)+1)
	for i := range lines {
		if !moved[i] {
			continue
		}
		at := mates[i]
		if at < 0 || moved[at] {
			at = len(lines)
			for k := range lines {
				if !moved[k] && lines[i].precedes(&lines[k]) {
					at = k
					break
				}
			}
		}
		before[at] = append(before[at], i)
	}
	out := make([]Line, 0, len(lines))
	for k := 0; k <= len(lines); k++ {
		for _, i := range before[k] {
			out = append(out, lines[i])
		}
		if k < len(lines) && !moved[k] {
			out = append(out, lines[k])
		}
	}
	return out
}
