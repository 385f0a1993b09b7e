package pdf

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// TestLargePagesAreDrawnSmaller: whatever the size of a page and its region, at the first and the second resolution it is
// drawn within what the engine draws; a common one is drawn as asked for.
func TestLargePagesAreDrawnSmaller(t *testing.T) {
	whole := model.BBox{W: 1, H: 1}
	for name, c := range map[string]struct {
		width, height float64 // in points
		region        model.BBox
		dpi, want     int // want 0: smaller than asked for
	}{
		"A4":                      {595, 842, whole, ocr.DefaultDPI, ocr.DefaultDPI},
		"A4 again":                {595, 842, whole, ocr.HighDPI, ocr.HighDPI},
		"A3 again":                {842, 1191, whole, ocr.HighDPI, ocr.HighDPI},
		"A2 again":                {1191, 1684, whole, ocr.HighDPI, 0},
		"A1 again":                {1684, 2384, whole, ocr.HighDPI, 0},
		"A0":                      {2384, 3370, whole, ocr.DefaultDPI, 0},
		"a square of 24 inches":   {1728, 1728, whole, ocr.HighDPI, 0},
		"a roll":                  {144, 14400, whole, ocr.HighDPI, 0},
		"a quarter of A2":         {1191, 1684, model.BBox{W: 0.5, H: 0.5}, ocr.HighDPI, ocr.HighDPI},
		"a picture across A0":     {2384, 3370, model.BBox{Y: 0.5, W: 1, H: 0.2}, ocr.HighDPI, 0},
		"a page of 100 by 100 m":  {283465, 283465, whole, ocr.HighDPI, 0},
		"a point by a few inches": {1, 300, whole, ocr.HighDPI, ocr.HighDPI},
	} {
		p := &openPage{width: c.width, height: c.height, region: c.region}
		width, has := p.drawWidth(c.dpi)
		high := float64(width) * (c.region.H * c.height) / (c.region.W * c.width)
		if n := float64(width) * high; n > pdfium.MaxPixels || p.Pixels(c.dpi) > pdfium.MaxPixels {
			t.Errorf("%s: %d pixels wide, %.0f in all", name, width, n)
		}
		if has < 1 || has > c.dpi || c.want > 0 && has != c.want || c.want == 0 && has == c.dpi {
			t.Errorf("%s: drawn at %d dpi, want %d", name, has, c.want)
		}
	}
}
