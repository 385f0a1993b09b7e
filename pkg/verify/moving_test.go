package verify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// moves changes the layer of the chunk in the catalog, under a new revision of so long
// ago.
func (l *library) moves(layer model.Layer, ago time.Duration) {
	l.Helper()
	l.exec(`UPDATE chunk_state SET layer = $1, rev = rev + 1`, layer)
	l.exec(`INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo, at)
		SELECT chunk_ref, s.rev, 'superseded', 'run', l.snapshot_id, l.extraction_id, l.redo, now() - make_interval(secs => $1)
		FROM chunk_state s JOIN chunk_log l USING (chunk_ref) WHERE l.rev = s.rev - 1`, ago.Seconds())
}

// pushed pushes the point as the catalog has the chunk, and records it if told so.
func (l *library) pushed(layer model.Layer, record bool) {
	l.Helper()
	state := l.state
	state.Layer = layer
	l.push(l.chunk.PointID, vectorstore.PayloadOf(l.chunk, state, l.collection))
	if record {
		l.exec(`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present) SELECT c.chunk_ref, $1, c.point_id, s.rev, true
			FROM chunks c JOIN chunk_state s USING (chunk_ref) ON CONFLICT (chunk_ref, collection) DO UPDATE SET pushed_rev = EXCLUDED.pushed_rev, present = true`, l.collection)
	}
}

// A chunk that moves while it is verified is no break, and one that stays behind is.
func TestWhatMovesMeanwhile(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		name string
		want string // "" for no break
		age  time.Duration
		move func(l *library)
	}{
		{"read before it moved, and pushed by now", "", 0, func(l *library) {
			l.moves(model.LayerArchive, hour)
			l.pushed(model.LayerArchive, true)
		}},
		{"moved a moment ago, and not pushed yet", "", hour, func(l *library) {
			l.pushed(model.LayerHot, true)
			l.moves(model.LayerArchive, 0)
		}},
		{"moved a moment ago, pushed and not recorded yet", "", hour, func(l *library) {
			l.pushed(model.LayerHot, true)
			l.moves(model.LayerArchive, 0)
			l.pushed(model.LayerArchive, false)
		}},
		{"moved long ago, and not pushed since", "is not that of the chunk", hour, func(l *library) {
			l.pushed(model.LayerHot, true)
			l.moves(model.LayerArchive, 2*hour)
			l.state.Layer = model.LayerArchive
		}},
		{"moved a moment ago, recorded as pushed, and another point", "is not that of the chunk", hour, func(l *library) {
			l.moves(model.LayerArchive, 0)
			l.state.Layer = model.LayerArchive
			l.pushed(model.LayerHot, true)
		}},
		{"moved a moment ago, recorded as pushed, and no point", "is not in", hour, func(l *library) {
			l.moves(model.LayerArchive, 0)
			l.pushed(model.LayerArchive, true)
			l.must(l.reader.Vectors.Collection(l.collection).Delete(l.Context(), []string{l.chunk.PointID}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLibrary(t)
			l.reader.Age = c.age
			c.move(l)
			verdict, breaks := l.verify()
			if c.want == "" && (verdict != proof.Verified || breaks != "") || c.want != "" && !strings.Contains(breaks, c.want) {
				t.Errorf("%s\n%s", verdict, breaks)
			}
		})
	}
}
