package assemble

import (
	"fmt"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestTagsAreThoseThatPagesName: of the facts of all pages those that are keywords, each
// once, without what is a sentence, and no more than a reader would look at.
func TestTagsAreThoseThatPagesName(t *testing.T) {
	many := make([]string, 80)
	for i := range many {
		many[i] = fmt.Sprint("tag ", i)
	}
	for name, c := range map[string]struct {
		facts []model.PageFact
		want  []string
	}{
		"a list":        {[]model.PageFact{{Name: "keywords", Value: "eau, conseil ,, budget  primitif;eau"}}, []string{"eau", "conseil", "budget primitif"}},
		"of an article": {[]model.PageFact{{Name: "article:tag", Value: "Paris, Texas"}, {Name: "Article:Tag", Value: "eau"}}, []string{"Paris, Texas", "eau"}},
		"of JSON-LD":    {[]model.PageFact{{Origin: "json_ld", Name: "article.keywords", Value: "port"}, {Origin: "json_ld", Name: "keywords", Value: "quai"}}, []string{"port", "quai"}},
		"other facts":   {[]model.PageFact{{Name: "description", Value: "a, b"}, {Name: "og:title", Value: "c"}}, nil},
		"a sentence":    {[]model.PageFact{{Name: "keywords", Value: strings.Repeat("x", maxTag+1) + ", short"}}, []string{"short"}},
		"many":          {[]model.PageFact{{Name: "keywords", Value: strings.Join(many, ",")}}, many[:maxTags]},
	} {
		var survey Survey
		for n, f := range c.facts { // a page each
			survey.Add(model.Page{PageNo: n + 1, Title: "Of water", Facts: []model.PageFact{f, f}}, nil)
		}
		got := survey.Meta(model.Snapshot{URL: "https://town.example/a"})
		if want := (model.DocumentMeta{URL: "https://town.example/a", Title: "Of water", Tags: c.want}); !got.Equal(want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestPagesAreCounted: pages that failed too; tables on each page; pages with a unit that
// OCR has read.
func TestPagesAreCounted(t *testing.T) {
	var survey Survey
	survey.Add(model.Page{PageNo: 1}, []model.Unit{{Type: model.UnitTable}, {Type: model.UnitTable, OCREngine: "e"}, {Type: model.UnitParagraph, OCREngine: "e"}})
	survey.Add(model.Page{PageNo: 2, Status: model.PageFailed}, []model.Unit{{Type: model.UnitError}})
	survey.Add(model.Page{PageNo: 3}, []model.Unit{{Type: model.UnitTable}})
	if got := survey.Counts(); got != (model.PageCounts{Pages: 3, Tables: 3, OCRPages: 1}) {
		t.Errorf("%+v", got)
	}
}
