package sourcefile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/model"
)

// shipped reads a schema that comes with the project.
func shipped(t *testing.T, name string) (model.EntitySchema, custom.Schema) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "docs", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	described, err := ParseSchema(f)
	if err != nil {
		t.Fatal(err)
	}
	s, err := custom.Compile(described)
	if err != nil {
		t.Fatal(err)
	}
	return described, s
}

// found returns what the rules find on a page, each entity as its values, sorted by name.
func found(s custom.Schema, language, lines string) string {
	in := pagetest.Page(language, lines)
	in.Types = s.Types
	if !s.Wants(in) {
		return "not wanted"
	}
	var out []string
	for _, e := range rules.Extract(in).Entities {
		data, err := json.Marshal(e.Values)
		if err != nil {
			return err.Error()
		}
		out = append(out, string(data))
	}
	return strings.Join(out, "\n")
}

// The schemas that come with the project find what they are for, in four languages, without a model.
func TestShippedSchemas(t *testing.T) {
	for _, tt := range []struct{ schema, language, lines, want string }{
		{"council-decisions", "en", "The council approved the purchase of a pump by 7 votes to 2, for $12,400.", `{"amount":{"value":12400,"currency":"USD"},"decision":"adopted","item":"the purchase of a pump","votes":{"value":7,"unit":"votes"}}`},
		{"council-decisions", "en", "The council rejected the new parking rules by 8 votes to 1.", `{"decision":"rejected","item":"the new parking rules","votes":{"value":8,"unit":"votes"}}`},
		{"council-decisions", "en", "The council discussed the new parking rules.", ``},
		{"council-decisions", "en", "Riparian buffers cover 30 acres.", `not wanted`},
		{"council-decisions", "fr", "Le conseil municipal approuve l'achat d'une pompe par 13 voix contre 1, pour un montant de 12 400 €.", `{"amount":{"value":12400,"currency":"EUR"},"decision":"adopted","item":"l'achat d'une pompe","votes":{"value":13,"unit":"voix"}}`},
		{"council-decisions", "pt", "A câmara municipal rejeitou a compra de uma bomba com 5 votos a favor.", `{"decision":"rejected","item":"a compra de uma bomba","votes":{"value":5,"unit":"votos"}}`},
		{"council-decisions", "it", "Il consiglio comunale ha approvato l'acquisto di una pompa con 10 voti favorevoli, per un importo di 12.400 €.", `{"amount":{"value":12400,"currency":"EUR"},"decision":"adopted","item":"l'acquisto di una pompa","votes":{"value":10,"unit":"voti"}}`},
		{"council-decisions", "en", "# Decisions of the council\nItem | Decision | Votes | Amount\nA new pump | Adopted | 7 | $12,400\nParking rules | Rejected | 2 |", `{"amount":{"value":12400,"currency":"USD"},"decision":"adopted","item":"A new pump","votes":{"value":7,"unit":"Votes"}}` + "\n" + `{"decision":"rejected","item":"Parking rules","votes":{"value":2,"unit":"Votes"}}`},
		{"regulation-changes", "en", "Article 4 of Regulation No 12 of 2004 is repealed. Article 5 applies.", `{"act":"Regulation No 12 of 2004","article":"Article 4","change":"repealed"}`},
		{"regulation-changes", "fr", "L'article 12 du règlement communal est remplacé. L'article 3 est cité.", `{"act":"règlement communal","article":"article 12","change":"replaced"}`},
		{"regulation-changes", "pt", "O artigo 7 da lei das águas é revogado.", `{"act":"lei das águas","article":"artigo 7","change":"repealed"}`},
		{"regulation-changes", "it", "L'articolo 9 della legge regionale è sostituito.", `{"act":"legge regionale","article":"articolo 9","change":"replaced"}`},
	} {
		_, s := shipped(t, tt.schema)
		if got := found(s, tt.language, tt.lines); got != tt.want {
			t.Errorf("%s %q:\n%s\nwant\n%s", tt.schema, tt.lines, got, tt.want)
		}
	}
}

// The guard lets of proposals of one's own types pass what stands in its evidence, and nothing else.
func TestOwnTypesAreGuarded(t *testing.T) {
	_, s := shipped(t, "council-decisions")
	const lines = "The council rejected the purchase of a pump by 7 votes to 2, for $12,400.\nThe council adopted the budget."
	in := pagetest.Page("en", lines)
	in.Types = s.Types
	for name, tt := range map[string]struct{ answer, want string }{
		"true":             {`{"item":"the purchase of a pump","decision":"rejected","votes":{"value":7,"unit":"votes"}}`, `{"decision":"rejected","item":"the purchase of a pump","votes":{"value":7,"unit":"votes"}}`},
		"another decision": {`{"item":"the purchase of a pump","decision":"adopted"}`, ``},
		"another number":   {`{"item":"the purchase of a pump","decision":"rejected","votes":{"value":9,"unit":"votes"}}`, `{"decision":"rejected","item":"the purchase of a pump"}`},
		"another amount":   {`{"item":"the purchase of a pump","decision":"rejected","amount":{"value":99400,"currency":"USD"}}`, `{"decision":"rejected","item":"the purchase of a pump"}`},
		"another item":     {`{"item":"the sale of a pump","decision":"rejected"}`, ``},
		"no such choice":   {`{"item":"the purchase of a pump","decision":"burnt"}`, ``},
	} {
		data := fmt.Sprintf(`{"decisions":[%s,"evidence":["The council rejected the purchase of a pump by 7 votes to 2, for $12,400."]}]}`, strings.TrimSuffix(tt.answer, "}"))
		proposals, wrong, err := entity.DecodePage(s.Types, []byte(data))
		if err != nil || len(wrong) > 0 {
			t.Fatal(err, wrong)
		}
		got := ""
		for _, e := range guard.Check(in, proposals).Entities {
			values, err := json.Marshal(e.Values)
			if err != nil {
				t.Fatal(err)
			}
			got = string(values)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// What is wrong with a schema is said, by its place.
func TestSchemasAreChecked(t *testing.T) {
	for yaml, want := range map[string]string{
		"":        "no schema",
		"name: [": "no YAML",
		"nmae: x": "unknown field",
		"name: X\nversion: 1\nschema: {type: object}":                                                                                            `name "X"`,
		"name: x\nversion: 0\nschema: {type: object}":                                                                                            "version 0",
		"name: x\nversion: 1\nschema: {type: 7}":                                                                                                 "schema:",
		"name: x\nversion: 1\nschema: {type: object}":                                                                                            "properties",
		"name: x\nversion: 1\nschema: {$ref: 'file:///etc/passwd'}":                                                                              "stands alone",
		"name: x\nversion: 1\nschema: {properties: {a: {type: array}}}":                                                                          "properties.a: items",
		"name: x\nversion: 1\nschema: {properties: {a: {items: {properties: {b: {type: string}}}}}}":                                             "x-kind",
		"name: x\nversion: 1\nschema: {properties: {a: {items: {properties: {b: {type: boolean}}}}}}":                                            "properties.b",
		"name: x\nversion: 1\nschema: {properties: {a: {x-patterns: ['('], items: {properties: {b: {type: string, x-kind: name}}}}}}":            "x-patterns[0]",
		"name: x\nversion: 1\nschema: {properties: {a: {x-patterns: ['(?P<c>x)'], items: {properties: {b: {type: string, x-kind: name}}}}}}":     `"c" is no field`,
		"name: x\nversion: 1\npages: {sections: [chapter]}\nschema: {properties: {a: {items: {properties: {b: {type: string, x-kind: name}}}}}}": "pages.sections",
		"name: x\nversion: 1\nschema: {properties: {a: {items: {properties: {b: {type: string, x-kind: name}}}}}}\nexamples: [{text: One day., entities: {a: [{b: Two days, evidence: [One day.]}]}}]": "examples[0]",
	} {
		described, err := ParseSchema(strings.NewReader(yaml))
		if err == nil {
			_, err = custom.Compile(described)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", yaml, err, want)
		}
	}
}

// A source keeps its schemas, and one that changes needs a higher version.
func TestSchemasOfASource(t *testing.T) {
	described, _ := shipped(t, "council-decisions")
	apply := func(before model.Source, s model.EntitySchema) (model.Source, error) {
		data, err := json.Marshal(map[string]any{"source_id": "valdoro", "entities": []any{s}})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Parse(strings.NewReader(string(data))) // JSON is YAML
		if err != nil {
			t.Fatal(err)
		}
		return all[0].Apply(before)
	}
	first, err := apply(model.DefaultSource("valdoro"), described)
	if err != nil || len(first.Entities) != 1 || first.Entities[0].Version != 1 {
		t.Fatalf("%+v, %v", first.Entities, err)
	}
	if _, err := apply(first, described); err != nil {
		t.Errorf("the same again: %v", err)
	}
	changed := described
	changed.Instruction = "Only what costs money."
	if _, err := apply(first, changed); err == nil || !strings.Contains(err.Error(), "version must be higher") {
		t.Errorf("changed under its version: %v", err)
	}
	changed.Version = 2
	if s, err := apply(first, changed); err != nil || s.Entities[0].Version != 2 {
		t.Errorf("a new version: %v", err)
	}
}
