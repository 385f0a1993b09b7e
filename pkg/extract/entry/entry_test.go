package entry

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/model"
)

// page parses markup; nothing is hidden, and text is what is left of white space.
func page(t testing.TB, markup string) Page {
	t.Helper()
	root, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		t.Skip(err)
	}
	return Page{Root: root, Skip: func(n *html.Node) bool { return n.Data == "script" }, Text: text}
}

func text(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestRecords(t *testing.T) {
	dictionary := `<h1>D</h1><dl><dt id=e1><b>bara</b> <i>n.</i><dd>work<dd class=ex><q>A bara</q> <em>he works</em>
		<dt id=e2><b>so</b><dd>house<dt class=see>see also<dd>x</dl>`
	rule := model.EntryRule{
		Select: "dt", Except: ".see", Through: "dd", RecordID: &model.EntryField{Attr: "id"},
		Fields: []model.EntryField{
			{Name: "headword", Select: "b"}, {Name: "pos_raw", Select: "i"}, {Name: "translations", Select: "dd:not(.ex)"},
			{Name: "examples_raw", Select: ".ex", Parts: []model.EntryPart{{Name: "source_text", Select: "q"}, {Name: "translation_text", Select: "em"}}},
		},
	}
	made, err := Compile(rule)
	if err != nil {
		t.Fatal(err)
	}
	got := made.Records(page(t, dictionary))
	var out []string
	for _, r := range got {
		b, err := json.Marshal(map[string]any{"id": r.ID, "n": len(r.Nodes), "values": r.Values, "groups": r.Groups})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	want := []string{
		`{"groups":{"examples_raw":[{"source_text":"A bara","translation_text":"he works"}]},"id":"e1","n":3,"values":{"headword":["bara"],"pos_raw":["n."],"translations":["work"]}}`,
		`{"groups":null,"id":"e2","n":2,"values":{"headword":["so"],"translations":["house"]}}`,
	}
	if !reflect.DeepEqual(out, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(out, "\n"), strings.Join(want, "\n"))
	}
}

func TestARecordWithinARecordIsNone(t *testing.T) {
	made, err := Compile(model.EntryRule{Select: "div.post", Fields: []model.EntryField{{Name: "all"}, {Name: "link", Select: "a", Attr: "href"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := made.Records(page(t, `<div class=post>a<div class=post>b</div></div><script><div class=post></script><div class=post>c<a href="x?a=1&amp;b">d</a></div>`))
	if len(got) != 2 || fmt.Sprint(got[0].Values) != "map[all:[ab]]" || fmt.Sprint(got[1].Values) != "map[all:[cd] link:[x?a=1&b]]" {
		t.Errorf("%+v", got)
	}
}

func TestNamesOfAttributesHaveNoCase(t *testing.T) {
	made, err := Compile(model.EntryRule{Select: "P", RecordID: &model.EntryField{Attr: "ID"}, Fields: []model.EntryField{
		{Name: "n", Attr: "data-Number"}, {Name: "box", Select: "svg", Attr: "viewbox"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := made.Records(page(t, `<p Id=e1 DATA-NUMBER=7><svg viewBox="0 0 1 1"></svg></p>`))
	if len(got) != 1 || got[0].ID != "e1" || fmt.Sprint(got[0].Values) != "map[box:[0 0 1 1] n:[7]]" {
		t.Errorf("%+v", got)
	}
}

func TestTextBetweenEndsARecord(t *testing.T) {
	made, err := Compile(model.EntryRule{Select: "h3", Through: "p", Fields: []model.EntryField{{Name: "p", Select: "p"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := made.Records(page(t, `<h3>a</h3> <!-- c --> <p>1</p>text<p>2</p><h3>b</h3><p>3</p><div></div><p>4</p>`))
	if len(got) != 2 || fmt.Sprint(got[0].Values, got[1].Values) != "map[p:[1]] map[p:[3]]" {
		t.Errorf("%+v", got)
	}
}

func TestCompileNamesWhatIsWrong(t *testing.T) {
	for want, rule := range map[string]string{
		"select: must not":          `{"fields":[{"name":"a"}]}`,
		`select "div["`:             `{"select":"div[","fields":[{"name":"a"}]}`,
		`except ":::"`:              `{"select":"p","except":":::","fields":[{"name":"a"}]}`,
		`through "p::before"`:       `{"select":"p","through":"p::before","fields":[{"name":"a"}]}`,
		`record_id.select "#"`:      `{"select":"p","record_id":{"select":"#"},"fields":[{"name":"a"}]}`,
		`fields[1].select ">"`:      `{"select":"p","fields":[{"name":"a"},{"name":"b","select":">"}]}`,
		`fields[0].parts[1].select`: `{"select":"p","fields":[{"name":"a","parts":[{"name":"x"},{"name":"y","select":"!"}]}]}`,
		"select: 2000 bytes":        `{"select":"` + strings.Repeat("p", 2000) + `","fields":[{"name":"a"}]}`,
	} {
		var r model.EntryRule
		if err := json.Unmarshal([]byte(rule), &r); err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(r); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// FuzzRule: whatever the selectors of a rule are, it is refused with the name of
// what is wrong, or finds records that are in the page, in order and apart, and
// the same ones when the page is parsed again.
func FuzzRule(f *testing.F) {
	const markup = `<dl><dt id=1><b>a</b><dd>b<i>c</i></dl><div class="entry x" id=2><p>x<div class=entry id=3>y</div><p>a</div><table><tr><td>1<td><b>2</b><tr><td>3</table><script>s</script>`
	for _, rule := range [][5]string{
		{"dt", "", "dd", "b", "id"}, {"div.entry:not(.x)", ":has(i)", "", "*", "class"}, {"*", "", "", "", "id"}, {`p:nth-child(2n+1):contains("a")`, "", "*", "b, i", ""},
		{"tr > td:first-child", "", "td", "b", "colspan"}, {`[id^="2"] p, dt + dd`, ".y", "p ~ p", ":empty", "id"}, {":is(div)", "", "", "p::before", ""}, {"div:has(> p)", "", "", ":root", ""},
	} {
		f.Add(rule[0], rule[1], rule[2], rule[3], rule[4], markup)
	}
	f.Fuzz(func(t *testing.T, begin, except, through, field, attr, markup string) {
		if len(markup) > 4<<10 {
			return
		}
		rule := model.EntryRule{Select: begin, Except: except, Through: through, RecordID: &model.EntryField{Attr: attr}, Fields: []model.EntryField{
			{Name: "a", Select: field}, {Name: "b", Select: field, Attr: attr}, {Name: "c", Select: begin, Parts: []model.EntryPart{{Name: "x", Select: field}}},
		}}
		made, err := Compile(rule)
		if err != nil {
			return
		}
		p := page(t, markup)
		places := map[*html.Node]int{}
		for n := range p.Root.Descendants() {
			places[n] = len(places) + 1
		}
		records, last := made.Records(p), 0
		seen := map[*html.Node]bool{}
		for _, record := range records {
			if len(record.Nodes) == 0 {
				t.Fatal("a record of nothing")
			}
			for _, n := range record.Nodes {
				if places[n] <= last {
					t.Fatalf("%+v: the element at %d comes after that at %d", rule, places[n], last)
				}
				last = places[n]
				for up := n.Parent; up != nil; up = up.Parent {
					if seen[up] {
						t.Fatalf("%+v: a node is in two records", rule)
					}
				}
			}
			for _, n := range record.Nodes {
				seen[n] = true
			}
		}
		again := made.Records(page(t, markup))
		for i := range again {
			if i >= len(records) || len(again[i].Nodes) != len(records[i].Nodes) {
				t.Fatalf("%+v: %d records, then %d", rule, len(records), len(again))
			}
			again[i].Nodes = records[i].Nodes
		}
		if !reflect.DeepEqual(records, again) {
			t.Fatalf("%+v: %+v, then %+v", rule, records, again)
		}
	})
}
