// Package present makes what units are shown with beside what is stored of them: where
// they stand in words, their hashes, their Markdown, and HTML where the captured bytes
// have none (contracts#shown-fields). All of it is a function of a page's frame, its
// snapshot, and the headings of the pages before: whoever shows units makes it here,
// and nobody stores it.
package present

import (
	"iter"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// SectionReach is how many pages after that of a heading its section may go on: what
// stands behind that is in none. So whoever shows one page looks back over no more
// pages than these.
const SectionReach = 64

// Reader completes the units of one document, page after page. It is not safe for
// concurrent use.
type Reader struct {
	snapshot model.Snapshot
	section  string // nearest heading so far
	since    int    // its page
}

// NewReader returns a reader of the pages of a snapshot, which are added in order,
// from the first, or from another one behind a call of Open.
func NewReader(s model.Snapshot) *Reader { return &Reader{snapshot: s} }

// Open says which heading stood last, on a page before the next one.
func (r *Reader) Open(section string, page int) { r.section, r.since = section, page }

// Units yields the units of the next page, each completed when it is asked for; the
// frame stays as it is. It is to be gone through once, to its end.
func (r *Reader) Units(f segment.Frame) iter.Seq[model.Unit] {
	return func(yield func(model.Unit) bool) {
		if f.Page.PageNo-r.since > SectionReach {
			r.section = ""
		}
		for _, u := range f.Units {
			if heading, ok := Heading(&u); ok {
				r.section, r.since = heading, f.Page.PageNo
			}
			if !yield(r.complete(f.Page.PageNo, u)) {
				return
			}
		}
	}
}

// Heading returns the text by which a unit names the section that it opens, on one
// line. No unit opens none.
func Heading(u *model.Unit) (string, bool) {
	if u == nil || u.Type != model.UnitHeading {
		return "", false
	}
	text := oneLine(u.FieldsRaw.Text)
	return text, text != ""
}

func (r *Reader) complete(pageNo int, u model.Unit) model.Unit {
	ref := r.snapshot.SourceRef(r.section, pageNo, &u)
	u.SourceRef = &ref
	f := &u.FieldsRaw
	if f.Error != nil { // it has what could be saved, in forms of its own
		return u
	}
	n, _ := u.Position()
	f.Markdown = markdown(&u, pageNo, n)
	if f.HTML == "" {
		f.HTML = docxt.Block(pageNo, n, &u)
		f.HTMLMade = f.HTML != ""
	}
	f.BlockHash = BlockHash(&u, r.snapshot.ContentHash)
	f.BlockHashHTML = digest.BlockHashHTML(f.HTML, f.Text)
	return u
}
