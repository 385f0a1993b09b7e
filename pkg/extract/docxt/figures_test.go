package docxt

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestFillFigures(t *testing.T) {
	units := []model.Unit{
		{Type: model.UnitFigure, FieldsRaw: model.Fields{Text: `A "map" <!-- DOCXT:FIGURE id="fig-4-2" src="" -->`}},
		{Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: `<!-- DOCXT:FIGURE id="fig-4-1" caption="" src="" -->` + "\n" + `<img src="">`}},
		{Type: model.UnitFigure, FieldsRaw: model.Fields{Images: []model.Image{{URL: "https://example.org/a.png"}}}},
	}
	html := built(4, units)
	got := FillFigures(html, map[string]string{"fig-4-1": "figures/ab.png", "fig-4-2": "figures/cd.png", "fig-4-9": "figures/ef.png"})
	want := strings.Replace(html, ` src="" -->`, ` src="figures/ab.png" -->`, 1)
	want = strings.Replace(want, `<img src=""`, `<img src="figures/ab.png"`, 1)
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if FillFigures(html, nil) != html {
		t.Error("without addresses it changes")
	}
}
