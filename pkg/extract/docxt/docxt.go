// Package docxt writes a page as DOCXT HTML: the markers of seeds#extraction around plain
// HTML that is made of the page's units alone, never of the captured markup,
// so that no page can forge a marker and equal units give equal bytes
// (contracts#docxt). Sections are those of the page: a page never knows its
// neighbours, so every section that it opens closes at its end, and opens again on the
// next when pages are handed out in their order (Reopen).
package docxt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Build returns the DOCXT HTML of a page, id and slug of its PAGE marker empty
// as it is stored and hashed (contracts#page-content-hash), and the sections that are
// open at its end, the outermost first. lang is the page's language, nil when it is not
// known: it says by which words headings have their kinds. It is a pure function.
func Build(pageNo int, units []model.Unit, lang *model.Language) (html string, open []model.Section) {
	const around = 64 // of each unit
	size := around
	for i := range units {
		size += len(units[i].FieldsRaw.Text) + around
	}
	w := &writer{pageNo: pageNo, lang: lang}
	w.b.Grow(size)
	w.line(fmt.Sprintf("<!-- DOCXT:PAGE index=%d", pageNo) + emptyNames)
	for i := range units {
		w.unit(&units[i])
	}
	w.closeLists(0)
	open = slices.Clone(w.sections)
	w.closeSections(0)
	return w.b.String(), open
}

// Fill returns the stored HTML of a page with id and slug in its PAGE marker,
// as it is served and exported.
func Fill(html, id, slug string) string {
	marker, rest, ok := strings.Cut(html, emptyNames)
	if !ok || strings.Contains(marker, "\n") {
		return html
	}
	return marker + fmt.Sprintf(` id="%s" slug="%s" -->`, attr(id), attr(slug)) + rest
}

// emptyNames is the end of a PAGE marker as it is stored.
const emptyNames = ` id="" slug="" -->`

type writer struct {
	b        strings.Builder
	pageNo   int
	lang     *model.Language
	sections []model.Section
	lists    int  // open <ul>
	terms    bool // an open <dl>
	tables   int
	figures  int

	served bool // with where blocks stand, and what was found in them
	now    *model.Unit
	marks  map[string][]Mark // by ir_id
}

func (w *writer) line(s string) {
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *writer) unit(u *model.Unit) {
	f := &u.FieldsRaw
	w.now = u
	if u.Type != model.UnitListItem {
		w.closeLists(0)
	}
	if u.Type != model.UnitDefinition && w.terms {
		w.line("</dl>")
		w.terms = false
	}
	switch u.Type {
	case model.UnitHeading:
		w.heading(f)
	case model.UnitListItem:
		w.listItem(f)
	case model.UnitDefinition:
		w.definition(f)
	case model.UnitTable:
		w.block(kindTable, tableTitle(f.Table), func() { w.table(f) })
	case model.UnitFigure:
		w.block(kindFigure, caption(f, alt(f)), func() { w.figure(f) })
	case model.UnitFootnote:
		w.block(kindFootnote, f.Marker, func() { w.paragraph(u) })
	case model.UnitQuote:
		w.line("<blockquote" + w.place() + "><p>" + w.inline(f.Text, 0) + "</p></blockquote>")
	case model.UnitCode:
		w.line("<pre" + w.place() + ">" + w.preformatted(f.Text) + "</pre>")
	case model.UnitFurniture, model.UnitPageHeader, model.UnitPageFooter:
		w.line(`<div data-docxt="furniture" data-role="` + attr(role(u)) + `"` + w.place() + `>` + w.inline(f.Text, 0) + "</div>")
	case model.UnitError:
		w.line(fmt.Sprintf(`<div data-docxt="error" data-reason="%s"%s>%s</div>`, attr(f.Error.Reason), w.place(), inline(f.Error.Message)))
	case model.UnitCaption, model.UnitFormField, model.UnitAnnotation, model.UnitLink, model.UnitRecord:
		w.paragraph(u)
	default:
		w.line("<p" + w.place() + ">" + w.inline(f.Text, 0) + "</p>")
	}
}

func role(u *model.Unit) string {
	if u.Role != "" {
		return u.Role
	}
	return string(u.Type)
}

// paragraph writes a unit whose type is that of its paragraph.
func (w *writer) paragraph(u *model.Unit) {
	w.line(`<p data-docxt="` + string(u.Type) + `"` + w.place() + `>` + w.inline(u.FieldsRaw.Text, 0) + "</p>")
}

// heading opens a section and closes those of its level and below.
func (w *writer) heading(f *model.Fields) {
	level := min(max(f.Level, 1), maxLevel)
	for len(w.sections) > 0 && w.sections[len(w.sections)-1].Level >= level {
		w.closeSections(len(w.sections) - 1)
	}
	w.open(model.Section{Kind: KindOf(f.Text, w.lang), Level: level, Text: sectionText(f.Text)})
	tag := "h" + strconv.Itoa(level)
	w.line("<" + tag + w.place() + ">" + w.inline(f.Text, 0) + "</" + tag + ">")
}

// maxLevel is the lowest level of a heading, that of HTML.
const maxLevel = 6

// blockLevel is the level of sections that no heading opens: the lowest, whatever section
// they stand in, also one of a page before.
const blockLevel = maxLevel

// block writes a unit that is a section by itself.
func (w *writer) block(kind, text string, write func()) {
	w.open(model.Section{Kind: kind, Level: blockLevel, Text: sectionText(text)})
	write()
	w.closeSections(len(w.sections) - 1)
}

func (w *writer) open(s model.Section) {
	w.sections = append(w.sections, s)
	w.line(startMarker(s))
}

func (w *writer) closeSections(keep int) {
	for len(w.sections) > keep {
		last := w.sections[len(w.sections)-1]
		w.sections = w.sections[:len(w.sections)-1]
		w.line(endMarker(last))
	}
}

// maxListDepth bounds the nesting of lists that is written.
const maxListDepth = 16

// listItem writes an item and leaves it open: the items below it belong in it.
func (w *writer) listItem(f *model.Fields) {
	depth := min(max(f.Depth, 1), maxListDepth)
	w.closeLists(depth)
	if w.lists == depth {
		w.line("</li>")
	}
	for w.lists < depth {
		w.line("<ul>")
		if w.lists++; w.lists < depth {
			w.line("<li>") // an item that the page does not have
		}
	}
	marker := ""
	if f.Marker != "" {
		marker = ` data-marker="` + attr(f.Marker) + `"`
	}
	w.line("<li" + marker + w.place() + ">" + w.inline(f.Text, 0))
}

func (w *writer) closeLists(keep int) {
	for w.lists > keep {
		w.line("</li>\n</ul>")
		w.lists--
	}
}

func (w *writer) definition(f *model.Fields) {
	if !w.terms {
		w.line("<dl>")
		w.terms = true
	}
	tag := "dd"
	if f.Depth == 1 {
		tag = "dt"
	}
	w.line("<" + tag + w.place() + ">" + w.inline(f.Text, 0) + "</" + tag + ">")
}

func (w *writer) figure(f *model.Fields) {
	w.figures++
	src, alt := "", alt(f)
	if len(f.Images) > 0 {
		src = f.Images[0].URL
	}
	w.line(fmt.Sprintf(`<!-- DOCXT:FIGURE id="%s" caption="%s" src="%s" -->`, digest.FigureID(w.pageNo, w.figures), attr(oneLine(caption(f, alt))), attr(src)))
	w.line(fmt.Sprintf(`<figure%s><img src="%s" alt="%s"></figure>`, w.place(), attr(src), attr(oneLine(alt))))
}

// alt is what a figure says it shows.
func alt(f *model.Fields) string {
	if len(f.Images) == 0 {
		return ""
	}
	return f.Images[0].Alt
}

// caption is the caption that stands beside a figure, else the figure's own text,
// else what it says it shows.
func caption(f *model.Fields, alt string) string {
	switch {
	case len(f.Values["caption"]) > 0:
		return f.Values["caption"][0]
	case f.Text != "":
		return f.Text
	}
	return alt
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// inline returns text as HTML, line ends as breaks.
func inline(s string) string {
	return strings.ReplaceAll(escape(s), "\n", "<br>")
}

var textEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")

func escape(s string) string { return textEscapes.Replace(s) }

var attrEscapes = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "--", "&#45;&#45;", "\n", "&#10;", "\r", "&#13;")

// attr returns a value as it may stand in an attribute of a marker: nothing in
// it ends the attribute, the comment or a line (contracts#docxt).
func attr(s string) string { return attrEscapes.Replace(s) }
