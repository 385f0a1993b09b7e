package pdf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/layout"
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
	// OCRBadLayer: a picture fills the page, and the text layer that an earlier
	// OCR put behind it is like no language.
	OCRBadLayer OCRReason = "bad_text_layer"
	// OCRPicturePage: a picture fills the page, and the text layer has no more
	// than stamps or a page number: a few letters, or letters at the edges.
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
	Margins  int     // in the margins of the page
	Pictures int     // pictures that are shown
	Covered  float64 // share of the page that pictures cover, 0..1
	Shapes   int     // drawn shapes that may be letters
	// Judged is how many letters of a doubtful text layer were compared with
	// languages, and Fit the logarithm of how likely each is, in bits: -2 to -2.9 in
	// text, below -3 in what is none. 0: the text layer is not doubtful.
	Judged int
	Fit    float64
}

// placedPicture is a picture that is shown on a page.
type placedPicture struct {
	Box     layout.Rect // in points of the upright page, cut at its edges
	Bilevel bool        // black and white alone: a scan or a drawing, no photograph
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

// String names reasons and numbers in words: "broken_encoding: 64 of 64 …", and
// "none: …" where OCR is not needed.
func (n *OCRNeed) String() string {
	s := n.Signals
	names := make([]string, len(n.Reasons))
	for i, r := range n.Reasons {
		names[i] = string(r)
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	fit := ""
	if s.Judged > 0 {
		fit = fmt.Sprintf(", %.2f bits for a letter of %d", s.Fit, s.Judged)
	}
	return fmt.Sprintf("%s: %d of %d characters have no meaning outside of their fonts, %d are guesses, %d invisible, %d at the edges%s; %d pictures cover %d %% of the page, %d curved shapes",
		strings.Join(names, ", "), s.Bad, s.Glyphs, s.Guessed, s.Hidden, s.Margins, fit, s.Pictures, int(math.Round(s.Covered*100)), s.Shapes)
}

const (
	// minBad bad characters and badShare of all make a page unreadable; from
	// suspectShare on, the page should be read, but its text may stay.
	minBad       = 8
	badShare     = 0.3
	suspectShare = 0.08
	// picturePage is the share that a picture covers of a scanned page, and
	// stampGlyphs how many characters may be printed over it, besides those in the
	// margins: that share of the page's width and height at each edge.
	picturePage = 0.6
	stampGlyphs = 60
	margin      = 0.08
	// pictureRegion is the share of the page from which on a picture on a page
	// with text may hold text of its own, and bilevelRegion that of a picture in
	// black and white.
	pictureRegion = 0.12
	bilevelRegion = 0.02
	// outlined is how many shapes a page without text must have to be one whose
	// letters are drawn as shapes, and mostlyOutlined one with a few letters.
	outlined       = 40
	mostlyOutlined = 200
	// unlikely is the fit of a text layer that is like no language, when at least
	// minJudged letters were compared.
	unlikely  = -3.0
	minJudged = 100
	// maxOCRRegions bounds the regions of a page.
	maxOCRRegions = 20
)

// needOCR decides whether the page needs OCR, as a whole or in parts, and says
// why. It costs far less than a millisecond: a pass over glyphs and pictures; and
// a third of one where the text layer is doubtful. shapes is the number of drawn
// shapes that may be letters.
func needOCR(width, height float64, glyphs []layout.Glyph, pictures []placedPicture, shapes int) OCRNeed {
	n := OCRNeed{Signals: OCRSignals{Glyphs: len(glyphs), Pictures: len(pictures), Shapes: shapes}}
	s := &n.Signals
	s.count(width, height, glyphs)
	s.Covered = covered(width, height, pictures)
	broken := s.Bad >= minBad && float64(s.Bad) >= badShare*float64(s.Glyphs) ||
		s.Odd >= minBad && 2*s.Guessed >= s.Glyphs && 2*s.Odd >= s.Guessed // codes of fonts with an order of their own
	guesses, layer := 2*s.Guessed >= s.Glyphs, 2*s.Hidden >= s.Glyphs && s.Covered >= picturePage
	if s.Glyphs > 0 && !broken && (guesses || layer) {
		s.Fit, s.Judged = fit(glyphs)
	}
	babble := s.Judged >= minJudged && s.Fit < unlikely
	switch {
	case s.Glyphs == 0:
		if s.Pictures > 0 || s.Shapes >= outlined {
			n.Page, n.Reasons = true, []OCRReason{OCRNoText}
		}
	case broken || babble && guesses:
		n.Page, n.Reasons = true, []OCRReason{OCRBrokenEncoding}
	case babble:
		n.Page, n.Usable, n.Reasons = true, true, []OCRReason{OCRBadLayer}
	case s.Bad >= minBad && float64(s.Bad) >= suspectShare*float64(s.Glyphs):
		n.Page, n.Usable, n.Reasons = true, true, []OCRReason{OCRBrokenEncoding}
	case s.Covered >= picturePage && s.Glyphs-s.Margins <= stampGlyphs:
		n.Page, n.Usable, n.Reasons = true, true, []OCRReason{OCRPicturePage}
	case s.Shapes >= mostlyOutlined && s.Glyphs-s.Margins <= stampGlyphs:
		n.Page, n.Usable, n.Reasons = true, true, []OCRReason{OCRNoText}
	default:
		n.regions(width*height, glyphs, pictures)
	}
	return n
}

// count counts the kinds of glyph.
func (s *OCRSignals) count(width, height float64, glyphs []layout.Glyph) {
	inner := layout.Rect{Left: margin * width, Top: margin * height, Right: (1 - margin) * width, Bottom: (1 - margin) * height}
	for i := range glyphs {
		g := &glyphs[i]
		s.Hidden += layout.CountIf(g.Hidden)
		bad := unclear(g.Rune) && !g.Hyphen
		s.Bad += layout.CountIf(bad)
		guess := g.Unclear && !bad
		s.Guessed += layout.CountIf(guess)
		s.Odd += layout.CountIf(guess && !unicode.IsLetter(g.Rune) && !unicode.IsDigit(g.Rune))
		s.Margins += layout.CountIf(!g.Hidden && !inner.Holds((g.Box.Left+g.Box.Right)/2, (g.Box.Top+g.Box.Bottom)/2))
	}
}

const (
	// fitWord is how long a word must be to count, and fitLetters how many letters
	// are judged at most: words from all over the page.
	fitWord    = 3
	fitLetters = 600
)

// fit is how likely the words are in the language that they fit best, in bits
// for a letter, and how many letters that is said of.
func fit(glyphs []layout.Glyph) (bits float64, letters int) {
	var words [][]rune
	all := 0
	var word []rune
	end := func() {
		if len(word) >= fitWord {
			words, all = append(words, word), all+len(word)
		}
		word = nil
	}
	for i := range glyphs {
		g := &glyphs[i]
		if g.Space != 0 {
			end()
		}
		if unicode.IsLetter(g.Rune) || unicode.IsMark(g.Rune) {
			word = append(word, g.Rune)
		} else if !g.Hyphen {
			end()
		}
	}
	end()
	var b strings.Builder
	for i := 0; i < len(words) && letters < fitLetters; i += 1 + all/fitLetters {
		b.WriteString(string(words[i]) + " ")
		letters += len(words[i])
	}
	if letters == 0 {
		return 0, 0
	}
	return float64(language.Plausible(b.String())) / (language.Bit * float64(letters)), letters
}

// regions adds the large pictures that have no text on them.
func (n *OCRNeed) regions(area float64, glyphs []layout.Glyph, pictures []placedPicture) {
	for _, p := range uncut(pictures) {
		least := pictureRegion
		if p.Bilevel {
			least = bilevelRegion
		}
		if p.Box.Width()*p.Box.Height() < least*area || len(n.Regions) == maxOCRRegions {
			continue
		}
		free := true
		for i := range glyphs {
			r := glyphs[i].Box
			if p.Box.Holds((r.Left+r.Right)/2, (r.Top+r.Bottom)/2) {
				free = false
				break
			}
		}
		if free {
			n.Regions = append(n.Regions, OCRRegion{Box: p.Box, Reason: OCRPicture})
		}
	}
	if len(n.Regions) > 0 {
		n.Reasons = []OCRReason{OCRPicture}
	}
}

// uncut puts together the strips and tiles that programs cut pictures into: those
// that have two corners in common, to a point.
func uncut(pictures []placedPicture) []placedPicture {
	down := func(r layout.Rect) [4]float64 { return [4]float64{r.Left, r.Right, r.Top, r.Bottom} }
	across := func(r layout.Rect) [4]float64 { return [4]float64{r.Top, r.Bottom, r.Left, r.Right} }
	for _, sides := range []func(layout.Rect) [4]float64{down, across} {
		sorted := slices.Clone(pictures)
		slices.SortStableFunc(sorted, func(a, b placedPicture) int {
			u, v := sides(a.Box), sides(b.Box)
			return cmp.Or(cmp.Compare(math.Round(u[0]), math.Round(v[0])), cmp.Compare(math.Round(u[1]), math.Round(v[1])), cmp.Compare(u[2], v[2]))
		})
		pictures = nil
		for _, p := range sorted {
			if k := len(pictures) - 1; k >= 0 {
				last := &pictures[k]
				u, v := sides(last.Box), sides(p.Box)
				if math.Abs(u[0]-v[0]) <= 1 && math.Abs(u[1]-v[1]) <= 1 && math.Abs(u[3]-v[2]) <= 1 {
					last.Box, last.Bilevel = last.Box.Union(p.Box), last.Bilevel && p.Bilevel
					continue
				}
			}
			pictures = append(pictures, p)
		}
	}
	return pictures
}

// covered is the share of the page that the pictures cover together, to a 64th of
// its width and height.
func covered(width, height float64, pictures []placedPicture) float64 {
	const cells = 64
	var rows [cells]uint64
	if !(width > 0) || !(height > 0) {
		return 0
	}
	cell := func(v, of float64) int { return int(math.Min(math.Max(math.Round(v/of*cells), 0), cells)) }
	for i := range pictures {
		b := pictures[i].Box
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
