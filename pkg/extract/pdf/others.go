package pdf

import (
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// minFigure is the share of the page that a picture must cover to be a figure;
// smaller ones are ornaments and bullets.
const minFigure = 0.01

// maxFigures bounds the figures of a page: some files cut a picture into
// thousands of strips.
const maxFigures = 200

// pictures returns the places of the pictures that are figures.
func (r *reader) pictures(g pdfium.Graphics) []layout.Rect {
	var out []layout.Rect
	area := r.sheet.width * r.sheet.height
	for _, image := range g.Images {
		box := r.shown(r.sheet.rect(image.Box))
		if box.Width()*box.Height() >= minFigure*area && len(out) < maxFigures {
			out = append(out, box)
		}
	}
	return out
}

// shown cuts a box at the edges of the page.
func (r *reader) shown(box layout.Rect) layout.Rect {
	box.Left, box.Right = min(max(box.Left, 0), r.sheet.width), min(max(box.Right, 0), r.sheet.width)
	box.Top, box.Bottom = min(max(box.Top, 0), r.sheet.height), min(max(box.Bottom, 0), r.sheet.height)
	return box
}

// annotations adds notes, links that lead outside, and form fields. Their text
// is not in the text layer, so that they have a place and no quote.
func (r *reader) annotations(all []pdfium.Annotation) {
	for i := range all {
		a := &all[i]
		if a.Hidden {
			continue
		}
		b := block.Block{Confidence: 1, Evidence: []model.Evidence{r.place(r.sheet.rect(a.Rect))}}
		switch {
		case a.Field != nil:
			b.Type, b.Text, b.Values = model.UnitFormField, a.Field.Value, fieldValues(a.Field)
		case a.URI != "":
			b.Type, b.Text = model.UnitLink, a.URI
			b.Links = []model.Link{{URL: a.URI}}
		case strings.TrimSpace(a.Contents) != "" && a.Subtype != "Link":
			b.Type, b.Text = model.UnitAnnotation, strings.TrimSpace(a.Contents)
		default:
			continue
		}
		for _, c := range b.Text {
			r.out.Visible += visible(c)
		}
		r.out.Blocks = append(r.out.Blocks, b)
	}
}

func visible(c rune) int {
	if unicode.IsSpace(c) {
		return 0
	}
	return 1
}

func fieldValues(f *pdfium.Field) map[string][]string {
	values := map[string][]string{}
	for _, v := range []struct{ name, value string }{{"name", f.Name}, {"label", f.Label}, {"type", f.Type}, {"value", f.Value}} {
		if v.value != "" {
			values[v.name] = []string{v.value}
		}
	}
	if f.Checked {
		values["checked"] = []string{"true"}
	}
	return values
}

// interactive reports whether the page has something to read besides its text
// layer.
func (r *reader) interactive() bool {
	for i := range r.out.Blocks {
		switch r.out.Blocks[i].Type {
		case model.UnitAnnotation, model.UnitFormField:
			if r.out.Blocks[i].Text != "" {
				return true
			}
		}
	}
	return false
}
