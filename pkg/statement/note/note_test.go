package note

import (
	"reflect"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func sample() Note {
	ref := strings.Repeat("ab", 32)
	return Note{
		Text: "Le jugement n’établit aucune irrégularité.\n\nIl est définitif.", Type: model.ChunkFact, Status: model.StatusConfirmed, Date: "2026-02-19",
		Evidence: []model.Evidenced{{ChunkRef: ref + ":3", Page: 2, Quote: "aucune irrégularité: page 4: n’est établie"}},
		Replaces: []string{ref + ":0@2"}, SumsUp: []string{ref + ":1", ref + ":2"},
	}
}

func TestANoteIsReadAsItWasWritten(t *testing.T) {
	n := sample()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	got, ok := Parse(strings.Split(strings.TrimSpace(n.Render()), "\n\n"))
	if got.Evidence[0] != n.Evidence[0] || !ok || !reflect.DeepEqual(got.trimmed(), n.trimmed()) {
		t.Errorf("%+v, %v", got, ok)
	}
}

// trimmed has the text as paragraphs come back.
func (n Note) trimmed() Note {
	n.Text = strings.TrimSpace(n.Text)
	return n
}

func TestNotesThatAreWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Note)
		want   string
	}{
		"no text":          {func(n *Note) { n.Text = " " }, "empty"},
		"a field":          {func(n *Note) { n.Text = "x\nknowledge.type: fact" }, "may begin with"},
		"a control":        {func(n *Note) { n.Text = "x\x00" }, "control characters"},
		"a type":           {func(n *Note) { n.Type = "rumour" }, "fact, allegation or opinion"},
		"a status":         {func(n *Note) { n.Status = "sure" }, "under_review, confirmed"},
		"a date":           {func(n *Note) { n.Date = "2026-02-30" }, "YYYY-MM-DD"},
		"no evidence":      {func(n *Note) { n.Evidence, n.SumsUp = nil, nil }, "needs evidence"},
		"a page":           {func(n *Note) { n.Evidence[0].Page = 0 }, "count from 1"},
		"a short quote":    {func(n *Note) { n.Evidence[0].Quote = "… irrég" }, "proves nothing"},
		"a quote's line":   {func(n *Note) { n.Evidence[0].Quote = "aucune irrégularité\nn’est établie" }, "one line"},
		"a ref":            {func(n *Note) { n.Evidence[0].ChunkRef = "abc:1" }, "no chunk_ref"},
		"what it replaces": {func(n *Note) { n.Replaces = []string{"x"} }, "no chunk_ref"},
		"too many":         {func(n *Note) { n.SumsUp = make([]string, maxRefs+1) }, "more than"},
	} {
		n := sample()
		c.change(&n)
		if err := n.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, p := range [][]string{nil, {"A text."}, {"A text.", "knowledge.type: fact"}, {"A text.", "knowledge.colour: red"}, {"x", "knowledge.evidence: y"}} {
		if n, ok := Parse(p); ok {
			t.Errorf("%q is a note: %+v", p, n)
		}
	}
}

// FuzzParse: what is read is valid, and is read again as it is written.
func FuzzParse(f *testing.F) {
	f.Add(sample().Render())
	f.Add("a\n\nknowledge.evidence: x page 1: y")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := Parse(strings.Split(text, "\n\n"))
		if !ok {
			return
		}
		if err := n.Validate(); err != nil {
			t.Fatal(err)
		}
		if again, ok := Parse(strings.Split(strings.TrimSpace(n.Render()), "\n\n")); !ok || again.Type != n.Type || again.Status != n.Status || len(again.Evidence) != len(n.Evidence) {
			t.Errorf("%+v is read again as %+v", n, again)
		}
	})
}
