package layout

import (
	"math"
	"slices"
)

const (
	// maxAside is how many lines may stand between two lines of one paragraph.
	maxAside = 60
	// maxAsides bounds how often that is looked for on one page.
	maxAsides = 100
)

// withoutAsides moves what is drawn in the middle of a paragraph but stands
// beside it, such as a note in the margin or a caption, behind the lines that
// go on below each other.
func withoutAsides(lines []Line) []Line {
	moved := 0
	for i := 1; i < len(lines) && moved < maxAsides; i++ {
		a := &lines[i-1]
		if goesDown(a, &lines[i]) || !proseLine(a) {
			continue
		}
		back := -1
		for k := i; k < min(i+maxAside, len(lines)) && sharedX(a.At, lines[k].At) <= 0 && a.Turn == lines[k].Turn; k++ {
			if math.Abs(lines[k].Base-a.Base) <= 0.5*a.Size && k == i {
				break // the same row: a table, or two columns side by side
			}
			if k+1 < len(lines) && goesDown(a, &lines[k+1]) && proseLine(&lines[k+1]) {
				back = k + 1
				break
			}
		}
		if back < 0 || endsSentence(a) && !lines[back].lowerStart() {
			continue
		}
		end := back + 1
		for end < len(lines) && goesDown(&lines[end-1], &lines[end]) {
			end++
		}
		out := slices.Clone(lines[:i])
		out = append(out, lines[back:end]...)
		out = append(out, lines[i:back]...)
		out = append(out, lines[end:]...)
		lines = out
		i += end - back
		moved++
	}
	return lines
}

// goesDown reports whether b is the next line below a, in the same column and
// type.
func goesDown(a, b *Line) bool {
	step := b.Base - a.Base
	return a.Turn == b.Turn && sameSize(a.Size, b.Size) && step > 0.5*a.Size && step < 2*a.Size && math.Abs(a.At.Left-b.At.Left) < 1.5*a.Size
}

func proseLine(l *Line) bool { return l.At.Width() >= proseWidth*l.Size && l.wordy() }
