package catalog_test

import (
	"reflect"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestOpenSections: before a page stands what pages before it left open, in page order
// over all ranges, from the last one with a section of level 1 on; pages that left none
// and those that failed are not among them.
func TestOpenSections(t *testing.T) {
	db := openCatalog(t)
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run := startRun(t, db, s, extraction, 20)
	section := func(level int, text string) model.Section {
		return model.Section{Kind: "goal", Level: level, Text: text}
	}
	left := map[int][]model.Section{
		2: {section(2, `Two "quoted"`)}, 3: {section(1, "One"), section(3, "Three")}, 5: {section(2, "Two")},
		16: {section(4, "Four")}, 18: {section(1, "One again")}, 20: {section(2, "Last")},
	}
	for _, r := range model.Ranges(20) {
		row, pages := rangeOf(run, r, 0, 7)
		for i, p := range pages {
			pages[i].OpenSections = left[p.PageNo]
		}
		if _, err := db.PutSegment(t.Context(), row, pages); err != nil {
			t.Fatal(err)
		}
	}
	for before, want := range map[int][]int{1: nil, 2: nil, 3: {2}, 4: {3}, 5: {3}, 6: {3, 5}, 17: {3, 5, 16}, 18: {3, 5, 16}, 19: {18}, 20: {18}, 21: {18, 20}} {
		got, err := db.OpenSections(t.Context(), s.SnapshotID, run.ExtractionID, before)
		if err != nil {
			t.Fatal(err)
		}
		var sections [][]model.Section
		for _, no := range want {
			sections = append(sections, left[no])
		}
		if len(got) != len(sections) || len(got) > 0 && !reflect.DeepEqual(got, sections) {
			t.Errorf("before page %d are open %+v, want those of pages %v", before, got, want)
		}
	}
	if got, err := db.OpenSections(t.Context(), s.SnapshotID, "another", 20); err != nil || len(got) > 0 {
		t.Errorf("of another run: %+v, %v", got, err)
	}
}
