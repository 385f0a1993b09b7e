package pdf

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
)

// OCRReason says why a page or a part of it should be read by OCR.
type OCRReason string

// The reasons.
const (
	// OCRNoText: pictures, or letters drawn as shapes, and no text layer.
	OCRNoText OCRReason = "no_text"
	// OCRBrokenEncoding: the text layer's characters mean nothing outside of
	// their fonts (private use, U+FFFD, control characters, codes without a map).
	OCRBrokenEncoding OCRReason = "broken_encoding"
	// OCRPicturePage: a picture fills the page, and the text layer has no more
	// than a stamp or a page number.
	OCRPicturePage OCRReason = "picture_page"
	// OCRPicture: a large picture without text on it, on a page that has text.
	OCRPicture OCRReason = "picture"
)

// OCRSignals are the numbers that the decision is made from. All are cheap: they
// come with the text layer and the list of pictures.
type OCRSignals struct {
	Glyphs   int     // visible characters, white space not counted
	Hidden   int     // of these, drawn invisible: the text layer of an earlier OCR
	Bad      int     // of these, without a meaning outside of their font
	Guessed  int     // of these, codes that the engine gives for want of a map
	Odd      int     // of the guesses, neither letter nor digit
	Pictures int     // pictures that are shown
	Covered  float64 // share of the page that pictures cover, 0..1
	Shapes   int     // drawn paths with curves
}

// OCRRegion is a part of the page that needs OCR, in points of the upright page.
type OCRRegion struct {
	Box    layout.Rect
	Reason OCRReason
}

// OCRNeed is the decision for one page.
type OCRNeed struct {
	// Page: all of it needs OCR. Usable: its text layer is worth keeping all the
	// same.
	Page, Usable bool
	Reasons      []OCRReason
	// Regions need OCR on a page that does not as a whole.
	Regions []OCRRegion
	Signals OCRSignals
}

// Needed reports whether there is anything to do for OCR.
func (n *OCRNeed) Needed() bool { return n.Page || len(n.Regions) > 0 }

// String names reasons and numbers in words: "broken_encoding: 64 of 64 …".
func (n *OCRNeed) String() string {
	s := n.Signals
	names := make([]string, len(n.Reasons))
	for i, r := range n.Reasons {
		names[i] = string(r)
	}
	return fmt.Sprintf("%s: %d of %d characters have no meaning outside of their fonts, %d are guesses, %d invisible; %d pictures cover %d %% of the page, %d curved shapes",
		strings.Join(names, ", "), s.Bad, s.Glyphs, s.Guessed, s.Hidden, s.Pictures, int(math.Round(s.Covered*100)), s.Shapes)
}

const (
	// minBad bad characters and badShare of all make a page unreadable; from
	// suspectShare on, the page should be read, but its text may stay.
	minBad       = 8
	badShare     = 0.3
	suspectShare = 0.08
	// picturePage is the share that a picture covers of a scanned page, and
	// stampGlyphs how many characters may be printed over it.
	picturePage = 0.6
	stampGlyphs = 60
	// pictureRegion is the share of the page from which on a picture on a page
	// with text may hold text of its own.
	pictureRegion = 0.12
	// outlined is how many curved shapes a page without text must have to be one
	// whose letters are drawn as shapes.
	outlined = 40
	// maxOCRRegions bounds the regions of a page.
	maxOCRRegions = 20
)

// NeedOCR decides whether the page needs OCR, as a whole or in parts, and says
// why. It costs far less than a millisecond: a pass over glyphs and pictures.
// shapes is the number of curved paths; pictures are cut at the page's edges.
func NeedOCR(width, height float64, glyphs []layout.Glyph, pictures []layout.Rect, shapes int) OCRNeed {
	n := OCRNeed{Signals: OCRSignals{Glyphs: len(glyphs), Pictures: len(pictures), Shapes: shapes}}
	s := &n.Signals
	for i := range glyphs {
		g := &glyphs[i]
		s.Hidden += count(g.Hidden)
		bad := unclear(g.Rune) && !g.Hyphen
		s.Bad += count(bad)
		guess := g.Unclear && !bad
		s.Guessed += count(guess)
		s.Odd += count(guess && !unicode.IsLetter(g.Rune) && !unicode.IsDigit(g.Rune))
	}
	s.Covered = covered(width, height, pictures)
	broken := s.Bad >= minBad && float64(s.Bad) >= badShare*float64(s.Glyphs) ||
		s.Odd >= minBad && 2*s.Guessed >= s.Glyphs && 2*s.Odd >= s.Guessed // codes of fonts with an order of their own
	switch {
	case s.Glyphs == 0:
		if s.Pictures > 0 || s.Shapes >= outlined {
			n.Page, n.Reasons = true, []OCRReason{OCRNoText}
		}
	case broken:
		n.Page, n.Reasons = true, []OCRReason{OCRBrokenEncoding}
	case s.Bad >= minBad && float64(s.Bad) >= suspectShare*float64(s.Glyphs):
		n.Page, n.Usable, n.Reasons = true, true, []OCRReason{OCRBrokenEncoding}
	case s.Covered >= picturePage && s.Glyphs <= stampGlyphs:
		n.Page, n.Usable, n.Reasons = true, true, []OCRReason{OCRPicturePage}
	default:
		n.regions(width*height, glyphs, pictures)
	}
	return n
}

// regions adds the large pictures that have no text on them.
func (n *OCRNeed) regions(area float64, glyphs []layout.Glyph, pictures []layout.Rect) {
	for _, box := range pictures {
		if box.Width()*box.Height() < pictureRegion*area || len(n.Regions) == maxOCRRegions {
			continue
		}
		free := true
		for i := range glyphs {
			r := glyphs[i].Box
			if box.Holds((r.Left+r.Right)/2, (r.Top+r.Bottom)/2) {
				free = false
				break
			}
		}
		if free {
			n.Regions = append(n.Regions, OCRRegion{Box: box, Reason: OCRPicture})
		}
	}
	if len(n.Regions) > 0 {
		n.Reasons = []OCRReason{OCRPicture}
	}
}

// covered is the share of the page that the boxes cover together, to a 64th of
// its width and height.
func covered(width, height float64, boxes []layout.Rect) float64 {
	const cells = 64
	var rows [cells]uint64
	if !(width > 0) || !(height > 0) {
		return 0
	}
	cell := func(v, of float64) int { return int(math.Min(math.Max(math.Round(v/of*cells), 0), cells)) }
	for _, b := range boxes {
		from, to := cell(b.Left, width), cell(b.Right, width)
		if to <= from {
			continue
		}
		mask := ^uint64(0) >> (cells - (to - from)) << from
		for y := cell(b.Top, height); y < cell(b.Bottom, height); y++ {
			rows[y] |= mask
		}
	}
	set := 0
	for _, row := range rows {
		for ; row != 0; row &= row - 1 {
			set++
		}
	}
	return float64(set) / (cells * cells)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
