package pdfium

// maxAnnotations bounds the annotations of one page.
const maxAnnotations = 10_000

// Annotation is a note, a link or a form field on a page. Its text is not in
// the text layer.
type Annotation struct {
	// Subtype is the name in ISO 32000-1, table 169, such as "Link" or "Text";
	// empty for a kind that is not listed there.
	Subtype string
	Rect    Rect
	// Contents is the note's text.
	Contents string
	// URI is where a link leads outside; empty for none.
	URI string
	// Page is where a link leads inside, from 0; -1 for none.
	Page int
	// Hidden: the file asks not to show it (ISO 32000-1, table 165).
	Hidden bool
	// Field is what a form field holds; nil for other annotations.
	Field *Field
}

// Field is one form field.
type Field struct {
	// Name is the full name, parts joined by dots.
	Name string
	// Label is the name meant for people; often empty.
	Label string
	// Type is one of button, checkbox, radio, combo, list, text, signature;
	// empty for a kind that is not known.
	Type  string
	Value string
	// Checked: this checkbox or radio button is shown as chosen (its appearance
	// state is not Off).
	Checked bool
}

// Annotations returns the annotations of the page in file order, without the
// windows that belong to other annotations (Popup). At most 10,000.
func (p *Page) Annotations() ([]Annotation, error) {
	e := p.document.engine
	var list []Annotation
	count := min(e.callInt("FPDFPage_GetAnnotCount", p.handle), maxAnnotations)
	for i := 0; i < count && e.err == nil; i++ {
		handle := e.call("FPDFPage_GetAnnot", p.handle, uint64(i))
		if handle == 0 {
			continue
		}
		if a := p.annotation(handle); a.Subtype != "Popup" {
			list = append(list, a)
		}
		e.call("FPDFPage_CloseAnnot", handle)
	}
	return list, p.failed()
}

// hiddenFlags are Invisible, Hidden and NoView.
const hiddenFlags = 1 | 2 | 32

func (p *Page) annotation(handle uint64) Annotation {
	d, e := p.document, p.document.engine
	a := Annotation{
		Subtype: subtype(e.callInt("FPDFAnnot_GetSubtype", handle)),
		Page:    -1,
		Hidden:  e.call("FPDFAnnot_GetFlags", handle)&hiddenFlags != 0,
	}
	if e.call("FPDFAnnot_GetRect", handle, e.at(0)) != 0 {
		a.Rect = e.rectF(0)
	}
	a.Contents = e.entry(handle, "Contents")
	switch a.Subtype {
	case "Link":
		a.URI, a.Page = d.link(e.call("FPDFAnnot_GetLink", handle))
	case "Widget":
		a.Field = d.field(handle)
	}
	return a
}

// link follows a link's destination, or else its action.
func (d *Document) link(link uint64) (uri string, page int) {
	e := d.engine
	if link == 0 {
		return "", -1
	}
	if dest := e.call("FPDFLink_GetDest", d.handle, link); dest != 0 {
		return "", d.destination(dest)
	}
	action := e.call("FPDFLink_GetAction", link)
	if action != 0 && e.callInt("FPDFAction_GetType", action) == actionURI {
		return e.ascii("FPDFAction_GetURIPath", d.handle, action), -1
	}
	return "", d.actionPage(action)
}

// field reads a form field. The engine has no scripts: nothing in the form runs.
func (d *Document) field(handle uint64) *Field {
	e := d.engine
	if d.form == 0 {
		d.form = e.call("FPDFDOC_InitFormFillEnvironment", d.handle, e.call("FPDF_FORMFILLINFO_Create"))
	}
	if d.form == 0 {
		return nil
	}
	f := &Field{
		Name:  e.text("FPDFAnnot_GetFormFieldName", d.form, handle),
		Label: e.text("FPDFAnnot_GetFormFieldAlternateName", d.form, handle),
		Type:  fieldType(e.callInt("FPDFAnnot_GetFormFieldType", d.form, handle)),
		Value: e.text("FPDFAnnot_GetFormFieldValue", d.form, handle),
	}
	if f.Type == "checkbox" || f.Type == "radio" {
		state := e.entry(handle, "AS")
		f.Checked = state != "" && state != "Off"
	}
	return f
}

// entry is a string or name in the annotation's dictionary.
func (e *engine) entry(annotation uint64, key string) string {
	name := e.newString(key)
	value := e.text("FPDFAnnot_GetStringValue", annotation, name)
	e.call("free", name)
	return value
}

// fieldType names the engine's numbers (fpdf_formfill.h, FPDF_FORMFIELD_*).
func fieldType(n int) string {
	names := [...]string{"", "button", "checkbox", "radio", "combo", "list", "text", "signature"}
	if n < 0 || n >= len(names) {
		return ""
	}
	return names[n]
}

// subtype names the engine's numbers (fpdf_annot.h, FPDF_ANNOT_*).
func subtype(n int) string {
	names := [...]string{
		"", "Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine",
		"Highlight", "Underline", "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Popup",
		"FileAttachment", "Sound", "Movie", "Widget", "Screen", "PrinterMark", "TrapNet",
		"Watermark", "3D", "RichMedia", "XFAWidget", "Redact",
	}
	if n < 0 || n >= len(names) {
		return ""
	}
	return names[n]
}
