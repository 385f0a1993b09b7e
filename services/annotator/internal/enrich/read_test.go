package enrich

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for text, topic := range map[string]string{
		`{"topic": "water"}`: "water",
		"Here it is:\n```json\n{\"topic\": \"water\",}\n```\nAnything else?":            "water",
		`{"topic": "` + strings.Repeat("x", mostBytes+1) + `", "tags": [], "more": {}}`: "",
	} {
		if p, err := readProposal(text); err != nil || p.Topic != topic {
			t.Errorf("%.40q: %+v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "I cannot help with that.", `{"topic": ["water"]}`, `[1]`} {
		if p, err := readProposal(text); err == nil || !p.Empty() {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"topic": "water", "tags": ["a"], "actors": [], "kind_of_content": "", "type_guess": "fact", "legal_cues": []}`)
	f.Add("```\n{\"tags\": [\"\xff\", {}]}")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readProposal(text)
		if err != nil && !p.Empty() {
			t.Fatalf("%+v beside %v", p, err)
		}
		for _, list := range [][]string{p.Tags, p.Actors, p.LegalCues, {p.Topic, p.KindOfContent, p.TypeGuess}} {
			if len(list) > mostWords {
				t.Fatalf("%d words", len(list))
			}
			for _, word := range list {
				if len(word) > mostBytes {
					t.Fatalf("a word of %d bytes", len(word))
				}
			}
		}
	})
}
