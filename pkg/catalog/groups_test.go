package catalog_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestChunksInGroups reads chunks back by generation, a large one in parts, and
// the log of their changes without a gap.
func TestChunksInGroups(t *testing.T) {
	env := devtest.Start(t)
	ctx := t.Context()
	db, err := catalog.Open(ctx, catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := model.Snapshot{DocumentID: "doc_a", SnapshotID: "snap_a", RequestID: "r", SourceID: "mairie", SourceName: "Mairie",
		SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, ExternalID: "a", RetrievedAt: day, LastModified: day,
		ContentHash: digest.Content(nil), Layer: model.LayerHot}
	c := model.Capture{SourceID: "mairie", RequestID: "r", RequestDigest: "d", Request: []byte(`{}`)}
	if _, _, err := db.AcceptCapture(ctx, c, "w", time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := db.RecordCapture(ctx, c, s, nil, func(model.Standing) bool { return false }); err != nil {
		t.Fatal(err)
	}
	run := model.Run{SnapshotID: "snap_a", ExtractionID: "x"}
	want := []struct {
		hash       string
		generation int
		n          int
	}{{"aa", 1, 3}, {"aa", 2, 1201}, {"bb", 1, 499}, {"cc", 1, 1}}
	for _, w := range want {
		var chunks []model.Chunk
		var states []model.ChunkState
		for i := range w.n {
			k := model.Chunk{DocHash: w.hash, Generation: w.generation, ChunkIndex: i, ChunkID: digest.ChunkID(i, w.generation),
				DocumentID: "doc_a", SourceID: "mairie", SnapshotID: "snap_a", Text: "t", Content: "t"}
			k.ChunkRef = digest.ChunkRef(k.DocHash, k.ChunkID)
			k.PointID = digest.PointID(k.ChunkRef)
			chunks, states = append(chunks, k), append(states, model.ChunkState{ChunkRef: k.ChunkRef, Layer: model.LayerHot})
		}
		err := db.LockDocument(ctx, "doc_a", time.Second, func(tx *catalog.DocumentTx) error {
			if err := tx.AddChunks(ctx, chunks); err != nil {
				return err
			}
			if err := tx.AddStates(ctx, run, "capture", states); err != nil {
				return err
			}
			m := model.Manifest{DocHash: w.hash, Generation: w.generation, DocumentID: "doc_a", SourceID: "mairie",
				SnapshotID: "snap_a", ExtractionID: "x", ChunkCount: w.n, Status: "done", Meta: model.ManifestMeta{}.Counted(model.PageCounts{Pages: 3, Tables: 1}),
				LeftOut: &model.LeftOut{Text: 9, Heads: w.n}}
			return tx.AddManifest(ctx, m, model.Version{DocHash: w.hash, Generation: w.generation})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	groups := func(refs []string, document string) (got []string) {
		t.Helper()
		for group, err := range db.ChunkGroups(ctx, refs, document) {
			if err != nil {
				t.Fatal(err)
			}
			first := group[0].Chunk
			got = append(got, fmt.Sprintf("%s@%d+%d×%d", first.DocHash, first.Generation, first.ChunkIndex, len(group)))
			if group[0].State.ChunkRef != first.ChunkRef || group[0].State.Rev != 1 {
				t.Errorf("the state of %s is %+v", first.ChunkRef, group[0].State)
			}
		}
		return got
	}
	equal(t, groups(nil, ""), "[aa@1+0×3 aa@2+0×500 aa@2+500×500 aa@2+1000×201 bb@1+0×499 cc@1+0×1]")
	equal(t, groups(nil, "doc_a"), "[aa@1+0×3 aa@2+0×500 aa@2+500×500 aa@2+1000×201 bb@1+0×499 cc@1+0×1]")
	equal(t, groups([]string{"bb:0", "aa:1", "aa:2", "none"}, ""), "[aa@1+1×2 bb@1+0×1]")
	equal(t, groups(nil, "doc_b"), "[]")

	m, err := db.Manifest(ctx, "aa", 2)
	if err != nil || m.ChunkCount != 1201 || *m.Meta.Pages != 3 || *m.Meta.OCRPages != 0 || m.LeftOut == nil || *m.LeftOut != (model.LeftOut{Text: 9, Heads: 1201}) || !m.LastPushedAt.IsZero() {
		t.Errorf("manifest %+v (%v)", m, err)
	}
	if _, err := db.Manifest(ctx, "aa", 3); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("a manifest that is not there: %v", err)
	}
	seen := make(map[int64]bool)
	next := 0 // the log has the chunks of a manifest by their index
	for after := int64(0); ; {
		_, entries, err := db.Changes(ctx, after, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			seen[e.Seq] = true
			if e.ChunkRef == digest.ChunkRef("aa", digest.ChunkID(next, 2)) {
				next++
			}
		}
		after = entries[len(entries)-1].Seq
	}
	if len(seen) != 1704 || next != 1201 {
		t.Errorf("%d changes, %d of one manifest in order", len(seen), next)
	}
	if _, _, err := db.Changes(ctx, 1<<40, 10); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("after a number that is not there: %v", err)
	}
}

// TestChangesMissNone has an older transaction take its numbers after a newer
// one: a reader must see neither before both have ended.
func TestChangesMissNone(t *testing.T) {
	env := devtest.Start(t)
	ctx := t.Context()
	db, err := catalog.Open(ctx, catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	write := func(tx pgx.Tx, ref string) error {
		_, err := tx.Exec(ctx, `INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo)
			VALUES ($1, 1, 'created', 'capture', 's', 'x', 0)`, ref)
		return err
	}
	refs := func(after int64) (got []string, last int64) {
		t.Helper()
		_, entries, err := db.Changes(ctx, after, 10)
		if err != nil {
			t.Fatal(err)
		}
		last = after
		for _, e := range entries {
			got, last = append(got, e.ChunkRef), e.Seq
		}
		return got, last
	}
	var last int64
	err = db.Tx(ctx, func(older pgx.Tx) error {
		if _, err := older.Exec(ctx, `SELECT pg_current_xact_id()`); err != nil {
			return err
		}
		err := db.Tx(ctx, func(newer pgx.Tx) error {
			if err := write(newer, "newer:0"); err != nil {
				return err
			}
			return write(older, "older:0") // a larger number in a smaller transaction
		})
		if err != nil {
			return err
		}
		var got []string
		got, last = refs(0)
		equal(t, got, "[]")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(devtest.Patience)
	var all []string
	for len(all) < 2 && time.Now().Before(deadline) { // other tests of the server hold transactions open
		var got []string
		got, last = refs(last)
		all = append(all, got...)
	}
	equal(t, all, "[older:0 newer:0]")
}

func equal(t *testing.T, got []string, want string) {
	t.Helper()
	if text := fmt.Sprint(got); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
