package catalog

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// firstGentle is the migration from which on none locks a table that services write while
// an index of it is built, which takes minutes where there are millions of rows.
const firstGentle = "00025"

var (
	createIndex = regexp.MustCompile(`(?i)CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?\w+\s+ON (\w+)`)
	createTable = regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
)

// TestMigrationsBuildIndexesBesideWriters: an index is built concurrently, unless its table is
// of the same migration. The cache of vectors is another: who cannot write to it waits and has
// them all the same.
func TestMigrationsBuildIndexesBesideWriters(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, name := range names {
		if strings.TrimPrefix(name, "migrations/") < firstGentle {
			continue
		}
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		made := map[string]bool{"embedding_cache": true}
		for _, m := range createTable.FindAllStringSubmatch(up, -1) {
			made[m[1]] = true
		}
		for _, m := range createIndex.FindAllStringSubmatch(up, -1) {
			if looked++; m[1] == "" && !made[m[2]] {
				t.Errorf("%s: %s locks %s while it is built", name, m[0], m[2])
			}
		}
		if concurrently := strings.Contains(up, "CONCURRENTLY"); concurrently && !strings.Contains(up, "-- +goose NO TRANSACTION") {
			t.Errorf("%s: an index is not built concurrently within a transaction", name)
		}
	}
	if looked < 10 {
		t.Errorf("%d indexes were looked at", looked)
	}
}

// TestIndexesOfABrokenMigrationAreMadeAgain: an index that is not valid, as a process leaves
// it that dies while it is built, is not taken for one.
func TestIndexesOfABrokenMigrationAreMadeAgain(t *testing.T) {
	ctx, env := t.Context(), devtest.Start(t)
	db, err := Open(ctx, Config{URL: env.PostgresURL, Schema: env.Schema})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`DELETE FROM goose_db_version WHERE version_id >= 25`, `DROP INDEX documents_external, documents_url, embedding_cache_text`,
		`INSERT INTO documents (document_id, source_id, external_id, external_digest, slug)
			SELECT d, 's', 'same', sha256(d::bytea), d FROM unnest('{a,b}'::text[]) d`,
	} {
		if _, err := db.pool.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.pool.Exec(ctx, `CREATE UNIQUE INDEX CONCURRENTLY documents_external ON documents (external_id)`); err == nil {
		t.Fatal("an index of two equal values is unique")
	}
	indexes := func(condition string) (names []string) {
		t.Helper()
		rows, err := db.pool.Query(ctx, `SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'documents'::regclass AND `+condition)
		if err != nil {
			t.Fatal(err)
		}
		if names, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			t.Fatal(err)
		}
		return names
	}
	if broken := indexes(`NOT indisvalid`); len(broken) != 1 {
		t.Fatalf("%q are broken", broken)
	}
	if err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if broken := indexes(`NOT indisvalid`); len(broken) != 0 {
		t.Errorf("%q are broken after the migration", broken)
	}
	if made := indexes(`indexrelid::regclass::text IN ('documents_external', 'documents_url') AND NOT indisunique`); len(made) != 2 {
		t.Errorf("%q are there", made)
	}
}
