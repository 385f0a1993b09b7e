package html

import (
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// The pictures of a figure element have its figcaption as their caption; that stays a
// unit of its own.
func TestCaptionsOfFigures(t *testing.T) {
	const img, other = "<img src=a.png alt='a weir'>", "<img src=b.png>"
	for name, tt := range map[string]struct {
		page string
		want []string // of each figure, "" for none
	}{
		"below":            {"<figure>" + img + "<figcaption>The <b>upper</b>\n weir</figcaption></figure>", []string{"The upper weir"}},
		"above, in boxes":  {"<figure><div><figcaption><p>Weirs</p></figcaption></div><div>" + img + "</div></figure>", []string{"Weirs"}},
		"two pictures":     {"<figure><p>" + img + "</p><p>" + other + "</p><figcaption>Two</figcaption></figure>", []string{"Two", "Two"}},
		"a figure within":  {"<figure><figure>" + img + "<figcaption>In</figcaption></figure><p>" + other + "</p><figcaption>Out</figcaption></figure>", []string{"In", "Out"}},
		"one within alone": {"<figure><figure>" + img + "<figcaption>In</figcaption></figure><p>" + other + "</p></figure>", []string{"In", ""}},
		"hidden":           {"<figure>" + img + "<figcaption hidden>No</figcaption></figure>", []string{""}},
		"empty":            {"<figure>" + img + "<figcaption> </figcaption></figure>", []string{""}},
		"no figure":        {"<p>" + img + "</p><p>Text</p>", []string{""}},
		"a linked picture": {"<figure><a href=c.html>" + img + "</a><figcaption>Map</figcaption></figure>", []string{"Map"}},
	} {
		_, blocks := ledgerOf(t, []byte("<main><h1>Weirs</h1><p>A sentence about the weirs of the valley.</p>"+tt.page+"</main>"), model.Snapshot{})
		var got []string
		for i := range blocks {
			if blocks[i].Type == model.UnitFigure {
				caption := ""
				if values := blocks[i].Values[captionField]; len(values) > 0 {
					caption = values[0]
				}
				got = append(got, caption)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
