package catalog

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/devtest"
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
		if len(r.Tables) > 0 {
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

func grantsOf(t *testing.T, db *DB) []string {
	t.Helper()
	rows, err := db.pool.Query(t.Context(), `SELECT grantee || ' ' || privilege_type || ' ' || table_name || '.' || column_name
		FROM information_schema.column_privileges WHERE table_schema = $1 AND grantee LIKE $1 || '\_%'
		UNION SELECT grantee || ' ' || privilege_type || ' ' || table_name
		FROM information_schema.table_privileges WHERE table_schema = $1 AND grantee LIKE $1 || '\_%' ORDER BY 1`, db.schema)
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
