// Package note is the form of what an operator adds to what is known: a fact or a judgment with a
// pointer to its evidence, as a small text that is captured like any document (contracts#notes). The
// statement comes first, then one paragraph for each field. It is written by `colophon knowledge add` and read by
// the chunker.
package note

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Source is the source_id of those who add notes where they name none, and what the ids of
// others begin with.
const Source = "knowledge"

// FromSource reports whether documents of a source may be notes: only there are their fields believed. Who may hand
// documents over for such a source is an operator (contracts#roles).
func FromSource(sourceID string) bool {
	return sourceID == Source || strings.HasPrefix(sourceID, Source+"-")
}

// Note is what an operator says.
type Note struct {
	Text     string // the statement, in paragraphs
	Type     model.ChunkType
	Status   model.ChunkStatus
	Date     string            // YYYY-MM-DD, since when it is so
	Evidence []model.Evidenced // where it is from
	Replaces []string          // chunk_refs whose type or status is this one's from now on
	SumsUp   []string          // chunk_refs that it sums up
}

// The bounds of a note.
const (
	maxText  = 4000 // bytes
	maxQuote = 1000 // bytes
	maxRefs  = 200
	// leastQuote is how many letters and digits a quotation has, as one that proves something
	// (contracts#quotation).
	leastQuote = 12
)

// prefix begins the paragraph of a field.
const prefix = "knowledge."

// The fields.
const (
	fieldType     = "type"
	fieldStatus   = "status"
	fieldDate     = "date"
	fieldEvidence = "evidence"
	fieldReplaces = "replaces"
	fieldSumsUp   = "sums_up"
)

// IsField reports whether a paragraph has the form of a note's field.
func IsField(paragraph string) bool { return strings.HasPrefix(paragraph, prefix) }

// Validate returns an error that names the first thing that is wrong.
func (n Note) Validate() error {
	switch {
	case strings.TrimSpace(n.Text) == "":
		return errors.New("the statement is empty")
	case len(n.Text) > maxText:
		return fmt.Errorf("the statement has %d bytes, at most %d", len(n.Text), maxText)
	case !utf8.ValidString(n.Text) || strings.ContainsFunc(n.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }):
		return errors.New("the statement has control characters, or is no UTF-8")
	case !slices.Contains([]model.ChunkType{model.ChunkFact, model.ChunkAllegation, model.ChunkOpinion}, n.Type):
		return fmt.Errorf("type %q: fact, allegation or opinion", n.Type)
	case !slices.Contains([]model.ChunkStatus{model.StatusUnderReview, model.StatusConfirmed, model.StatusRefuted, model.StatusObsolete}, n.Status):
		return fmt.Errorf("status %q: under_review, confirmed, refuted or obsolete", n.Status)
	case len(n.Evidence) == 0 && len(n.SumsUp) == 0:
		return errors.New("a note needs evidence, or what it sums up")
	case len(n.Evidence)+len(n.Replaces)+len(n.SumsUp) > maxRefs:
		return fmt.Errorf("a note names more than %d chunks", maxRefs)
	}
	if _, err := time.Parse(time.DateOnly, n.Date); err != nil {
		return fmt.Errorf("date %q: YYYY-MM-DD", n.Date)
	}
	for p := range strings.SplitSeq(n.Text, "\n") {
		if IsField(strings.TrimSpace(p)) {
			return fmt.Errorf("no line of the statement may begin with %q", prefix)
		}
	}
	for _, e := range n.Evidence {
		if err := checkEvidence(e); err != nil {
			return err
		}
	}
	for _, ref := range append(slices.Clone(n.Replaces), n.SumsUp...) {
		if err := checkRef(ref); err != nil {
			return err
		}
	}
	return nil
}

func checkEvidence(e model.Evidenced) error {
	if err := checkRef(e.ChunkRef); err != nil {
		return err
	}
	count := 0
	for _, r := range e.Quote {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			count++
		}
	}
	switch {
	case e.Page < 1:
		return fmt.Errorf("page %d: pages count from 1", e.Page)
	case count < leastQuote:
		return fmt.Errorf("the quotation %q has %d letters and digits: one of fewer than %d proves nothing", e.Quote, count, leastQuote)
	case len(e.Quote) > maxQuote:
		return fmt.Errorf("the quotation has %d bytes, at most %d", len(e.Quote), maxQuote)
	case !utf8.ValidString(e.Quote) || strings.ContainsFunc(e.Quote, unicode.IsControl) || e.Quote != strings.Join(strings.Fields(e.Quote), " "):
		return errors.New("the quotation must be one line of UTF-8, with single spaces between words")
	}
	return nil
}

// hashLength is how many hex digits a doc_hash has.
const hashLength = 64

func checkRef(ref string) error {
	hash, id, ok := strings.Cut(ref, ":")
	if !ok || len(hash) != hashLength || strings.Trim(hash, "0123456789abcdef") != "" || id == "" || strings.Trim(id, "0123456789@") != "" {
		return fmt.Errorf("%q is no chunk_ref: doc_hash, colon, chunk_id", ref)
	}
	return nil
}

// Render writes the note as it is captured.
func (n Note) Render() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(n.Text) + "\n")
	field := func(name, value string) { fmt.Fprintf(&b, "\n%s%s: %s\n", prefix, name, value) }
	field(fieldType, string(n.Type))
	field(fieldStatus, string(n.Status))
	field(fieldDate, n.Date)
	for _, e := range n.Evidence {
		field(fieldEvidence, fmt.Sprintf("%s page %d: %s", e.ChunkRef, e.Page, e.Quote))
	}
	for _, ref := range n.Replaces {
		field(fieldReplaces, ref)
	}
	for _, ref := range n.SumsUp {
		field(fieldSumsUp, ref)
	}
	return b.String()
}

// Parse reads a note back from the paragraphs of its document. ok is false when they are none, or not as
// Render writes one: then it is a text like any other.
func Parse(paragraphs []string) (n Note, ok bool) {
	var text []string
	for _, p := range paragraphs {
		rest, field := strings.CutPrefix(p, prefix)
		if !field {
			text = append(text, p)
			continue
		}
		name, value, _ := strings.Cut(rest, ": ")
		switch name {
		case fieldType:
			n.Type = model.ChunkType(value)
		case fieldStatus:
			n.Status = model.ChunkStatus(value)
		case fieldDate:
			n.Date = value
		case fieldEvidence:
			e, ok := parseEvidence(value)
			if !ok {
				return Note{}, false
			}
			n.Evidence = append(n.Evidence, e)
		case fieldReplaces:
			n.Replaces = append(n.Replaces, value)
		case fieldSumsUp:
			n.SumsUp = append(n.SumsUp, value)
		default:
			return Note{}, false
		}
	}
	n.Text = strings.Join(text, "\n\n")
	return n, n.Validate() == nil
}

func parseEvidence(value string) (e model.Evidenced, ok bool) {
	ref, rest, found := strings.Cut(value, " page ")
	page, quote, cut := strings.Cut(rest, ": ")
	no, err := strconv.Atoi(page)
	return model.Evidenced{ChunkRef: ref, Page: no, Quote: quote}, found && cut && err == nil
}
