package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

func ruleOf(t testing.TB, name string) *model.EntryRule {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("entry", "testdata", name+".rule.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rule model.EntryRule
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&rule); err != nil {
		t.Fatal(err)
	}
	return &rule
}

// TestEntryRules holds the examples of docs/entry-rules.md against their golden
// units, and what must hold for the units of every page with records.
func TestEntryRules(t *testing.T) {
	for _, name := range []string{"dictionary", "forum", "council"} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("entry", "testdata", name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			in := input(model.KindHTML, raw)
			in.Snapshot.SourceEntry = ruleOf(t, name)
			f := frameOf(t, in)
			if again := frameOf(t, in); !bytes.Equal(pretty(t, again), pretty(t, f)) {
				t.Error("two runs differ")
			}
			checkRecords(t, string(raw), f.Units)
			got := summary(t, f.Units)
			golden := filepath.Join("entry", "testdata", name+".want.json")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				t.Fatal("golden units written; run again without -update")
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the units moved\n%s", firstDifference(got, want))
			}
		})
	}
}

// checkRecords: locators are of the preferred kind and apart, records count from
// 0 in the order of the document, and no unit is inside a record.
func checkRecords(t *testing.T, raw string, units []model.Unit) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	records, seen := 0, map[string]bool{}
	var spans []model.Span
	for _, u := range units {
		if err := u.Validate(); err != nil {
			t.Error(err)
		}
		if seen[u.IRID] {
			t.Errorf("%s is there twice", u.IRID)
		}
		seen[u.IRID] = true
		e := u.Evidence[0]
		if found := cascadia.QueryAll(root, cascadia.MustCompile(e.CSSSelector)); len(found) != strings.Count(e.CSSSelector, ", ")+1 {
			t.Errorf("%s selects %d elements", e.CSSSelector, len(found))
		}
		if u.Type != model.UnitRecord {
			if u.RecordLocator.Kind != model.LocatorQuote || u.RecordLocator.CSSSelector != e.CSSSelector || u.RecordLocator.TextQuote != e.TextQuote {
				t.Errorf("%q outside of the records is located by %+v", u.FieldsRaw.Text, u.RecordLocator)
			}
			for _, s := range spans {
				if e.ByteSpan.Start < s.End && e.ByteSpan.End > s.Start {
					t.Errorf("%q is inside of a record", u.FieldsRaw.Text)
				}
			}
			continue
		}
		spans = append(spans, *e.ByteSpan)
		switch u.RecordLocator.Kind {
		case model.LocatorEntry:
			if *u.RecordLocator.EntryIndex != records || u.RecordLocator.URLCanonical == "" {
				t.Errorf("record %d is located by %+v", records, u.RecordLocator)
			}
		case model.LocatorRecord:
			if u.RecordLocator.SourceRecordID == "" {
				t.Errorf("record %d has no id", records)
			}
		default:
			t.Errorf("record %d is located by %+v", records, u.RecordLocator)
		}
		records++
	}
	if records == 0 {
		t.Error("no records")
	}
}

// summary is what the documentation shows of units.
func summary(t *testing.T, units []model.Unit) []byte {
	t.Helper()
	type line struct {
		Type    model.UnitType                 `json:"type"`
		Role    string                         `json:"role,omitempty"`
		Locator model.Locator                  `json:"record_locator"`
		Text    string                         `json:"text"`
		Values  map[string][]string            `json:"values,omitempty"`
		Groups  map[string][]map[string]string `json:"groups,omitempty"`
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	for _, u := range units {
		if err := encoder.Encode(line{u.Type, u.Role, u.RecordLocator, u.FieldsRaw.Text, u.FieldsRaw.Values, u.FieldsRaw.Groups}); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// TestRecordIDs: an id that two records of a page publish locates the first
// only; the others have their place.
func TestRecordIDs(t *testing.T) {
	in := input(model.KindHTML, []byte(`<p>a</p><ul><li id=x>1<li id=x>2<li>3</ul><p>a</p><p>b<br><br>b</p>`))
	in.Snapshot.SourceEntry = &model.EntryRule{Select: "li", RecordID: &model.EntryField{Attr: "id"}, Fields: []model.EntryField{{Name: "all"}}}
	var got []string
	for _, u := range frameOf(t, in).Units {
		l := u.RecordLocator
		index := "-"
		if l.EntryIndex != nil {
			index = fmt.Sprint(*l.EntryIndex)
		}
		if l.BlockIndex != nil {
			index = fmt.Sprint("again ", *l.BlockIndex)
		}
		got = append(got, fmt.Sprintf("%s %s%s %s", l.Kind, l.SourceRecordID, l.TextQuote, index))
	}
	want := []string{"css_selector+text_quote a -", "source_record_id x -", "url_canonical+entry_index  1", "url_canonical+entry_index  2",
		"css_selector+text_quote a -", "css_selector+text_quote b -", "css_selector+text_quote b again 1"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestRulesMakeAnotherExtraction: units under other rules have other ids.
func TestRulesMakeAnotherExtraction(t *testing.T) {
	s := model.Snapshot{SourceEntry: ruleOf(t, "forum")}
	one, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil {
		t.Fatal(err)
	}
	s.SourceFurniture = &model.Furniture{Version: 1}
	two, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil || one == two {
		t.Errorf("%s, %s, %v", one, two, err)
	}
}

// TestAWrongEntryRule: the page fails, and says what of the rule is wrong.
func TestAWrongEntryRule(t *testing.T) {
	in := input(model.KindHTML, []byte(`<p>a</p>`))
	in.Snapshot.SourceEntry = &model.EntryRule{Select: "li", Fields: []model.EntryField{{Name: "a", Select: "["}}}
	f := frameOf(t, in)
	if f.Page.Status != model.PageFailed || f.Page.Reason != "malformed" || !strings.Contains(f.Page.Message, "fields[0].select") {
		t.Errorf("%+v", f.Page)
	}
}

// TestTheDocumentationHasTheRules: the rules of the page on entry rules are those
// that are tested.
func TestTheDocumentationHasTheRules(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "entry-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dictionary", "forum", "council"} {
		rule, err := os.ReadFile(filepath.Join("entry", "testdata", name+".rule.json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, bytes.TrimSpace(rule)) {
			t.Errorf("docs/entry-rules.md does not have the rule of %s", name)
		}
	}
}
