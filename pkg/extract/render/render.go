// Package render writes a page frame for readers: as plain text, Markdown,
// HTML or CSV. It shows what is in the frame and nothing else.
package render

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// renderText returns the text of the page in reading order, without furniture, an
// empty line between blocks.
func renderText(f segment.Frame) string {
	return join(f, func(u *model.Unit) string { return u.FieldsRaw.Text })
}

// Pages writes the pages of one document in their order.
type Pages struct {
	open     *model.Table    // it goes on on the next page
	sections []model.Section // of the pages before, that are open
}

// Text returns the text of the next page, without the head of a table that goes on from the
// page before, where the same head stands.
func (p *Pages) Text(f segment.Frame) string {
	return join(f, func(u *model.Unit) string {
		t, text := u.FieldsRaw.Table, u.FieldsRaw.Text
		if t == nil {
			return text
		}
		if o := p.open; u.FieldsRaw.Continued && o != nil && t.HeaderRows == o.HeaderRows && slices.Equal(t.Columns, o.Columns) {
			rows := strings.SplitN(text, "\n", t.HeaderRows+1)
			text = rows[len(rows)-1]
		}
		p.open = nil
		if u.FieldsRaw.Continues {
			p.open = t
		}
		return text
	})
}

// Markdown returns the page as Markdown in reading order, without furniture;
// list items of one list follow each other.
func Markdown(f segment.Frame) string {
	var b strings.Builder
	var last model.UnitType
	for i := range f.Units {
		u := &f.Units[i]
		if furniture(u) || u.FieldsRaw.Markdown == "" && u.FieldsRaw.Text == "" { // a drawing that says nothing
			continue
		}
		s := present.Markdown(u, f.Page.PageNo)
		if s == "" {
			continue
		}
		switch {
		case b.Len() == 0:
		case last == model.UnitListItem && u.Type == last:
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(s)
		last = u.Type
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// HTML returns the page's DOCXT HTML, with the id and slug of its PAGE marker, and the
// sections that were open at the end of the page before it (docxt.Carry).
func HTML(f segment.Frame, slug string, open []model.Section) string {
	return docxt.Fill(docxt.Reopen(f.Page.HTML, open), f.Page.PageID, slug)
}

// Annotated is HTML with where blocks stand on the page, and with what was found in units, by their ir_id, as
// spans (docxt.Annotate).
func Annotated(f segment.Frame, slug string, open []model.Section, marks map[string][]docxt.Mark) string {
	html := docxt.Annotate(f.Page.PageNo, f.Units, f.Page.Language, marks)
	return docxt.Fill(docxt.Reopen(html, open), f.Page.PageID, slug)
}

// HTML is HTML of the next page, in the sections of the pages before it.
func (p *Pages) HTML(f segment.Frame, slug string) string {
	html := HTML(f, slug, p.sections)
	p.sections = docxt.Carry(p.sections, f.Page.OpenSections)
	return html
}

// Annotated is Annotated of the next page, in the sections of the pages before it.
func (p *Pages) Annotated(f segment.Frame, slug string, marks map[string][]docxt.Mark) string {
	html := Annotated(f, slug, p.sections, marks)
	p.sections = docxt.Carry(p.sections, f.Page.OpenSections)
	return html
}

// CSV returns the page's tables, an empty line between them.
func CSV(f segment.Frame) string {
	var tables []string
	for _, u := range f.Units {
		if t := u.FieldsRaw.Table; t != nil && t.CSV != "" {
			tables = append(tables, t.CSV)
		}
	}
	return strings.Join(tables, "\r\n")
}

func join(f segment.Frame, text func(*model.Unit) string) string {
	var parts []string
	for i := range f.Units {
		u := &f.Units[i]
		if s := text(u); s != "" && !furniture(u) {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// furniture reports whether a unit is no text of the page itself.
func furniture(u *model.Unit) bool {
	switch u.Type {
	case model.UnitFurniture, model.UnitPageHeader, model.UnitPageFooter, model.UnitLink, model.UnitError:
		return true
	default:
		return false
	}
}
