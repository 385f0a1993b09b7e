package pdfium

import "fmt"

// Document is an open PDF. It is not safe for concurrent use. After an error
// with ErrEngine or ErrLimit every method fails the same way; Close it.
type Document struct {
	engine *engine
	handle uint64
	pages  int
	junk   int64
	form   uint64 // form environment, 0 until the first form field
	tagged int    // 0 not asked yet, 1 no, 2 yes
}

func open(e *engine, size int64, password string) (*Document, error) {
	param := e.call("malloc", 4)
	access := e.call("FPDF_FILEACCESS_Create", uint64(size), param)
	handle := e.call("FPDF_LoadCustomDocument", access, e.newString(password))
	if e.err != nil {
		return nil, e.err
	}
	if handle == 0 {
		return nil, loadError(e)
	}
	d := &Document{engine: e, handle: handle, pages: e.callInt("FPDF_GetPageCount", handle)}
	if e.err != nil {
		return nil, e.err
	}
	if d.pages <= 0 {
		return nil, fmt.Errorf("%w: no pages", ErrFormat)
	}
	return d, nil
}

// loadError reads the engine's error codes (fpdfview.h, FPDF_ERR_*).
func loadError(e *engine) error {
	code := e.callInt("FPDF_GetLastError")
	switch {
	case e.err != nil:
		return e.err
	case e.arena.refused > 0:
		e.fail(nil)
		return e.err
	case code == 4:
		return fmt.Errorf("%w: a password is needed", ErrPassword)
	case code == 5:
		return fmt.Errorf("%w: unknown kind of encryption", ErrPassword)
	default:
		return fmt.Errorf("%w: damaged (code %d)", ErrFormat, code)
	}
}

// Close frees the document and its instance.
func (d *Document) Close() { d.engine.close() }

// PageCount is the number of pages, at least 1. A damaged or lying file may
// count pages that Page cannot load.
func (d *Document) PageCount() int { return d.pages }

// MemoryBytes is how much of its memory the document has used at the same time.
func (d *Document) MemoryBytes() int { return int(d.engine.arena.usable) }

// Metadata returns an entry of the information dictionary, as it stands there:
// Title, Author, Subject, Keywords, Creator, Producer, CreationDate, ModDate
// (dates as "D:20261121124500Z"). Empty when there is none.
func (d *Document) Metadata(tag string) (string, error) {
	e := d.engine
	name := e.newString(tag)
	value := e.text("FPDF_GetMetaText", d.handle, name)
	e.call("free", name)
	return value, d.failed("metadata")
}

// PageLabel is the label of page index (from 0), such as "iv"; empty when the
// document has none.
func (d *Document) PageLabel(index int) (string, error) {
	label := d.engine.text("FPDF_GetPageLabel", d.handle, uint64(index))
	return label, d.failed("page label")
}

// failed names the place of the engine's error, if there is one.
func (d *Document) failed(what string) error {
	if d.engine.err == nil {
		return nil
	}
	return fmt.Errorf("PDF %s: %w", what, d.engine.err)
}

// Limits of Outline.
const (
	maxOutlineDepth   = 8
	maxOutlineEntries = 10_000
)

// OutlineEntry is one bookmark.
type OutlineEntry struct {
	Title string
	// Level counts from 1.
	Level int
	// Page counts from 0; -1 when the entry leads nowhere in this document.
	Page int
}

// Outline returns the bookmarks in reading order: at most 8 levels and 10,000
// entries, the rest is left out; an entry reached twice ends its branch.
func (d *Document) Outline() ([]OutlineEntry, error) {
	o := outline{document: d, seen: map[uint64]bool{}}
	o.walk(0, 1)
	return o.entries, d.failed("outline")
}

type outline struct {
	document *Document
	seen     map[uint64]bool
	entries  []OutlineEntry
}

func (o *outline) walk(parent uint64, level int) {
	d, e := o.document, o.document.engine
	if level > maxOutlineDepth {
		return
	}
	mark := e.call("FPDFBookmark_GetFirstChild", d.handle, parent)
	for mark != 0 && !o.seen[mark] && len(o.entries) < maxOutlineEntries {
		o.seen[mark] = true
		o.entries = append(o.entries, OutlineEntry{
			Title: e.text("FPDFBookmark_GetTitle", mark),
			Level: level,
			Page:  o.page(mark),
		})
		o.walk(mark, level+1)
		mark = e.call("FPDFBookmark_GetNextSibling", d.handle, mark)
	}
}

func (o *outline) page(mark uint64) int {
	d, e := o.document, o.document.engine
	if dest := e.call("FPDFBookmark_GetDest", d.handle, mark); dest != 0 {
		return d.destination(dest)
	}
	return d.actionPage(e.call("FPDFBookmark_GetAction", mark))
}

// Kinds of action (fpdf_doc.h, PDFACTION_*).
const (
	actionGoTo = 1
	actionURI  = 3
)

// actionPage is the page that an action leads to, -1 for none.
func (d *Document) actionPage(action uint64) int {
	if action == 0 || d.engine.callInt("FPDFAction_GetType", action) != actionGoTo {
		return -1
	}
	return d.destination(d.engine.call("FPDFAction_GetDest", d.handle, action))
}

func (d *Document) destination(dest uint64) int {
	if dest == 0 {
		return -1
	}
	page := d.engine.callInt("FPDFDest_GetDestPageIndex", d.handle, dest)
	if page < 0 || page >= d.pages {
		return -1
	}
	return page
}
