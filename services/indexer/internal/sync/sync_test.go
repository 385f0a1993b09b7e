package sync

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// itemOf is a chunk in state s, of which a revision is recorded in collection c.
func itemOf(ref string, s model.ChunkState, pushed model.Pushed) model.IndexItem {
	return model.IndexItem{ChunkRef: ref, Found: true, State: s, Chunk: model.Chunk{ChunkRef: ref, PointID: "p" + ref, Text: "TYPE: fact\n\ntext of " + ref, Content: "text of " + ref},
		Pushed: map[string]model.Pushed{"c": pushed}}
}

// TestPlan: what is done to a chunk's point, and what is recorded of it then.
func TestPlan(t *testing.T) {
	t.Parallel()
	stands := func(rev int64) model.ChunkState { return model.ChunkState{Layer: model.LayerHot, Rev: rev} }
	repeats := func(rev int64) model.ChunkState {
		return model.ChunkState{Layer: model.LayerHot, Rev: rev, Repeats: "x"}
	}
	duplicate := func(rev int64) model.ChunkState {
		return model.ChunkState{Layer: model.LayerHot, Rev: rev, DuplicateOf: "x"}
	}
	for _, c := range []struct {
		name   string
		state  model.ChunkState
		pushed model.Pushed
		gone   bool // the chunk is not in the catalog
		down   bool // it is taken down
		does   string
		row    string // "rev present"; "-": none
	}{
		{name: "a new chunk gets its point", state: stands(1), does: "upsert", row: "1 true"},
		{name: "a chunk whose point is there as it is", state: stands(1), pushed: model.Pushed{Rev: 1, Present: true}, does: "-", row: "-"},
		{name: "a point of an older state is changed", state: stands(2), pushed: model.Pushed{Rev: 1, Present: true}, does: "change", row: "2 true"},
		{name: "a point of a newer state than was read is changed too", state: stands(2), pushed: model.Pushed{Rev: 3, Present: true}, does: "change", row: "2 true"},
		{name: "a chunk that stands again gets its point back", state: stands(3), pushed: model.Pushed{Rev: 2}, does: "upsert", row: "3 true"},
		{name: "a chunk whose point was lost gets it again", state: stands(2), pushed: model.Pushed{Rev: 2}, does: "upsert", row: "2 true"},
		{name: "a new chunk that repeats another never had one", state: repeats(1), does: "-", row: "1 false"},
		{name: "a new duplicate gets its point", state: duplicate(1), does: "upsert", row: "1 true"},
		{name: "a duplicate of before these had points gets one at its revision", state: duplicate(1), pushed: model.Pushed{Rev: 1}, does: "upsert", row: "1 true"},
		{name: "a chunk that is a duplicate now has its point changed", state: duplicate(2), pushed: model.Pushed{Rev: 1, Present: true}, does: "change", row: "2 true"},
		{name: "a duplicate whose point is there as it is", state: duplicate(2), pushed: model.Pushed{Rev: 2, Present: true}, does: "-", row: "-"},
		{name: "a chunk that repeats another now loses its point", state: repeats(2), pushed: model.Pushed{Rev: 1, Present: true}, does: "remove", row: "2 false"},
		{name: "the point of a chunk that repeats another is removed though none is recorded: an earlier state's may be there", state: repeats(2), does: "remove", row: "2 false"},
		{name: "and also when an earlier state without one is recorded", state: repeats(3), pushed: model.Pushed{Rev: 2}, does: "remove", row: "3 false"},
		{name: "a point of the same revision that must not be is removed", state: repeats(1), pushed: model.Pushed{Rev: 1, Present: true}, does: "remove", row: "1 false"},
		{name: "a chunk that repeats another, of which that is recorded", state: repeats(2), pushed: model.Pushed{Rev: 2}, does: "-", row: "-"},
		{name: "a chunk that was taken down loses its point", state: stands(2), down: true, pushed: model.Pushed{Rev: 1, Present: true}, does: "remove", row: "2 false"},
		{name: "a chunk that is gone loses its point, and leaves no row", gone: true, does: "remove", row: "-"},
		{name: "also when nothing but an event knows it", gone: true, pushed: model.Pushed{Rev: 4, Present: true}, does: "remove", row: "-"},
	} {
		item := itemOf("a", c.state, c.pushed)
		item.Removed = c.down
		point := "pa"
		if c.gone {
			item.Found, item.Chunk, item.State = false, model.Chunk{}, model.ChunkState{}
			point = digest.PointID("a")
		}
		p := planFor("c", []model.IndexItem{item})
		does := "-"
		for name, n := range map[string]int{"upsert": len(p.upsert), "change": len(p.change), "remove": len(p.remove)} {
			if n > 0 {
				does = name
			}
			if n > 1 && !(c.gone && name == "remove" && n == 2) { // a chunk that is gone may have had either id
				t.Errorf("%s: %s %d times", c.name, name, n)
			}
		}
		row := "-"
		for _, r := range p.outcome {
			row = fmt.Sprintf("%d %t", r.Rev, r.Present)
			if r.ChunkRef != "a" || r.Collection != "c" || r.PointID != "pa" {
				t.Errorf("%s: %+v is recorded", c.name, r)
			}
		}
		if does != c.does || row != c.row || does == "remove" && p.remove[0] != point {
			t.Errorf("%s: %s, recorded %s, want %s, %s (%+v)", c.name, does, row, c.does, c.row, p)
		}
		// Of another collection nothing is recorded.
		if other := planFor("other", []model.IndexItem{item}); !c.gone && item.WantsPoint() != (len(other.upsert) == 1) {
			t.Errorf("%s: in another collection %+v", c.name, other)
		}
	}
}

func hot(rev int64) model.ChunkState { return model.ChunkState{Layer: model.LayerHot, Rev: rev} }

// mixed are chunks of which each needs something else.
func mixed() []model.IndexItem {
	there := model.Pushed{Rev: 1, Present: true}
	archived := model.ChunkState{Layer: model.LayerArchive, Rev: 2}
	return []model.IndexItem{
		itemOf("gone", model.ChunkState{Layer: model.LayerHot, Rev: 2, Repeats: "x"}, there),
		itemOf("hot", hot(2), there), itemOf("old1", archived, there), itemOf("old2", archived, there),
		itemOf("new1", hot(1), model.Pushed{}), itemOf("new2", hot(1), model.Pushed{}), itemOf("same", hot(1), there),
	}
}

// TestAContextLineIsEmbedded: it is searched by words, too, since it is in the text.
func TestAContextLineIsEmbedded(t *testing.T) {
	t.Parallel()
	s := newStores(t)
	s.make("c", 2, nil)
	item := itemOf("a", hot(1), model.Pushed{})
	const line = "Levels › 2026-01-02 › Lake\n\n"
	item.Chunk.Text = "TYPE: fact\n\n" + line + item.Chunk.Content
	if _, err := s.syncer().Push(t.Context(), []model.Collection{{Name: "c", Model: "tiny"}}, []model.IndexItem{item}); err != nil {
		t.Fatal(err)
	}
	indices, _ := retrieval.Sparse(item.Chunk.Text)
	if p := s.made["c"].points["pa"]; p.Dense[0] != float32(len(line)+len(item.Chunk.Content)) || !slices.Equal(p.Indices, indices) {
		t.Errorf("%+v", p)
	}
}

func TestPushWritesFirstAndDeletesAfter(t *testing.T) {
	t.Parallel()
	s := newStores(t)
	s.make("c", 2, map[string]model.Layer{"pgone": model.LayerHot, "phot": model.LayerHot, "pold1": model.LayerHot, "pold2": model.LayerHot, "psame": model.LayerHot})
	before := s.made["c"].points["psame"]
	collections := []model.Collection{{Name: "other", Model: "unknown"}, {Name: "c", Model: "tiny"}}
	rows, err := s.syncer().Push(t.Context(), collections, mixed())
	if err != nil || len(rows) != 6 {
		t.Errorf("recorded is %+v, %v", rows, err)
	}
	if got, want := s.said(), "upsert c new1 new2, standing c hot phot, standing c archive pold1 pold2, delete c pgone"; got != want {
		t.Errorf("asked was %q, want %q", got, want)
	}
	const text = "text of new2" // the content is embedded, and the words of the header can be asked for
	indices, values := retrieval.Sparse("TYPE: fact\n\n" + text)
	if got, want := s.made["c"].points["pnew2"], (Point{Chunk: mixed()[5].Chunk, State: hot(1), Dense: []float32{float32(len(text)), float32(retrieval.Passage)},
		Indices: indices, Values: values, PushedAt: "2026-01-02T02:04:05Z"}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if p := s.made["c"].points["pold1"]; p.State.Layer != model.LayerArchive || p.PushedAt != "2026-01-02T02:04:05Z" {
		t.Errorf("%+v", p)
	}
	if _, there := s.made["c"].points["pgone"]; there || !reflect.DeepEqual(s.made["c"].points["psame"], before) {
		t.Errorf("%+v", s.made["c"].points)
	}
	// Nothing to do is nothing done.
	if rows, err := s.syncer().Push(t.Context(), collections, mixed()[6:]); err != nil || len(rows) != 0 || s.said() != "" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestTwoCollectionsAreWrittenAlike: while one is built, both are written.
func TestTwoCollectionsAreWrittenAlike(t *testing.T) {
	t.Parallel()
	s := newStores(t)
	s.make("c", 2, nil)
	s.make("d", 2, nil)
	rows, err := s.syncer().Push(t.Context(), []model.Collection{{Name: "c", Model: "tiny"}, {Name: "d", Model: "tiny"}},
		[]model.IndexItem{itemOf("a", hot(1), model.Pushed{})})
	if len(rows) != 2 || rows[0].PushedAt.IsZero() {
		t.Fatalf("%+v, %v", rows, err)
	}
	at := rows[0].PushedAt // as the points have it
	want := []model.VectorRow{{ChunkRef: "a", Collection: "c", PointID: "pa", Pushed: model.Pushed{Rev: 1, Present: true}, PushedAt: at},
		{ChunkRef: "a", Collection: "d", PointID: "pa", Pushed: model.Pushed{Rev: 1, Present: true}, PushedAt: at}}
	if err != nil || !slices.Equal(rows, want) || s.said() != "upsert c a, upsert d a" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestAPointThatIsMissingIsWrittenWhole: with all of those whose layer was to change.
func TestAPointThatIsMissingIsWrittenWhole(t *testing.T) {
	t.Parallel()
	s := newStores(t)
	s.make("c", 2, map[string]model.Layer{"pold1": model.LayerHot, "phot": model.LayerHot})
	rows, err := s.syncer().Push(t.Context(), []model.Collection{{Name: "c", Model: "tiny"}}, mixed()[1:4])
	if err != nil || len(rows) != 3 {
		t.Errorf("%+v, %v", rows, err)
	}
	if got, want := s.said(), "standing c hot phot, standing c archive pold1 pold2, upsert c old1 old2"; got != want {
		t.Errorf("asked was %q, want %q", got, want)
	}
	if p := s.made["c"].points["pold2"]; p.State.Layer != model.LayerArchive || len(p.Dense) != 2 {
		t.Errorf("%+v", p)
	}
}

// TestAPushThatFailsRecordsNothing: whatever call fails, and the embedder too.
func TestAPushThatFailsRecordsNothing(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 4; at++ {
		s := newStores(t)
		s.make("c", 2, map[string]model.Layer{"pgone": model.LayerHot, "phot": model.LayerHot, "pold1": model.LayerHot, "pold2": model.LayerHot})
		s.fail = at
		rows, err := s.syncer().Push(t.Context(), []model.Collection{{Name: "c", Model: "tiny"}}, mixed())
		if !errors.Is(err, errDown) || rows != nil || len(s.asked) != at {
			t.Errorf("call %d failed: %+v, %v after %d", at, rows, err, len(s.asked))
		}
	}
	s := newStores(t)
	s.make("c", 2, nil)
	syncer := s.syncer()
	syncer.Embedders = map[string]retrieval.Embedder{"tiny": tiny{dimensions: 2, fails: errDown}}
	rows, err := syncer.Push(t.Context(), []model.Collection{{Name: "c", Model: "tiny"}}, mixed())
	if !errors.Is(err, errDown) || rows != nil || s.said() != "" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestWhatPassesDecidesBeforeARefusal: where one collection refuses a text for good and another
// is down, the text is tried again, since the other may take it.
func TestWhatPassesDecidesBeforeARefusal(t *testing.T) {
	t.Parallel()
	refused, s := fault.Permanent(fault.TooLarge, errors.New("the text is refused")), newStores(t)
	for _, name := range []string{"c", "d"} {
		s.make(name, 2, nil)
	}
	syncer := s.syncer()
	syncer.Embedders["strict"], syncer.Embedders["away"] = tiny{dimensions: 2, fails: refused}, tiny{dimensions: 2, fails: errDown}
	rows, err := syncer.Push(t.Context(), []model.Collection{{Name: "c", Model: "strict"}, {Name: "d", Model: "away"}},
		[]model.IndexItem{itemOf("a", hot(1), model.Pushed{})})
	if len(rows) != 0 || !errors.Is(err, errDown) || fault.KindOf(err) == fault.KindPermanent {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestWhatWasWrittenIsReturnedBesideAnError: of the collections before and after one that refuses
// a text for good, and of those before one that is down.
func TestWhatWasWrittenIsReturnedBesideAnError(t *testing.T) {
	t.Parallel()
	refused := fault.Permanent(fault.TooLarge, errors.New("the text is refused"))
	for _, c := range []struct {
		fails error
		want  string
	}{{refused, "upsert c a, upsert e a"}, {errDown, "upsert c a"}} {
		s := newStores(t)
		for _, name := range []string{"c", "d", "e"} {
			s.make(name, 2, nil)
		}
		syncer := s.syncer()
		syncer.Embedders["other"] = tiny{dimensions: 2, fails: c.fails}
		rows, err := syncer.Push(t.Context(), []model.Collection{{Name: "c", Model: "tiny"}, {Name: "d", Model: "other"}, {Name: "e", Model: "tiny"}},
			[]model.IndexItem{itemOf("a", hot(1), model.Pushed{})})
		var written []string
		for _, row := range rows {
			written = append(written, "upsert "+row.Collection+" "+row.ChunkRef)
		}
		if said := s.said(); !errors.Is(err, c.fails) || said != c.want || strings.Join(written, ", ") != c.want {
			t.Errorf("%v: asked was %q, recorded %q, want %q, %v", c.fails, said, written, c.want, err)
		}
	}
}
