package pdf

import (
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// annotations adds notes, links that lead outside, and form fields. Their text
// is not in the text layer, so that they have a place and no quote.
func (r *reader) annotations(all []pdfium.Annotation, glyphs []layout.Glyph) {
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
			text, first := under(r.sheet.rect(a.Rect), glyphs, len(all))
			b.Links = []model.Link{{URL: a.URI, Text: text}}
			r.links = append(r.links, linked{b.Links[0], first})
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

// linked is a link and the first character that it is on, -1 for none.
type linked struct {
	model.Link
	seq int
}

// maxUnder bounds the work of finding what links are on: links times glyphs.
const maxUnder = 20_000_000

// under returns the text in a box, in the order of the file, and its first
// character, -1 for none. others is how many boxes there are on the page.
func under(box layout.Rect, glyphs []layout.Glyph, others int) (text string, first int) {
	first = -1
	if others*len(glyphs) > maxUnder {
		return "", first
	}
	var b strings.Builder
	for i := range glyphs {
		g := &glyphs[i]
		if !box.Holds((g.Box.Left+g.Box.Right)/2, (g.Box.Top+g.Box.Bottom)/2) {
			continue
		}
		if first < 0 {
			first = g.Seq
		} else if g.Space != 0 {
			b.WriteByte(' ')
		}
		if g.Hyphen {
			b.WriteByte('-')
			continue
		}
		b.WriteRune(g.Rune)
	}
	return b.String(), first
}

// attachLinks adds each link to the block that its text is in.
func (r *reader) attachLinks() {
	for _, l := range r.links {
		if l.seq < 0 || r.placed[l.seq] == 0 {
			continue
		}
		b := &r.out.Blocks[r.placed[l.seq]-1]
		b.Links = append(b.Links, l.Link)
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
