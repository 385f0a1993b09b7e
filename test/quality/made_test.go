package quality

import (
	"reflect"
	"testing"
)

var madeLabelOfTest = madeLabel{
	Half: halfLookedAt, Origin: "test",
	Blocks: []madeBlock{
		{"heading", "2.1 The lower weir"}, {"paragraph", "It was rebuilt after the flood of the spring."},
		{"item", "a gate of oak"}, {"item", "two winches"}, {"caption", "Table 1: Gates"}, {"table", ""},
		{"heading", "Summary"}, {"item", "Summary"},
	},
	Tables: []Table{{Page: 1, Cells: []TableCell{{0, 0, 0, 0, "gate"}, {0, 0, 1, 1, "width"}, {1, 1, 0, 0, "north"}, {1, 1, 1, 1, "4"}}}},
}

func TestPerfectBlocks(t *testing.T) {
	s := scoreBlocks(madeLabelOfTest, []outUnit{
		{"heading", "The lower weir"}, {"paragraph", "It was rebuilt after the flood of the spring."},
		{"item", "• a gate of oak"}, {"item", "2. two winches"}, {"caption", "Table 1: Gates"}, {"heading", "Summary"}, {"paragraph", "Summary"},
	}, madeLabelOfTest.Tables)
	want := map[string]Hits{"heading": {1, 1, 1}, "item": {2, 2, 2}, "caption": {1, 1, 1}, "table": {1, 1, 1}}
	if !reflect.DeepEqual(s.Kinds, want) || s.Score().F1 != 1 || s.Unaligned != 2 || s.Whole.Score().Recall != 1 || len(s.Wrong) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestWrongBlocksAreSeen(t *testing.T) {
	for name, c := range map[string]struct {
		units []outUnit
		kind  string
		want  Hits
	}{
		"an item that is a heading":       {[]outUnit{{"heading", "• a gate of oak"}}, "item", Hits{0, 1, 0}},
		"its heading is one too many":     {[]outUnit{{"heading", "• a gate of oak"}}, "heading", Hits{0, 0, 1}},
		"a heading of a part of a block":  {[]outUnit{{"heading", "after the flood"}, {"paragraph", "It was rebuilt"}}, "heading", Hits{0, 0, 1}},
		"a heading within its paragraph":  {[]outUnit{{"paragraph", "The lower weir It was rebuilt"}}, "heading", Hits{0, 1, 0}},
		"a text that the truth has not":   {[]outUnit{{"heading", "Quite another matter"}}, "heading", Hits{}},
		"a block that the output has not": {nil, "item", Hits{}},
	} {
		if s := scoreBlocks(madeLabelOfTest, c.units, nil); s.Kinds[c.kind] != c.want {
			t.Errorf("%s: %+v, want %+v", name, s.Kinds[c.kind], c.want)
		}
	}
}

func TestBrokenParagraphAndFalseTable(t *testing.T) {
	other := Table{Page: 1, Cells: []TableCell{{0, 0, 0, 0, "Dear"}, {0, 0, 1, 1, "Sir"}}}
	s := scoreBlocks(madeLabelOfTest, []outUnit{{"paragraph", "It was rebuilt after the flood"}, {"paragraph", "of the spring."}}, []Table{other})
	if s.Whole != (Hits{Truth: 1}) || s.False != 1 || s.Kinds["table"] != (Hits{0, 1, 1}) {
		t.Errorf("%+v", s)
	}
}

func TestNumbersAndMarksAreNoLetters(t *testing.T) {
	for text, want := range map[string]string{
		"2.1.3 The weir": "theweir", "• The weir": "theweir", "Chapter 4. The weir": "theweir", "(a) The weir": "theweir",
		"B.2 The weir": "theweir", "The weir": "theweir", "1984": "1984", "A weir": "aweir",
	} {
		if got := wholeKey(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
