package assemble

import (
	"cmp"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/running"
)

// Survey collects what must be known of a whole document before its first
// chunk can be written. The zero value is ready to use; pages are added in order.
type Survey struct {
	Processed int // pages by status
	Failed    int
	Reason    string // of the first failed page
	Message   string
	Looks     Looks // of what chunks are made of

	title       string
	heading     string
	bytes       map[string]int // of chunked text, by language
	fingerprint digest.Fingerprint
	read        running.Read
	leftOut     model.LeftOut
	tags        tags
	counts      model.PageCounts
}

// Add takes the next page.
func (s *Survey) Add(page model.Page, units []model.Unit) {
	if page.Status == model.PageFailed {
		if s.Failed == 0 {
			s.Reason, s.Message = page.Reason, page.Message
		}
		s.Failed++
	} else {
		s.Processed++
	}
	s.title = cmp.Or(s.title, header.Entry(page.Title))
	s.tags.add(page.Facts)
	s.Looks.addFacts(page.Facts)
	s.counts.Add(units)
	s.read.Add(page, units)
	s.leftOut = s.leftOut.Plus(model.LeftOutOn(page, units))
	for _, u := range units {
		if !u.Chunked() {
			continue
		}
		s.Looks.addUnit(u)
		s.fingerprint.Add(u.FieldsRaw.Text)
		if u.Type == model.UnitHeading && s.heading == "" {
			s.heading = header.Entry(u.FieldsRaw.Text)
		}
		s.count(page, u)
	}
}

func (s *Survey) count(page model.Page, u model.Unit) {
	language := u.FieldsRaw.Language
	if language == nil {
		language = page.Language
	}
	if language == nil || language.Lang == "" {
		return
	}
	if s.bytes == nil {
		s.bytes = make(map[string]int)
	}
	s.bytes[language.Lang] += len(u.FieldsRaw.Text)
}

// LeftOut reports whether a unit that OCR has read is a running head or foot, as all
// pages together show. It is to be asked after the last page was added.
func (s *Survey) LeftOut(irID string) bool { return s.read.LeftOut(irID) }

// Omitted counts what no chunk has of a document of this kind. It is to be asked after
// the last page was added.
func (s *Survey) Omitted(kind model.SnapshotKind) model.LeftOut {
	out := s.leftOut
	out.Heads += s.read.Characters()
	return out.Judge(kind)
}

// State returns the terminal state that the pages give their run: done when all
// are processed, failed when none is, else partial (contracts#run-state).
func (s *Survey) State() model.RunState {
	switch {
	case s.Failed == 0:
		return model.RunDone
	case s.Processed == 0:
		return model.RunFailed
	default:
		return model.RunPartial
	}
}

// Fingerprint returns the document's fingerprint (contracts#fingerprint).
func (s *Survey) Fingerprint() string { return s.fingerprint.Sum() }

// Title returns the document's own title, else its first heading, else the
// name of its file, else its URL, at most 200 code points.
func (s *Survey) Title(snapshot model.Snapshot) string {
	return cmp.Or(s.title, s.heading, header.Entry(snapshot.Filename), header.Entry(snapshot.URL),
		header.Entry(snapshot.ExternalID))
}

// Meta returns what the document says of itself.
func (s *Survey) Meta(snapshot model.Snapshot) model.DocumentMeta {
	return model.DocumentMeta{URL: snapshot.URL, Title: s.Title(snapshot), Tags: s.tags.found}
}

// Counts returns what is counted of the pages.
func (s *Survey) Counts() model.PageCounts { return s.counts }

// Language returns the language (ISO 639-1) of most of the document's text,
// else the crawler's hint, else the source's; of two that share the text
// equally the first in the alphabet.
func (s *Survey) Language(snapshot model.Snapshot) string {
	best := ""
	for language, n := range s.bytes {
		if most := s.bytes[best]; n > most || n == most && language < best {
			best = language
		}
	}
	return cmp.Or(best, snapshot.Language, snapshot.SourceLanguage)
}
