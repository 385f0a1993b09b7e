package catalog_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// unbound returns what the catalog says of digests that rows do not meet.
func unbound(t *testing.T, db *catalog.DB) []string {
	t.Helper()
	found, err := db.Contradictions(t.Context(), "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range found {
		if strings.Contains(c.What, "digest of its ") {
			out = append(out, c.Where+": "+c.What)
		}
	}
	return out
}

// decidedRows leaves a row of each kind that is bound.
func decidedRows(t *testing.T, db *catalog.DB) {
	t.Helper()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run := startRun(t, db, s, "x1", 1)
	putRange(t, db, run, model.PageRange{From: 1, To: 1}, 0)
	land(t, db, s, run, generation{n: 1, texts: []string{"one", "two"}})
	finish(t, db, run, model.RunDone)
	c := captureOf("refused", "y")
	accept(t, db, c, "me")
	c.Outcome, c.Reason, c.Message = "rejected", "too_large", "it is too large"
	if _, err := db.DecideCapture(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsDecidedIsBound finds a row whose digest was lost, one that was changed and
// one that is no longer there, of each kind.
func TestWhatIsDecidedIsBound(t *testing.T) {
	db := openCatalog(t)
	decidedRows(t, db)
	if found := unbound(t, db); len(found) > 0 {
		t.Fatalf("of what the catalog has written itself: %q", found)
	}
	for kind, c := range map[string]struct{ change, back string }{
		"request":  {`UPDATE captures SET request = request || '{"zz": 1}' WHERE request_id = 'refused'`, `UPDATE captures SET request = request - 'zz'`},
		"decision": {`UPDATE captures SET message = message || 'x' WHERE request_id = 'refused'`, `UPDATE captures SET message = rtrim(message, 'x')`},
		"run":      {`UPDATE runs SET why = why || 'x'`, `UPDATE runs SET why = rtrim(why, 'x')`},
		"end":      {`UPDATE runs SET finished_at = finished_at + interval '1 second'`, `UPDATE runs SET finished_at = finished_at - interval '1 second'`},
		"manifest": {`UPDATE chunk_manifests SET segments_digest = segments_digest || 'x'`, `UPDATE chunk_manifests SET segments_digest = rtrim(segments_digest, 'x')`},
		"log":      {`UPDATE chunk_log SET cause = cause || 'x'`, `UPDATE chunk_log SET cause = rtrim(cause, 'x')`},
	} {
		exec(t, db, c.change)
		says(t, "a "+kind+" that was changed", unbound(t, db), "the digest of its "+kind+" is of something else")
		exec(t, db, c.back)
		exec(t, db, `CREATE TABLE kept AS SELECT * FROM bindings WHERE kind = $1`, kind)
		exec(t, db, `DELETE FROM bindings WHERE kind = $1`, kind)
		says(t, "a "+kind+" without its digest", unbound(t, db), "no digest of its "+kind+" is there")
		exec(t, db, `INSERT INTO bindings SELECT kind, key, digest FROM kept UNION ALL SELECT kind, key || 'x', digest FROM kept`)
		says(t, "the digest of a "+kind+" that is not there", unbound(t, db), "there is a digest of its "+kind+", and it has none")
		exec(t, db, `DELETE FROM bindings WHERE kind = $1 AND key LIKE '%x' AND left(key, -1) IN (SELECT key FROM kept)`, kind)
		exec(t, db, `DROP TABLE kept`)
	}
	if found := unbound(t, db); len(found) > 0 {
		t.Errorf("when all is as it was: %q", found)
	}
}

func says(t *testing.T, when string, found []string, want string) {
	t.Helper()
	if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, want) }) {
		t.Errorf("%s: not %q but %q", when, want, found)
	}
}

// TestAnUpgradeBindsTheRowsOfBefore binds what a build has written that knew of no
// digests: at the migration, and what it has written beside it when BindRows is called.
func TestAnUpgradeBindsTheRowsOfBefore(t *testing.T) {
	db := openCatalog(t)
	decidedRows(t, db)
	exec(t, db, `DROP TABLE bindings`)
	exec(t, db, `DROP INDEX chunks_content, sources_disabled; DROP TABLE chunk_words; DROP FUNCTION note_chunk_words CASCADE; DROP FUNCTION quote_words(text) CASCADE; ALTER TABLE audit DROP COLUMN published; DROP TABLE embedding_use, embedding_cache;
		DROP INDEX runs_failed, chunk_manifests_url, chunk_manifests_number, documents_url, documents_external, documents_item, documents_number, documents_uuid`) // of the migrations after it
	exec(t, db, `DELETE FROM goose_db_version WHERE version_id >= 17`)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := unbound(t, db); len(found) > 0 {
		t.Errorf("after the upgrade: %q", found)
	}
	exec(t, db, `DELETE FROM bindings WHERE kind = 'run'`)
	if found := unbound(t, db); len(found) != 1 {
		t.Errorf("a run that an old build has started: %q", found)
	}
	for _, want := range []int{1, 0} {
		if n, err := db.BindRows(t.Context()); err != nil || n != want {
			t.Errorf("%d rows bound, want %d: %v", n, want, err)
		}
	}
	if found := unbound(t, db); len(found) > 0 {
		t.Errorf("after the services: %q", found)
	}
}

// TestARequestThatIsOpenAgain has no decision, and no digest of one.
func TestARequestThatIsOpenAgain(t *testing.T) {
	db := openCatalog(t)
	c := captureOf("r", "x")
	accept(t, db, c, "me")
	c.Outcome, c.Reason, c.Message = "rejected", "source_unknown", "it is not registered"
	if _, err := db.DecideCapture(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := db.ReopenRefused(t.Context(), c.SourceID, []string{c.RequestID}); err != nil {
		t.Fatal(err)
	}
	if found := unbound(t, db); len(found) > 0 {
		t.Errorf("open again: %q", found)
	}
	if _, err := db.DecideCapture(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, held := accept(t, db, captureOf("r", "x"), "you"); !held {
		t.Error("a request that was refused for its source is not accepted again")
	}
	if found := unbound(t, db); len(found) > 0 {
		t.Errorf("accepted again: %q", found)
	}
}
