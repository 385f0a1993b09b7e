package app

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestAStoreThatIsUnavailable: the stage says so and has done nothing, in Handle and in
// Fail, and does all of it when the store is back.
func TestAStoreThatIsUnavailable(t *testing.T) {
	for name, door := range map[string]func(*stagetest.World) *stagetest.Door{
		"catalog":      func(w *stagetest.World) *stagetest.Door { return w.CatalogDoor },
		"object store": func(w *stagetest.World) *stagetest.Door { return w.ObjectsDoor },
	} {
		t.Run(name, func(t *testing.T) {
			w := over(stagetest.NewBehindDoors(t))
			v := version{doc: docA, day: 5, pages: []string{"# A|One.|# B|Two."}}
			run := w.capture(v)
			e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
			w.Unavailable(door(w.World), func() error { return w.stage.Handle(t.Context(), e, w.Emit) })
			if got := types(w.Heard()); got != "chunk.created chunk.created run.completed" {
				t.Errorf("said %s", got)
			}
			w.settled(run)
		})
	}
	w := over(stagetest.NewBehindDoors(t))
	v := version{doc: docA, day: 5, pages: []string{"One."}}
	run := w.capture(v)
	e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
	w.Unavailable(w.CatalogDoor, func() error {
		return w.stage.Fail(t.Context(), e, fault.AttemptsExhausted, "four attempts", w.Emit)
	})
	if run := w.Run(run); run.State != model.RunFailed || run.Message != "four attempts" || types(w.Heard()) != "run.completed" {
		t.Errorf("%+v", run)
	}
}

// TestARunThatIsOver: what was superseded or removed is made into no chunks, also when
// its last segment comes after that, and fails no more.
func TestARunThatIsOver(t *testing.T) {
	for _, state := range []model.RunState{model.RunSuperseded, model.RunRemoved} {
		w := newWorld(t)
		v := version{doc: docA, day: 5, pages: []string{"One."}}
		run := w.capture(v)
		e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
		w.Finish(run, state)
		before := w.Dump()
		for range 2 {
			if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
				t.Fatal(err)
			}
			if err := w.stage.Fail(t.Context(), e, fault.Timeout, "too slow", w.Emit); err != nil {
				t.Fatal(err)
			}
			for _, d := range w.Heard() {
				if done, ok := d.(event.RunCompleted); !ok || done.State != state || done.ChunkCount != 0 {
					t.Errorf("of a %s run it said %+v", state, d)
				}
			}
		}
		if w.Dump() != before {
			t.Errorf("of a %s run it wrote\n%s", state, w.Dump())
		}
	}
}

// TestMalformedEvents are nobody's to try again, and fail no run.
func TestMalformedEvents(t *testing.T) {
	w := newWorld(t)
	v := version{doc: docA, day: 5, pages: []string{"One."}}
	run := w.capture(v)
	broken := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
	broken.Payload = []byte(`{"snapshot_id":3}`)
	for _, e := range []event.Event{broken, w.Event(event.SnapshotStored{SourceID: "s"})} {
		if err := w.stage.Handle(t.Context(), e, w.Emit); fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%v", err)
		}
		if err := w.stage.Fail(t.Context(), e, fault.Malformed, "it is malformed", w.Emit); err != nil {
			t.Error(err)
		}
	}
	if said := w.Heard(); len(said) > 0 || w.Run(run).State.Terminal() {
		t.Errorf("%+v, %+v", said, w.Run(run))
	}
}

// TestWhatAnOlderChunkerMadeIsMadeAgain as the next generation when its event comes
// again, once; what a newer one made stays.
func TestWhatAnOlderChunkerMadeIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	run, e := w.land(version{doc: docA, day: 5, pages: []string{"# A|One.|# B|Two."}})
	w.Heard()
	for _, c := range []struct{ column, version, want string }{
		{"chunker_version", "0", "chunk.created chunk.created run.completed"},
		{"header_version", "0", "chunk.created chunk.created run.completed"},
		{"chunker_version", "999", "run.completed"},
	} {
		err := w.DB.Tx(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(context.Background(), "UPDATE chunk_manifests SET "+c.column+" = $1", c.version)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{c.want, "run.completed"} {
			if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
				t.Fatal(err)
			}
			if got := types(w.Heard()); got != want {
				t.Errorf("%s %s: said %s, want %s", c.column, c.version, got, want)
			}
		}
	}
	generations := map[int]int{}
	for _, c := range w.chunks(run.DocumentID) {
		generations[c.Chunk.Generation]++
	}
	if len(generations) != 3 || generations[3] != 2 || w.document(run).CurrentGeneration != 3 {
		t.Errorf("chunks by generation: %v", generations)
	}
	w.settled(run)
}

// TestWhatIsGoneIsNotPublished: of chunks whose rows are gone before their changes are
// published nothing is said, neither that they were made nor what became of them.
func TestWhatIsGoneIsNotPublished(t *testing.T) {
	w := newWorld(t)
	first, _ := w.land(version{doc: docA, day: 5, pages: []string{"# A|Goes.|# B|Goes too."}})
	w.Heard()
	v := version{doc: docA, day: 6, pages: []string{"# C|Comes.|# D|Comes too."}}
	run := w.capture(v)
	e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
	w.Refuse(func(int, event.Data) error { return fault.Unavailable(errors.New("the bus is down")) })
	if err := w.stage.Handle(t.Context(), e, w.Emit); fault.KindOf(err) != fault.KindUnavailable {
		t.Fatal(err)
	}
	w.Refuse(nil)
	gone := []string{w.of(first, "Goes too").Chunk.ChunkRef, w.of(run, "Comes too").Chunk.ChunkRef}
	err := w.DB.Tx(t.Context(), func(tx pgx.Tx) error {
		for _, table := range []string{"chunk_state", "chunks"} {
			if _, err := tx.Exec(t.Context(), "DELETE FROM "+table+" WHERE chunk_ref = ANY($1)", gone); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
		t.Fatal(err)
	}
	said := w.Heard()
	if got := types(said); got != "chunk.created chunk.superseded run.completed" {
		t.Errorf("said %s", got)
	}
	for _, d := range said {
		if c, ok := d.(event.ChunkSuperseded); ok && (c.ChunkRef != w.of(first, "Goes").Chunk.ChunkRef || c.SnapshotID != first.SnapshotID || c.SourceID != "s") {
			t.Errorf("%+v", c)
		}
	}
	if left, err := w.DB.UnpublishedLog(t.Context(), run.SnapshotID, run.ExtractionID, 10); err != nil || len(left) > 0 {
		t.Errorf("%+v is left, %v", left, err)
	}
}
