package stage

import (
	"errors"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
)

// TestCutFailsWithItsEnds: pages that cannot be read, and chunks that cannot be taken,
// fail the cut, wherever in the document that is; what is cut before is handed out.
func TestCutFailsWithItsEnds(t *testing.T) {
	t.Parallel()
	down := errors.New("a store is down")
	s := model.Snapshot{SnapshotID: "snap_a", SourceID: "s", SourceName: "S"}
	base := model.Chunk{SnapshotID: "snap_a", SourceID: "s", Language: "en", Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: "2026-01-02"}
	unit := func(id, kind, text string) model.Unit {
		u := model.Unit{IRID: id, SnapshotID: "snap_a", Type: model.UnitType(kind)}
		u.FieldsRaw = model.Fields{Text: text, Verbatim: true}
		if kind == "heading" {
			u.FieldsRaw.Level = 1
		}
		return u
	}
	frame := segment.Frame{Page: model.Page{PageNo: 1}, Units: []model.Unit{unit("1", "heading", "One"), unit("2", "paragraph", "First."),
		unit("3", "heading", "Two"), unit("4", "paragraph", "Second.")}}
	for name, c := range map[string]struct {
		pages error // after the first page
		out   int   // the chunk that cannot be taken, from 1
		want  int   // chunks that are handed out
	}{
		"all goes well":              {nil, 0, 2},
		"the second page":            {down, 0, 1},
		"the first chunk":            {nil, 1, 0},
		"the last chunk, at the end": {nil, 2, 1},
	} {
		taken := 0
		err := cut(general.Chunker{}, split.Options{Header: header.Of(s, base), Language: "en", Count: split.O200k()}, base,
			model.Version{DocHash: "d", Generation: 1}, func(string) bool { return false },
			func(each func(segment.Frame) error) error { return errors.Join(each(frame), c.pages) },
			func(model.Chunk) error {
				if taken+1 == c.out {
					return down
				}
				taken++
				return nil
			})
		if errors.Is(err, down) != (c.pages != nil || c.out > 0) || err != nil && !errors.Is(err, down) || taken != c.want {
			t.Errorf("%s: %d chunks, %v", name, taken, err)
		}
	}
}
