package catalog_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// manyTold fills the log with n entries that were published, and two collections with points
// of each of their chunks, which reconcile has given up.
func manyTold(t *testing.T, db *catalog.DB, n int) {
	t.Helper()
	exec(t, db, `INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo, published)
		SELECT 'c' || n, 1, 'created', 'capture', 'snap_' || n / 40, 'x', 0, true FROM generate_series(1, $1::integer) n`, n)
	exec(t, db, `INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present, reconciled)
		SELECT 'c' || n, k, gen_random_uuid(), 1, true, 4 FROM generate_series(1, $1::integer) n, unnest('{one,two}'::text[]) k`, n)
}

// number asks for one number.
func number(t *testing.T, db *catalog.DB, query string) (n int) {
	t.Helper()
	if err := db.Tx(t.Context(), func(tx pgx.Tx) error { return tx.QueryRow(t.Context(), query).Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAnEpochBeginsWholeOrNotAtAll: whoever is broken off in between has begun none, and does
// all of it the next time.
func TestAnEpochBeginsWholeOrNotAtAll(t *testing.T) {
	db := openCatalog(t)
	const many = 45_000 // more than two windows
	manyTold(t, db, many)
	captured := snapshotOf("a", 1)
	addSnapshot(t, db, captured)
	startRun(t, db, captured, "x1", 1)
	exec(t, db, `UPDATE runs SET reconciled = 4`)
	before, err := db.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const left = `SELECT (SELECT count(*) FROM chunk_log WHERE published) + (SELECT count(*) FROM chunk_vectors WHERE pushed_rev <> 0 OR reconciled <> 0)
		+ (SELECT count(*) FROM runs WHERE reconciled <> 0)`
	exec(t, db, `CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken off'; END $$`)
	for _, at := range []struct{ table, trigger string }{
		{"chunk_log", `UPDATE ON chunk_log FOR EACH ROW WHEN (OLD.seq = 30000)`},
		{"chunk_vectors", `UPDATE ON chunk_vectors FOR EACH ROW WHEN (OLD.chunk_ref = 'c9')`},
		{"epochs", `INSERT ON epochs`},
	} {
		exec(t, db, `CREATE TRIGGER broken BEFORE `+at.trigger+` EXECUTE FUNCTION broken()`)
		if name, _, err := db.BeginEpoch(t.Context()); err == nil {
			t.Errorf("broken off at %s it begins %s", at.table, name)
		}
		if now, err := db.Epoch(t.Context()); err != nil || now != before {
			t.Errorf("broken off at %s it is in the epoch %q (%v)", at.table, now, err)
		}
		exec(t, db, `DROP TRIGGER broken ON `+at.table)
	}
	// What was told between two attempts, in the old epoch, is told again.
	exec(t, db, `UPDATE chunk_log SET published = true WHERE seq < 100`)
	name, entries, err := db.BeginEpoch(t.Context())
	if err != nil || name <= before || entries != many {
		t.Errorf("%q after %q, %d entries, %v", name, before, entries, err)
	}
	if n := number(t, db, left); n != 0 {
		t.Errorf("%d rows are as they were", n)
	}
}

// TestWhatWasToldInAnEpochThatIsOverIsToldAgain: a service that publishes while the epoch
// begins marks nothing as told that nobody heard in the new one.
func TestWhatWasToldInAnEpochThatIsOverIsToldAgain(t *testing.T) {
	db := openCatalog(t)
	manyTold(t, db, 3)
	exec(t, db, `UPDATE chunk_log SET published = false`)
	told, err := db.UnpublishedLog(t.Context(), "snap_0", "x", 10)
	if err != nil || len(told) != 3 {
		t.Fatalf("%d entries, %v", len(told), err)
	}
	if _, _, err := db.BeginEpoch(t.Context()); err != nil {
		t.Fatal(err)
	}
	const published = `SELECT count(*) FROM chunk_log WHERE published`
	mark := func(epoch string, want int) {
		t.Helper()
		if err := db.MarkPublished(t.Context(), epoch, []int64{told[0].Seq}); err != nil {
			t.Fatal(err)
		}
		if n := number(t, db, published); n != want {
			t.Errorf("in epoch %q: %d are published, want %d", epoch, n, want)
		}
		if err := db.MarkRunPublished(t.Context(), "snap_0", "x", 0, epoch, []int64{told[1].Seq}); err != nil {
			t.Fatal(err)
		}
		if n := number(t, db, published); n != 2*want {
			t.Errorf("with the run, in epoch %q: %d are published, want %d", epoch, n, 2*want)
		}
	}
	mark(told[0].Epoch, 0)
	now, err := db.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mark(now, 1)
}

// TestEpochsRiseWhateverTheClockSays: also several, one after another, of a clock that was set back.
func TestEpochsRiseWhateverTheClockSays(t *testing.T) {
	db := openCatalog(t)
	exec(t, db, `INSERT INTO epochs (name, began_at, log_seq) VALUES ('20990101T000000000Z-ffffffffffff', '2099-01-01 00:00:00Z', 0)`)
	names := []string{"20990101T000000000Z-ffffffffffff"}
	for range 8 {
		name, _, err := db.BeginEpoch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("they do not rise: %q", names)
	}
}

// TestTheLogOfACatalogThatWasCopied into another cluster, whose transactions are counted from
// the beginning: it is read whole, and then what is new, by who reads it in pages and goes on.
func TestTheLogOfACatalogThatWasCopied(t *testing.T) {
	db := openCatalog(t)
	manyTold(t, db, 5)
	exec(t, db, `UPDATE chunk_log SET txid = (900000000 + seq / 2)::text::xid8`)
	if _, got, err := db.Changes(t.Context(), 0, 10); err != nil || len(got) > 0 {
		t.Fatalf("before the epoch %d entries are told (%v), so this shows nothing", len(got), err)
	}
	name, _, err := db.BeginEpoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	after := int64(0)
	read := func(limit int) {
		t.Helper()
		for {
			epoch, entries, err := db.Changes(t.Context(), after, limit)
			if err != nil || epoch != name {
				t.Fatalf("behind %d: epoch %q, %v", after, epoch, err)
			}
			if len(entries) == 0 {
				return
			}
			for _, e := range entries {
				got, after = append(got, e.Seq), e.Seq
			}
		}
	}
	add := func(n int) {
		t.Helper()
		exec(t, db, `INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo)
			SELECT 'new' || $1::integer, 1, 'created', 'capture', 's', 'x', 0`, n)
	}
	read(2)
	add(1)
	read(2)
	add(2)
	add(3)
	read(2)
	read(2)
	if !slices.Equal(got, []int64{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("read are %v", got)
	}
	for _, limit := range []int{1, 3, 4, 7, 100} { // pages that end before, at and behind the beginning of the epoch
		got, after = nil, 0
		read(limit)
		if !slices.Equal(got, []int64{1, 2, 3, 4, 5, 6, 7, 8}) {
			t.Errorf("in pages of %d: read are %v", limit, got)
		}
	}
}
