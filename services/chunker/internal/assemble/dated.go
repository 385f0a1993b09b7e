package assemble

import (
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/statement"
	"github.com/colophon-dev/colophon/pkg/statement/note"
)

const (
	// datedPages are how many pages say at their top what they are, and of when: further on a
	// document tells of other things.
	datedPages = 2
	// mostDated is how many blocks of these pages are asked, and lastDated how many at the end
	// of the document, where signatures stand.
	mostDated = 12
	lastDated = 6
	// longestDated is how many bytes a block has that may be asked later, when the language is
	// known (statement.DateOf looks at no longer one).
	longestDated = 240
)

// dated are the blocks that may say of when a document is, and what its head says.
type dated struct {
	first, last []string
	published   string // YYYY-MM-DD, of the page's own data; "" for none
}

// notes collects the paragraphs of a document that may be what an operator has added: of one that has fields of
// a note all, while they are few.
type notes struct {
	paragraphs []string
	fields     bool
	bytes      int
}

// longestNote bounds what is collected, in bytes, above what a note may have.
const longestNote = 256 << 10

func (n *notes) add(u model.Unit) {
	if n.bytes += len(u.FieldsRaw.Text); n.bytes > longestNote {
		n.paragraphs = nil
		return
	}
	n.paragraphs = append(n.paragraphs, u.FieldsRaw.Text)
	n.fields = n.fields || note.IsField(u.FieldsRaw.Text)
}

// Note returns what an operator has added with the document; ok is false when it is none, or no source of
// operators has captured it (contracts#notes).
func (s *Survey) Note(snapshot model.Snapshot) (n note.Note, ok bool) {
	if !note.FromSource(snapshot.SourceID) || !s.notes.fields {
		return note.Note{}, false
	}
	return note.Parse(s.notes.paragraphs)
}

func (d *dated) add(page model.Page, u model.Unit) {
	text := u.FieldsRaw.Text
	if u.Type == model.UnitTable || text == "" || len(text) > longestDated {
		return
	}
	if page.PageNo <= datedPages && len(d.first) < mostDated {
		d.first = append(d.first, strings.Clone(text))
		return
	}
	if len(d.last) == lastDated {
		d.last = append(d.last[:0], d.last[1:]...)
	}
	d.last = append(d.last, strings.Clone(text))
}

// facts looks for when the document was published, as its first page says in data about itself.
func (d *dated) facts(page model.Page) {
	if page.PageNo != 1 || d.published != "" {
		return
	}
	for _, f := range page.Facts {
		if !publishes(f) || len(f.Value) < len(time.DateOnly) {
			continue
		}
		if day, err := time.Parse(time.DateOnly, f.Value[:len(time.DateOnly)]); err == nil && day.Year() > 1970 {
			d.published = day.Format(time.DateOnly)
			return
		}
	}
}

// publishes reports whether a fact of a page is the date of its publication.
func publishes(f model.PageFact) bool {
	name := strings.ToLower(f.Name)
	switch f.Origin {
	case "meta":
		return name == "article:published_time" || name == "dcterms.issued" || name == "dc.date.issued" || name == "citation_publication_date"
	case "json_ld":
		return name == "datepublished" || strings.HasSuffix(name, ".datepublished")
	case "time":
		return name == "datepublished" || name == "dt-published"
	}
	return false
}

// Dated returns the date that the document says of itself: of its title and its first blocks that
// which counts most (statement.Date.Better), of one sort the first; else the last of its last blocks
// that says when it was signed, published or updated.
func (s *Survey) Dated(snapshot model.Snapshot) statement.Date {
	language := s.Language(snapshot)
	var best statement.Date
	for _, text := range append([]string{s.Title(snapshot)}, s.dated.first...) {
		if d, ok := statement.DateOf(language, text); ok && d.Better(best) {
			best = d
		}
	}
	for i := len(s.dated.last) - 1; i >= 0 && best.Day == ""; i-- {
		if d, ok := statement.DateOf(language, s.dated.last[i]); ok && d.AtEnd() {
			best = d
		}
	}
	return best
}

// Published returns the day on which the document was published, as its page says in data about itself
// (YYYY-MM-DD), "" where it does not.
func (s *Survey) Published() string { return s.dated.published }
