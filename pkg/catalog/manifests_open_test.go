package catalog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestManifestsSayHowFarAVersionIs: a capture that is to be processed has a manifest from
// the beginning, queued, processing, and in the end done or in error, with the seed's
// fields; and so has a redo, beside what was made before it.
func TestManifestsSayHowFarAVersionIs(t *testing.T) {
	db := openCatalog(t)
	s := snapshotOf("a", 1)
	s.Filename = "agenda.html"
	manifests := func(when string, want ...string) []model.Manifest {
		t.Helper()
		all, err := db.DocumentManifests(t.Context(), s.DocumentID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			got = append(got, fmt.Sprintf("%s/%d redo %d %s", m.Status, m.Generation, m.Redo, m.ErrorMessage))
			if m.Generation > 0 {
				continue
			}
			if want := digest.DocHash("s", s.ExternalID, digest.LastModified(s.LastModified), "html"); m.DocHash != want {
				t.Errorf("%s: doc_hash %s, want %s", when, m.DocHash, want)
			}
			if m.CanonicalURL != s.URLCanonical || m.SourceFile != s.Filename || m.DocType != "html" || m.DocumentID != s.DocumentID || m.SourceID != "s" ||
				m.SnapshotID != s.SnapshotID || m.VectorStatus != model.VectorNone || m.CreatedAt.IsZero() || m.UpdatedAt.IsZero() {
				t.Errorf("%s: %+v", when, m)
			}
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
		return all
	}
	counted := func(when string, want ...catalog.Count) {
		t.Helper()
		all, err := db.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []catalog.Count
		for _, c := range all {
			if c.What == "manifest" {
				got = append(got, c)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	addSnapshot(t, db, s)
	manifests("captured", "queued/0 redo 0 ")
	counted("captured", catalog.Count{What: "manifest", State: "queued", N: 1})
	run := startRun(t, db, s, "x1", 17)
	manifests("split", "queued/0 redo 0 ")
	putRange(t, db, run, model.PageRange{From: 1, To: 16}, 0)
	if m := manifests("half extracted", "processing/0 redo 0 "); m[0].ExtractionID != "x1" || *m[0].Meta.Pages != 17 {
		t.Errorf("%+v", m)
	}
	putRange(t, db, run, model.PageRange{From: 17, To: 17}, 0)
	land(t, db, s, run, generation{n: 1, texts: []string{"one", "two"}})
	finish(t, db, run, model.RunDone)
	manifests("landed", "done/1 redo 0 ")
	counted("landed", catalog.Count{What: "manifest", State: "done", N: 1})
	failed := startRun(t, db, s, "x2", 1)
	failed.Reason, failed.Message = "timeout", "page 1 took longer than a minute"
	if _, err := db.FailRun(t.Context(), failed, time.Second); err != nil {
		t.Fatal(err)
	}
	manifests("another run has failed", "error/0 redo 0 page 1 took longer than a minute", "done/1 redo 0 ")
	counted("another run has failed", catalog.Count{What: "manifest", State: "done", N: 1}, catalog.Count{What: "manifest", State: "error", N: 1})
	exec(t, db, `UPDATE runs SET state = 'superseded' WHERE extraction_id = 'x2'`)
	exec(t, db, `UPDATE runs SET state = 'running', redo = 1, progress_at = now(), finished_at = NULL WHERE extraction_id = 'x1'`)
	manifests("a redo is under way", "processing/0 redo 1 ", "done/1 redo 0 ")
}

// beside does something once, before a statement that names a table is asked.
type beside struct {
	table string
	once  func()
}

func (b *beside) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if b.once != nil && strings.Contains(d.SQL, b.table) {
		once := b.once
		b.once = nil
		once()
	}
	return ctx
}

func (b *beside) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestAVersionThatLandsMeanwhileHasItsManifest: whatever lands between what is asked of manifests
// and what is asked of runs is not left out.
func TestAVersionThatLandsMeanwhileHasItsManifest(t *testing.T) {
	env := devtest.Start(t)
	open := func(tracer pgx.QueryTracer) *catalog.DB {
		t.Helper()
		db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema, Tracer: tracer})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		return db
	}
	writer, meanwhile := open(nil), &beside{table: "FROM runs r JOIN snapshots"}
	if err := writer.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := snapshotOf("a", 1)
	addSnapshot(t, writer, s)
	run := startRun(t, writer, s, "x1", 1)
	putRange(t, writer, run, model.PageRange{From: 1, To: 1}, 0)
	landed := false
	meanwhile.once = func() {
		land(t, writer, s, run, generation{n: 1, texts: []string{"one"}})
		finish(t, writer, run, model.RunDone)
		landed = true
	}
	all, err := open(meanwhile).DocumentManifests(t.Context(), s.DocumentID)
	if err != nil || !landed || len(all) != 1 || all[0].SnapshotID != s.SnapshotID {
		t.Errorf("landed: %t, %+v, %v", landed, all, err)
	}
}
