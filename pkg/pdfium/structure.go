package pdfium

// Limits of Structure.
const (
	maxElements     = 50_000
	maxElementDepth = 64
)

// Element is one element of a tagged page's structure tree (ISO 32000-1, 14.7).
type Element struct {
	// Type is the standard type, or the file's own: "P", "H1", "Figure".
	Type string
	// Alt is the text that stands for it where it cannot be seen; often empty.
	Alt string
	// Parent is the index of the element around it, -1 for none.
	Parent int
}

// Content says which element a piece of marked content belongs to.
type Content struct {
	Mark    int // Char.Mark, Image.Mark
	Element int // index in Structure.Elements
}

// Structure is what the tags of a page say: its elements, and its marked content
// in the order in which it is to be read.
type Structure struct {
	Elements []Element
	Contents []Content
}

// Structure returns the structure tree of the page, empty for one that is not
// tagged or has more than 50,000 elements.
func (p *Page) Structure() (Structure, error) {
	e := p.document.engine
	if !p.document.isTagged() {
		return Structure{}, p.failed()
	}
	tree := e.call("FPDF_StructTree_GetForPage", p.handle)
	if tree == 0 {
		return Structure{}, p.failed()
	}
	r := structureReader{engine: e}
	count := e.callInt("FPDF_StructTree_CountChildren", tree)
	for i := 0; i < count && e.err == nil && !r.full; i++ {
		r.read(e.call("FPDF_StructTree_GetChildAtIndex", tree, uint64(i)), -1, 0)
	}
	e.call("FPDF_StructTree_Close", tree)
	if r.full {
		return Structure{}, p.failed()
	}
	return r.out, p.failed()
}

type structureReader struct {
	engine *engine
	out    Structure
	full   bool
}

func (r *structureReader) read(element uint64, parent, depth int) {
	e := r.engine
	if element == 0 || r.full {
		return
	}
	if len(r.out.Elements) == maxElements || depth == maxElementDepth {
		r.full = true
		return
	}
	at := len(r.out.Elements)
	r.out.Elements = append(r.out.Elements, Element{
		Type: e.text("FPDF_StructElement_GetType", element), Alt: e.text("FPDF_StructElement_GetAltText", element), Parent: parent,
	})
	count := e.callInt("FPDF_StructElement_CountChildren", element)
	for i := 0; i < count && e.err == nil && !r.full; i++ {
		if child := e.call("FPDF_StructElement_GetChildAtIndex", element, uint64(i)); child != 0 {
			r.read(child, at, depth+1)
			continue
		}
		if mark := e.callInt("FPDF_StructElement_GetChildMarkedContentID", element, uint64(i)); mark >= 0 {
			r.out.Contents = append(r.out.Contents, Content{Mark: mark, Element: at})
		}
	}
}

// isTagged reports whether the file says that it is tagged; asked once.
func (d *Document) isTagged() bool {
	if d.tagged == 0 {
		d.tagged = 1
		if d.engine.call("FPDFCatalog_IsTagged", d.handle) != 0 {
			d.tagged = 2
		}
	}
	return d.tagged == 2
}

// mark is the marked-content id of a page object, -1 for none. Files that are
// not tagged are not asked.
func (d *Document) mark(object uint64) int {
	if !d.isTagged() {
		return -1
	}
	return d.engine.callInt("FPDFPageObj_GetMarkedContentID", object)
}
