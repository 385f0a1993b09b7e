package dedup

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestFresh(t *testing.T) {
	source := model.DefaultSource("s")
	const hour = 3600
	for _, c := range []struct {
		w    model.FetchWindow
		want bool
	}{
		{model.FetchWindow{}, false},
		{model.FetchWindow{SnapshotID: "s", FinalType: model.TypeHTML, AgeSeconds: 23 * hour}, true},
		{model.FetchWindow{SnapshotID: "s", FinalType: model.TypeHTML, AgeSeconds: 24 * hour}, false},
		{model.FetchWindow{SnapshotID: "s", FinalType: model.TypePDF, AgeSeconds: 6 * 24 * hour}, true},
		{model.FetchWindow{SnapshotID: "s", FinalType: model.TypePDF, AgeSeconds: 7 * 24 * hour}, false},
	} {
		if got := Fresh(c.w, source); got != c.want {
			t.Errorf("%+v: %v", c.w, got)
		}
	}
	if Fresh(model.FetchWindow{SnapshotID: "s"}, model.Source{}) {
		t.Error("a window of nothing holds something")
	}
}

func TestUnchanged(t *testing.T) {
	today := Versions{Parser: "1", Chunker: "3", Header: "2"}
	good := model.Standing{SnapshotID: "s", ContentHash: "h", RunState: model.RunDone, ParserVersion: "1", RulesDigest: "r", ChunkerVersion: "3", HeaderVersion: "2"}
	if !Unchanged(good, "h", "r", today) {
		t.Error("equal bytes are processed again")
	}
	for name, change := range map[string]func(*model.Standing){
		"no current snapshot": func(s *model.Standing) { *s = model.Standing{} },
		"other bytes":         func(s *model.Standing) { s.ContentHash = "x" },
		"a later one comes":   func(s *model.Standing) { s.Later = true },
		"partial":             func(s *model.Standing) { s.RunState = model.RunPartial },
		"another parser":      func(s *model.Standing) { s.ParserVersion = "0" },
		"other rules":         func(s *model.Standing) { s.RulesDigest = "x" },
		"another chunker":     func(s *model.Standing) { s.ChunkerVersion = "1" },
		"other headers":       func(s *model.Standing) { s.HeaderVersion = "1" },
	} {
		s := good
		change(&s)
		if Unchanged(s, "h", "r", today) {
			t.Errorf("%s: nothing is done", name)
		}
	}
}
