package reading

import (
	"image"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/prepare"
)

const (
	// ledFrom is how far before a leader its text ends at most, and ledTo how far
	// behind it the number ends that it leads to, in inches.
	ledFrom = 0.25
	ledTo   = 0.4
)

// led puts one word of dots in place of what was read in a leader, where engines
// see letters. What stands before and behind it on its line is read again by
// itself where it was read badly, together with the dots, or not at all.
func (r *reader) led(words []ocr.Found, s *prepare.Sheet, l prepare.Leader) ([]ocr.Found, error) {
	at := ledOn(words, l, s.DPI)
	if at < 0 {
		return words, nil
	}
	from, to := at, at+1
	for from > 0 && sameLine(&words[from-1], &words[at]) {
		from--
	}
	for to < len(words) && sameLine(&words[to], &words[at]) {
		to++
	}
	line, all := words[from:to], l.Box
	for _, w := range line {
		all = all.Union(w.Box)
	}
	before, err := r.side(line, s, l, image.Rect(all.Min.X, all.Min.Y, l.Box.Min.X, all.Max.Y))
	if err != nil {
		return nil, err
	}
	side := image.Rect(l.Box.Max.X, all.Min.Y, all.Max.X, all.Max.Y)
	if next := image.Rect(l.Box.Max.X, all.Min.Y, l.Box.Max.X+int(ledTo*float64(s.DPI)), all.Max.Y); side.Empty() &&
		!slices.ContainsFunc(words, func(w ocr.Found) bool { return w.Box.Overlaps(next) }) {
		side = next
	}
	behind, err := r.side(line, s, l, side)
	if err != nil {
		return nil, err
	}
	dots := line[0]
	dots.Text, dots.Box, dots.Confidence = strings.Repeat(".", l.Dots), l.Box, meanOf(slices.Concat(before, behind))
	return slices.Concat(words[:from], before, []ocr.Found{dots}, behind, words[to:]), nil
}

// ledOn returns the first word that was read in a leader, else the one that stands
// before it, else -1.
func ledOn(words []ocr.Found, l prepare.Leader, dpi int) int {
	level := func(w ocr.Found) bool { return w.Box.Min.Y < l.Box.Min.Y && w.Box.Max.Y+l.Box.Dy() > l.Box.Min.Y }
	if at := slices.IndexFunc(words, func(w ocr.Found) bool {
		return level(w) && min(w.Box.Max.X, l.Box.Max.X)-max(w.Box.Min.X, l.Box.Min.X) > l.Box.Dy()
	}); at >= 0 {
		return at
	}
	return slices.IndexFunc(words, func(w ocr.Found) bool {
		return level(w) && w.Box.Max.X <= l.Box.Min.X+l.Box.Dy() && w.Box.Max.X > l.Box.Min.X-int(ledFrom*float64(dpi))
	})
}

// side returns the words of a line on one side of a leader.
func (r *reader) side(line []ocr.Found, s *prepare.Sheet, l prepare.Leader, side image.Rectangle) ([]ocr.Found, error) {
	var out []ocr.Found
	sure := true
	for _, w := range line {
		switch part := w.Box.Intersect(side); {
		case part == w.Box:
			out = append(out, w)
			sure = sure && w.Confidence >= weak
		case part.Dx() > l.Box.Dy(): // read together with dots
			sure = false
		}
	}
	if side.Empty() || sure && len(out) > 0 {
		return out, nil
	}
	margin := side.Dy() / 4
	around := image.Rect(side.Min.X-margin, side.Min.Y-margin, side.Max.X+margin, side.Max.Y+margin).Intersect(s.Gray.Rect)
	words, err := r.engine.ReadLine(s.Without(l, around), s.DPI, r.result.Languages)
	if err != nil {
		return nil, err
	}
	again := legible(words, image.Rect(0, 0, around.Dx(), around.Dy()))
	if len(again) == 0 || meanOf(again) < meanOf(out) {
		return out, nil
	}
	for i := range again {
		again[i].Box = again[i].Box.Add(around.Min)
		again[i].Block, again[i].Paragraph, again[i].Line = line[0].Block, line[0].Paragraph, line[0].Line
	}
	return again, nil
}
