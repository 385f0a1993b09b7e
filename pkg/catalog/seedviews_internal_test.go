package catalog

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/colophon-dev/colophon/pkg/access"
)

// migrateTo migrates with one migration more than there are.
func migrateTo(t *testing.T, db *DB, name, statements string) error {
	t.Helper()
	files := fstest.MapFS{name: {Data: []byte("-- +goose Up\n" + statements)}}
	known, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range known {
		text, err := migrations.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[path.Base(file)] = &fstest.MapFile{Data: text}
	}
	own, err := db.unhurried()
	if err != nil {
		t.Fatal(err)
	}
	std := stdlib.OpenDB(*own)
	defer func() { _ = std.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, std, files)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := std.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return db.migrateLocked(t.Context(), provider, conn)
}

func (db *DB) must(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.pool.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// TestAMigrationChangesATableBelowAView: PostgreSQL refuses to change a column that a view
// shows; migrate takes the views away and makes them again, and who might read them may so
// afterwards.
func TestAMigrationChangesATableBelowAView(t *testing.T) {
	db := freshCatalog(t)
	reader, _ := access.Find(access.Default(), access.Reader)
	one := Identity{Role: reader, Name: db.schema + "_reader"}
	if err := db.GrantRoles(t.Context(), []Identity{one}); err != nil {
		t.Fatal(err)
	}
	change := `ALTER TABLE documents ALTER COLUMN title TYPE varchar(5000), ALTER COLUMN ingest_status TYPE varchar(20);
		ALTER TABLE chunks ALTER COLUMN text TYPE varchar;`
	if _, err := db.pool.Exec(t.Context(), change); err == nil {
		t.Fatal("a column below a view can be changed: there is nothing to show")
	}
	if err := migrateTo(t, db, "99001_change.sql", change); err != nil {
		t.Fatal(err)
	}
	readable := func(name string) (may bool) {
		t.Helper()
		schema := access.SeedSchema(db.schema, name[:len("seed000")])
		err := db.pool.QueryRow(t.Context(), `SELECT has_table_privilege($1, $2, 'SELECT')`, one.Name,
			pgx.Identifier{schema}.Sanitize()+name[len("seed000"):]).Scan(&may)
		if err != nil {
			t.Fatal(err)
		}
		return may
	}
	for _, name := range []string{"seed003.sources", "seed003.knowledge_chunks", "seed003.staging", "seed004.document_catalog", "seed004.chunk_manifest", "seed004.chunk_store"} {
		if !readable(name) {
			t.Errorf("%s may not be read any more", name)
		}
	}
	db.must(t, "REVOKE ALL ON ALL TABLES IN SCHEMA "+pgx.Identifier{access.SeedSchema(db.schema, "seed003")}.Sanitize()+" FROM "+pgx.Identifier{one.Name}.Sanitize())
	if readable("seed003.sources") {
		t.Error("has_table_privilege sees no revoke")
	}
	if err := db.Migrate(t.Context()); err != nil { // nothing is pending, the views are those of the build
		t.Fatal(err)
	}
	if readable("seed003.sources") {
		t.Error("views that need no change were made again")
	}
}

// TestAMigrationThatFailsIsRepeatedWithoutViews: migrate dies between taking views away and
// making them; the next one makes them.
func TestAMigrationThatFailsIsRepeatedWithoutViews(t *testing.T) {
	db := freshCatalog(t)
	if err := migrateTo(t, db, "99002_broken.sql", `SELECT 1/0;`); err == nil {
		t.Fatal("a migration that divides by zero is done")
	}
	views := func() (n int) {
		if err := db.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_views WHERE schemaname = ANY($1)`, seedSchemaNames(db.schema)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := views(); n != 0 {
		t.Errorf("%d views, of tables that a migration is changing", n)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := views(); n < 6 {
		t.Errorf("%d views", n)
	}
}

// TestViewsOfOthersAreLeft: a view that somebody has made of ours stops no migration that
// only adds, and is never dropped; where a migration must change what it shows, the error
// names it. A schema that is not ours is not touched.
func TestViewsOfOthersAreLeft(t *testing.T) {
	db := freshCatalog(t)
	seed003 := pgx.Identifier{access.SeedSchema(db.schema, "seed003")}.Sanitize()
	db.must(t, `CREATE VIEW recent AS SELECT id, external_id FROM `+seed003+`.sources`)
	if err := migrateTo(t, db, "99003_add.sql", `ALTER TABLE documents ADD COLUMN more text;`); err != nil {
		t.Errorf("a migration that adds: %v", err)
	}
	if err := migrateTo(t, db, "99004_change.sql", `ALTER TABLE documents ALTER COLUMN external_id TYPE varchar;`); err == nil || !strings.Contains(err.Error(), "view") {
		t.Errorf("a migration that changes: %v", err)
	}
	db.must(t, `SELECT count(*) FROM recent`, `DROP VIEW recent`)

	db.must(t, `DROP SCHEMA `+seed003+` CASCADE`, `CREATE SCHEMA `+seed003, `CREATE TABLE `+seed003+`.sources (mine text)`)
	if err := db.Migrate(t.Context()); !errors.Is(err, ErrSeedSchema) || !strings.Contains(err.Error(), access.SeedSchema(db.schema, "seed003")) {
		t.Errorf("a schema of somebody else: %v", err)
	}
	db.must(t, `SELECT mine FROM `+seed003+`.sources`, `DROP SCHEMA `+seed003+` CASCADE`)
	if err := db.Migrate(t.Context()); err != nil {
		t.Errorf("after it was renamed: %v", err)
	}
	db.must(t, `SELECT count(*) FROM `+seed003+`.sources`)
}

// TestSeedSchemasHaveNamesOfTheirOwn: beside schema colophon they are as the seeds call
// them, beside any other they have its name in front, also one as long as names can be.
func TestSeedSchemasHaveNamesOfTheirOwn(t *testing.T) {
	for schema, want := range map[string]string{
		"colophon": "seed003", "archive": "archive_seed003",
		strings.Repeat("x", 63): strings.Repeat("x", 55) + "_seed003",
	} {
		if got := access.SeedSchema(schema, "seed003"); got != want || len(got) > 63 {
			t.Errorf("%s: %s", schema, got)
		}
	}
}

// TestViewsThatCanBeReplacedAreNotDropped: a build whose views have other words, or columns
// more, leaves what others have made of them; one with other columns makes them anew, and so
// does one that has a view less.
func TestViewsThatCanBeReplacedAreNotDropped(t *testing.T) {
	db := freshCatalog(t)
	seed := pgx.Identifier{access.SeedSchema(db.schema, "seed003")}.Sanitize()
	db.must(t, `CREATE VIEW made_of_it AS SELECT id FROM `+seed+`.knowledge_chunks`)
	identity := func() (oid uint32) {
		t.Helper()
		if err := db.pool.QueryRow(t.Context(), `SELECT $1::text::regclass::oid`, seed+".knowledge_chunks").Scan(&oid); err != nil {
			t.Fatal(err)
		}
		return oid
	}
	before := identity()
	db.must(t, `COMMENT ON SCHEMA `+seed+` IS 'views of colophon, schema `+db.schema+`: of another build'`)
	if err := db.Migrate(t.Context()); err != nil || identity() != before {
		t.Errorf("views with other words: %v, %d instead of %d", err, identity(), before)
	}
	db.must(t, `COMMENT ON SCHEMA `+seed+` IS 'views of colophon, schema `+db.schema+`: of another build'`, `CREATE VIEW `+seed+`.of_before AS SELECT 1`)
	if err := db.Migrate(t.Context()); !errors.Is(err, ErrSeedSchema) { // which cannot be dropped
		t.Errorf("a view too much, and something made of another: %v", err)
	}
	db.must(t, `DROP VIEW made_of_it`)
	if err := db.Migrate(t.Context()); err != nil || identity() == before {
		t.Errorf("a view too much: %v", err)
	}
	db.must(t, `COMMENT ON SCHEMA `+seed+` IS 'views of colophon, schema `+db.schema+`: of another build'`, `ALTER VIEW `+seed+`.sources RENAME COLUMN id TO number`)
	if err := db.Migrate(t.Context()); err != nil {
		t.Errorf("a view of other columns: %v", err)
	}
	db.must(t, `SELECT id FROM `+seed+`.sources`)
}
