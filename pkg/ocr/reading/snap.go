package reading

import (
	"image"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/prepare"
)

// reach is how far, in heights of a word, its ink may lie from where the engine
// says it ends: engines that read lines as a whole know this by the letter only.
const reach = 0.5

// strokeInches is how wide and how far from a drawn line a word of one letter may
// be to be a rest of the line.
const strokeInches = 0.02

// flat is the part of the height of its line's words below which what was read as
// letters and is not sure is no word, but a corner where drawn lines or shades end.
const flat = 1.0 / 3

// snap draws the words' boxes tight around their ink, from which the drawn lines
// are gone. What was read in a line or its rest alone is no word and is left out;
// other boxes without ink stay.
func snap(words []ocr.Found, ink prepare.Mask, rules []image.Rectangle, dpi int) []ocr.Found {
	stroke := int(strokeInches * float64(dpi))
	out := make([]ocr.Found, 0, len(words))
	for i, w := range words {
		low, high := 0, ink.Width
		if i > 0 && sameLine(&words[i-1], &w) && words[i-1].Box.Max.X < w.Box.Max.X {
			low = words[i-1].Box.Max.X
		}
		if i+1 < len(words) && sameLine(&w, &words[i+1]) && words[i+1].Box.Min.X > w.Box.Min.X {
			high = words[i+1].Box.Min.X
		}
		if low >= high { // the engine's order is not that of the places
			low, high = w.Box.Min.X, w.Box.Max.X
		}
		box, found := tight(w.Box, ink, low, high)
		signs := !strings.ContainsFunc(w.Text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
		if !found && signs {
			continue
		}
		if found && !signs && w.Confidence < ocr.LowConfidence && float64(box.Dy()) < flat*lineHeight(words, i) {
			continue
		}
		if utf8.RuneCountInString(w.Text) == 1 && box.Dx() <= stroke && slices.ContainsFunc(rules, func(r image.Rectangle) bool {
			return r.Dy() > r.Dx() && r.Inset(-stroke).Overlaps(box)
		}) {
			continue
		}
		w.Box = box
		out = append(out, w)
	}
	return out
}

// lineHeight is the height of most words of the line that word i is in.
func lineHeight(words []ocr.Found, i int) float64 {
	from, to := i, i+1
	for from > 0 && sameLine(&words[from-1], &words[i]) {
		from--
	}
	for to < len(words) && sameLine(&words[to], &words[i]) {
		to++
	}
	return median(heights(words[from:to]))
}

func sameLine(a, b *ocr.Found) bool {
	return a.Block == b.Block && a.Paragraph == b.Paragraph && a.Line == b.Line
}

// tight is the box around the ink in and next to a box, between the columns low
// and high, of which low is less, and the box itself when there is none. The box
// is on the page.
func tight(box image.Rectangle, ink prepare.Mask, low, high int) (image.Rectangle, bool) {
	column := func(x int) bool {
		for y := box.Min.Y; y < box.Max.Y; y++ {
			if ink.Dark[y*ink.Width+x] {
				return true
			}
		}
		return false
	}
	far := int(reach * float64(box.Dy()))
	left, right := max(box.Min.X, min(low, box.Max.X-1)), min(box.Max.X, max(high, box.Min.X+1))
	low, high = max(low, left-far), min(high, right+far)
	for left < right && !column(left) {
		left++
	}
	if left == right { // its ink is beside it
		for left, right = box.Min.X, box.Min.X; right < high && !column(right); right++ {
			left = right + 1
		}
		if right >= high {
			return box, false
		}
	}
	for left > low && column(left-1) {
		left--
	}
	for right > left+1 && !column(right-1) {
		right--
	}
	for right < high && column(right) {
		right++
	}
	top, bottom := box.Min.Y, box.Max.Y
	row := func(y int) bool {
		for _, dark := range ink.Dark[y*ink.Width+left : y*ink.Width+right] {
			if dark {
				return true
			}
		}
		return false
	}
	for top < bottom && !row(top) {
		top++
	}
	for bottom > top+1 && !row(bottom-1) {
		bottom--
	}
	if right <= left || top >= bottom {
		return box, false
	}
	return image.Rect(left, top, right, bottom), true
}
