// Package splittest lets tests of chunkers read like examples: a document is written as a
// few lines, and what is made of it is compared as text.
package splittest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// Header is that of all chunks of the tests.
const Header = "TYPE: fact\nSTATUS: under_review\nDATE: 2026-01-02\nSOURCE: Test\n\n"

// count is made once, since its vocabulary is large.
var count = split.O200k()

// Document is written one unit a line. How a line begins says what it is:
//
//	"# ", "## " …   a heading of level 1, 2 …
//	"- ", "-- "     an item of a list, one below another
//	": ", ":: "     a word that is defined, what it means
//	"| "            a row of a table; rows after each other are one table, the first its head
//	"= "            a record
//	"> "            a quotation
//
// Everything else is a paragraph.
type Document struct {
	Source   split.Source
	Language string // en where it is empty
	Title    string
	Type     model.FinalType  // html where it is empty
	Facts    []model.PageFact // what the page says of itself
	Lines    []string
}

// Units returns the units of the document.
func (d Document) Units() []model.Unit {
	var units []model.Unit
	for _, line := range d.Lines {
		mark, text, _ := strings.Cut(line, " ")
		u := model.Unit{IRID: fmt.Sprintf("ir_%d", len(units)), Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: line}}
		n := len(mark)
		switch strings.Trim(mark, "#-:|=>") + mark[:min(1, n)] {
		case "#":
			u.Type, u.FieldsRaw.Level = model.UnitHeading, n
		case "-":
			u.Type, u.FieldsRaw.Depth = model.UnitListItem, n
		case ":":
			u.Type, u.FieldsRaw.Depth = model.UnitDefinition, n
		case "=":
			u.Type = model.UnitRecord
		case ">":
			u.Type = model.UnitQuote
		case "|":
			row := strings.ReplaceAll(text, " | ", "\t")
			if last := len(units) - 1; last >= 0 && units[last].Type == model.UnitTable {
				units[last].FieldsRaw.Text += "\n" + row
				continue
			}
			u.Type, text, u.FieldsRaw.Table = model.UnitTable, row, &model.Table{HeaderRows: 1}
		default:
			text = line
		}
		u.FieldsRaw.Text = text
		units = append(units, u)
	}
	return units
}

// Looks returns what the document looks like, as the stage surveys it.
func (d Document) Looks() split.Document {
	var s assemble.Survey
	s.Add(model.Page{PageNo: 1, Status: model.PageProcessed, Facts: d.Facts}, d.Units())
	out := split.Document{Looks: s.Looks, Type: d.Type, Title: d.Title, Language: d.Language, Pages: 1}
	if out.Type == "" {
		out.Type = model.TypeHTML
	}
	if out.Language == "" {
		out.Language = "en"
	}
	if out.Title == "" {
		out.Title = s.Title(model.Snapshot{})
	}
	return out
}

// Cut returns what a chunker makes of a document, with at most budget tokens a chunk
// (0: the default), and holds it against what each chunker must keep.
func Cut(t testing.TB, c split.Chunker, d Document, budget int) []split.Draft {
	t.Helper()
	looks := d.Looks()
	var drafts []split.Draft
	s, err := c.New(split.Options{Header: Header, Budget: budget, Language: looks.Language, Document: looks, Count: count}, func(d split.Draft) error {
		drafts = append(drafts, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	units := d.Units()
	a := assemble.New(func(string) bool { return false }, s.Add)
	err = a.Add(1, units)
	if err := errors.Join(err, a.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	check(t, drafts, units)
	return drafts
}

// check holds drafts against the rules of split.Chunker.
func check(t testing.TB, drafts []split.Draft, units []model.Unit) {
	t.Helper()
	texts := make(map[string]string, len(units))
	var want, got strings.Builder
	for _, u := range units {
		texts[u.IRID] = u.FieldsRaw.Text
		want.WriteString(visible(u.FieldsRaw.Text))
	}
	for _, d := range drafts {
		if err := (model.Provenance{Segments: d.Segments}).Tile(d.Text); err != nil {
			t.Fatalf("%v\n%q", err, d.Text)
		}
		if d.PageHint != 1 || !strings.HasSuffix(d.Text, d.Content) {
			t.Fatalf("page %d, content %q of %q", d.PageHint, d.Content, d.Text)
		}
		for _, s := range d.Segments {
			if s.Synthetic != "" {
				continue
			}
			if d.Text[s.Start:s.End] != texts[s.IRID][s.From:s.To] {
				t.Fatalf("bytes %d to %d of %q are not those of %s", s.Start, s.End, d.Text, s.IRID)
			}
			got.WriteString(visible(d.Text[s.Start:s.End]))
		}
	}
	if got.String() != want.String() {
		t.Fatalf("the chunks hold %q\nof %q", got.String(), want.String())
	}
}

func visible(s string) string { return strings.Join(strings.Fields(s), "") }

// Contents are the texts of drafts without the header, one line each: line ends are
// written as " / ".
func Contents(drafts []split.Draft) []string {
	var all []string
	for _, d := range drafts {
		all = append(all, strings.ReplaceAll(strings.ReplaceAll(d.Content, "\n\n", " / "), "\n", " / "))
	}
	return all
}

// Want compares what a chunker made of a document with one line a chunk.
func Want(t testing.TB, drafts []split.Draft, want ...string) {
	t.Helper()
	if got := strings.Join(Contents(drafts), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
