package pdf

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/layout/table"
)

const (
	// maxLabel is how many characters a text on a drawing may have to be part of
	// it.
	maxLabel = 60
	// labelGap is how far a label may stand out of its drawing, in points.
	labelGap = 8
	// maxTick is how many characters a label at the edge of a chart may have, and
	// leastTicks how many make an axis.
	maxTick    = 30
	leastTicks = 3
	// tickGap and titleGap are how far from the chart, in ems, the labels of an
	// axis and its title stand at most.
	tickGap  = 2.2
	titleGap = 2.5
	// tickSlack is how far, in points, labels in line may be off, and maxFound
	// bounds those that are looked at.
	tickSlack = 2.5
	maxFound  = 200
	// headSize is how much larger than the document's text a heading on a drawing
	// is, and leastHead how many characters it has at least.
	headSize  = 1.3
	leastHead = 6
	// maxLine is how thick, in points, a line is at most.
	maxLine = 2
	// maxPanel is how many times the size of a chart the frame around it and its
	// legend may have.
	maxPanel = 3
	// barText is the share of a chart's bars that glyphs may fill: with more they
	// are panels behind a text.
	barText = 0.12
)

// charts returns the charts on the page: bars, and lines that go up and down,
// which are charts only with their axes. Those in a ruled table are part of it.
func (r *reader) charts(shapes []table.Shape, tables []table.Table, glyphs []layout.Glyph) []figure {
	var out []figure
	area := r.sheet.width * r.sheet.height
	bars, plots := table.Charts(shapes)
	for i, box := range slices.Concat(bars, plots) {
		box = r.sheet.shown(box)
		size := box.Width() * box.Height()
		within := func(t table.Table) bool { return t.Ruled && overlap(t.Box, box) > 0.5*size }
		if box.Width() < minSide || box.Height() < minSide || size < minFigure*area || size > maxDrawing*area ||
			len(out) == maxFigures || slices.ContainsFunc(tables, within) || textOn(box, glyphs) > barText*size {
			continue
		}
		out = append(out, figure{box: box, drawn: true, chart: i < len(bars)})
	}
	return out
}

// withoutCharts gives up the tables that are told from the labels of a chart.
// The glyphs left over come in the order of the file.
func withoutCharts(tables []table.Table, rest []layout.Glyph, charts []figure) ([]table.Table, []layout.Glyph) {
	isChart := func(t *table.Table) bool {
		size := t.Box.Width() * t.Box.Height()
		return !t.Ruled && slices.ContainsFunc(charts, func(c figure) bool { return overlap(t.Box, wider(c.box, 3*labelGap)) > 0.6*size })
	}
	var kept []table.Table
	for i := range tables {
		if isChart(&tables[i]) {
			rest = append(slices.Clone(rest), tables[i].Glyphs()...)
			continue
		}
		kept = append(kept, tables[i])
	}
	if len(kept) < len(tables) {
		slices.SortFunc(rest, func(a, b layout.Glyph) int { return a.Seq - b.Seq })
	}
	return kept, rest
}

// wider is the box with a margin around it.
func wider(r layout.Rect, by float64) layout.Rect {
	return layout.Rect{Left: r.Left - by, Top: r.Top - by, Right: r.Right + by, Bottom: r.Bottom + by}
}

// joined puts figures whose drawings overlap together: the lines of one chart.
func joined(figures []figure) []figure {
	var out []figure
	for _, f := range figures {
		for again := f.drawn; again; {
			again = false
			for i := range out {
				if out[i].drawn && overlap(out[i].box, f.box) > 0 {
					f.box, f.chart = f.box.Union(out[i].box), f.chart || out[i].chart
					out = slices.Delete(out, i, i+1)
					again = true
					break
				}
			}
		}
		out = append(out, f)
	}
	return out
}

// addAxes widens the drawing to the axes and the grid that it stands on, which
// make it a chart: lines through it, or along its edges, that are about as long,
// or a box around it.
func (f *figure) addAxes(straight []layout.Rect) {
	const slack, least, most, frame = 10, 0.6, 1.6, 2
	plot, around := f.box, wider(f.box, slack)
	near := around
	if f.chart { // the first bar stands apart from the axis
		x, y := 0.1*plot.Width(), 0.1*plot.Height()
		near = layout.Rect{Left: near.Left - x, Right: near.Right + x, Top: near.Top - y, Bottom: near.Bottom + y}
	}
	for _, s := range straight {
		inX := math.Min(s.Right, near.Right) - math.Max(s.Left, near.Left)
		inY := math.Min(s.Bottom, near.Bottom) - math.Max(s.Top, near.Top)
		w, h := s.Width(), s.Height()
		across := h <= maxLine && inY >= 0 && inX >= least*plot.Width() && w <= most*near.Width()
		down := w <= maxLine && inX >= 0 && inY >= least*plot.Height() && h <= most*near.Height()
		framed := overlap(s, plot) >= 0.9*plot.Width()*plot.Height() && w*h <= frame*around.Width()*around.Height()
		if across || down || framed {
			f.box, f.chart = f.box.Union(s), true
		}
	}
}

// label gives each drawing the texts on it, and each chart those at its edges.
// It returns the glyphs that are in none. body is the size of the document's
// text, 0 when it is not known.
func (r *reader) label(figures []figure, shapes []table.Shape, glyphs []layout.Glyph, body float64) []layout.Glyph {
	if !slices.ContainsFunc(figures, func(f figure) bool { return f.drawn }) {
		return glyphs
	}
	lines := layout.Lines(layout.Page{Width: r.sheet.width, Height: r.sheet.height, Glyphs: slices.Clone(glyphs)})
	l := labeller{lines: lines, owner: make([]int, len(lines)), text: ownText(lines, nil), stack: stacks(lines), body: body}
	for k := range figures {
		if f := &figures[k]; f.drawn {
			l.inside(f, k+1)
			if f.chart {
				l.axes(f, k+1)
				l.panel(f, k+1, shapes)
				l.inside(f, k+1)
			}
		}
	}
	taken := make([]bool, len(r.placed))
	for i, k := range l.owner {
		if k > 0 {
			figures[k-1].labels = append(figures[k-1].labels, layout.Single(lines[i]))
			for n := range lines[i].Glyphs {
				taken[lines[i].Glyphs[n].Seq] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(glyphs), func(g layout.Glyph) bool { return taken[g.Seq] })
}

// first is 1 + the number of the first glyph among the labels, 0 for none.
func (f *figure) first() int {
	first := 0
	for i := range f.labels {
		for _, g := range f.labels[i].Lines[0].Glyphs {
			if first == 0 || g.Seq < first-1 {
				first = g.Seq + 1
			}
		}
	}
	return first
}

// labeller shares out lines among figures.
type labeller struct {
	lines []layout.Line
	owner []int  // by line: 1 + figure
	text  []bool // by line: it is no label, however short
	stack []int  // by line: how many characters the lines have that it stands among
	body  float64
}

// stacks counts the characters of the lines that stand below each other in one
// style and begin at one edge, for each of them.
func stacks(lines []layout.Line) []int {
	out := make([]int, len(lines))
	for first, k := 0, 1; k <= len(lines); k++ {
		if k < len(lines) {
			a, b := &lines[k-1], &lines[k]
			if rightBelow(a, b) && math.Abs(a.Size-b.Size) <= 0.5 && a.Bold == b.Bold && math.Abs(a.Box.Left-b.Box.Left) <= b.Size {
				continue
			}
		}
		n := 0
		for i := first; i < k; i++ {
			n += len(lines[i].Glyphs)
		}
		for i := first; i < k; i++ {
			out[i] = n
		}
		first = k
	}
	return out
}

// maxCaptionLines is how many lines of one style below its first a caption has
// at most.
const maxCaptionLines = 5

// ownText finds the lines that are no labels though they may be short: those
// that end a paragraph, and those of captions, which go on below their first
// line in the style of the second. Lines that are labels begin no caption; taken
// says of which figure each is one, nil: none is.
func ownText(lines []layout.Line, taken []int) []bool {
	out := make([]bool, len(lines))
	begun := -1 // the first line of the caption at hand
	for i := range lines {
		l := &lines[i]
		if taken != nil && taken[i] > 0 {
			begun = -1
			continue
		}
		if layout.BeginsCaption(l.String()) || l.NamesPart() {
			begun, out[i] = i, true
			continue
		}
		if i == 0 || !rightBelow(&lines[i-1], l) {
			begun = -1
			continue
		}
		above := &lines[i-1]
		alike := math.Abs(l.Size-above.Size) <= 0.5 && l.Bold == above.Bold
		switch {
		case begun >= 0 && i-begun <= maxCaptionLines && (alike || i == begun+1):
			out[i] = true
		case alike && (len(above.Glyphs) > maxLabel || begun < 0 && out[i-1]):
			begun, out[i] = -1, true
		default:
			begun = -1
		}
	}
	return out
}

// rightBelow reports whether b is the next line below a.
func rightBelow(a, b *layout.Line) bool {
	step := b.Base - a.Base
	return a.Turn == b.Turn && step > 0 && step <= 1.6*max(a.Size, b.Size) && b.Box.Left < a.Box.Right && b.Box.Right > a.Box.Left
}

// can reports whether line i is free and short enough to be a label.
func (l *labeller) can(i, most int) bool {
	line := &l.lines[i]
	return l.owner[i] == 0 && len(line.Glyphs) <= most && !line.Hidden && !line.Outside && !l.text[i]
}

// inside takes the short texts that stand on the drawing: those of a chart line
// by line, else only such as are no paragraph and no heading.
func (l *labeller) inside(f *figure, owner int) {
	around := wider(f.box, labelGap)
	var found []int
	for i := range l.lines {
		line := &l.lines[i]
		if !f.chart && (l.stack[i] > maxLabel || l.body > 0 && line.Size > headSize*l.body && len(line.Glyphs) >= leastHead) {
			continue
		}
		if box := line.Box; l.can(i, maxLabel) && overlap(box, around) >= 0.8*box.Width()*box.Height() {
			found = append(found, i)
		}
	}
	l.take(f, owner, found)
}

// axes takes the labels beside and below the chart, the titles of its axes
// after them, and makes the chart's box hold them all.
func (l *labeller) axes(f *figure, owner int) {
	sides := []func(plot, label layout.Rect) (gap float64, along bool){
		func(p, b layout.Rect) (float64, bool) { return p.Left - b.Right, levelWith(p, b) },
		func(p, b layout.Rect) (float64, bool) { return b.Left - p.Right, levelWith(p, b) },
		func(p, b layout.Rect) (float64, bool) { return b.Top - p.Bottom, above(p, b) },
	}
	for n, side := range sides {
		plot, below := f.box, n == 2
		var found []int
		for i := range l.lines {
			line := &l.lines[i]
			gap, along := side(plot, line.Box)
			near := gap > -0.5*line.Size && gap <= tickGap*line.Size && (l.can(i, maxTick) || l.named(i)) || gap > -1.5*line.Size && gap <= 0 && l.owner[i] == owner
			if near && along && line.Turn == 0 && len(found) < maxFound && !(below && l.stack[i] > maxLabel) {
				found = append(found, i)
			}
		}
		found = l.withoutNames(l.aligned(found, below))
		if len(found) < leastTicks || !below && l.running(found) {
			found = nil
		}
		l.take(f, owner, found)
		if slices.ContainsFunc(found, func(i int) bool { return l.text[i] }) {
			l.text = ownText(l.lines, l.owner)
		}
		for i := range l.lines {
			line := &l.lines[i]
			gap, along := side(f.box, line.Box)
			turned := !below && (line.Turn == 90 || line.Turn == 270)
			if along && gap > -line.Size && gap <= titleGap*line.Size && l.can(i, 2*maxLabel) && (turned || below && len(found) > 0 && isTitle(f.box, line)) {
				l.take(f, owner, []int{i})
			}
		}
	}
}

// named reports whether line i is free, and the name and number of a figure alone: the
// caption of one, unless several of them are the labels of an axis.
func (l *labeller) named(i int) bool {
	line := &l.lines[i]
	return l.owner[i] == 0 && l.text[i] && len(line.Glyphs) <= maxTick && !line.Hidden && !line.Outside && layout.NamesOnly(line.String())
}

// withoutNames returns the lines without those that name figures, unless these are
// enough for an axis.
func (l *labeller) withoutNames(of []int) []int {
	names := 0
	for _, i := range of {
		names += layout.CountIf(l.text[i])
	}
	if names == 0 || names >= leastTicks {
		return of
	}
	return slices.DeleteFunc(slices.Clone(of), func(i int) bool { return l.text[i] })
}

// running reports lines that follow each other as those of a paragraph do.
func (l *labeller) running(found []int) bool {
	if !slices.ContainsFunc(found, func(i int) bool { return !wordless(&l.lines[i]) }) {
		return false
	}
	sorted := slices.Clone(found)
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(l.lines[a].Base, l.lines[b].Base) })
	tight := 0
	for k := 1; k < len(sorted); k++ {
		a, b := &l.lines[sorted[k-1]], &l.lines[sorted[k]]
		tight += layout.CountIf(b.Base-a.Base < 1.6*b.Size)
	}
	return 2*tight >= len(sorted)-1
}

// levelWith and above report whether a label stands at the height of a chart, or
// in its width.
func levelWith(plot, label layout.Rect) bool {
	y := (label.Top + label.Bottom) / 2
	return y > plot.Top-labelGap && y < plot.Bottom+labelGap
}

func above(plot, label layout.Rect) bool {
	x := (label.Left + label.Right) / 2
	return x > plot.Left-labelGap && x < plot.Right+labelGap
}

// isTitle reports whether a short line stands in the middle of the box's width.
func isTitle(box layout.Rect, line *layout.Line) bool {
	middle := (line.Box.Left + line.Box.Right) / 2
	return len(line.Glyphs) <= maxTick && math.Abs(middle-(box.Left+box.Right)/2) < 0.15*box.Width()
}

// aligned returns the most of the lines that stand in a row, or share an edge.
func (l *labeller) aligned(of []int, row bool) []int {
	places := []func(*layout.Line) float64{
		func(l *layout.Line) float64 { return l.Box.Right },
		func(l *layout.Line) float64 { return l.Box.Left },
	}
	if row {
		places = []func(*layout.Line) float64{func(l *layout.Line) float64 { return l.Base }}
	}
	var best []int
	for _, at := range places {
		for _, first := range of {
			var same []int
			for _, i := range of {
				if math.Abs(at(&l.lines[i])-at(&l.lines[first])) <= tickSlack {
					same = append(same, i)
				}
			}
			if len(same) > len(best) {
				best = same
			}
		}
	}
	return best
}

func (l *labeller) take(f *figure, owner int, found []int) {
	for _, i := range found {
		l.owner[i] = owner
		f.box = f.box.Union(l.lines[i].Box)
	}
}

// panel takes the frame around the chart as its edge, and the texts in it, if
// all of them are short: its title and its legend.
func (l *labeller) panel(f *figure, owner int, shapes []table.Shape) {
	size := f.box.Width() * f.box.Height()
	for i := range shapes {
		box, ok := shapes[i].Frame()
		if !ok || overlap(box, f.box) < 0.95*size || box.Width()*box.Height() > maxPanel*size {
			continue
		}
		var found []int
		short := true
		for k := range l.lines {
			line := &l.lines[k]
			if !box.Holds((line.Box.Left+line.Box.Right)/2, (line.Box.Top+line.Box.Bottom)/2) || l.owner[k] == owner {
				continue
			}
			short = short && l.can(k, maxLabel)
			found = append(found, k)
		}
		if short {
			l.take(f, owner, found)
			f.box = f.box.Union(box)
			return
		}
	}
}

// wordless reports a text without letters, such as a value on an axis.
func wordless(l *layout.Line) bool {
	return !slices.ContainsFunc(l.Glyphs, func(g layout.Glyph) bool { return unicode.IsLetter(g.Rune) })
}
