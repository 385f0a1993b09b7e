package filter_test

import (
	"testing"

	pb "github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
)

func paths(t *testing.T, texts ...string) []filter.Path {
	t.Helper()
	parsed := make([]filter.Path, len(texts))
	for i, text := range texts {
		var err error
		if parsed[i], err = filter.ParsePath(text); err != nil {
			t.Fatal(err)
		}
	}
	return parsed
}

func payload() map[string]*pb.Value {
	return pb.NewValueMap(map[string]any{
		"a": map[string]any{"b": 1, "c d": 2}, "list": []any{1, map[string]any{"k": 5, "l": 6}, map[string]any{"k": 7}},
	})
}

func TestValues(t *testing.T) {
	for text, want := range map[string]int{
		"a": 1, "a.b": 1, `a."c d"`: 1, "a.x": 0, "list": 1, "list[]": 3, "list[0]": 1, "list[3]": 0, "list[].k": 2,
		"list[2].k": 1, "list.k": 0, "a[]": 0, "none": 0,
	} {
		if got := len(paths(t, text)[0].Values(payload())); got != want {
			t.Errorf("%s leads to %d values, want %d", text, got, want)
		}
	}
}

func TestPickAndDropLeaveThePayloadAsItIs(t *testing.T) {
	stored := payload()
	before := (&pb.Struct{Fields: stored}).String()
	picked := filter.Pick(stored, paths(t, "a.b", "list[].k"))
	if len(picked) != 2 || len(picked["a"].GetStructValue().GetFields()) != 1 ||
		len(picked["list"].GetListValue().GetValues()) != 3 {
		t.Errorf("picked %v", picked)
	}
	dropped := filter.Drop(stored, paths(t, "a", "list[].l"))
	if len(dropped) != 1 || len(dropped["list"].GetListValue().GetValues()[1].GetStructValue().GetFields()) != 1 {
		t.Errorf("dropped to %v", dropped)
	}
	after := payload()
	if len(stored) != len(after) || (&pb.Struct{Fields: stored}).String() != before {
		t.Error("the stored payload was changed")
	}
}

// FuzzParsePath: whatever the text is, the path can be followed.
func FuzzParsePath(f *testing.F) {
	for _, text := range []string{"a.b", `"c d"[0]`, "list[].k", "a[", "", ".", `"`} {
		f.Add(text)
	}
	stored := payload()
	f.Fuzz(func(t *testing.T, text string) {
		path, err := filter.ParsePath(text)
		if err != nil {
			return
		}
		if len(path) == 0 {
			t.Fatalf("%q is a path of no steps", text)
		}
		found := path.Values(stored)
		if kept := filter.Pick(stored, []filter.Path{path}); len(found) > 0 && len(kept) == 0 {
			t.Fatalf("%q leads somewhere, but nothing was picked", text)
		}
		filter.Drop(stored, []filter.Path{path})
	})
}
