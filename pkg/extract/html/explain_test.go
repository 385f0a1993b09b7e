package html

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// What is explained is what extraction does, and each feature has a name.
func TestExplain(t *testing.T) {
	files, err := filepath.Glob("testdata/kinds/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	asked, furniture := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := input(fill(marks.ReplaceAllString(string(raw), "")))
		reasons, err := Explain(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		page, err := Extractor{}.Page(context.Background(), in, 1)
		if err != nil {
			t.Fatal(err)
		}
		kept := map[string]bool{}
		for _, b := range page.Blocks {
			words := strings.Join(strings.Fields(b.Text), " ")
			kept[words] = kept[words] || b.Type != model.UnitFurniture && b.Type != model.UnitLink
		}
		for _, r := range reasons {
			if r.Because == "" || r.Element == "" || r.Kept == (r.Role != "") {
				t.Errorf("%s: %+v", file, r)
			}
			if was, ok := kept[r.Text]; ok && len([]rune(r.Text)) > leastRescued && was != r.Kept {
				t.Errorf("%s: kept %t, said to be %t: %+v", file, was, r.Kept, r)
			}
			if r.Score != nil {
				asked++
			}
			if !r.Kept {
				furniture++
			}
		}
	}
	if asked < 100 || furniture < 100 {
		t.Errorf("asked about %d passages, %d are furniture", asked, furniture)
	}
}

func TestFeatureNames(t *testing.T) {
	in := input(fill(`<body><h1>Some headline</h1><p>{400}</p><p>{300}</p></body>`))
	p, err := open(in)
	if err != nil {
		t.Fatal(err)
	}
	j := judgeByRules(p.root, "", nil)
	c := j.openContent(j.main)
	values := c.allFeatures(1)
	if names := featureNames(); len(names) != len(values) {
		t.Errorf("%d names for %d features", len(names), len(values))
	}
}

// A selector in the furniture of a source takes a box out that neither rules nor model do, and is told.
func TestExplainSelector(t *testing.T) {
	in := input(fill(`<body><div class="text"><h1>Some headline</h1><p>{400}</p><div class="promo"><p>{200}</p></div><p>{300}</p></div></body>`))
	promo := func() Reason {
		t.Helper()
		reasons, err := Explain(context.Background(), in)
		if err != nil || len(reasons) != 4 {
			t.Fatalf("%v: %+v", err, reasons)
		}
		return reasons[2]
	}
	if r := promo(); !r.Kept {
		t.Fatalf("furniture before the source says so: %+v", r)
	}
	in.Snapshot.SourceFurniture = &model.Furniture{Version: 1, Selectors: []model.FurnitureSelect{{Select: "div.promo", Role: roleRelated}}}
	if r := promo(); r.Kept || r.Role != roleRelated || r.Element != "div.promo" || !strings.Contains(r.Because, "source") {
		t.Errorf("%+v", r)
	}
	page, err := Extractor{}.Page(context.Background(), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range page.Blocks {
		if strings.Contains(b.Text, promo().Text[:40]) && b.Type != model.UnitFurniture {
			t.Errorf("%s is %s", b.Text, b.Type)
		}
	}
}
