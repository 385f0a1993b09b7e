package catalog_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestTheFirstEmbeddingOfATextIsKept: by model and size, bit for bit; and tokens add up by
// the day.
func TestTheFirstEmbeddingOfATextIsKept(t *testing.T) {
	db, ctx := collections(t), t.Context()
	a, b, c := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b")), sha256.Sum256([]byte("c"))
	day := time.Date(2026, 1, 2, 23, 30, 0, 0, time.FixedZone("", -3600)) // the third of January in UTC
	kept := []float32{0.6, -0.8, math.SmallestNonzeroFloat32}
	for _, step := range []struct {
		model   string
		vectors map[catalog.TextHash][]float32
		tokens  int64
	}{
		{"m", map[catalog.TextHash][]float32{a: kept, b: {1, 0, 0}}, 7},
		{"m", map[catalog.TextHash][]float32{a: {0, 0, 1}, c: {0, 1, 0}}, 5},
		{"n", map[catalog.TextHash][]float32{a: {0, 1, 0}}, 1},
		{"n", nil, 3},
	} {
		if err := db.KeepEmbeddings(ctx, step.model, 3, step.vectors, day, step.tokens); err != nil {
			t.Fatal(err)
		}
	}
	got, err := db.Embeddings(ctx, "m", 3, []catalog.TextHash{a, c, sha256.Sum256(nil)})
	if want := map[catalog.TextHash][]float32{a: kept, c: {0, 1, 0}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if other, err := db.Embeddings(ctx, "m", 4, []catalog.TextHash{a}); err != nil || len(other) != 0 {
		t.Errorf("of another size: %v, %v", other, err)
	}
	for at, want := range map[time.Time]int64{day: 16, day.Add(-24 * time.Hour): 0} {
		if tokens, err := db.EmbeddedTokens(ctx, at); err != nil || tokens != want {
			t.Errorf("on %s %d tokens, want %d, %v", at.UTC().Format(time.DateOnly), tokens, want, err)
		}
	}
}

// TestATakedownForgetsVectors: the vectors of a text that goes are deleted under every model,
// unless a chunk that stays has the text, in another document or this one.
func TestATakedownForgetsVectors(t *testing.T) {
	db, ctx := openCatalog(t), t.Context()
	a, b := snapshotOf("a", 1), snapshotOf("b", 2)
	for _, s := range []model.Snapshot{a, b} {
		addSnapshot(t, db, s)
	}
	land(t, db, a, startRun(t, db, a, "x1", 1), generation{n: 1, texts: []string{"said here", "said in both", "Said twice", "said twice"}})
	land(t, db, b, startRun(t, db, b, "x1", 1), generation{n: 1, texts: []string{"said in both", "said there"}})
	embedded := func(c model.Chunk) []string { return []string{c.Text, "title: " + c.Text} }
	var texts []catalog.TextHash
	hash := func(text string) catalog.TextHash { return sha256.Sum256([]byte(text)) }
	for _, text := range []string{"said here", "said in both", "Said twice", "said twice", "said there"} {
		texts = append(texts, hash("TYPE: fact\n\n"+text), hash("title: TYPE: fact\n\n"+text))
	}
	for _, name := range []string{"m", "n"} {
		vectors := make(map[catalog.TextHash][]float32)
		for _, text := range texts {
			vectors[text] = []float32{1}
		}
		if err := db.KeepEmbeddings(ctx, name, 1, vectors, time.Now(), 0); err != nil {
			t.Fatal(err)
		}
	}
	left := func(name string) (is []bool) {
		found, err := db.Embeddings(ctx, name, 1, texts)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(texts); i += 2 {
			if (found[texts[i]] == nil) != (found[texts[i+1]] == nil) {
				t.Errorf("of text %d one of two is left", i/2)
			}
			is = append(is, found[texts[i]] != nil)
		}
		return is
	}
	forget := func(refs []string, deleted int64, want ...bool) {
		t.Helper()
		takeDown(t, db, refs...)
		n, err := db.ForgetEmbeddings(ctx, refs, embedded)
		if err != nil || n != deleted || !reflect.DeepEqual(left("m"), want) || !reflect.DeepEqual(left("n"), want) {
			t.Errorf("%d deleted, %v, left %v and %v, want %d and %v", n, err, left("m"), left("n"), deleted, want)
		}
	}
	forget(nil, 0, true, true, true, true, true)
	if _, err := db.ForgetEmbeddings(ctx, []string{chunkRef(a, 1, 2)}, embedded); !errors.Is(err, catalog.ErrStands) {
		t.Errorf("of a chunk that was not taken down: %v", err)
	}
	forget([]string{chunkRef(a, 1, 2)}, 4, true, true, false, true, true) // other letters are another text
	forget([]string{chunkRef(a, 1, 0), chunkRef(a, 1, 1), chunkRef(a, 1, 2), chunkRef(a, 1, 3), "not there:0"}, 8, false, true, false, false, true)
	forget([]string{chunkRef(a, 1, 1), chunkRef(b, 1, 0)}, 4, false, false, false, false, true)
	forget([]string{chunkRef(a, 1, 1), chunkRef(b, 1, 0)}, 0, false, false, false, false, true)
}

// takeDown says of chunks that they were taken down.
func takeDown(t *testing.T, db *catalog.DB, refs ...string) {
	t.Helper()
	exec(t, db, `WITH moved AS (UPDATE chunk_state s SET rev = rev + 1 WHERE chunk_ref = ANY($1) AND NOT EXISTS (
			SELECT 1 FROM chunk_log l WHERE l.chunk_ref = s.chunk_ref AND l.rev = s.rev AND l.change = 'removed') RETURNING chunk_ref, rev)
		INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo)
		SELECT chunk_ref, rev, 'removed', 'takedown', '', '', 0 FROM moved`, refs)
}

// TestATextThatIsPushedMeanwhileIsForgotten: one that an indexer has read before the takedown,
// and keeps while vectors are forgotten, is not there afterwards; who reads it later finds it
// taken down.
func TestATextThatIsPushedMeanwhileIsForgotten(t *testing.T) {
	db, ctx := collections(t), t.Context()
	if _, err := db.RegisterCollection(ctx, model.Collection{Name: "one", Alias: "kb", Model: "m", Dimensions: 1}); err != nil {
		t.Fatal(err)
	}
	s := snapshotOf("a", 1)
	addSnapshot(t, db, s)
	land(t, db, s, startRun(t, db, s, "x1", 1), generation{n: 1, texts: []string{"said here"}})
	refs := []string{chunkRef(s, 1, 0)}
	hash := sha256.Sum256([]byte("said here"))
	embedded := func(c model.Chunk) []string { return []string{c.Content} }
	read, goOn, pushed, forgot := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := db.PushVectors(ctx, "kb", refs, func(ctx context.Context, _ []model.Collection, items []model.IndexItem) ([]model.VectorRow, error) {
			close(read)
			<-goOn
			if items[0].Removed {
				return nil, errors.New("it was read after the takedown")
			}
			return nil, db.KeepEmbeddings(ctx, "m", 1, map[catalog.TextHash][]float32{hash: {1}}, time.Now(), 0)
		})
		pushed <- err
	}()
	<-read
	takeDown(t, db, refs...)
	go func() {
		_, err := db.ForgetEmbeddings(ctx, refs, embedded)
		forgot <- err
	}()
	waits := func() (n int) {
		if err := db.Tx(ctx, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'
				AND query LIKE '%pg_advisory_xact_lock(k)%' AND application_name = 'colophon' AND datname = current_database()`).Scan(&n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for tick := time.NewTicker(5 * time.Millisecond); waits() == 0 && len(forgot) == 0; {
		<-tick.C
	}
	close(goOn)
	if err := errors.Join(<-pushed, <-forgot); err != nil {
		t.Fatal(err)
	}
	if left, err := db.Embeddings(ctx, "m", 1, []catalog.TextHash{hash}); err != nil || len(left) != 0 {
		t.Errorf("%d vectors of a text that was taken down are kept, %v", len(left), err)
	}
	if _, err := db.PushVectors(ctx, "kb", refs, func(_ context.Context, _ []model.Collection, items []model.IndexItem) ([]model.VectorRow, error) {
		if !items[0].Removed {
			t.Error("who pushes it later does not know of the takedown")
		}
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestACollectionTakesTheOthersPlace: in one step, and the one of before can be forgotten.
func TestACollectionTakesTheOthersPlace(t *testing.T) {
	db, ctx := collections(t), t.Context()
	for _, name := range []string{"old", "new"} {
		if _, err := db.RegisterCollection(ctx, model.Collection{Name: name, Alias: "kb", Model: name, Dimensions: 4}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ActivateCollection(ctx, "kb", "none"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	if err := db.ForgetCollection(ctx, "kb", "old"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("one that is searched is forgotten: %v", err)
	}
	for range 2 { // again is harmless
		if behind, err := db.ActivateCollection(ctx, "kb", "new"); err != nil || behind != 0 {
			t.Fatalf("%d behind, %v", behind, err)
		}
	}
	all, err := db.Collections(ctx, "kb")
	if err != nil || len(all) != 2 || all[0].Name != "new" || all[0].State != model.CollectionActive || all[1].State != model.CollectionRetired {
		t.Fatalf("%+v, %v", all, err)
	}
	if _, err := db.ActivateCollection(ctx, "kb", "old"); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("a retired one: %v", err)
	}
	if err := db.ForgetCollection(ctx, "kb", "old"); err != nil {
		t.Error(err)
	}
	if all, err := db.Collections(ctx, "kb"); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}
