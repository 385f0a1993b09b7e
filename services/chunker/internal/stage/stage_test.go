package stage

import (
	"context"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
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

// recorded is what a catalog has of a run.
type recorded struct{ *model.Manifest }

func (r recorded) RunManifest(context.Context, string, string, int) (*model.Manifest, error) {
	return r.Manifest, nil
}

func TestIsDue(t *testing.T) {
	whole := []model.SegmentRow{{From: 1}}
	by := func(chunker, headers string) recorded {
		return recorded{&model.Manifest{ChunkerVersion: chunker, HeaderVersion: headers}}
	}
	cases := []struct {
		name     string
		state    model.RunState
		manifest recorded
		want     bool
	}{
		{"complete", model.RunRunning, recorded{}, true},
		{"complete, never marked running", model.RunQueued, recorded{}, true},
		{"done", model.RunDone, by(general.Version, header.Version), false},
		{"made by an older chunker", model.RunDone, by("0", header.Version), true},
		{"made with an older header", model.RunPartial, by(general.Version, "0"), true},
		{"made by a newer chunker", model.RunDone, by("99", header.Version), false},
		{"failed", model.RunFailed, recorded{}, false},
		{"superseded", model.RunSuperseded, recorded{}, false},
		{"removed", model.RunRemoved, recorded{}, false},
	}
	for _, c := range cases {
		got, err := isDue(t.Context(), c.manifest, model.Run{PageCount: 1, State: c.state}, whole, nil)
		if err != nil || got != c.want {
			t.Errorf("%s: %t, %v", c.name, got, err)
		}
	}
}
