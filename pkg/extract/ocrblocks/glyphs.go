package ocrblocks

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/layout/table"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

const (
	// longSide is how long the page is taken to be, in points: A4's. The sizes of
	// type follow from it, and only their relations matter.
	longSide = 842
	// below is the part of a word's box that is under its baseline: readers give
	// boxes as high as the font.
	below = 0.22
	// sameBase is how far, in sizes, the baselines of words of one line differ.
	sameBase = 0.3
	// nearSize is how far the size of a line may be from that of more of the text
	// to be the same: what is measured is never quite what was set.
	nearSize = 0.12
)

// sheet is the level page, in points.
type sheet struct {
	width, height float64
	sin, cos      float64 // of the skew
}

func sheetOf(r *ocr.Result) sheet {
	scale := longSide / math.Max(r.Width, r.Height)
	s := sheet{width: r.Width * scale, height: r.Height * scale}
	s.sin, s.cos = math.Sincos(r.Skew * math.Pi / 180)
	return s
}

// level turns a box, which is the hull of a skew one, to the level page.
func (s sheet) level(b model.BBox) layout.Rect {
	w, h := b.W*s.width, b.H*s.height
	x, y := float64((b.X+b.W/2)*s.width)-s.width/2, float64((b.Y+b.H/2)*s.height)-s.height/2
	if s.sin != 0 {
		x, y = float64(x*s.cos)+float64(y*s.sin), float64(y*s.cos)-float64(x*s.sin)
		sin, double := math.Abs(s.sin), float64(s.cos*s.cos)-float64(s.sin*s.sin)
		w, h = (float64(w*s.cos)-float64(h*sin))/double, (float64(h*s.cos)-float64(w*sin))/double
		w, h = math.Max(w, 0.5), math.Max(h, 0.5)
	}
	x, y = x+s.width/2, y+s.height/2
	return layout.Rect{Left: x - w/2, Top: y - h/2, Right: x + w/2, Bottom: y + h/2}
}

// shapes are the drawn lines.
func (s sheet) shapes(rules []ocr.Rule) []table.Shape {
	out := make([]table.Shape, len(rules))
	for i, rule := range rules {
		r := s.level(rule.Box)
		from, to := table.Point{X: r.Left, Y: (r.Top + r.Bottom) / 2}, table.Point{X: r.Right, Y: (r.Top + r.Bottom) / 2}
		if r.Height() > r.Width() {
			from, to = table.Point{X: (r.Left + r.Right) / 2, Y: r.Top}, table.Point{X: (r.Left + r.Right) / 2, Y: r.Bottom}
		}
		out[i] = table.Shape{Points: []table.Point{from, to}, Stroke: true}
	}
	return out
}

// line is the words [from, to) of a result that the engine put into one line.
type line struct {
	from, to   int
	base, size float64
}

// glyphs makes a glyph of each character, the words' boxes divided evenly. Index
// is the word.
func (s sheet) glyphs(r *ocr.Result) []layout.Glyph {
	boxes := make([]layout.Rect, len(r.Words))
	for i := range r.Words {
		boxes[i] = s.level(r.Words[i].Box)
	}
	lines := linesOf(r.Words)
	s.straighten(lines, boxes)
	measure(r.Words, lines, boxes)
	var out []layout.Glyph
	for n, l := range lines {
		for i := l.from; i < l.to; i++ {
			base := baseOf(boxes[i])
			if math.Abs(base-l.base) < sameBase*l.size {
				base = l.base
			}
			out = appendWord(out, i, r.Words[i].Text, boxes[i], base, l.size)
		}
		if last := len(out) - 1; n+1 < len(lines) && breaks(r.Words[l.to-1].Text, r.Words[l.to].Text) {
			out[last].Hyphen = true
		}
	}
	return out
}

func baseOf(box layout.Rect) float64 { return box.Bottom - float64(below*box.Height()) }

func appendWord(out []layout.Glyph, index int, text string, box layout.Rect, base, size float64) []layout.Glyph {
	n := float64(utf8.RuneCountInString(text))
	k := 0.0
	for _, c := range text {
		r := box
		r.Left, r.Right = box.Left+float64(box.Width()*k/n), box.Left+float64(box.Width()*(k+1)/n)
		g := layout.Glyph{Seq: len(out), Index: index, End: index + 1, Rune: c, Box: r, At: r, Base: base, Size: size, Tight: k > 0}
		if k == 0 && len(out) > 0 {
			g.Space, g.Drawn = ' ', true
		}
		out = append(out, g)
		k++
	}
	return out
}

// linesOf divides words by the engine's lines.
func linesOf(words []ocr.Word) []line {
	var out []line
	for from := 0; from < len(words); {
		a := &words[from]
		to := from + 1
		for to < len(words) && words[to].Block == a.Block && words[to].Paragraph == a.Paragraph && words[to].Line == a.Line {
			to++
		}
		out = append(out, line{from: from, to: to})
		from = to
	}
	return out
}

// measure finds baselines and sizes. Sizes near one that more of the text has are
// that.
func measure(words []ocr.Word, lines []line, boxes []layout.Rect) {
	weights := map[float64]int{}
	for n := range lines {
		l := &lines[n]
		var bases, sizes []float64
		for _, box := range boxes[l.from:l.to] {
			bases, sizes = append(bases, baseOf(box)), append(sizes, box.Height())
		}
		l.base, l.size = median(bases), median(sizes)
		for i := l.from; i < l.to; i++ {
			weights[rounded(l.size)] += utf8.RuneCountInString(words[i].Text)
		}
	}
	common := slices.SortedFunc(maps.Keys(weights), func(a, b float64) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
	})
	for n := range lines {
		l := &lines[n]
		at := slices.IndexFunc(common, func(size float64) bool { return math.Abs(l.size-size) <= nearSize*size })
		if l.size = rounded(l.size); at >= 0 {
			l.size = common[at]
		}
	}
}

// rounded is a size to half a point.
func rounded(size float64) float64 { return math.Max(math.Round(2*size)/2, 1) }

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// breaks reports whether the hyphen at a line's end breaks a word.
func breaks(last, next string) bool {
	stem, ok := strings.CutSuffix(last, "-")
	before, _ := utf8.DecodeLastRuneInString(stem)
	after, _ := utf8.DecodeRuneInString(next)
	return ok && unicode.IsLetter(before) && unicode.IsLower(after)
}
