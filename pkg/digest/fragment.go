package digest

import (
	"fmt"
	"math"
	"strconv"
)

// BBox is a box on an upright full page (contracts#bbox): the origin is the top
// left corner, every number a share of the page's width or height in [0, 1].
type BBox struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// RoundBBox returns b with six decimals, math.Round(v*1e6)/1e6, as boxes are
// stored and hashed. It never gives a negative zero.
func RoundBBox(b BBox) BBox {
	return BBox{X: round6(b.X), Y: round6(b.Y), W: round6(b.W), H: round6(b.H)}
}

func round6(v float64) float64 {
	r := math.Round(v*1e6) / 1e6
	if r == 0 {
		return 0
	}
	return r
}

// Locator says where a fragment without a byte span is: on a page of a PDF
// (PageNumber, from 1) or of a scan (PageIndex, from 0), one of the two.
type Locator struct {
	SourceID        string
	SnapshotID      string
	PageNumber      *int
	PageIndex       *int
	RotationDegrees int // 0, 90, 180 or 270
	BBox            BBox
	PDFTextQuote    string // "" when there is none
	OCRTextQuote    string // "" when there is none
}

// appendJCS appends the JCS object that is hashed; what is absent is left out.
// Not ok: the box is not made of numbers.
func (l *Locator) appendJCS(dst []byte) (out []byte, ok bool) {
	box := RoundBBox(l.BBox)
	ok = true
	number := func(name string, v float64) {
		var err error
		dst, err = appendNumber(append(dst, name...), v)
		ok = ok && err == nil
	}
	integer := func(name string, v *int) {
		if v != nil {
			dst = strconv.AppendInt(append(dst, name...), int64(*v), 10)
		}
	}
	quote := func(name, v string) {
		if v != "" {
			dst = appendString(append(dst, name...), v)
		}
	}
	number(`{"bbox":{"h":`, box.H)
	number(`,"w":`, box.W)
	number(`,"x":`, box.X)
	number(`,"y":`, box.Y)
	quote(`},"fragment_representation_kind":`, LocatorKind)
	quote(`,"ocr_text_quote":`, l.OCRTextQuote)
	integer(`,"page_index":`, l.PageIndex)
	integer(`,"page_number":`, l.PageNumber)
	quote(`,"pdf_text_quote":`, l.PDFTextQuote)
	integer(`,"rotation_degrees":`, &l.RotationDegrees)
	dst = appendString(append(dst, `,"snapshot_id":`...), l.SnapshotID)
	dst = appendString(append(dst, `,"source_id":`...), l.SourceID)
	return append(dst, '}'), ok
}

// FragmentSpan returns the fragment_hash of a fragment with a byte span: of
// that slice of the snapshot's bytes (seeds#capture).
func FragmentSpan(slice []byte) string {
	return Content(slice)
}

// FragmentLocator returns the fragment_hash of a fragment of a PDF or a scan:
// of the JCS object of its locator, the box rounded. It fails when the box is
// not made of numbers or not exactly one of the pages is given.
func FragmentLocator(l Locator) (string, error) {
	if (l.PageNumber == nil) == (l.PageIndex == nil) {
		return "", fmt.Errorf("fragment of %s: want either a page_number or a page_index", l.SnapshotID)
	}
	b, ok := l.appendJCS(make([]byte, 0, 512))
	if !ok {
		return "", fmt.Errorf("fragment of %s: its box %v is not made of numbers", l.SnapshotID, l.BBox)
	}
	return Content(b), nil
}
