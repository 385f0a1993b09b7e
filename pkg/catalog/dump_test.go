package catalog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// generation is what landing a run leaves: its manifest and chunks, the n-th of
// which holds texts[n]; repeats names for some of them the chunk that they
// repeat.
type generation struct {
	n       int
	texts   []string
	repeats map[int]string
	archive []string // chunk_refs that go there with it
	leftOut *model.LeftOut
}

func chunkRef(s model.Snapshot, generation, index int) string {
	return digest.ChunkRef(docHash(s), digest.ChunkID(index, generation))
}

func docHash(s model.Snapshot) string {
	return digest.DocHash(s.SourceID, s.ExternalID, digest.LastModified(s.LastModified), string(s.FinalType))
}

// land records a generation of a run, its state, and that all of it is pushed.
func land(t *testing.T, db *catalog.DB, s model.Snapshot, run model.Run, g generation) {
	t.Helper()
	ctx := t.Context()
	hash := docHash(s)
	v := model.Version{DocHash: hash, Generation: g.n, SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, Redo: run.Redo,
		Chunks: model.ChunkSet{DocHash: hash, Generation: g.n}, Fingerprint: "fp"}
	var chunks []model.Chunk
	var states []model.ChunkState
	for i, text := range g.texts {
		ref := chunkRef(s, g.n, i)
		chunks = append(chunks, model.Chunk{ChunkRef: ref, DocHash: hash, ChunkID: digest.ChunkID(i, g.n), Generation: g.n, ChunkIndex: i,
			PointID: digest.PointID(ref), DocumentID: s.DocumentID, SourceID: s.SourceID, SnapshotID: s.SnapshotID,
			ExtractionID: run.ExtractionID, Text: "TYPE: fact\n\n" + text, Content: text, TextHash: digest.Text("TYPE: fact\n\n" + text),
			ContentTextHash: digest.Text(text), SourceType: s.SourceType, Layer: model.LayerHot})
		states = append(states, model.ChunkState{ChunkRef: ref, Layer: model.LayerHot, Repeats: g.repeats[i], Since: "2026-01-01"})
	}
	var changes []model.StateChange
	for _, ref := range g.archive {
		changes = append(changes, model.StateChange{State: model.ChunkState{ChunkRef: ref, Layer: model.LayerArchive}, Cause: "gone"})
	}
	err := db.LockDocument(ctx, s.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		for _, step := range []func() error{
			func() error { return tx.AddChunks(ctx, chunks) },
			func() error { return tx.AddStates(ctx, run, "run", states) },
			func() error { return tx.ChangeStates(ctx, run, changes) },
			func() error {
				return tx.AddManifest(ctx, model.Manifest{DocHash: hash, Generation: g.n, DocumentID: s.DocumentID, SourceID: s.SourceID,
					SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, Redo: run.Redo, ChunkCount: len(chunks), Status: "done",
					DocType: "html", VectorStatus: model.VectorNone, LeftOut: g.leftOut}, v)
			},
			func() error { return tx.SetCurrent(ctx, v, model.DocumentMeta{Title: "Title"}, "en") },
			func() error { return tx.SetIngestStatus(ctx) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func exec(t testing.TB, db *catalog.DB, sql string, args ...any) {
	t.Helper()
	err := db.Tx(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// settle publishes the whole log and makes a collection equal to the states.
func settle(t *testing.T, db *catalog.DB, collection string) {
	t.Helper()
	if _, err := db.RegisterCollection(t.Context(), model.Collection{Name: collection, Alias: "a", Model: collection, Dimensions: 4,
		State: model.CollectionActive}); err != nil {
		t.Fatal(err)
	}
	exec(t, db, `UPDATE chunk_log SET published = true`)
	exec(t, db, `INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present)
		SELECT chunk_ref, $1, point_id, rev, repeats = '' AND duplicate_of = '' FROM chunks JOIN chunk_state USING (chunk_ref)
		ON CONFLICT (chunk_ref, collection) DO UPDATE SET pushed_rev = excluded.pushed_rev, present = excluded.present`, collection)
}

func dump(t *testing.T, db *catalog.DB, current bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := db.Dump(t.Context(), &b, current); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// difference shows the lines that only one of two dumps has.
func difference(a, b string) string {
	var out strings.Builder
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for _, side := range [][2][]string{{left, right}, {right, left}} {
		for _, line := range side[0] {
			if !slices.Contains(side[1], line) {
				fmt.Fprintf(&out, "\n%s", line)
			}
		}
		out.WriteString("\n--")
	}
	return out.String()
}

// fill records three documents of two pages in the given order.
func fill(t *testing.T, order []int) *catalog.DB {
	t.Helper()
	db := openCatalog(t)
	for i := range order {
		source := model.DefaultSource(fmt.Sprintf("s%d", order[len(order)-1-i]))
		source.Name = "Ville & <canton>"
		if err := db.PutSource(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
	runs := make([]model.Run, len(order))
	for _, i := range order {
		s := addSnapshot(t, db, snapshotOf(fmt.Sprintf("%d", i), i+1))
		runs[i] = startRun(t, db, s, extraction, 20)
	}
	for k, i := range order {
		ranges := model.Ranges(20)
		if k%2 == 1 {
			slices.Reverse(ranges)
		}
		for _, r := range ranges {
			putRange(t, db, runs[i], r, 0, 3)
		}
		finish(t, db, runs[i], model.RunPartial)
		land(t, db, snapshotOf(fmt.Sprintf("%d", i), i+1), runs[i], generation{n: 1, texts: []string{"shared", fmt.Sprintf("own %d", i)}})
	}
	// Which of equal chunks stands for them is left out, and so is the log.
	first := chunkRef(snapshotOf(fmt.Sprintf("%d", order[0]), order[0]+1), 1, 0)
	for _, i := range order[1:] {
		exec(t, db, `UPDATE chunk_state SET duplicate_of = $1, rev = rev + $3 WHERE chunk_ref = $2`, first,
			chunkRef(snapshotOf(fmt.Sprintf("%d", i), i+1), 1, 0), i)
	}
	settle(t, db, "kb")
	return db
}

func TestDumpsOfTwoOrdersAreEqual(t *testing.T) {
	a, b := fill(t, []int{0, 1, 2}), fill(t, []int{2, 0, 1})
	for _, current := range []bool{false, true} {
		one, two := dump(t, a, current), dump(t, b, current)
		if one != two {
			t.Errorf("current %v:%s", current, difference(one, two))
		}
		kinds := map[string]int{}
		var last string
		for line := range strings.Lines(one) {
			if line <= last {
				t.Errorf("not in order: %s", line)
			}
			last = line
			var row struct {
				Is  string
				Row map[string]any
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			canonical, err := digest.JCS(json.RawMessage(line))
			if err != nil || string(canonical)+"\n" != line {
				t.Errorf("not canonical: %s", line)
			}
			kinds[row.Is]++
			for _, left := range []string{"attempts", "rev", "lease_until", "announced_at", "announced_redo", "published", "duplicate_of",
				"changed_by", "object_key", "facts_key", "created_at", "updated_at", "finished_at", "progress_at", "decided_at", "first_seen_at",
				"last_pushed_at", "seq"} {
				if _, there := row.Row[left]; there {
					t.Errorf("%s has %s", row.Is, left)
				}
			}
		}
		want := map[string]int{"source": 3, "capture": 3, "document": 3, "snapshot": 3, "run": 3, "page": 60, "segment": 6,
			"manifest": 3, "chunk": 6, "chunk_state": 6, "vector": 4}
		if current {
			want = map[string]int{"source": 3, "document": 3, "snapshot": 3, "page": 60, "chunk": 6, "vector": 4}
		}
		if fmt.Sprint(kinds) != fmt.Sprint(want) {
			t.Errorf("current %v: %v, want %v", current, kinds, want)
		}
	}
	before := dump(t, a, false)
	exec(t, a, `UPDATE chunks SET content = content || '!' WHERE chunk_index = 1`)
	if dump(t, a, false) == before {
		t.Error("another content gives the same dump")
	}
}

// TestCurrentDumpForgetsTheWay: a page that failed and came in by a redo, with
// new places for what follows it, and one that came in at once.
func TestCurrentDumpForgetsTheWay(t *testing.T) {
	whole := model.PageRange{From: 1, To: 3}
	s := snapshotOf("a", 1)

	direct := openCatalog(t)
	run := startRun(t, direct, addSnapshot(t, direct, s), extraction, 3)
	putRange(t, direct, run, whole, 0)
	finish(t, direct, run, model.RunDone)
	land(t, direct, s, run, generation{n: 1, texts: []string{"page one", "page two", "page three"}})
	settle(t, direct, "kb")

	around := openCatalog(t)
	run = startRun(t, around, addSnapshot(t, around, s), extraction, 3)
	putRange(t, around, run, whole, 0, 2)
	finish(t, around, run, model.RunPartial)
	land(t, around, s, run, generation{n: 1, texts: []string{"page one", "page three", "what was at the gap"}})
	settle(t, around, "kb")
	run, err := around.StartRedo(t.Context(), s.SnapshotID, extraction, 1, []model.PageRange{whole})
	if err != nil {
		t.Fatal(err)
	}
	putRange(t, around, run, whole, 1)
	finish(t, around, run, model.RunDone)
	land(t, around, s, run, generation{n: 2, texts: []string{"page one", "page two", "page three"},
		repeats: map[int]string{0: chunkRef(s, 1, 0), 2: chunkRef(s, 1, 1)}, archive: []string{chunkRef(s, 1, 2)}})
	settle(t, around, "kb")

	if a, b := dump(t, direct, true), dump(t, around, true); a != b {
		t.Errorf("%s", difference(a, b))
	}
	if dump(t, direct, false) == dump(t, around, false) {
		t.Error("the whole dumps are equal, although the ways differ")
	}
}
