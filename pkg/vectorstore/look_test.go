package vectorstore

import (
	"slices"
	"testing"
)

func TestIDsInParts(t *testing.T) {
	c := collection(t)
	const n = 600 // more than one page
	upsert(t, c, points(n)...)
	all := scroll(t, c, Filter{})
	var got []string
	for after := ""; ; after = got[len(got)-1] {
		part, err := c.IDs(t.Context(), after, 257)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, part...)
		if len(part) < 257 {
			break
		}
	}
	if !slices.Equal(got, all) {
		t.Errorf("%d ids in parts, %d in one", len(got), len(all))
	}
	// From an id that is not there any more.
	if err := c.Delete(t.Context(), all[10:11]); err != nil {
		t.Fatal(err)
	}
	if part, err := c.IDs(t.Context(), all[10], 2); err != nil || !slices.Equal(part, all[11:13]) {
		t.Errorf("behind one that is gone: %v, %v", part, err)
	}
}

func TestStandings(t *testing.T) {
	c := collection(t)
	list := points(3)
	list[0].Payload.Layer, list[1].Payload.Layer, list[2].Payload.Layer = "hot", "archive", ""
	list[0].Payload.DuplicateOf = "doc9:0"
	upsert(t, c, list...)
	got, err := c.Standings(t.Context(), []string{uuid(999), list[0].ID, list[1].ID, list[2].ID})
	if err != nil || len(got) != 3 || got[list[0].ID] != (Standing{"hot", "doc9:0"}) || got[list[1].ID] != (Standing{Layer: "archive"}) || got[list[2].ID] != (Standing{}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := c.Standings(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of none: %v, %v", got, err)
	}
}
