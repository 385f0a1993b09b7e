package docxt

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Block returns one unit of page pageNo as the page's HTML has it, without markers,
// which are those of a page; a list item and a definition without the list around them.
// n is its place among the units of its type on the page, from 1. An error unit has none.
func Block(pageNo, n int, u *model.Unit) string {
	f := &u.FieldsRaw
	n = max(n, 1)
	w := &writer{pageNo: pageNo, tables: n - 1, figures: n - 1}
	switch u.Type {
	case model.UnitError:
		return ""
	case model.UnitListItem:
		marker := ""
		if f.Marker != "" {
			marker = ` data-marker="` + attr(f.Marker) + `"`
		}
		return "<li" + marker + ">" + inline(f.Text) + "</li>"
	case model.UnitDefinition:
		if f.Depth == 1 {
			return "<dt>" + inline(f.Text) + "</dt>"
		}
		return "<dd>" + inline(f.Text) + "</dd>"
	}
	w.unit(u)
	var b strings.Builder
	for line := range strings.Lines(w.b.String()) {
		if !strings.HasPrefix(line, marker) {
			b.WriteString(line)
		}
	}
	out := strings.TrimSuffix(b.String(), "\n")
	if u.Type == model.UnitFigure && f.Text != "" { // the text on it, which the page has as its caption
		out = strings.TrimSuffix(out, "</figure>") + "<p>" + inline(f.Text) + "</p></figure>"
	}
	return out
}

// marker begins every line that is one; text cannot, since it is escaped.
const marker = "<!-- DOCXT:"
