package table

import (
	"encoding/csv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/colophon-dev/colophon/pkg/devtest/fixedseed"
	"github.com/colophon-dev/colophon/pkg/model"
)

func TestBuild(t *testing.T) {
	data, text := Build([]Cell{
		{Row: 0, Col: 0, RowSpan: 2, Text: "Name"}, {Row: 0, Col: 1, ColSpan: 2, Text: "Share"},
		{Row: 1, Col: 1, Text: "PME"}, {Row: 1, Col: 2, Text: "GE"},
		{Row: 2, Col: 0, Text: " a,\n\"b\" "}, {Row: 2, Col: 1, Text: "60 %"}, {Row: 2, Col: 2, Text: "d.pdf", Link: "https://a.org/d.pdf"},
	}, Options{Source: SourceRuled, HeaderRows: 2, Confidence: 1})
	if want := "Name\tShare\t\n\tPME\tGE\na, \"b\"\t60 %\td.pdf"; text != want {
		t.Errorf("text %q", text)
	}
	if got := strings.Join(data.Columns, "|"); got != "Name|Share / PME|Share / GE" {
		t.Errorf("columns %s", got)
	}
	if want := "Name,Share,\r\n,PME,GE\r\n\"a, \"\"b\"\"\",60 %,d.pdf\r\n"; data.CSV != want {
		t.Errorf("csv %q", data.CSV)
	}
	if len(data.Spans) != 2 || data.Spans[1] != (model.TableSpan{Row: 0, Col: 1, RowSpan: 1, ColSpan: 2, Content: "Share"}) {
		t.Errorf("spans %+v", data.Spans)
	}
	for _, r := range data.CellRanges {
		if text[r.Start:r.End] == "" || strings.ContainsAny(text[r.Start:r.End], "\t\n") {
			t.Errorf("range %+v is %q", r, text[r.Start:r.End])
		}
	}
	row := data.Rows[0]
	if row[1] != (model.Cell{Type: "percent", Value: "60", Formatted: "60 %"}) || row[2] != (model.Cell{Type: "link", URL: "https://a.org/d.pdf", Formatted: "d.pdf"}) {
		t.Errorf("typed cells %+v", row)
	}
	if want := "| Name | Share / PME | Share / GE |\n| --- | --- | --- |\n| a, \"b\" | 60 % | [d.pdf](<https://a.org/d.pdf>) |"; Markdown(&data) != want {
		t.Errorf("markdown %s", Markdown(&data))
	}
}

func TestRetype(t *testing.T) {
	data, _ := Build([]Cell{{Text: "500,000"}, {Col: 1, Text: "1.500", Link: "https://a.org/"}}, Options{})
	if data.Rows[0][0].Value != "" {
		t.Errorf("without a language %+v", data.Rows[0][0])
	}
	Retype(&data, "en")
	if got := data.Rows[0]; got[0].Value != "500000" || got[1] != (model.Cell{Type: "number", Value: "1.500", Formatted: "1.500", URL: "https://a.org/"}) {
		t.Errorf("in English %+v", got)
	}
}

func TestTyped(t *testing.T) {
	for _, tt := range []struct{ text, lang, kind, value string }{
		{"60 %", "", "percent", "60"}, {"12,5 %", "", "percent", "12.5"}, {"1 500,50 €", "fr", "money", "1500.50"}, {"$1,200.50", "", "money", "1200.50"},
		{"500,000", "", "number", ""}, {"500,000", "en", "number", "500000"}, {"500,000", "fr", "number", ""}, {"500.000", "pt", "number", "500000"}, {"500.000", "en", "number", "500.000"},
		{"5,000,000", "", "number", "5000000"}, {"1.234.567,89", "", "number", "1234567.89"}, {"−3,5", "", "number", "-3.5"}, {"0,125", "", "number", "0.125"}, {"2024", "", "number", "2024"},
		{"2024-12-31", "", "date", "2024-12-31"}, {"31 décembre 2024", "", "date", "2024-12-31"}, {"1er juillet 2023", "", "date", "2023-07-01"}, {"3 juin 2023", "", "date", "2023-06-03"},
		{"31 de dezembro de 2024", "", "date", "2024-12-31"}, {"December 3, 2024", "", "date", "2024-12-03"}, {"31/12/2024", "", "date", "2024-12-31"}, {"03/04/2024", "", "date", ""},
		{"03/04/2024", "fr", "date", "2024-04-03"}, {"12/31/2024", "", "date", "2024-12-31"}, {"1.2.2024", "", "date", "2024-02-01"}, {"31 février 2024", "", "date", ""},
		{"Market 12 2024", "", "", ""}, {"15 sept. 2024", "", "date", "2024-09-15"}, {"2 ghjugnu 2021", "", "date", "2021-06-02"}, {"2 ghj 2021", "", "", ""},
		{"12,34,567", "", "number", "1234567"}, {"1’234.5", "", "number", "1234.5"}, {"1.2.3", "", "", ""}, {"1,2,3", "", "", ""}, {"06 12 34 56 78", "", "", ""}, {"12.", "", "", ""}, {"1.234,567", "", "number", "1234.567"},
		{"Total", "", "", ""}, {"n. a.", "", "", ""}, {"", "", "", ""}, {"12 rue 2024", "", "", ""},
	} {
		c := typed(&Cell{Text: tt.text}, tt.lang)
		if c.Type != tt.kind || c.Value != tt.value || c.Formatted != tt.text {
			t.Errorf("%q (%s): %+v", tt.text, tt.lang, c)
		}
	}
}

// Whatever cells are found: the text holds every cell at its range, and the
// CSV mirror reads back as the grid.
func TestGeneratedTables(t *testing.T) {
	cell := rapid.Custom(func(t *rapid.T) Cell {
		return Cell{
			Row: rapid.IntRange(0, 6).Draw(t, "row"), Col: rapid.IntRange(0, 6).Draw(t, "col"), RowSpan: rapid.IntRange(0, 9).Draw(t, "rs"), ColSpan: rapid.IntRange(0, 9).Draw(t, "cs"),
			Text: rapid.StringOf(rapid.SampledFrom([]rune("ab,\"\n\r\t é1%"))).Draw(t, "text"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		cells := rapid.SliceOf(cell).Draw(rt, "cells")
		data, text := Build(cells, Options{HeaderRows: rapid.IntRange(-1, 9).Draw(rt, "heads")})
		records, err := csv.NewReader(strings.NewReader(data.CSV)).ReadAll()
		if err != nil {
			rt.Fatalf("csv %q: %v", data.CSV, err)
		}
		if n := data.HeaderRows + len(data.Rows); len(records) != n {
			rt.Fatalf("csv has %d rows, the grid %d", len(records), n)
		}
		for _, r := range data.CellRanges {
			if records[r.Row][r.Col] != text[r.Start:r.End] {
				rt.Fatalf("cell %+v is %q in the text and %q in the CSV", r, text[r.Start:r.End], records[r.Row][r.Col])
			}
		}
	})
}

func TestHugeSpansStayBounded(t *testing.T) {
	data, _ := Build([]Cell{{Row: 0, Col: 0, RowSpan: 1 << 30, ColSpan: 1 << 30, Text: "a"}, {Row: 1 << 20, Col: 1 << 20, Text: "b"}}, Options{})
	if n := len(data.Columns) * (len(data.Rows) + 1); n > 2*MaxCells || len(data.Warnings) == 0 {
		t.Errorf("%d cells, warnings %v", n, data.Warnings)
	}
}
