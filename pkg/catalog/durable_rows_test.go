package catalog_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestKeep: what is kept is on the disk, what is not there was lost.
func TestKeep(t *testing.T) {
	db := openCatalog(t)
	var written string
	insert := func() {
		t.Helper()
		err := db.Tx(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT pg_current_wal_insert_lsn()::text`).Scan(&written)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run := startRun(t, db, s, "x", 1)
	row := putRange(t, db, run, model.PageRange{From: 1, To: 1}, 0)
	for name, keep := range map[string]func(other string) error{
		"capture": func(other string) error { return db.KeepCapture(t.Context(), s.SourceID, s.RequestID+other) },
		"run":     func(other string) error { return db.KeepRun(t.Context(), run.SnapshotID, run.ExtractionID+other) },
		"segment": func(other string) error {
			return db.KeepSegment(t.Context(), row.SnapshotID, row.ExtractionID+other, row.From, row.Redo)
		},
	} {
		insert()
		if err := keep(""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var flushed bool
		err := db.Tx(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT pg_current_wal_flush_lsn() > $1::text::pg_lsn`, written).Scan(&flushed)
		})
		if err != nil || !flushed {
			t.Errorf("%s: on the disk: %t, %v", name, flushed, err)
		}
		if err := keep(" of none"); !errors.Is(err, catalog.ErrLost) || fault.KindOf(err) != fault.KindUnavailable {
			t.Errorf("%s that is not there: %v", name, err)
		}
	}
}

// TestWhatMayWait: rows wait for the disk unless they are kept later.
func TestWhatMayWait(t *testing.T) {
	db := openCatalog(t)
	exec(t, db, `CREATE TABLE notes (n serial, note text)`)
	exec(t, db, `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO notes (note) VALUES (TG_TABLE_NAME || ' ' || current_setting('synchronous_commit')); RETURN NEW; END $$`)
	for _, table := range []string{"snapshots", "runs", "ir_segments"} {
		exec(t, db, `CREATE TRIGGER note BEFORE INSERT ON `+table+` FOR EACH ROW EXECUTE FUNCTION note()`)
	}
	s := addSnapshot(t, db, snapshotOf("a", 1))
	putRange(t, db, startRun(t, db, s, "short", 16), model.PageRange{From: 1, To: 16}, 0)
	long := startRun(t, db, s, "long", 17)
	putRange(t, db, long, model.PageRange{From: 17, To: 17}, 0)
	putRange(t, db, long, model.PageRange{From: 1, To: 16}, 0)
	container := snapshotOf("b", 2)
	container.SnapshotKind, container.FinalType = model.KindContainer, model.TypeZIP
	addSnapshot(t, db, container)
	var got string
	err := db.Tx(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT string_agg(note, ', ' ORDER BY n) FROM notes`).Scan(&got)
	})
	const want = "snapshots off, runs off, ir_segments off, runs off, ir_segments on, ir_segments on, snapshots on"
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
