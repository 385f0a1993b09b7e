package reference_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reference"
)

// read returns the references of a text as kind number [words/parts of another document].
func read(text string) []string {
	var all []string
	for _, r := range reference.NewGrammar().Find(text) {
		one := strings.TrimSpace(r.Kind + " " + r.Number)
		if !r.Law.Empty() {
			one += fmt.Sprintf(" [%s]", strings.Join(append(slices.Clone(r.Law.Words), r.Law.Parts...), " "))
		}
		all = append(all, strings.TrimSpace(one))
	}
	return all
}

// TestReferences: what texts refer to, in five languages, and what looks like it.
func TestReferences(t *testing.T) {
	for text, want := range map[string][]string{
		"It is paid as section 55(2) says.":                              {"section 55"},
		"See sections 13, 20 and 33.":                                    {"section 13", "section 20", "section 33"},
		"See articles 4 to 6 of this Act.":                               {"article 4", "article 5", "article 6"},
		"Under section 12 of the Small Harbours Act 2019 it is closed.":  {"section 12 [small harbours act 2019]"},
		"As Regulation (EU) 2016/679 asks.":                              {"[regulation 2016 679]"},
		"The clerk has it under standing order 31.":                      {"order 31"},
		"A fee as in Schedule 2 and Annex B.":                            {"annex 2", "annex b"},
		"selon l’article L. 21-3, et à l'article 12 bis.":                {"article l-21-3", "article 12-bis"},
		"Le recours de l'article 4 de la présente loi.":                  {"article 4"},
		"Au sens de l'article R. 123-4 du code de l'eau potable.":        {"article r-123-4 [code de l eau potable]"},
		"La loi n° 2019-486 du 22 mai y pourvoit.":                       {"[loi 2019 486]"},
		"on trouvera au chapitre 7 ce qui suit":                          {"chapter 7"},
		"nos termos do art. 2º da RN 259":                                {"article 2 [rn 259]"},
		"nos termos dos arts. 5º e 6º da Lei n.º 18/2021":                {"article 5 [lei 18 2021]", "article 6 [lei 18 2021]"},
		"na forma do art. 36 desta lei":                                  {"article 36"},
		"as restrições que se indicam na medida M-09":                    {"measure m-9"},
		"o art. 1.024 do Código Civil":                                   {"article 1024 [codigo civil]"},
		"nella misura dell’articolo 44":                                  {"article 44"},
		"ai sensi dell'articolo 3 della legge 9/2020":                    {"article 3 [legge 9 2020]"},
		"las multas que se fijan en el fundamento duodécimo":             {"ground 12"},
		"los hechos octavo y décimo":                                     {"fact 8", "fact 10"},
		"con arreglo a la acción 20 y al Título IV":                      {"action 20", "title 4"},
		"el artículo 14 de la Ley de Aguas Comunes":                      {"article 14 [ley de aguas comunes]"},
		"Section 5. Dogs\n\nDogs are kept on a lead, but see section 9.": {"section 9"},
		"The measure, 9 of 10 agreed, was taken. In part. 3 were ill.":   nil,
		"Resolución de 6 de mayo. In the year 2019 an act of 1978.":      nil,
		"We took action in 2019 and points were made.":                   nil,
	} {
		if got := read(text); !slices.Equal(got, want) {
			t.Errorf("%q\n has  %q\n want %q", text, got, want)
		}
	}
}

// TestPlace: what begins with its number, and what begins with any number.
func TestPlace(t *testing.T) {
	for line, want := range map[string]string{
		"Section 55. Form and duration": "section 55", "Art. 10.": "article 10", "Art. 2º Conceitos": "article 2",
		"Article L. 21-3": "article l-21-3", "M-09 Restrições em seca": " m-9", "Noveno. La indemnización": " 9",
		"III. Fundamentos de derecho": " 3", "Standing order 31. In an emergency": "order 31", "Appendix C. From the orders": "annex 100",
		"7. Le fonds": " 7", "3 marks are paid": "", "Section 3 applies to it": "", "Articles": "", "": "",
	} {
		place, ok := reference.NewGrammar().Place(line)
		if got := place.Kind + " " + place.Number; ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %t, want %q", line, got, ok, want)
		}
	}
}

// TestPlaces: which chunks a reference leads to.
func TestPlaces(t *testing.T) {
	grammar := reference.NewGrammar()
	chunk := func(n int, content string, anchor string, path ...string) reference.Chunk {
		c := reference.Chunk{Ref: fmt.Sprint("d:", n), Hash: fmt.Sprint(n), Content: content, SectionPath: path}
		if anchor != "" {
			c.Anchors = []model.Anchor{{Type: "article", Text: anchor}}
		}
		return c
	}
	places := grammar.PlacesOf([]reference.Chunk{
		chunk(0, "The law\n\nPart 1. Words\n\nArt. 1.\n\n(2) A lake is a water.", "Art. 1", "The law", "Part 1. Words"),
		chunk(1, "Art. 2. Boats\n\nBoats are seen to.", "Art. 2", "The law", "Part 1. Words"),
		chunk(2, "The law > Part 1. Words\n\nThey go on.", "Art. 2", "The law", "Part 1. Words"),
		chunk(3, "III. Grounds of the judgment\n\nSixth. The damage\n\nIt is paid.", "", "III. Grounds of the judgment"),
		chunk(4, "III. Grounds of the judgment\n\nHalf of it at once.", "", "III. Grounds of the judgment"),
		chunk(5, "7. The money\n\nThere is some.", "", "7. The money"),
	})
	for _, c := range []struct {
		text string
		from int
		want string
	}{
		{"see article 2", 0, "d:1 d:2"},
		{"see article 2", 1, "d:2"},
		{"see article 9", 0, ""},
		{"as ground six says, the sixth; ground sixth", 0, "d:3 d:4"},
		{"see part 2", 3, ""},
		{"see part 1", 3, "d:0 d:1 d:2"},
		{"see part 1", 0, ""},
		{"see chapter 7", 0, "d:5"},
	} {
		refs := grammar.Find(c.text)
		if len(refs) == 0 {
			t.Fatalf("%q refers to nothing", c.text)
		}
		if got := strings.Join(places.Resolve(refs[len(refs)-1].Place, c.from), " "); got != c.want {
			t.Errorf("%q from %d leads to %q, want %q", c.text, c.from, got, c.want)
		}
	}
	if before, after, section := places.Around(places.Index("1")); before != "d:0" || after != "d:2" || section != "d:0" {
		t.Errorf("around d:1 stand %q, %q, %q", before, after, section)
	}
	if before, after, section := places.Around(places.Index("9")); before+after+section != "" {
		t.Errorf("around none stand %q, %q, %q", before, after, section)
	}
}

// TestTitles: by which words a document is looked for.
func TestTitles(t *testing.T) {
	grammar := reference.NewGrammar()
	for text, want := range map[string]string{
		"see art. 2º da RN 259":                       "rn 259, resolucao normativa 259",
		"see art. 5º da Lei n.º 18/2021":              "lei 18 2021, lei 18",
		"see section 2 of the Small Harbours Act":     "small harbours act, small harbours",
		"see article 3 du code de l'eau potable, qui": "code eau potable, code eau",
	} {
		var got []string
		for _, words := range grammar.Titles(grammar.Find(text)[0].Law) {
			got = append(got, strings.Join(words, " "))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q is looked for by %q, want %q", text, strings.Join(got, ", "), want)
		}
	}
}

// FuzzFind: any text is read to its end, and what is found stands in it.
func FuzzFind(f *testing.F) {
	for _, text := range []string{"art. 2º da RN 259", "sections 1 to 999999", "½ art. ½", "Article L. 21-3\n\nsee M-09", "section 1, 2, 3, 4, 5", "art. n° n°"} {
		f.Add(text)
	}
	grammar := reference.NewGrammar()
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range grammar.Find(text) {
			if r.Start < 0 || r.End > len(text) || r.Start >= r.End || r.Number == "" && r.Law.Empty() {
				t.Fatalf("%q: %+v", text, r)
			}
			if !r.Law.Empty() && len(grammar.Titles(r.Law)) == 0 {
				t.Fatalf("%q: %+v is looked for by nothing", text, r)
			}
		}
		grammar.Place(text)
		grammar.PlacesOf([]reference.Chunk{{Ref: "a", Content: text, SectionPath: []string{text}}, {Ref: "b", Content: text}})
	})
}
