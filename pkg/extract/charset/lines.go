package charset

import (
	"bytes"

	"github.com/colophon-dev/colophon/pkg/model"
)

// lineStep is how far apart the places are before which line ends are counted once.
const lineStep = 4 << 10

// lineCount is how many lines have ended before each lineStep-th byte.
type lineCount []int32

// Lines returns the lines that t.Bytes[start:end] touches, from 1: a line ends with
// U+000A, U+000D or both. Ranges may be asked for in any order.
func (t *Text) Lines(start, end int) *model.Lines {
	first := t.line(start)
	return &model.Lines{First: first, Last: max(first, t.line(max(start, end-1)))}
}

// line returns the line of the byte at i.
func (t *Text) line(i int) int {
	i = min(max(i, 0), len(t.Bytes))
	for n := len(t.lines); n <= i/lineStep; n++ {
		ended := int32(0)
		if n > 0 {
			ended = t.lines[n-1] + int32(lineEnds(t.Bytes, (n-1)*lineStep, n*lineStep))
		}
		t.lines = append(t.lines, ended)
	}
	n := i / lineStep
	return 1 + int(t.lines[n]) + lineEnds(t.Bytes, n*lineStep, i)
}

// lineEnds counts the line ends of which the first byte is in b[from:to].
func lineEnds(b []byte, from, to int) int {
	piece := b[from:to]
	n := bytes.Count(piece, []byte{'\n'}) + bytes.Count(piece, []byte{'\r'}) - bytes.Count(piece, []byte("\r\n"))
	if from > 0 && len(piece) > 0 && piece[0] == '\n' && b[from-1] == '\r' {
		n-- // of the end before
	}
	return n
}
