package catalog_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// TestACatalogOfAnotherVersionIsNotReady: a service that starts before the Job that
// migrates must not say that it can work.
func TestACatalogOfAnotherVersionIsNotReady(t *testing.T) {
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	waits := func(when, says string) {
		t.Helper()
		if err := db.Ready(t.Context()); err == nil || fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", when, err)
		}
	}
	waits("before the migration", "schema "+env.Schema+" of the catalog has no tables yet: run colophon migrate")
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	set := func(statement string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), env.PostgresURL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(t.Context()) }()
		if _, err := conn.Exec(t.Context(), `SET search_path TO `+pgx.Identifier{env.Schema}.Sanitize()); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	set(`INSERT INTO goose_db_version (version_id, is_applied) SELECT max(version_id) + 1, true FROM goose_db_version`)
	if err := db.Ready(t.Context()); err != nil {
		t.Errorf("a catalog of a newer build: %v", err)
	}
	set(`DELETE FROM goose_db_version WHERE version_id >= (SELECT max(version_id) - 1 FROM goose_db_version)`)
	waits("a migration is missing", "run colophon migrate of this build")
	if err := db.DropSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits("after the schema is gone", "no tables yet")
}
