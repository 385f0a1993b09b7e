// Package ocr holds the words of text recognition, whatever engine reads:
// what is asked for, what was found, and the form in which it is stored. A
// result is a derived artifact (seeds#capture, "OCR stance"): it is made once, kept,
// and units are made of what is kept.
package ocr

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// PreprocessingVersion is raised whenever the same picture would give the same
// engine something else to read.
//
//	1: upright, deskewed, even background, scaled to the engine's liking
//	2: light text on shades of any grey, once the page is level; large words made
//	   smaller; what stands alone read by itself
//	3: boxes with light text are no shadow; what a page was photographed on, and
//	   rows of dots and dashes, are taken away; lines are no part of shaded heads
//	4: lines that lie like a fan made level; specks of up to three pixels; large
//	   letters are no shaded boxes, small print is no row of dots; resolutions that
//	   nobody prints at are guessed
//	5: pages taken in the dark are no negatives, words out of focus no shaded boxes;
//	   no page is drawn larger than engines are given
//	6: shadows of folds made as bright as the paper beside them
const PreprocessingVersion = "6"

// Engine is what there is to read with.
type Engine struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Languages []string `json:"languages"` // trained data that are present, the engine's own names, sorted
}

// Request asks for the words of one page, or of a part of it.
type Request struct {
	Page      int        `json:"page"`                // from 1: the frame of a TIFF, the page of a PDF
	Region    model.BBox `json:"region"`              // of the full page as its file shows it; empty: all of it
	Languages []string   `json:"languages,omitempty"` // ISO 639-1, the best first; none: detected
	DPI       int        `json:"dpi,omitempty"`       // dots per inch; 0: DefaultDPI, and HighDPI where confidence is low
}

// The resolutions at which pages are read (docs/ocr.md, "How it is read").
const (
	DefaultDPI = 200
	HighDPI    = 300
)

// Whole reports whether all of the page is asked for.
func (r Request) Whole() bool { return r.Region == model.BBox{} }

// Key is the hex sha256 of [picture, languages, parameters] under which the
// result is stored (contracts#ocr-result). The picture is named by what it is made from.
func (r Request) Key(contentHash string, e Engine) string {
	b := digest.RoundBBox(digest.BBox(r.Region))
	picture := contentHash + "#" + strconv.Itoa(r.Page)
	if !r.Whole() {
		picture += fmt.Sprintf("@%g,%g,%g,%g", b.X, b.Y, b.W, b.H)
	}
	return digest.HexParts(picture, strings.Join(r.Languages, "+"),
		fmt.Sprintf("%s %s dpi=%d preprocessing=%s", e.Name, e.Version, r.DPI, PreprocessingVersion))
}

// Result is what was read. Boxes are of the full upright page, in [0, 1],
// origin top left (contracts#bbox), rounded to six decimals.
type Result struct {
	Engine        string     `json:"engine"`
	Version       string     `json:"version"`
	Languages     []string   `json:"languages"` // the engine's names, as used
	DPI           int        `json:"dpi"`       // at which the words were read
	Preprocessing string     `json:"preprocessing"`
	Page          int        `json:"page"`   // as asked for
	Region        model.BBox `json:"region"` // as asked for
	Width         float64    `json:"width"`  // of the full upright page: points of a PDF, pixels of a picture
	Height        float64    `json:"height"`
	Rotation      int        `json:"rotation_degrees"` // clockwise, that makes the page upright: 0, 90, 180, 270
	Mirrored      bool       `json:"mirrored,omitempty"`
	Skew          float64    `json:"skew_degrees"` // clockwise, that was undone
	Confidence    float64    `json:"confidence"`   // mean of the words by their length, 0..1
	Words         []Word     `json:"words"`        // in the engine's order
	Rules         []Rule     `json:"rules,omitempty"`
	Warnings      []string   `json:"warnings,omitempty"`
}

// Word is one word as read. Block, Paragraph and Line count from 1, each within
// the one before it, as the engine divides the page.
type Word struct {
	Text       string     `json:"text"`
	Box        model.BBox `json:"box"`
	Confidence float64    `json:"confidence"` // 0..1
	Block      int        `json:"block"`
	Paragraph  int        `json:"paragraph"`
	Line       int        `json:"line"`
}

// Rule is a drawn line, horizontal or vertical.
type Rule struct {
	Box model.BBox `json:"box"`
}

// LowConfidence is the confidence below which a word or block is flagged.
const LowConfidence = 0.6

// ErrResult says that a stored result breaks its own rules.
var ErrResult = errors.New("not an OCR result")

// Encode returns the canonical JSON of a result: RFC 8785.
func Encode(r Result) ([]byte, error) {
	r = rounded(r)
	if err := r.validate(); err != nil {
		return nil, err
	}
	out, err := new(digest.Canonical).Append(nil, r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrResult, err)
	}
	return out, nil
}

// Decode reads what Encode wrote. It fails with ErrResult on what Encode would
// not write.
func Decode(data []byte) (Result, error) {
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrResult, err)
	}
	if err := r.validate(); err != nil {
		return Result{}, err
	}
	return r, nil
}

func rounded(r Result) Result {
	r.Words, r.Rules = slices.Clone(r.Words), slices.Clone(r.Rules)
	if r.Words == nil {
		r.Words = []Word{}
	}
	if r.Languages == nil {
		r.Languages = []string{}
	}
	for i := range r.Words {
		r.Words[i].Box = model.BBox(digest.RoundBBox(digest.BBox(r.Words[i].Box)))
		r.Words[i].Confidence = thousandth(r.Words[i].Confidence)
	}
	for i := range r.Rules {
		r.Rules[i].Box = model.BBox(digest.RoundBBox(digest.BBox(r.Rules[i].Box)))
	}
	r.Region = model.BBox(digest.RoundBBox(digest.BBox(r.Region)))
	r.Confidence, r.Skew = thousandth(r.Confidence), thousandth(r.Skew)
	return r
}

func thousandth(v float64) float64 { return math.Round(float64(v*1000)) / 1000 }

func (r *Result) validate() error {
	switch {
	case r.Engine == "" || r.Version == "":
		return fmt.Errorf("%w: no engine or version", ErrResult)
	case r.Page < 1 || !(r.Width > 0) || !(r.Height > 0) || math.IsInf(r.Width, 0) || math.IsInf(r.Height, 0):
		return fmt.Errorf("%w: page %d of %v x %v", ErrResult, r.Page, r.Width, r.Height)
	case r.Rotation%90 != 0 || r.Rotation < 0 || r.Rotation > 270:
		return fmt.Errorf("%w: rotation of %d degrees", ErrResult, r.Rotation)
	case !unit(r.Confidence) || !(math.Abs(r.Skew) <= 20) || !r.Whole() && !onPage(r.Region):
		return fmt.Errorf("%w: confidence %v, skew %v, region %v", ErrResult, r.Confidence, r.Skew, r.Region)
	}
	for i, w := range r.Words {
		if w.Text == "" || strings.ContainsAny(w.Text, "\x00\n\t ") || !utf8.ValidString(w.Text) || !onPage(w.Box) || !unit(w.Confidence) ||
			w.Block < 1 || w.Paragraph < 1 || w.Line < 1 {
			return fmt.Errorf("%w: word %d, %q at %v", ErrResult, i, w.Text, w.Box)
		}
	}
	for i, rule := range r.Rules {
		if !onPage(rule.Box) {
			return fmt.Errorf("%w: rule %d at %v", ErrResult, i, rule.Box)
		}
	}
	return nil
}

// Whole reports whether the result is of all of the page.
func (r *Result) Whole() bool { return r.Region == model.BBox{} }

func unit(v float64) bool { return v >= 0 && v <= 1 }

// onPage allows for the rounding of its parts.
func onPage(b model.BBox) bool {
	const slack = 2e-6
	return b.X >= 0 && b.Y >= 0 && b.W >= 0 && b.H >= 0 && b.X+b.W <= 1+slack && b.Y+b.H <= 1+slack
}

// MeanConfidence is the mean of the words' confidences by their length in
// characters, 0 without words.
func MeanConfidence(words []Word) float64 {
	sum, n := 0.0, 0
	for _, w := range words {
		k := utf8.RuneCountInString(w.Text)
		sum += float64(w.Confidence * float64(k))
		n += k
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// AsShown turns a box of the upright page back to the page as its file shows it.
func (r *Result) AsShown(b model.BBox) model.BBox {
	switch r.Rotation {
	case 90: // the left edge as shown is the top when upright
		b = model.BBox{X: b.Y, Y: 1 - b.X - b.W, W: b.H, H: b.W}
	case 180:
		b = model.BBox{X: 1 - b.X - b.W, Y: 1 - b.Y - b.H, W: b.W, H: b.H}
	case 270:
		b = model.BBox{X: 1 - b.Y - b.H, Y: b.X, W: b.H, H: b.W}
	}
	if r.Mirrored {
		b.X = 1 - b.X - b.W
	}
	return b
}
