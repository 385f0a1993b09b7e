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
	run := model.StandingRun{State: model.RunDone, ParserVersion: "1", ChunkerVersion: "3", HeaderVersion: "2"}
	standing := func() model.Standing { return model.Standing{Reads: "r", Runs: []model.StandingRun{run}} }
	for name, c := range map[string]struct {
		change func(*model.Standing)
		want   bool
	}{
		"the same":           {func(*model.Standing) {}, true},
		"it has not begun":   {func(s *model.Standing) { s.Runs[0] = model.StandingRun{} }, true},
		"it is under way":    {func(s *model.Standing) { s.Runs[0].State = model.RunRunning }, true},
		"nothing before":     {func(s *model.Standing) { *s = model.Standing{} }, false},
		"other is read":      {func(s *model.Standing) { s.Reads = "x" }, false},
		"partial":            {func(s *model.Standing) { s.Runs[0].State = model.RunPartial }, false},
		"failed":             {func(s *model.Standing) { s.Runs[0].State = model.RunFailed }, false},
		"another parser":     {func(s *model.Standing) { s.Runs[0].ParserVersion = "0" }, false},
		"another chunker":    {func(s *model.Standing) { s.Runs[0].ChunkerVersion = "1" }, false},
		"other headers":      {func(s *model.Standing) { s.Runs[0].HeaderVersion = "1" }, false},
		"an earlier one is":  {func(s *model.Standing) { s.Runs = append([]model.StandingRun{{State: model.RunPartial}}, run) }, true},
		"none is processed":  {func(s *model.Standing) { s.Runs = nil }, false},
		"behind a container": {func(s *model.Standing) { s.Container = true }, true},
	} {
		s := standing()
		c.change(&s)
		if got := Unchanged(s, "r", today); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	s := standing()
	if s.Container = true; Still(s, "r", today) {
		t.Error("what a container has taken the place of is still there")
	}
	s = standing()
	if s.Runs[0].State = model.RunRunning; Still(s, "r", today) {
		t.Error("what is not processed yet is taken for known")
	}
	if !Still(standing(), "r", today) {
		t.Error("what has not changed is fetched")
	}
}
