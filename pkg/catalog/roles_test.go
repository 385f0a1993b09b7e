package catalog

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestGrantsAreThoseOfTheTable: every table and column of pkg/access exists, what a role
// has beside is taken away, and a second time changes nothing.
func TestGrantsAreThoseOfTheTable(t *testing.T) {
	env := devtest.Start(t)
	ctx := t.Context()
	db, err := Open(ctx, Config{URL: env.PostgresURL, Schema: env.Schema})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	var identities []Identity
	for _, r := range access.Roles(access.Default()) {
		if r.OfCatalog() {
			identities = append(identities, Identity{Role: r, Name: env.Schema + `_"` + r.Name})
		}
	}
	if err := db.GrantRoles(ctx, identities); err != nil {
		t.Fatal(err)
	}
	before := grantsOf(t, db)
	capturer := pgx.Identifier{identities[0].Name}.Sanitize()
	if _, err := db.pool.Exec(ctx, "GRANT DELETE ON TABLE snapshots TO "+capturer+"; GRANT UPDATE (record) ON TABLE snapshots TO "+capturer); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(before, grantsOf(t, db)) {
		t.Fatal("a grant is not seen")
	}
	if err := db.GrantRoles(ctx, identities); err != nil {
		t.Fatal(err)
	}
	if after := grantsOf(t, db); !slices.Equal(before, after) || len(before) < 100 {
		t.Errorf("%d grants, then %d", len(before), len(after))
	}
}

// TestWhoVerifiesNeedsNoRightButToRead: the role that proves everything sees that each table
// is there, also those that it may not read, and is refused none that a check asks.
func TestWhoVerifiesNeedsNoRightButToRead(t *testing.T) {
	ctx := t.Context()
	db, proves := openAs(t, access.Verify)
	if missing, err := proves.MissingSchema(ctx); err != nil || len(missing) > 0 {
		t.Errorf("%v, %v", missing, err)
	}
	if found, err := proves.Contradictions(ctx, "", time.Now()); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
	var pg *pgconn.PgError
	if _, err := proves.pool.Exec(ctx, `SELECT FROM embedding_cache`); !errors.As(err, &pg) || pg.Code != insufficientPrivilege {
		t.Errorf("a table that no check asks: %v", err)
	}
	if _, err := db.pool.Exec(ctx, `ALTER TABLE attempts DROP COLUMN failures; DROP TABLE fetch_turns`); err != nil {
		t.Fatal(err)
	}
	missing, err := proves.MissingSchema(ctx)
	var where []string
	for _, m := range missing {
		where = append(where, m.Where)
	}
	if want := []string{"table fetch_turns", "column attempts.failures"}; err != nil || len(where) != len(want) || !slices.Contains(where, want[0]) || !slices.Contains(where, want[1]) {
		t.Errorf("%v, %v", where, err)
	}
}

// openAs returns a catalog, opened by its owner and by a role of the table.
func openAs(t *testing.T, name string) (owner, as *DB) {
	t.Helper()
	env := devtest.Start(t)
	open := func(url string) *DB {
		t.Helper()
		db, err := Open(t.Context(), Config{URL: url, Schema: env.Schema})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		return db
	}
	owner = open(env.PostgresURL)
	if err := owner.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	role, known := access.Find(access.Default(), name)
	if !known {
		t.Fatalf("there is no role %s", name)
	}
	one := Identity{Role: role, Name: env.Schema + "_" + name}
	if err := owner.GrantRoles(t.Context(), []Identity{one}); err != nil {
		t.Fatal(err)
	}
	return owner, open(env.PostgresURL + "&user=" + one.Name)
}

// TestTheJanitorLetsSearchesGoToAnotherCollection: index rebuild is a Job that works as it.
func TestTheJanitorLetsSearchesGoToAnotherCollection(t *testing.T) {
	owner, janitor := openAs(t, access.Janitor)
	for _, name := range []string{"one", "two"} {
		if _, err := owner.RegisterCollection(t.Context(), model.Collection{Name: name, Alias: "chunks", Model: name, Dimensions: 2}); err != nil {
			t.Fatal(err)
		}
	}
	if behind, err := janitor.ActivateCollection(t.Context(), "chunks", "two"); err != nil || behind > 0 {
		t.Fatalf("%d behind, %v", behind, err)
	}
	if active, err := owner.ActiveCollection(t.Context(), "chunks"); err != nil || active.Name != "two" {
		t.Errorf("%+v, %v", active, err)
	}
}

func grantsOf(t *testing.T, db *DB) []string {
	t.Helper()
	rows, err := db.pool.Query(t.Context(), `SELECT grantee || ' ' || privilege_type || ' ' || table_name || '.' || column_name
		FROM information_schema.column_privileges WHERE table_schema LIKE $1 || '%' AND grantee LIKE $1 || '\_%'
		UNION SELECT grantee || ' ' || privilege_type || ' ' || table_name
		FROM information_schema.table_privileges WHERE table_schema LIKE $1 || '%' AND grantee LIKE $1 || '\_%' ORDER BY 1`, db.schema)
	if err != nil {
		t.Fatal(err)
	}
	grants, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return grants
}

// TestVerifierIsPostgresOwn: what we make of a password is what PostgreSQL makes of it.
func TestVerifierIsPostgresOwn(t *testing.T) {
	env := devtest.Start(t)
	conn, err := pgx.Connect(t.Context(), env.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	role := env.Schema + "_verifier"
	if _, err := conn.Exec(t.Context(), fmt.Sprintf(`SET password_encryption = 'scram-sha-256'; CREATE ROLE %s PASSWORD 'pencil'`, role)); err != nil {
		t.Fatal(err)
	}
	var want string
	if err := conn.QueryRow(t.Context(), `SELECT rolpassword FROM pg_authid WHERE rolname = $1`, role).Scan(&want); err != nil {
		t.Fatal(err)
	}
	salt, err := base64.StdEncoding.DecodeString(strings.FieldsFunc(want, func(r rune) bool { return r == '$' || r == ':' })[2])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := scramVerifier("pencil", salt); err != nil || got != want {
		t.Errorf("%s, want %s, %v", got, want, err)
	}
}
