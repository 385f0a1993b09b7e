package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/indexer/internal/stage"
)

func TestCreatedAndDeliveredAgain(t *testing.T) {
	r := newRig(t)
	refs := r.document("a", []string{"one", "two"})
	events := r.created(refs...)

	r.handle(events[0])
	r.wantTold("+" + refs[0] + "/1")
	r.wantStatus("a", model.VectorPartial)

	r.handle(events...)
	r.wantTold("+"+refs[0]+"/1", "+"+refs[1]+"/1")
	r.wantEqual()
	r.wantStatus("a", model.VectorPresent)
	if got := ask[string](r, `SELECT last_pushed_collection FROM chunk_manifests WHERE last_pushed_at IS NOT NULL`); got != r.name() {
		t.Errorf("pushed to %q", got)
	}

	done := r.points.counts()
	r.handle(events...)
	r.wantTold("+"+refs[0]+"/1", "+"+refs[1]+"/1") // its publish may be what was lost
	if again := r.points.counts(); again != done || done != [3]int{2, 0, 0} {
		t.Errorf("%v writes, then %v", done, again)
	}
	if r.embeds.texts != 2 {
		t.Errorf("%d texts were embedded", r.embeds.texts)
	}
}

func TestSupersededBeforeCreated(t *testing.T) {
	r := newRig(t)
	ref := r.document("a", []string{"one"})[0]
	created := r.created(ref)[0]
	r.change("a", model.ChunkState{ChunkRef: ref, Layer: model.LayerArchive})

	r.handle(r.superseded("a", ref, 2))
	r.wantEqual()
	r.handle(created) // late: the catalog is the truth
	r.wantEqual()
	r.wantTold("+"+ref+"/2", "+"+ref+"/2")
	if got := r.points.counts(); got != [3]int{1, 0, 0} {
		t.Errorf("%v writes", got)
	}
}

func TestArchiveChangesPayloadOnly(t *testing.T) {
	r := newRig(t)
	refs := r.document("a", []string{"one", "two"})
	r.handle(r.created(refs...)...)
	for _, ref := range refs {
		r.change("a", model.ChunkState{ChunkRef: ref, Layer: model.LayerArchive})
	}
	r.handle(r.superseded("a", refs[0], 2), r.superseded("a", refs[1], 2))
	r.wantEqual()
	if got := r.points.counts(); got != [3]int{2, 2, 0} || r.embeds.texts != 2 {
		t.Errorf("%v writes, %d texts embedded", got, r.embeds.texts)
	}

	// A point that is missing all the same is written whole, and its neighbours.
	chunk, err := r.db.Chunk(t.Context(), refs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := r.collection().Delete(t.Context(), []string{chunk.PointID}); err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		r.change("a", model.ChunkState{ChunkRef: ref, Layer: model.LayerHot})
	}
	r.handle(r.superseded("a", refs[0], 3), r.superseded("a", refs[1], 3))
	r.wantEqual()
	if got := r.points.counts(); got != [3]int{4, 4, 0} {
		t.Errorf("%v writes", got)
	}
}

// TestDuplicatesHavePointsAndRepeatsHaveNone: what a duplicate alone says, its source for
// one, is found by its own point; a repeat has that of the chunk that it repeats.
func TestDuplicatesHavePointsAndRepeatsHaveNone(t *testing.T) {
	r := newRig(t)
	first := r.document("a", []string{"same", "first"})
	second := r.document("b", []string{"same"}, model.ChunkState{Layer: model.LayerHot, DuplicateOf: first[0]})
	third := r.document("c", []string{"first"}, model.ChunkState{Layer: model.LayerHot, Repeats: first[1]})
	r.exec(`UPDATE chunks SET document_id = 'a' WHERE document_id = 'c'`) // a later version of it

	r.handle(r.created(second...)...)
	r.wantTold("+" + second[0] + "/1")
	r.wantStatus("b", model.VectorPresent) // whatever the one that stands for it has
	r.handle(r.created(third...)...)
	r.wantTold() // it took no point away
	r.wantStatus("c", model.VectorNone)
	r.handle(r.created(first...)...)
	r.wantEqual()
	r.wantStatus("a", model.VectorPresent)
	if status := r.vectorsOf("c"); status != model.VectorPresent { // it points to a vector that came later
		t.Errorf("vector_status of c is %s", status)
	}
	if got := r.points.counts(); got != [3]int{3, 0, 0} {
		t.Errorf("%v writes", got)
	}

	// A chunk that has a point becomes a repeat of one that has none itself.
	r.told()
	r.change("a", model.ChunkState{ChunkRef: first[1], Layer: model.LayerHot, Repeats: second[0]})
	r.handle(r.superseded("a", first[1], 2))
	r.wantEqual()
	r.wantTold("-" + first[1] + "/2")
	r.wantStatus("a", model.VectorPresent)
}

// TestADuplicateOfBeforeGetsItsPoint: of an installation in which duplicates had none,
// whose rows say that nothing is due. It is not embedded again where vectors are kept.
func TestADuplicateOfBeforeGetsItsPoint(t *testing.T) {
	r := newRig(t)
	first := r.document("a", []string{"same", "as well"})
	second := r.document("b", []string{"same", "as well"}, model.ChunkState{Layer: model.LayerHot, DuplicateOf: first[0], Rev: 1},
		model.ChunkState{Layer: model.LayerHot, DuplicateOf: first[1], Rev: 1})
	r.handle(r.created(slices.Concat(first, second)...)...)
	chunk, err := r.db.Chunk(t.Context(), second[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := r.collection().Delete(t.Context(), []string{chunk.PointID}); err != nil {
		t.Fatal(err)
	}
	r.exec(`UPDATE chunk_vectors SET present = false, pushed_at = now() - interval '1 hour' WHERE chunk_ref = $1`, second[0])
	r.exec(`UPDATE chunk_log SET published = true, at = now() - interval '1 hour'`)
	due := func() (refs []string) {
		t.Helper()
		list, _, err := r.db.StuckChunks(t.Context(), r.env.Collection, "", time.Now().Add(-time.Minute), "", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			refs = append(refs, c.ChunkRef)
		}
		return refs
	}
	if got := due(); !slices.Equal(got, second[:1]) {
		t.Errorf("reconcile moves %q, want %q", got, second[:1])
	}
	r.handle(r.created(second...)...)
	r.wantEqual()
	if got := due(); len(got) != 0 {
		t.Errorf("reconcile moves %q again", got)
	}
	// One whose vector cannot be made is left alone, as any other, and its neighbour is not.
	r.exec(`UPDATE chunk_vectors SET present = false, pushed_at = now() - interval '1 hour' WHERE chunk_ref = ANY($1)`, second)
	r.exec(`UPDATE chunk_log SET published = true, at = now() - interval '1 hour'`)
	if err := r.db.FailVectors(t.Context(), r.env.Collection, second[0], "the text is refused"); err != nil {
		t.Fatal(err)
	}
	r.exec(`UPDATE chunk_vectors SET pushed_at = now() - interval '1 hour'`)
	r.wantStatus("b", model.VectorError)
	if got := due(); !slices.Equal(got, second[1:]) {
		t.Errorf("reconcile moves %q, want the one that did not fail, %q", got, second[1:])
	}
	r.handle(r.created(second...)...) // asked for by someone
	r.wantEqual()
	r.wantStatus("b", model.VectorPresent)
	if got := due(); len(got) != 0 {
		t.Errorf("reconcile moves %q, which are there", got)
	}
}

// A repeat that lands and is pushed while its original's vector is being
// recorded is counted by neither push: the original's sees no manifest of it
// yet, and its own no vector.
func TestRepeatWhileTheOriginalIsPushed(t *testing.T) {
	r := newRig(t)
	original := r.document("doc_a", []string{"Same."})
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		done <- r.db.Tx(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `SELECT 1 FROM chunk_manifests WHERE document_id = 'doc_a' FOR UPDATE`)
			close(locked)
			<-release
			return err
		})
	}()
	<-locked
	events := r.created(original...)
	go func() { done <- errors.Join(r.stage.HandleBatch(t.Context(), events, r.emit)...) }()
	r.eventually(func() string { // the original's push waits for its manifest
		if ask[int](r, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
			AND query LIKE '%chunk_manifests%FOR NO KEY UPDATE%'`) == 0 {
			return "the push does not wait"
		}
		return ""
	})
	repeat := r.document("doc_b", []string{"Same."}, model.ChunkState{Layer: model.LayerHot, Repeats: original[0], Rev: 1})
	r.exec(`UPDATE chunks SET document_id = 'doc_a' WHERE document_id = 'doc_b'`) // a later version of it
	r.handle(r.created(repeat...)...)
	r.wantStatus("doc_b", model.VectorNone)
	close(release)
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	r.wantStatus("doc_a", model.VectorPresent)
	if status := r.vectorsOf("doc_b"); status != model.VectorPresent {
		t.Errorf("vector_status of doc_b is %s", status)
	}
	r.wantEqual()
}

// vectorsOf returns the vector_status of a document's manifest. Whether it is synced is
// another question: its rows are made to be those of a version of another document.
func (r *rig) vectorsOf(doc string) model.VectorStatus {
	return ask[model.VectorStatus](r, `SELECT vector_status FROM chunk_manifests WHERE document_id = $1`, doc)
}

func TestPromotion(t *testing.T) {
	r := newRig(t)
	first := r.document("a", []string{"same"})[0]
	second := r.document("b", []string{"same"}, model.ChunkState{Layer: model.LayerHot, DuplicateOf: first})[0]
	third := r.document("c", []string{"same"}, model.ChunkState{Layer: model.LayerHot, DuplicateOf: first})[0]
	r.handle(r.created(first, second, third)...)
	r.wantEqual()
	r.told()

	r.change("a", model.ChunkState{ChunkRef: first, Layer: model.LayerArchive},
		model.ChunkState{ChunkRef: second, Layer: model.LayerHot},
		model.ChunkState{ChunkRef: third, Layer: model.LayerHot, DuplicateOf: second})
	r.handle(r.superseded("c", third, 2))
	r.wantStatus("c", model.VectorPresent) // its own
	r.handle(r.superseded("a", first, 2), r.superseded("b", second, 2))
	r.wantEqual()
	r.wantTold("+"+first+"/2", "+"+second+"/2", "+"+third+"/2")
	r.wantStatus("c", model.VectorPresent)
}

func TestTakenDown(t *testing.T) {
	r := newRig(t)
	refs := r.document("a", []string{"one", "two", "three"})
	created := r.created(refs...)
	r.handle(created...)
	r.told()

	// Its newest revision says so.
	r.exec(`UPDATE chunk_state SET rev = 2 WHERE chunk_ref = $1`, refs[0])
	r.exec(`INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo)
		VALUES ($1, 2, 'removed', 'takedown', 'snap_a', 'x', 0)`, refs[0])
	r.handle(r.removed("a", refs[0], 2))
	if n, err := r.collection().Count(t.Context(), anything); err != nil || n != 2 {
		t.Errorf("%d points, %v", n, err)
	}
	// Its rows are gone.
	for _, ref := range refs {
		r.exec(`DELETE FROM chunk_state WHERE chunk_ref = $1`, ref)
		r.exec(`DELETE FROM chunks WHERE chunk_ref = $1`, ref)
	}
	r.handle(r.removed("a", refs[0], 2), created[1], r.removed("a", refs[2], 2))
	r.wantEqual()
	r.wantTold("-"+refs[0]+"/2", "-"+refs[0]+"/2", "-"+refs[1]+"/1", "-"+refs[2]+"/2")
}

func TestTwoWorkers(t *testing.T) {
	r := newRig(t)
	refs := r.document("a", []string{"one", "two"})
	created := r.created(refs...)
	inside, goOn := make(chan struct{}), make(chan struct{})
	r.points.before = func() {
		close(inside)
		<-goOn
	}
	first := make(chan []error)
	go func() { first <- r.stage.HandleBatch(context.WithoutCancel(t.Context()), created[:1], r.emit) }()
	<-inside

	// The state changes, and its event reaches another worker, while the first
	// state is being written.
	r.change("a", model.ChunkState{ChunkRef: refs[0], Layer: model.LayerArchive})
	later := r.superseded("a", refs[0], 2)
	results := r.stage.HandleBatch(t.Context(), []event.Event{later, created[1]}, r.emit)
	if fault.KindOf(results[0]) != fault.KindDeferred || results[1] != nil {
		t.Errorf("results %v, want a deferred one and none", results)
	}
	close(goOn)
	if errs := <-first; errs[0] != nil {
		t.Fatal(errs[0])
	}
	r.handle(later)
	r.wantEqual()
	r.wantStatus("a", model.VectorPresent)
}

// TestManyWorkers: the parts of manifests that point to each other's vectors come
// in at once; whoever is last sees all.
func TestManyWorkers(t *testing.T) {
	r := newRig(t)
	texts, states := make([]string, 40), make([]model.ChunkState, 40)
	for i := range texts {
		texts[i] = fmt.Sprintf("article %d", i)
	}
	first := r.document("a", texts)
	for i, ref := range first {
		states[i] = model.ChunkState{Layer: model.LayerHot, DuplicateOf: ref}
	}
	events := r.created(slices.Concat(first, r.document("b", texts, states...), r.document("c", texts, states[:20]...))...)
	var workers gosync.WaitGroup
	for w := range 4 {
		workers.Go(func() {
			for i := w * 5; i < len(events); i += 20 {
				for _, err := range r.stage.HandleBatch(t.Context(), events[i:min(i+5, len(events))], r.emit) {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	workers.Wait()
	r.wantEqual()
	for _, doc := range []string{"a", "b", "c"} {
		r.wantStatus(doc, model.VectorPresent)
	}
}

// failing runs the push of a catalog, but the record fails.
type failing struct{ *catalog.DB }

var errRecord = errors.New("the process is gone")

func (f failing) PushVectors(ctx context.Context, alias string, refs []string, push catalog.Push) ([]string, error) {
	return f.DB.PushVectors(ctx, alias, refs, func(ctx context.Context, c []model.Collection, i []model.IndexItem) ([]model.VectorRow, error) {
		if _, err := push(ctx, c, i); err != nil {
			return nil, err
		}
		return nil, fault.Unavailable(errRecord)
	})
}

func TestCrashBetweenPointsAndRows(t *testing.T) {
	r := newRig(t)
	refs := r.document("a", []string{"one", "two"})
	created := r.created(refs...)
	crashing := &stage.Stage{Catalog: failing{r.db}, Vectors: r.syncer, Alias: r.env.Collection}
	for _, err := range crashing.HandleBatch(t.Context(), created, r.emit) {
		if !errors.Is(err, errRecord) {
			t.Fatal(err)
		}
	}
	r.wantTold()
	if n, err := r.collection().Count(t.Context(), anything); err != nil || n != 2 {
		t.Fatalf("%d points, %v", n, err)
	}
	// One of them wants no point any more when the work is done again.
	r.change("a", model.ChunkState{ChunkRef: refs[1], Layer: model.LayerHot, DuplicateOf: refs[0]})
	r.handle(created...)
	r.handle(r.superseded("a", refs[1], 2))
	r.wantEqual()
	r.wantStatus("a", model.VectorPresent)

	// The same between the rows and the events.
	lost := errors.New("not published")
	errs := r.stage.HandleBatch(t.Context(), created[:1], func(context.Context, event.Data) error { return fault.Unavailable(lost) })
	if !errors.Is(errs[0], lost) {
		t.Errorf("publish that failed: %v", errs[0])
	}
}

func TestOneBadChunk(t *testing.T) {
	r := newRig(t)
	refs := r.document("a", []string{"good", "bad", "fine"})
	created := r.created(refs...)
	broken := fault.Permanent(fault.TooLarge, errors.New("a text of 9 bytes, limit 8"))
	r.embeds.refuse = func(text string) error {
		if strings.Contains(text, "bad") {
			return broken
		}
		return nil
	}
	results := r.stage.HandleBatch(t.Context(), created, r.emit)
	if results[0] != nil || !errors.Is(results[1], broken) || results[2] != nil {
		t.Fatalf("results %v", results)
	}
	r.wantTold("+"+refs[0]+"/1", "+"+refs[2]+"/1")
	for range 2 {
		if err := r.stage.Fail(t.Context(), created[1], fault.TooLarge, "too large", r.emit); err != nil {
			t.Fatal(err)
		}
	}
	r.wantStatus("a", model.VectorError)
	r.handle(created[2])
	r.wantStatus("a", model.VectorError)
	if due := ask[int](r, `SELECT count(*) FROM chunk_state s WHERE NOT EXISTS (SELECT 1 FROM chunk_vectors v
		WHERE v.chunk_ref = s.chunk_ref AND v.pushed_rev = s.rev)`); due != 0 {
		t.Errorf("%d chunks are due, want it to be terminal", due)
	}

	r.embeds.refuse = nil // and a redrive
	r.handle(created[1])
	r.wantEqual()
	r.wantStatus("a", model.VectorPresent)
	if message := ask[string](r, `SELECT error_message FROM chunk_manifests`); message != "" {
		t.Errorf("error_message is %q", message)
	}
	// Failures that there is nothing to record of.
	for _, e := range []event.Event{created[0], r.removed("b", hashOf("b")+":0", 2), {Type: event.TypeChunkCreated}} {
		if err := r.stage.Fail(t.Context(), e, fault.Internal, "x", r.emit); err != nil {
			t.Error(err)
		}
	}
	r.wantStatus("a", model.VectorPresent)
}

func TestMalformed(t *testing.T) {
	r := newRig(t)
	good := r.created(r.document("a", []string{"one"})...)[0]
	nameless := r.newEvent(event.ChunkSuperseded{ChunkChange: event.ChunkChange{SourceID: "src"}})
	other := r.newEvent(event.SnapshotStored{SourceID: "src"})
	results := r.stage.HandleBatch(t.Context(), []event.Event{nameless, good, other}, r.emit)
	if results[1] != nil {
		t.Error(results[1])
	}
	for _, i := range []int{0, 2} {
		if fault.KindOf(results[i]) != fault.KindPermanent || fault.ReasonOf(results[i]) != fault.Malformed {
			t.Errorf("result %d is %v", i, results[i])
		}
	}
	r.wantEqual()
}

// TestHeldDocument: the chunker holds the document while its vectors come in.
func TestHeldDocument(t *testing.T) {
	r := newRig(t)
	created := r.created(r.document("a", []string{"one"})...)
	held, goOn := make(chan struct{}), make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- r.db.LockDocument(context.WithoutCancel(t.Context()), "a", time.Second, func(*catalog.DocumentTx) error {
			close(held)
			<-goOn
			return nil
		})
	}()
	<-held
	handled := make(chan []error)
	go func() { handled <- r.stage.HandleBatch(context.WithoutCancel(t.Context()), created, r.emit) }()
	r.eventually(func() string { return r.differs() }) // points and rows do not wait for it
	close(goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if errs := <-handled; errs[0] != nil {
		t.Fatal(errs[0])
	}
	r.wantStatus("a", model.VectorPresent)
}
