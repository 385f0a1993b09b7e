package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestACollectionIsComparedInWindows: whatever is behind, in the first window or the last,
// at the end of one or beside it, is found, is where the next look begins, and keeps the
// collection from being activated.
func TestACollectionIsComparedInWindows(t *testing.T) {
	db, ctx := freshCatalog(t), t.Context()
	for _, name := range []string{"old", "new"} {
		if _, err := db.RegisterCollection(ctx, model.Collection{Name: name, Alias: "kb", Model: name, Dimensions: 4}); err != nil {
			t.Fatal(err)
		}
	}
	const chunks, window = 10, 3
	db.must(t, fmt.Sprintf(`INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id, text, content,
		text_hash, content_text_hash, source_type, provenance, record)
		SELECT 'c' || n, gen_random_uuid(), 'd', 1, n, 'd', 's', 's', 't', 't', 'h', 'h', 'official', '{}', '{}' FROM generate_series(0, %d) n`, chunks-1),
		`INSERT INTO chunk_state (chunk_ref, layer, rev) SELECT chunk_ref, 'hot', 2 FROM chunks`,
		`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present) SELECT chunk_ref, 'old', point_id, 2, true FROM chunks`,
		`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present) SELECT chunk_ref, 'new', point_id, 2, true FROM chunks`)
	for _, c := range []struct {
		wrong  string
		behind int64
		held   string
	}{
		{`UPDATE chunk_vectors SET pushed_rev = 1 WHERE collection = 'new' AND chunk_ref IN ('c0', 'c2')`, 2, ""},
		{`DELETE FROM chunk_vectors WHERE collection = 'new' AND chunk_ref = 'c3'`, 1, "c2"},
		{`UPDATE chunk_vectors SET present = false WHERE collection = 'new' AND chunk_ref = 'c9'`, 1, "c8"},
	} {
		db.must(t, `CREATE TABLE kept AS SELECT * FROM chunk_vectors`, c.wrong)
		behind, held, err := behindCollection(ctx, db.pool, "kb", "new", "", window)
		if err != nil || behind != c.behind || held != c.held {
			t.Errorf("%s: %d behind, held up to %q, %v", c.wrong, behind, held, err)
		}
		if behind, err := db.ActivateCollection(ctx, "kb", "new"); err != nil || behind == 0 {
			t.Errorf("%s: activated, %v", c.wrong, err)
		}
		db.must(t, `DELETE FROM chunk_vectors`, `INSERT INTO chunk_vectors SELECT * FROM kept`, `DROP TABLE kept`)
		if behind, _, err := behindCollection(ctx, db.pool, "kb", "new", held, window); err != nil || behind != 0 {
			t.Errorf("afterwards %d behind, %v", behind, err)
		}
	}
	db.must(t, `UPDATE chunk_vectors SET pushed_rev = 1`) // neither has the newest: both will get it
	if behind, _, err := db.BehindCollection(ctx, "kb", "new", ""); err != nil || behind != 0 {
		t.Errorf("%d behind, %v", behind, err)
	}
	if behind, err := db.ActivateCollection(ctx, "kb", "new"); err != nil || behind != 0 {
		t.Errorf("%d behind, %v", behind, err)
	}
	if behind, _, err := db.BehindCollection(ctx, "kb", "old", ""); err != nil || behind != 0 {
		t.Errorf("a retired one: %d, %v", behind, err)
	}
}

// TestACollectionIsCountedAndForgottenInWindows: as it is in one, whatever the window, and one
// that was not forgotten whole is still there to be forgotten.
func TestACollectionIsCountedAndForgottenInWindows(t *testing.T) {
	db, ctx := freshCatalog(t), t.Context()
	k, err := db.RegisterCollection(ctx, model.Collection{Name: "one", Alias: "kb", Model: "m", Dimensions: 4})
	if err != nil {
		t.Fatal(err)
	}
	db.must(t, `INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id, text, content,
		text_hash, content_text_hash, source_type, provenance, record)
		SELECT 'c' || n, gen_random_uuid(), 'd', 1, n, 'd', 's', 's', 't', 't', 'h', 'h', 'official', '{}', '{}' FROM generate_series(0, 9) n`,
		`INSERT INTO chunk_state (chunk_ref, layer, rev) SELECT chunk_ref, 'hot', 2 FROM chunks`,
		`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present)
			SELECT chunk_ref, 'one', point_id, 1 + (chunk_index % 3 > 0)::integer, chunk_index <> 5 FROM chunks WHERE chunk_index <> 9`)
	for _, window := range []int{1, 3, 5, 10, 11} { // 0, 3 and 6 are behind, and 9 has no row
		if got, err := db.countCollection(ctx, k, window); err != nil || got.Points != 8 || got.Behind != 4 {
			t.Errorf("in windows of %d: %+v, %v", window, got, err)
		}
	}
	if _, err := db.forgetVectors(ctx, "kb", "one", 4); err == nil {
		t.Error("one that is searched is forgotten")
	}
	db.must(t, `UPDATE collections SET state = 'retired'`)
	k.State = model.CollectionRetired
	for _, left := range []int64{8, 4, 1} {
		if got, err := db.countCollection(ctx, k, 3); err != nil || got.Points != left || got.Behind != 0 {
			t.Errorf("%+v, %v, want %d points", got, err, left)
		}
		if more, err := db.forgetVectors(ctx, "kb", "one", 4); err != nil || more != (left > 1) {
			t.Errorf("%d left, more: %t, %v", left, more, err)
		}
	}
	if all, err := db.CollectionsOf(ctx, "kb"); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestOnlyWhatLagsIsCounted: a redrive is counted for the chunks that StuckChunks names, in the
// collections of which it does, and for no other.
func TestOnlyWhatLagsIsCounted(t *testing.T) {
	db, ctx := freshCatalog(t), t.Context()
	for _, name := range []string{"old", "new", "left"} {
		if _, err := db.RegisterCollection(ctx, model.Collection{Name: name, Alias: "kb", Model: name, Dimensions: 4}); err != nil {
			t.Fatal(err)
		}
	}
	refs := []string{"duplicate", "failed", "first", "gone", "lacking", "lagging", "repeat", "unmade"}
	for i, ref := range refs {
		db.must(t, fmt.Sprintf(`INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id, text, content,
			text_hash, content_text_hash, source_type, provenance, record)
			SELECT '%s', gen_random_uuid(), 'd', 1, %d, 'd', 's', 's', 't', 't', 'h', 'h', 'official', '{}', '{}'`, ref, i))
	}
	db.must(t, `INSERT INTO chunk_state (chunk_ref, layer, rev) SELECT chunk_ref, 'hot', 2 FROM chunks`,
		`UPDATE chunk_state SET duplicate_of = 'first' WHERE chunk_ref IN ('duplicate', 'failed', 'gone')`,
		`UPDATE chunk_state SET repeats = 'first', duplicate_of = '' WHERE chunk_ref = 'repeat'`,
		`INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo, published, at)
			SELECT chunk_ref, 2, CASE chunk_ref WHEN 'gone' THEN 'removed' ELSE 'created' END, 'capture', 's', 'x', 0, true, now() - interval '1 hour' FROM chunks`,
		`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present, pushed_at)
			SELECT chunk_ref, name, point_id, 2, true, now() - interval '1 hour' FROM chunks, collections`,
		`UPDATE chunk_vectors SET present = false WHERE chunk_ref IN ('duplicate', 'failed', 'gone', 'repeat') OR chunk_ref = 'lacking' AND collection <> 'old'`,
		`UPDATE chunk_vectors SET pushed_rev = 1 WHERE chunk_ref = 'lagging'`,
		`UPDATE chunk_vectors SET reconciled = -1 WHERE chunk_ref = 'failed'`,
		`DELETE FROM chunk_vectors WHERE chunk_ref = 'unmade'`)
	for _, c := range []struct{ filled, want, counted string }{
		{"", "duplicate lagging unmade", "duplicate/old lagging/old unmade/old"},
		{"new", "duplicate lacking lagging unmade", "duplicate/new duplicate/old lacking/new lagging/new lagging/old unmade/new unmade/old"},
	} {
		due, _, err := db.StuckChunks(ctx, "kb", c.filled, time.Now().Add(-time.Minute), "", 100)
		var found []string
		for _, d := range due {
			found = append(found, d.ChunkRef)
		}
		if got := strings.Join(found, " "); err != nil || got != c.want {
			t.Errorf("filling %q: %s are due, want %s, %v", c.filled, got, c.want, err)
		}
		db.must(t, `CREATE TABLE kept AS SELECT * FROM chunk_vectors`)
		if err := db.ChunksRedriven(ctx, "kb", c.filled, refs); err != nil {
			t.Fatal(err)
		}
		var counted string
		if err := db.pool.QueryRow(ctx, `SELECT string_agg(chunk_ref || '/' || collection, ' ' ORDER BY chunk_ref, collection)
			FROM chunk_vectors WHERE reconciled > 0`).Scan(&counted); err != nil || counted != c.counted {
			t.Errorf("filling %q: counted are %s, want %s, %v", c.filled, counted, c.counted, err)
		}
		db.must(t, `DELETE FROM chunk_vectors`, `INSERT INTO chunk_vectors SELECT * FROM kept`, `DROP TABLE kept`)
	}
}

// TestACollectionThatIsBuildingIsRetired: and taken up again; the one that is searched is not.
func TestACollectionThatIsBuildingIsRetired(t *testing.T) {
	db, ctx := freshCatalog(t), t.Context()
	k := model.Collection{Name: "tried", Alias: "kb", Model: "b", Dimensions: 4}
	for _, c := range []model.Collection{{Name: "searched", Alias: "kb", Model: "a", Dimensions: 4}, k} {
		if _, err := db.RegisterCollection(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.RetireCollection(ctx, "kb", "searched"); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("the one that is searched: %v", err)
	}
	if err := db.RetireCollection(ctx, "kb", "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("none: %v", err)
	}
	for range 2 {
		if err := db.RetireCollection(ctx, "kb", "tried"); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := db.WrittenCollections(ctx, "kb"); err != nil || len(written) != 1 || written[0].Name != "searched" {
		t.Errorf("written are %+v, %v", written, err)
	}
	if again, err := db.RegisterCollection(ctx, k); err != nil || again.State != model.CollectionBuilding {
		t.Errorf("%+v, %v", again, err)
	}
	if err := db.RetireCollection(ctx, "kb", "tried"); err != nil {
		t.Fatal(err)
	}
	if err := db.ForgetCollection(ctx, "kb", "tried"); err != nil {
		t.Error(err)
	}
}

// TestACollectionIsResetInWindows: no statement changes more rows than a window has, whatever is
// done with all of them; another collection keeps its own.
func TestACollectionIsResetInWindows(t *testing.T) {
	db, ctx := freshCatalog(t), t.Context()
	for _, name := range []string{"lost", "kept"} {
		if _, err := db.RegisterCollection(ctx, model.Collection{Name: name, Alias: "kb", Model: name, Dimensions: 4}); err != nil {
			t.Fatal(err)
		}
	}
	db.must(t, `INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present)
		SELECT 'c' || n, k, gen_random_uuid(), 1, true FROM generate_series(0, 9) n, unnest('{lost,kept}'::text[]) k`,
		`INSERT INTO documents (document_id, source_id, external_id, external_digest, slug) VALUES ('d', 's', 'd', sha256('d'), 'd')`,
		`INSERT INTO chunk_manifests (doc_hash, generation, document_id, source_id, snapshot_id, extraction_id, canonical_url, doc_type, status,
			chunk_count, chunker_version, header_version, fingerprint, segments_digest, vector_status, redo)
			SELECT 'd' || n, 1, 'd', 's', 's', 'x', '', 'txt', 'done', n % 7, '1', '1', '', '', CASE WHEN n % 7 = 3 THEN 'error' ELSE 'present' END, 0 FROM generate_series(0, 9) n`,
		`CREATE FUNCTION bound() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT count(*) FROM changed) > 3 THEN RAISE 'a statement changes % rows', (SELECT count(*) FROM changed); END IF; RETURN NULL; END $$`,
		`CREATE TRIGGER bound AFTER DELETE ON chunk_vectors REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bound()`,
		`CREATE TRIGGER bound AFTER UPDATE ON chunk_manifests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bound()`)
	if err := db.Tx(ctx, func(tx pgx.Tx) error { return forgetPoints(ctx, tx, "lost", 3) }); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]int{
		`SELECT count(*) FROM chunk_vectors WHERE collection = 'lost'`:                                                                          0,
		`SELECT count(*) FROM chunk_vectors WHERE collection = 'kept'`:                                                                          10,
		`SELECT count(*) FROM chunk_manifests WHERE vector_status = CASE chunk_count WHEN 0 THEN 'present' WHEN 3 THEN 'error' ELSE 'none' END`: 10,
	} {
		var got int
		if err := db.pool.QueryRow(ctx, question).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, want %d, %v", question, got, want, err)
		}
	}
}

// TestACollectionWithoutPointsIsFoundByAnIndex: every minute it is asked whether one has some.
func TestACollectionWithoutPointsIsFoundByAnIndex(t *testing.T) {
	db, ctx := freshCatalog(t), t.Context()
	db.must(t, `INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present)
		SELECT 'c' || n, 'full', gen_random_uuid(), 1, true FROM generate_series(0, 19999) n`, `ANALYZE chunk_vectors`)
	rows, err := db.pool.Query(ctx, `EXPLAIN `+strings.Replace(hasVectors, "$1", "'empty'", 1))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if text := strings.Join(plan, "\n"); err != nil || !strings.Contains(text, "chunk_vectors_present") {
		t.Errorf("%s\n%v", text, err)
	}
}
