package minutes_test

import (
	"slices"
	"strings"
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

// TestMinutesWithoutTheWord: what no title calls minutes is cut by item, where who came, an item that meetings
// alone have, or a body and a date say what it is.
func TestMinutesWithoutTheWord(t *testing.T) {
	for _, c := range []struct {
		language, why string
		lines         []string
		chunks        []string
	}{
		{"fr", `"présents :" begins a line before its numbered paragraphs`,
			[]string{"# Commune de Valdoro", "Présents : A. Corti, B. Leca.", "1. Budget", "Le maire lit.", "2. Marché", "Reporté.", "3. Piscine", "Adopté."},
			[]string{"Commune de Valdoro / Présents : A. Corti, B. Leca.", "1. Budget / Le maire lit.", "2. Marché / Reporté.", "3. Piscine / Adopté."}},
		{"fr", `"conseil municipal" and a date are in its title or first headings, and it has numbered paragraphs`,
			[]string{"# Conseil municipal du 12 mars 2024", "1) Budget", "Le maire lit.", "2) Marché", "Reporté.", "3) Piscine", "Adopté."},
			[]string{"Conseil municipal du 12 mars 2024", "1) Budget / Le maire lit.", "2) Marché / Reporté.", "3) Piscine / Adopté."}},
		{"en", `"any other business" begins one of its numbered paragraphs`,
			[]string{"# Valdoro parish", "Tuesday, in the hall.", "1. Roads", "They are bad.", "2. Bins", "The clerk reports.", "3. Any other business", "None."},
			[]string{"Valdoro parish / Tuesday, in the hall.", "1. Roads / They are bad.", "2. Bins / The clerk reports.", "3. Any other business / None."}},
		{"en", `"members present" begins a line before its numbered headings`,
			[]string{"# Valdoro allotments", "Members present: A. Corti.", "## 1. Water", "It is cut off.", "### Vote", "Carried.", "## 2. Gate", "Open.", "## 3. Rent", "Kept."},
			[]string{"Valdoro allotments / Members present: A. Corti.", "1. Water / It is cut off. / Vote / Carried.", "2. Gate / Open.", "3. Rent / Kept."}},
		{"pt", `"aprovação da ata" begins one of its numbered paragraphs`,
			[]string{"# Valdoro", "Terça-feira.", "1. Aprovação da ata anterior", "Aprovada.", "2. Orçamento", "Lido.", "3. Obras", "Adiadas."},
			[]string{"Valdoro / Terça-feira.", "1. Aprovação da ata anterior / Aprovada.", "2. Orçamento / Lido.", "3. Obras / Adiadas."}},
		{"it", `"lettura e approvazione del verbale" begins one of its items of a list`,
			[]string{"# Valdoro", "Martedì.", "- Lettura e approvazione del verbale", "- Bilancio", "- Varie ed eventuali"},
			[]string{"Valdoro / Martedì.", "Lettura e approvazione del verbale", "Bilancio", "Varie ed eventuali"}},
		{"it", `"risultano presenti" begins a line before its numbered paragraphs`,
			[]string{"# Valdoro", "Risultano presenti A. Corti e B. Leca.", "1. Bilancio", "Letto.", "2. Strade", "Rinviato.", "3. Scuola", "Approvato."},
			[]string{"Valdoro / Risultano presenti A. Corti e B. Leca.", "1. Bilancio / Letto.", "2. Strade / Rinviato.", "3. Scuola / Approvato."}},
	} {
		d := splittest.Document{Title: "Valdoro", Language: c.language, Lines: c.lines}
		if why, ok := (minutes.Chunker{}).Takes(split.Source{}, d.Looks()); !ok || why != c.why {
			t.Errorf("%s: %q, %t; want %q", c.lines[0], why, ok, c.why)
		}
		var got []string
		for _, content := range splittest.Contents(splittest.Cut(t, minutes.Chunker{}, d, 0)) {
			heading, rest, ok := strings.Cut(content, " / ")
			if ok && len(got) > 0 && "# "+heading == c.lines[0] {
				content = rest // under the title
			}
			got = append(got, content)
		}
		if !slices.Equal(got, c.chunks) {
			t.Errorf("%q: %q", c.lines[0], got)
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
		{"one usual item of a list", "Help", []string{"- Questions diverses", "- Mon compte", "- Mes factures"}, civics, ""},
		{"a list of who came", "Guests", append([]string{"Present: Ana, Rui."}, list...), civics, ""},
		{"a report of a council", "Town council of Valdoro", numbers, civics, ""},
		{"a report of a day", "Report of 4 May 2026", numbers, civics, ""},
		{"no items", "Minutes of the board", []string{"Nothing was said."}, civics, ""},
	} {
		d := splittest.Document{Title: c.title, Lines: c.lines}
		if why, ok := (minutes.Chunker{}).Takes(c.from, d.Looks()); why != c.why || ok != (c.why != "") {
			t.Errorf("%s: %q, %t", c.name, why, ok)
		}
	}
}
