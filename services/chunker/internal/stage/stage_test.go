package stage

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

func TestComplete(t *testing.T) {
	at := func(from, redo int) model.SegmentRow { return model.SegmentRow{From: from, Redo: redo} }
	cases := []struct {
		name     string
		run      model.Run
		segments []model.SegmentRow
		redone   []int
		want     bool
	}{
		{"none", model.Run{PageCount: 20}, nil, nil, false},
		{"one of two", model.Run{PageCount: 20}, []model.SegmentRow{at(17, 0)}, nil, false},
		{"both", model.Run{PageCount: 20}, []model.SegmentRow{at(1, 0), at(17, 0)}, nil, true},
		{"no pages count as one", model.Run{}, []model.SegmentRow{at(1, 0)}, nil, true},
		{"a redo that waits", model.Run{PageCount: 20, Redo: 1}, []model.SegmentRow{at(1, 0), at(17, 0)}, []int{17}, false},
		{"a redo of another range", model.Run{PageCount: 20, Redo: 1}, []model.SegmentRow{at(1, 1), at(17, 0)}, []int{17}, false},
		{"a redo of one range", model.Run{PageCount: 20, Redo: 1}, []model.SegmentRow{at(1, 0), at(17, 1)}, []int{17}, true},
		{"a second redo", model.Run{PageCount: 20, Redo: 2}, []model.SegmentRow{at(1, 2), at(17, 1)}, []int{1, 17}, false},
	}
	for _, c := range cases {
		if got := complete(c.run, c.segments, c.redone); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestIsDue(t *testing.T) {
	cases := []struct {
		name            string
		state           model.RunState
		complete        bool
		chunker, header string
		want            bool
	}{
		{"complete", model.RunRunning, true, "", "", true},
		{"complete, never marked running", model.RunQueued, true, "", "", true},
		{"not complete", model.RunRunning, false, "", "", false},
		{"done", model.RunDone, true, split.Version, header.Version, false},
		{"done without a manifest", model.RunDone, true, "", "", false},
		{"made by an older chunker", model.RunDone, true, "0", header.Version, true},
		{"made with an older header", model.RunPartial, true, split.Version, "0", true},
		{"made by a newer chunker", model.RunDone, true, "99", header.Version, false},
		{"failed", model.RunFailed, true, "", "", false},
		{"superseded", model.RunSuperseded, true, "", "", false},
		{"removed", model.RunRemoved, true, "", "", false},
	}
	for _, c := range cases {
		standing := model.RunStanding{Run: model.Run{PageCount: 1, State: c.state}, Complete: c.complete,
			ChunkerVersion: c.chunker, HeaderVersion: c.header}
		if got := isDue(standing); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
