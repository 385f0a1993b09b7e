package docxt

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// served are the pages of a document as they are handed out one after the other.
func served(pages ...[]model.Unit) (stored, out []string) {
	var open []model.Section
	for i, units := range pages {
		html, left := Build(i+1, units, nil)
		stored, out = append(stored, html), append(out, Reopen(html, open))
		open = Carry(open, left)
	}
	return stored, out
}

// TestOpenSectionsOpenAgain: what is open at the end of a page opens on the next with the
// same attributes, and closes before the heading that ends it, or at the page's end; a
// page without headings, and one without units, leave it open.
func TestOpenSectionsOpenAgain(t *testing.T) {
	text := unit(model.UnitParagraph, "x")
	_, got := served(
		[]model.Unit{heading(1, `Goals "2030" -- b`), heading(2, "Monitoring"), text},
		[]model.Unit{text},
		nil,
		[]model.Unit{heading(3, "Sites"), unit(model.UnitTable, "t"), heading(2, "Costs"), text},
		[]model.Unit{heading(1, "Notes")},
		[]model.Unit{text},
	)
	goals := `<!-- DOCXT:SECTION_START kind="goal" level=1 text="Goals &quot;2030&quot; &#45;&#45; b" -->` + "\n"
	monitoring := `<!-- DOCXT:SECTION_START kind="monitoring" level=2 text="Monitoring" -->` + "\n"
	end := func(kind string) string { return `<!-- DOCXT:SECTION_END kind="` + kind + `" -->` + "\n" }
	for no, want := range map[int]string{
		2: goals + monitoring + "<p>x</p>\n" + end("monitoring") + end("goal"),
		3: goals + monitoring + end("monitoring") + end("goal"),
		4: goals + monitoring + `<!-- DOCXT:SECTION_START kind="generic" level=3 text="Sites" -->
<h3>Sites</h3>
<!-- DOCXT:SECTION_START kind="table" level=6 text="" -->
<p>t</p>
<!-- DOCXT:SECTION_END kind="table" -->
<!-- DOCXT:SECTION_END kind="generic" -->
` + end("monitoring") + `<!-- DOCXT:SECTION_START kind="administrative" level=2 text="Costs" -->
<h2>Costs</h2>
<p>x</p>
<!-- DOCXT:SECTION_END kind="administrative" -->
` + end("goal"),
		5: goals + `<!-- DOCXT:SECTION_START kind="administrative" level=2 text="Costs" -->` + "\n" + end("administrative") + end("goal") +
			`<!-- DOCXT:SECTION_START kind="footnote" level=1 text="Notes" -->
<h1>Notes</h1>
<!-- DOCXT:SECTION_END kind="footnote" -->
`,
		6: `<!-- DOCXT:SECTION_START kind="footnote" level=1 text="Notes" -->
<p>x</p>
<!-- DOCXT:SECTION_END kind="footnote" -->
`,
	} {
		if _, body, _ := strings.Cut(got[no-1], "\n"); body != want {
			t.Errorf("page %d is\n%s\nwant\n%s", no, body, want)
		}
	}
}

var sectionMarker = regexp.MustCompile(`<!-- DOCXT:SECTION_(START|END) kind="([a-z]+)"(?: level=(\d))?`)

// FuzzReopen: whatever the headings are, the sections of a page that is handed out are
// nested, each closes, those of headings go down in levels, and without the markers that
// were put in it is the page that is stored.
func FuzzReopen(f *testing.F) {
	f.Add([]byte{1, 2, 0, 7, 3, 9, 1, 0, 2})
	f.Add([]byte{5, 4, 3, 0, 0, 8, 2, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		pages := [][]model.Unit{nil}
		for _, c := range data {
			last := &pages[len(pages)-1]
			switch n := int(c) % 11; n {
			case 0:
				pages = append(pages, nil)
			case 7:
				*last = append(*last, unit(model.UnitTable, "<h1>"))
			case 8:
				*last = append(*last, unit(model.UnitCode, "\n"+sectionStart+`goal" level=1 text="" -->`+"\n<h1>"))
			case 9:
				*last = append(*last, unit(model.UnitFootnote, "n"))
			case 10:
				*last = append(*last, item(1, "", "i"))
			default:
				*last = append(*last, heading(n, strings.Repeat("Goals\n", n)))
			}
		}
		stored, out := served(pages...)
		for i, html := range out {
			var open []string
			for _, m := range sectionMarker.FindAllStringSubmatch(html, -1) {
				if m[1] == "START" {
					if n := len(open); n > 0 && open[n-1][:1] >= m[3] && m[2] != kindTable && m[2] != kindFootnote {
						t.Fatalf("level %s in %s\n%s", m[3], open[n-1], html)
					}
					open = append(open, m[3]+m[2])
					continue
				}
				n := len(open)
				if n == 0 || open[n-1][1:] != m[2] {
					t.Fatalf("%s closes in %v\n%s", m[2], open, html)
				}
				open = open[:n-1]
			}
			if len(open) > 0 {
				t.Fatalf("%v never close\n%s", open, html)
			}
			if !subsequence(strings.Split(stored[i], "\n"), strings.Split(html, "\n")) {
				t.Fatalf("lines of the stored page are missing:\n%s\nin\n%s", stored[i], html)
			}
		}
	})
}

func subsequence(part, whole []string) bool {
	for _, line := range whole {
		if len(part) > 0 && part[0] == line {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// TestMarkersHoldTheBeginningOfLongHeadings: 300 code points, as they are on one line,
// and the kind is that of the heading.
func TestMarkersHoldTheBeginningOfLongHeadings(t *testing.T) {
	long := "Objectifs\n " + strings.Repeat("é", 400)
	html, open := Build(1, []model.Unit{heading(1, long)}, nil)
	want := model.Section{Kind: "goal", Level: 1, Text: "Objectifs " + strings.Repeat("é", 290)}
	if !slices.Equal(open, []model.Section{want}) || !strings.Contains(html, `text="`+want.Text+`" -->`) || !strings.Contains(html, strings.Repeat("é", 400)) {
		t.Errorf("open are %+v\n%s", open, html)
	}
}
