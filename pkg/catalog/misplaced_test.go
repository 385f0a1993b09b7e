package catalog_test

import (
	"slices"
	"testing"
)

// TestRepeatsOfOtherFacetsAreLookedForWhenAsked: and else their records are not read.
func TestRepeatsOfOtherFacetsAreLookedForWhenAsked(t *testing.T) {
	db := openCatalog(t)
	first, second := snapshotOf("a", 1), snapshotOf("a", 2)
	addSnapshot(t, db, first)
	addSnapshot(t, db, second)
	land(t, db, first, startRun(t, db, first, "x1", 1), generation{n: 1, texts: []string{"said again"}})
	land(t, db, second, startRun(t, db, second, "x1", 1), generation{n: 1, texts: []string{"said again"}, repeats: map[int]string{0: chunkRef(first, 1, 0)}})
	exec(t, db, `UPDATE documents SET meta = jsonb_build_object('title', title)`)
	found := func(repeats bool) []string {
		t.Helper()
		ids, _, err := db.MisplacedDocuments(t.Context(), "", 10, repeats)
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	if got := found(true); len(got) != 0 {
		t.Errorf("of equal facets: %q", got)
	}
	exec(t, db, `UPDATE chunks SET record = record || '{"domain": "history"}' WHERE chunk_ref = $1`, chunkRef(first, 1, 0))
	if got := found(false); len(got) != 0 {
		t.Errorf("that nobody asked for: %q", got)
	}
	if got := found(true); !slices.Equal(got, []string{second.DocumentID}) {
		t.Errorf("of other facets: %q", got)
	}
}
