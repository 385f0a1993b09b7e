package marks_test

import (
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
)

// TestMarks: how parts name themselves, with their number, and whether the text goes on as
// one that opens a part.
func TestMarks(t *testing.T) {
	for _, c := range []struct {
		text   string
		kind   marks.Kind
		mark   string
		number int
		opens  bool
	}{
		{"Art. 2º - Os prazos", marks.Article, "Art. 2º", 2, true},
		{"Artigo 1.024-A O conselho", marks.Article, "Artigo 1.024-A", 1024, true},
		{"Article premier", marks.Article, "Article premier", 1, true},
		{"Article L. 123-4", marks.Article, "Article L. 123-4", 0, true},
		{"Article 5 applies to mills.", marks.Article, "Article 5", 5, false},
		{"Article 5, paragraph 2, says so.", marks.Article, "Article 5", 5, false},
		{"ARTICOLO 3 bis (Oggetto)", marks.Article, "ARTICOLO 3 bis", 3, true},
		{"TITRE Ier", marks.Chapter, "TITRE Ier", 1, true},
		{"Capítulo IV: Das bancas", marks.Chapter, "Capítulo IV", 4, true},
		{"CAPO II - DELLE CHIAVI", marks.Chapter, "CAPO II", 2, true},
		{"Section 12. Keys", marks.Section, "Section 12", 12, true},
		{"Section 3 of the act is repealed.", marks.Section, "Section 3", 3, false},
		{"§ 4 Keys", marks.Section, "§ 4", 4, true},
		{"Point n° 3 : budget", marks.Agenda, "Point n° 3", 3, true},
		{"Agenda item 4.2 roads", marks.Agenda, "Agenda item 4.2", 4, true},
		{"Punto 2 all'ordine del giorno", marks.Agenda, "Punto 2", 2, true},
		{"Question 3 was put and answered.", marks.Agenda, "Question 3", 3, false},
		{"12. Accounts", marks.Numbered, "12.", 12, true},
		{"3) Bilancio", marks.Numbered, "3)", 3, true},
		{"(2) It is shut.", marks.Numbered, "(2)", 2, true},
		{"2024 was dry.", "", "", 0, false},
		{"12,5 per cent", "", "", 0, false},
		{"Articles 3 and 4", "", "", 0, false},
		{"The article 5", "", "", 0, false},
		{"Artistic freedom", "", "", 0, false},
		{"", "", "", 0, false},
	} {
		m, ok := marks.Of(c.text)
		if ok != (c.kind != "") || m.Kind != c.kind || m.Text != c.mark || m.Number != c.number || ok && m.Opens() != c.opens {
			t.Errorf("%q: %+v, opens %t", c.text, m, m.Opens())
		}
	}
}

// TestLines: lines that say when something was written, and entries of dictionaries.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		text                 string
		dated, byline, entry bool
	}{
		{"12 mars 2024", true, false, false},
		{"2024-03-12", true, false, false},
		{"le 1er mars 2024", true, true, false},
		{"by A. Leca on 3 May 2024", true, true, false},
		{"anna · 12/03/2024 18:05", true, true, false},
		{"Scritto da Anna il 3 maggio 2024, 18:05", true, true, false},
		{"March 3, 2024, by anna", true, true, false},
		{"It was built on 3 May 2024.", false, false, false},
		{"It was built on 3 May 2024. Then it fell", false, false, false},
		{"Room 12", false, false, false},
		{"bara, bàra n. work", false, false, true},
		{"bara (n.) work", false, false, true},
		{"ad lib. loc. at will", false, false, false},
		{"abat-jour s. m. lampe", false, false, true},
		{"The board met. No. 5 was read.", false, false, false},
		{"one word", false, false, false},
	} {
		if d, b, e := marks.Dated(c.text), marks.Byline(c.text), marks.Entry(c.text); d != c.dated || b != c.byline || e != c.entry {
			t.Errorf("%q: dated %t, byline %t, entry %t", c.text, d, b, e)
		}
	}
}

// FuzzOf: no text breaks it, and a mark is the beginning of its text.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{"Art. 2º", "Titre IIer", "§ 3", "(3) a", "Article 99999999999999999999", "bara n. work", "12 mars 2024"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, ok := marks.Of(text); ok && (len(m.Text) > len(text) || text[:len(m.Text)] != m.Text || m.Number < 0) {
			t.Errorf("%q: %+v", text, m)
		}
		marks.Dated(text)
		marks.Byline(text)
		marks.Entry(text)
	})
}
