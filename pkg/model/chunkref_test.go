package model_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestWhereAChunkStands: in the words of its units, all of them and nothing that its rules
// have written; without its units, what chunk and snapshot say.
func TestWhereAChunkStands(t *testing.T) {
	at := time.Date(2024, 8, 12, 10, 30, 0, 0, time.UTC)
	type unit struct {
		page  int
		kind  model.UnitType
		n     int
		e     model.Evidence
		twice bool // two segments are from it
	}
	css := func(s string) model.Evidence { return model.Evidence{CSSSelector: s} }
	lines := func(first, last int) model.Evidence {
		return model.Evidence{Lines: &model.Lines{First: first, Last: last}}
	}
	web := model.Snapshot{SnapshotKind: model.KindHTML, URL: "https://a.example/aide", RetrievedAt: at}
	pdf := model.Snapshot{SnapshotKind: model.KindPDF, Filename: "d.pdf"}
	text := model.Snapshot{SnapshotKind: model.KindTextFile, Filename: "a.txt"}
	page := func(selector string) model.SourceRef {
		return model.SourceRef{Kind: "webpage", URL: "https://a.example/aide", Selector: selector, CapturedAt: at}
	}
	file := func(region string) model.SourceRef {
		return model.SourceRef{Kind: "document", Filename: "d.pdf", PageNumber: 6, Section: "Article 3", TextRegion: region}
	}
	for name, tt := range map[string]struct {
		snapshot model.Snapshot
		units    []unit
		lost     int // how many of the last units cannot be read
		want     model.SourceRef
	}{
		"one element":        {web, []unit{{1, model.UnitParagraph, 1, css("main > p:nth-child(2)"), true}}, 0, page("main > p:nth-child(2)")},
		"elements beside":    {web, []unit{{1, model.UnitHeading, 1, css("main > div > h2"), false}, {1, model.UnitParagraph, 1, css("main > div > p"), false}}, 0, page("main > div")},
		"one in the other":   {web, []unit{{1, model.UnitListItem, 1, css("ul > li:nth-child(2)"), false}, {1, model.UnitListItem, 2, css("ul > li:nth-child(2) > ul > li"), false}}, 0, page("ul > li:nth-child(2)")},
		"names alike begin":  {web, []unit{{1, model.UnitParagraph, 1, css("main > p:nth-child(2)"), false}, {1, model.UnitParagraph, 2, css("main > p:nth-child(20)"), false}}, 0, page("main")},
		"nothing in common":  {web, []unit{{1, model.UnitRecord, 1, css("#a"), false}, {1, model.UnitRecord, 2, css("#b"), false}}, 0, page("#a")},
		"a page is lost":     {web, []unit{{1, model.UnitParagraph, 1, css("main > p"), false}}, 1, page("")},
		"a run of one type":  {pdf, []unit{{6, model.UnitParagraph, 2, model.Evidence{}, false}, {6, model.UnitParagraph, 3, model.Evidence{}, true}, {6, model.UnitParagraph, 4, model.Evidence{}, false}}, 0, file("paragraphs 2-4")},
		"types":              {pdf, []unit{{6, model.UnitHeading, 3, model.Evidence{}, false}, {6, model.UnitListItem, 1, model.Evidence{}, false}, {6, model.UnitListItem, 2, model.Evidence{}, false}, {6, model.UnitTable, 1, model.Evidence{}, false}}, 0, file("heading 3, list items 1-2, table 1")},
		"a gap":              {pdf, []unit{{6, model.UnitParagraph, 2, model.Evidence{}, false}, {6, model.UnitParagraph, 4, model.Evidence{}, false}}, 0, file("paragraph 2, paragraph 4")},
		"pages":              {pdf, []unit{{6, model.UnitParagraph, 9, model.Evidence{}, false}, {7, model.UnitParagraph, 1, model.Evidence{}, false}, {7, model.UnitParagraph, 2, model.Evidence{}, false}}, 0, file("paragraph 9, page 7: paragraphs 1-2")},
		"the second is lost": {pdf, []unit{{6, model.UnitParagraph, 9, model.Evidence{}, false}, {7, model.UnitParagraph, 1, model.Evidence{}, false}}, 1, file("")},
		"lines": {text, []unit{{1, model.UnitParagraph, 1, lines(3, 5), false}, {1, model.UnitParagraph, 2, lines(7, 9), false}}, 0,
			model.SourceRef{Kind: "document", Filename: "a.txt", Section: "Article 3", TextRegion: "lines 3-9"}},
	} {
		c := model.Chunk{SectionPath: []string{"Title", "Article 3"}, PageHint: tt.units[0].page}
		c.Provenance.Segments = append(c.Provenance.Segments, model.Segment{Synthetic: model.SyntheticHeader})
		units := map[model.UnitPlace]model.Unit{}
		for i, u := range tt.units {
			id := "ir_" + strconv.Itoa(i)
			c.Provenance.Segments = append(c.Provenance.Segments, model.Segment{IRID: id, Page: u.page}, model.Segment{Synthetic: model.SyntheticSeparator})
			if u.twice {
				c.Provenance.Segments = append(c.Provenance.Segments, model.Segment{IRID: id, Page: u.page})
			}
			if i < len(tt.units)-tt.lost {
				units[model.UnitPlace{Page: u.page, IRID: id}] = model.Unit{IRID: id, Type: u.kind, Evidence: []model.Evidence{u.e},
					FieldsRaw: model.Fields{BlockID: string(u.kind) + "_" + strconv.Itoa(u.n) + "_0a1b2c3d"}}
			}
		}
		if got := tt.snapshot.ChunkRef(&c, units); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
