package convert

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// A page is drawn as OCR turned it only where nothing else says how it lies.
func TestUprightBy(t *testing.T) {
	read := []model.Unit{{Evidence: []model.Evidence{{BBox: &model.BBox{W: 1, H: 1}}}}}
	layer := append(read, model.Unit{Evidence: []model.Evidence{{PDFTextQuote: "1"}}})
	whole, part := model.PageOCR{}, model.PageOCR{Region: &model.BBox{W: 0.5, H: 0.5}}
	for name, c := range map[string]struct {
		uses  []model.PageOCR
		units []model.Unit
		want  bool
	}{
		"a scan":                          {[]model.PageOCR{whole}, read, true},
		"a scan with a text layer":        {[]model.PageOCR{whole}, layer, false},
		"a picture on a page":             {[]model.PageOCR{part}, layer, false},
		"two pictures on a page":          {[]model.PageOCR{part, part}, read, false},
		"a page of which nothing is read": {nil, layer, false},
	} {
		if got := uprightBy(segment.Frame{Page: model.Page{OCR: c.uses}, Units: c.units}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
