package minutes_test

import (
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/minutes"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
)

// TestMinutes: one chunk for who came and what was to be spoken of, one for each item.
func TestMinutes(t *testing.T) {
	d := splittest.Document{Language: "fr", Lines: []string{
		"# Procès-verbal du 12 mars 2024", "Présents : A. Corti, B. Leca.", "## Ordre du jour", "- Budget", "- Marché", "- Divers",
		"## Point n° 1 : budget", "Le maire lit.", "### Vote", "Adopté.",
		"## Point n° 2 : marché", "Le point n° 1 est rappelé.", "## Point n° 3 : divers", "Rien.", "La séance est levée.",
	}}
	drafts := splittest.Cut(t, minutes.Chunker{}, d, 0)
	splittest.Want(t, drafts,
		"Procès-verbal du 12 mars 2024 / Présents : A. Corti, B. Leca. / Ordre du jour / Budget / Marché / Divers",
		"Procès-verbal du 12 mars 2024 / Point n° 1 : budget / Le maire lit. / Vote / Adopté.",
		"Procès-verbal du 12 mars 2024 / Point n° 2 : marché / Le point n° 1 est rappelé.",
		"Procès-verbal du 12 mars 2024 / Point n° 3 : divers / Rien. / La séance est levée.",
	)
	if a := drafts[1].Anchors; len(a) != 1 || a[0].Type != "agenda_item" || a[0].Text != "Point n° 1" {
		t.Errorf("anchors %v", a)
	}
}

// TestSummons: a summons whose items are a numbered list, or a list without numbers.
func TestSummons(t *testing.T) {
	for _, items := range [][]string{
		{"1. Approvazione del verbale", "2. Bilancio", "3. Varie"},
		{"- Approvazione del verbale", "- Bilancio", "- Varie"},
	} {
		d := splittest.Document{Language: "it", Lines: append([]string{"# Convocazione del consiglio", "Il consiglio è convocato per il 4 giugno."}, items...)}
		got := splittest.Contents(splittest.Cut(t, minutes.Chunker{}, d, 0))
		if len(got) != 4 || got[0] != "Convocazione del consiglio / Il consiglio è convocato per il 4 giugno." {
			t.Errorf("%q", got)
		}
	}
}

// TestTakes: by items that name themselves, or by the words of meetings beside numbers, whatever
// the source; a list of anything else is none.
func TestTakes(t *testing.T) {
	list := []string{"- Flour", "- Eggs", "- Milk"}
	numbers := []string{"# 1. Aims", "a", "# 2. Means", "b", "# 3. Ends", "c"}
	civics := split.Source{Domain: "civics"}
	for _, c := range []struct {
		name  string
		title string
		lines []string
		from  split.Source
		why   string
	}{
		{"items", "Tuesday", []string{"Item 1. Roads", "a", "Item 2. Water", "b", "Item 3. Bins", "c"}, split.Source{}, "it has items that name themselves"},
		{"a word and numbers", "Minutes of the board", numbers, split.Source{}, `"minutes of" is in its title or first headings, and it has numbered headings`},
		{"a word and a list", "Ordem do dia", list, split.Source{}, `"ordem do dia" is in its title or first headings, and it has items of a list`},
		{"a report with numbers", "Report", numbers, split.Source{}, ""},
		{"the same of a council, as of most sources", "Report", numbers, civics, ""},
		{"a meeting with numbers", "Meeting of the board", numbers, civics, `"meeting of" is in its title or first headings, and it has numbered headings`},
		{"a list of meetings", "Meeting of the board", list, civics, ""},
		{"a list about civics", "Members", list, civics, ""},
		{"a numbered list about civics", "Members", []string{"- 1. Corti", "- 2. Leca", "- 3. Abbey"}, civics, ""},
		{"a list of minutes", "Minutes of the council", list, civics, ""},
		{"a list of sessions", "Séance", list, civics, ""},
		{"an archive of agendas", "Agendas", list, split.Source{}, ""},
		{"an agenda that is a list", "The agenda", list, civics, `"agenda" is in its title or first headings, and it has items of a list`},
		{"a list that an agenda's words lead to", "Notice", append([]string{"Members are summoned to meet on 4 June:"}, list...), split.Source{}, `"summoned" stands before its items of a list`},
		{"a numbered list that they lead to", "Notice", []string{"Members are summoned to meet on 4 June:", "- 1. Roads", "- 2. Water", "- 3. Bins"}, split.Source{}, `"summoned" stands before its numbered paragraphs`},
		{"a line after the list", "Notice", append(list, "Members are summoned to meet on 4 June."), split.Source{}, ""},
		{"a word within another", "Verbalement", numbers, split.Source{}, ""},
		{"a shopping list", "Shopping", list, split.Source{}, ""},
		{"no items", "Minutes of the board", []string{"Nothing was said."}, civics, ""},
	} {
		d := splittest.Document{Title: c.title, Lines: c.lines}
		if why, ok := (minutes.Chunker{}).Takes(c.from, d.Looks()); why != c.why || ok != (c.why != "") {
			t.Errorf("%s: %q, %t", c.name, why, ok)
		}
	}
}
