package layout

import "strings"

const (
	// maxMark is how many characters the mark of an item has that is drawn by itself.
	maxMark = 5
	// behindMark is how far, in ems, the text stands behind it at most.
	behindMark = 4
)

// marksFirst moves marks of items that are drawn apart from their text, as behind all of a
// list that stands within the item, to the line that they stand before.
func marksFirst(lines []Line) []Line {
	looked := 0
	for i := 0; i < len(lines) && looked < maxAsides; i++ {
		mark := &lines[i]
		if len(mark.Glyphs) > maxMark || mark.Turn != 0 || !isMark(mark.String()) || i+1 < len(lines) && mark.marks(&lines[i+1]) {
			continue
		}
		looked++
		to := -1
		for k := range lines {
			if k != i && sameRow(&lines[k], mark) {
				to = -1 // a column of a table
				break
			}
			if k != i && mark.marks(&lines[k]) && (to < 0 || lines[k].At.Left < lines[to].At.Left) {
				to = k
			}
		}
		if to < 0 {
			continue
		}
		moved := *mark
		if to < i {
			copy(lines[to+1:i+1], lines[to:i])
			lines[to] = moved
			continue
		}
		copy(lines[i:to-1], lines[i+1:to])
		lines[to-1] = moved
		i-- // another line stands here now
	}
	return lines
}

// isMark reports a text that is the mark of an item and nothing else.
func isMark(text string) bool {
	return strings.Trim(text, bullets) == "" && len([]rune(text)) == 1 || numberItem.MatchString(text)
}

// marks reports whether the line l begins right behind the mark.
func (mark *Line) marks(l *Line) bool {
	gap := l.At.Left - mark.At.Right
	return l.Turn == 0 && gap > 0 && gap <= behindMark*mark.Size && sameSize(mark.Size, l.Size) && sameRow(mark, l) && mark.Hidden == l.Hidden && mark.Outside == l.Outside
}
