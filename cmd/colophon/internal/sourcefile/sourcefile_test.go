package sourcefile

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestSourcesOfAFile(t *testing.T) {
	described, err := Parse(strings.NewReader(`
source_id: valdoro
name: Conseil municipal de Valdoro
languages: [fr, it]
robots_policy: ignore
robots_notes: agreed with the clerk
dedup_html_seconds: 3600
host_requests: 1
host_delay_ms: 2000
max_depth: 2
header_labels: {type: ART, status: STAND, date: DATUM, source: QUELLE}
entry_rule: null
state: disabled
---
# nothing
---
source_id: other
`))
	if err != nil || len(described) != 2 || described[1].ID != "other" {
		t.Fatalf("%+v, %v", described, err)
	}
	before := model.DefaultSource("valdoro")
	before.Territory, before.Languages, before.Entry = "Valdoro", []string{"de", "en", "fr"}, &model.EntryRule{Select: "dt"}
	s, err := described[0].Apply(before)
	if err != nil {
		t.Fatal(err)
	}
	if s.Territory != "Valdoro" || strings.Join(s.Languages, " ") != "fr it" || s.Entry != nil || s.DedupOther != before.DedupOther ||
		s.DedupHTML != 3600 || s.HostRequests != 1 || s.HostDelay != 2000 || s.MaxDepth != 2 || s.HeaderLabels.Date != "DATUM" ||
		s.State != model.SourceDisabled || s.RobotsPolicy != model.RobotsIgnore || s.RobotsNotes != "agreed with the clerk" {
		t.Errorf("%+v", s)
	}
	if again, err := described[1].Apply(model.DefaultSource("other")); err != nil || again.HostRequests != 4 {
		t.Errorf("%+v, %v", again, err)
	}
}

// What is null in a file is as if nobody had ever said it.
func TestNullUnsets(t *testing.T) {
	want := model.DefaultSource("a")
	described, err := Parse(strings.NewReader(
		"source_id: a\nname: null\nregion: ~\nlanguages:\nmax_bytes: null\nheader_labels: null\nentry_rule: null\nfurniture: null\nstate: null"))
	if err != nil {
		t.Fatal(err)
	}
	before := want
	before.Name, before.Region, before.Languages, before.MaxBytes, before.State = "A", "CH", []string{"fr"}, 5, model.SourceDisabled
	before.HeaderLabels, before.Entry = &model.Labels{Type: "T", Status: "S", Date: "D", Source: "Q"}, &model.EntryRule{Select: "dt"}
	before.Furniture = &model.Furniture{Version: 1}
	if s, err := described[0].Apply(before); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, %v, want %+v", s, err, want)
	}
}

// The documented example is valid, names every field but what is learnt, and
// its defaults are the defaults.
func TestTheExample(t *testing.T) {
	f, err := os.Open("../../../../docs/source.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	described, err := Parse(f)
	if err != nil || len(described) != 1 {
		t.Fatalf("%+v, %v", described, err)
	}
	want := model.DefaultSource("valdoro")
	s, err := described[0].Apply(want)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var named map[string]any
	if err := json.Unmarshal(fields, &named); err != nil {
		t.Fatal(err)
	}
	for name := range named {
		if _, ok := described[0].fields[name]; !ok {
			t.Errorf("%s is not in the example", name)
		}
	}
	want.Name, want.Territory, want.Language, want.Languages = s.Name, s.Territory, s.Language, s.Languages
	want.Region, want.Licence, want.RobotsNotes = s.Region, s.Licence, s.RobotsNotes
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want %+v", s, want)
	}
}

func TestWhatIsWrongInAFileIsNamed(t *testing.T) {
	for text, names := range map[string]string{
		"":                                "no source",
		"[1]":                             "document 1: it must be names and values",
		"source_id: [":                    "document 1",
		"name: x":                         "source_id",
		"source_id: Valdoro":              "source_id",
		"source_id: a\n---\nsource_id: a": "described before",
		"source_id: a\nsource_id: b":      "already defined",
		"source_id: a\ncolour: red":       "colour",
		"source_id: a\nmax_bytes: much":   "max_bytes: it is a string, want a whole number",
		"source_id: a\nmax_bytes: 0":      "max_bytes",
		"source_id: a\nmax_bytes: 9223372036854775807":        "max_bytes 9223372036854775807: 1 to 1099511627776",
		"source_id: a\ndedup_document_seconds: 99999999999":   "dedup_document_seconds",
		"source_id: a\nsource_type: blog":                     "source_type",
		"source_id: a\nrobots_policy: maybe":                  "robots_policy",
		"source_id: a\nhost_requests: 0":                      "host_requests",
		"source_id: a\nhost_delay_ms: -1":                     "host_delay_ms",
		"source_id: a\nmax_depth: 99":                         "max_depth",
		"source_id: a\nname: ''":                              "name",
		"source_id: a\nstate: asleep":                         "state",
		"source_id: a\nlanguage: french":                      "language",
		"source_id: a\nlayer: cold":                           "layer",
		"source_id: a\ndedup_html_seconds: -1":                "dedup_html_seconds",
		"source_id: a\nentry_rule: {select: 'dt['}":           "entry_rule",
		"source_id: a\nentry_rule: {select: dt, colour: red}": "colour",
		"source_id: a\nheader_labels: {type: [1]}":            "header_labels.type",
		"source_id: a\nmax_pages: 1.5":                        "max_pages",
		"source_id: a\nmetadata: &a [*a]\nname: *b":           "",
		"source_id: a\nNAME: x":                               `unknown field "NAME"`,
		"source_id: a\nrobots_notes: {a: 1}":                  "robots_notes: it is an object, want a text",
		"source_id: a\nname: \"x\\0y\"":                       `name "x\x00y"`,
		"source_id: a\nterritory: \"x\\ny\"":                  "territory",
		"source_id: a\nheader_labels: {type: T}":              "header_labels.status: must not be empty",
	} {
		described, err := Parse(strings.NewReader(text))
		for _, d := range described {
			if err == nil {
				_, err = d.Apply(model.DefaultSource(d.ID))
			}
		}
		if err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%q: %v, want %q", text, err, names)
		}
	}
}

func FuzzDescriptions(f *testing.F) {
	for _, s := range []string{"source_id: a\nname: b", "a: &x [*x]", "source_id: a\nentry_rule: {select: dt}\n---\n- 1", "{1: 2}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		described, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, d := range described {
			if s, err := d.Apply(model.DefaultSource(d.ID)); err == nil && s.SourceID != d.ID {
				t.Errorf("%s becomes %s", d.ID, s.SourceID)
			}
		}
	})
}
