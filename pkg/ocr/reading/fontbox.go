package reading

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/ocr"
)

// The parts of a font's size that letters take up, as type is cut on average,
// and the box of a word in it: all words of a line are as high as its font.
const (
	small      = 0.5  // x
	tall       = 0.7  // A, b, 1
	deep       = 0.21 // the tail of p
	boxAbove   = 0.78 // of the baseline
	boxBelow   = 0.22
	bearing    = 0.04 // white on both sides of a letter
	drift      = 0.2  // by how much a word may be taller or smaller than its line and have a baseline of its own
	lowLetters = "acemnorsuvwxzı"
	tails      = "gjpqyçßµ,;()[]{}|/\\@ſQ"
)

// Above and below are the parts of a word's box over and under its baseline.
func shape(text string) (above, below float64, plain bool) {
	above = 0
	for _, c := range text {
		switch {
		case strings.ContainsRune(tails, c):
			below = deep
			if !strings.ContainsRune("gpqyç,;", c) {
				above = tall
			} else {
				above = math.Max(above, small)
			}
		case strings.ContainsRune(lowLetters, c):
			above = math.Max(above, small)
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			above = tall
		}
	}
	return above, below, above > 0 && !strings.ContainsAny(text, "*'\"“”‘’°ºª^~-–—_=+…•")
}

// fontBoxes returns the words' boxes, each as high as the font of its line.
func fontBoxes(words []ocr.Found) []image.Rectangle {
	out := make([]image.Rectangle, len(words))
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && sameLine(&words[from], &words[to]) {
			to++
		}
		fontLine(words[from:to], out[from:to])
		from = to
	}
	return out
}

// fontLine does it for a line.
func fontLine(words []ocr.Found, out []image.Rectangle) {
	var sizes, bases []float64
	for _, w := range words {
		above, below, plain := shape(w.Text)
		if plain {
			size := float64(w.Box.Dy()) / (above + below)
			sizes = append(sizes, size)
			bases = append(bases, float64(w.Box.Max.Y)-float64(below*size))
		}
	}
	if len(sizes) == 0 { // signs only: the boxes say all that there is
		for i, w := range words {
			out[i] = w.Box
		}
		return
	}
	size, base := median(sizes), median(bases)
	side := int(math.Round(float64(bearing * size)))
	for i, w := range words {
		at := base
		if above, below, plain := shape(w.Text); plain && math.Abs(float64(w.Box.Dy())/(above+below)-size) < drift*size {
			at = float64(w.Box.Max.Y) - float64(below*size)
		}
		out[i] = image.Rect(
			max(w.Box.Min.X-side, 0), int(math.Round(math.Max(at-float64(boxAbove*size), 0))),
			w.Box.Max.X+side, int(math.Round(math.Max(at+float64(boxBelow*size), 1))))
	}
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
