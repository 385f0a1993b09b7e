package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// said is a chunk of one unit.
func said(content string) model.Chunk {
	return model.Chunk{Text: content, Content: content, Provenance: model.Provenance{
		Segments: []model.Segment{{Start: 0, End: len(content), IRID: "u", Page: 1, From: 0}},
	}}
}

// TestWordingReadsMarks: a mark behind a number or a word is no beginning of a phrase.
func TestWordingReadsMarks(t *testing.T) {
	for query, want := range map[string]wording{
		`12" pipe and 14" pipe`:        {asked: `12" pipe and 14" pipe`},
		`a 12" pipe "of steel"`:        {asked: `a 12" pipe  of steel`, phrases: [][]string{{"of", "steel"}}},
		`say"no" twice`:                {asked: `say"no" twice`},
		`("the quorum") is`:            {asked: `( the quorum ) is`, phrases: [][]string{{"the", "quorum"}}},
		`other -"the quorum" -m² text`: {asked: `other   text`, without: [][]string{{"the", "quorum"}, {"m2"}}},
		`他说"你好"吗`:                      {asked: `他说 你好 吗`, phrases: [][]string{{"你好"}}},
		`dit„ja“ und l'«eau»`:          {asked: `dit ja  und l' eau`, phrases: [][]string{{"ja"}, {"eau"}}},
		`½" pipe and "x"`:              {asked: `½" pipe and  x`, phrases: [][]string{{"x"}}},
	} {
		got, err := parseWording(query)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", query, got, err, want)
		}
	}
}

// TestPhrasesOfCharactersThatFoldToOthers: they are found, left out and shown like any other.
func TestPhrasesOfCharactersThatFoldToOthers(t *testing.T) {
	for _, c := range []struct{ content, query, shown string }{
		{"A room of 12 m² in all.", `"12 m²"`, "12 m²"},
		{"A room of 12 m² in all.", `"12 m2"`, "12 m²"},
		{"Take ½ litre of it.", `"½ litre"`, "½ litre"},
		{"Take ½ litre of it.", `"1/2 litre"`, "½ litre"},
		{"Made by Acme™ alone.", `"acme™ alone"`, "Acme™ alone"},
		{"Made by Acme™ alone.", `"by AcmeTM"`, "by Acme™"},
		{"Over ５㎞ of road.", `"5 km of"`, ""}, // one word here, two there
		{"Over ５㎞ of road.", `"5km of"`, "５㎞ of"},
		{"Article Ⅳ holds.", `"article IV"`, "Article Ⅳ"},
		{"A room of 12 m² in all.", `m²`, "m²"},
	} {
		w, err := parseWording(c.query)
		if err != nil {
			t.Fatal(err)
		}
		chunk := said(c.content)
		if found := w.passes(chunk); found != (c.shown != "") {
			t.Errorf("%s in %q: %v", c.query, c.content, found)
		}
		var shown []string
		for _, h := range w.highlights(chunk, func(model.Segment) *model.BBox { return nil }) {
			shown = append(shown, chunk.Content[h.Start:h.End])
		}
		if got := strings.Join(shown, "|"); got != c.shown {
			t.Errorf("%s shows %q of %q, want %q", c.query, got, c.content, c.shown)
		}
		if len(w.phrases) > 0 {
			left, err := parseWording("room -" + c.query)
			if err != nil || !slices.EqualFunc(left.without, w.phrases, slices.Equal) || left.passes(chunk) != (c.shown == "") {
				t.Errorf("left out, %s: %+v, %v", c.query, left, err)
			}
		}
	}
}

// TestSnippetOfCharactersThatFoldToOthers: the part that holds them is chosen.
func TestSnippetOfCharactersThatFoldToOthers(t *testing.T) {
	filler := strings.Repeat("Nothing of note is here. ", 40)
	if got := snippet(filler+"It has 250㎞ of road. "+filler, "250km"); !strings.Contains(got, "250㎞") {
		t.Errorf("the snippet is %q", got)
	}
}
