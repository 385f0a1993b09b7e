package answer

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
)

const goal = `{"id":"g1","title":"Reduce nitrogen","description":"Reduce nitrogen by 30%.","pollutant":"nitrogen","target":{"value":30,"unit":"%"},"progress":null,"deadline":null,"location":null,"evidence":["Reduce nitrogen by 30%."]}`

const whole = `{"goals":[` + goal + `],"bmps":[],"implementation":[],"monitoring":[],"outreach":[],"geographicAreas":[]}`

// An answer is read in whatever form models give it, and what had to be mended is said.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text            string
		repaired, wrong bool
		n               int
	}{
		"plain":          {whole, false, false, 1},
		"fence":          {"Here you are:\n```json\n" + whole + "\n```\nDone.", false, false, 1},
		"fence, no name": {"```\n" + whole + "\n```", false, false, 1},
		"sentences":      {"Sure! " + whole + " I hope it helps.", false, false, 1},
		"comma":          {strings.Replace(whole, `"evidence":["Reduce nitrogen by 30%."]`, `"evidence":["Reduce nitrogen by 30%.",]`, 1), true, false, 1},
		"single quotes":  {`{'goals':[],'bmps':[],'implementation':[],'monitoring':[],'outreach':[],'geographicAreas':[]}`, true, false, 0},
		"cut":            {whole[:strings.Index(whole, `,"bmps"`)-1], true, true, 1},
		"other schema":   {`{"answer":42}`, false, true, 0},
		"number as text": {strings.Replace(whole, `"value":30`, `"value":"30"`, 1), false, true, 1},
		"lists missing":  {`{"goals":[` + goal + `]}`, false, true, 1},
		"no list":        {strings.Replace(whole, `"bmps":[]`, `"bmps":"none"`, 1), false, true, 1},
	} {
		a, err := Parse(entity.PromptV1, c.text)
		if err != nil || a.Repaired != c.repaired || (len(a.Wrong) > 0) != c.wrong || len(a.Proposals) != c.n {
			t.Errorf("%s: %v, repaired %v, wrong %q, %d proposals", name, err, a.Repaired, a.Wrong, len(a.Proposals))
		}
	}
	for name, text := range map[string]string{"empty": "", "words": "I cannot help with that.", "list": "[1,2]", "deep": strings.Repeat(`{"a":[`, 5000)} {
		if a, err := Parse(entity.PromptV1, text); !errors.Is(err, ErrNoJSON) {
			t.Errorf("%s: %v %+v", name, err, a)
		}
	}
	if _, err := Parse(entity.PromptV1, strings.Repeat("x", maxBytes+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("large: %v", err)
	}
}

// Whatever a model answers, nothing but the page's own words comes out, and nothing panics.
func FuzzParse(f *testing.F) {
	for _, s := range []string{whole, "```json\n" + whole + "\n```", whole[:100], `{"goals":[{"evidence":"x"}]}`, `{'a':1,}`, "{", "\x00{\xff"} {
		f.Add(s)
	}
	page := guard.Prepare(pagetest.Page("en", "# Goals\nReduce nitrogen by 30%.\nPractice | Acres\nBuffers | 30"))
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(entity.PromptV1, text)
		if err != nil {
			return
		}
		r := page.Check(a.Proposals)
		for _, e := range r.Entities {
			for _, g := range e.Grounds {
				if g.Text == "" || !utf8.ValidString(g.Text) {
					t.Fatalf("ground without text: %+v", g)
				}
			}
			if len(e.Evidence) == 0 {
				t.Fatalf("no evidence: %+v", e)
			}
		}
	})
}
