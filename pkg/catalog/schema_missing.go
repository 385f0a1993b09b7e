package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// columnsOfSchema asks PostgreSQL's own catalog, which shows every table and column to
// everybody: information_schema shows a role only those that it has a right on, and the
// others would be taken for missing.
const columnsOfSchema = `SELECT c.relname::text, a.attname::text FROM pg_catalog.pg_attribute a
	JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'f') AND a.attnum > 0 AND NOT a.attisdropped`

// MissingSchema returns the tables and columns of this build that the catalog does not
// have, and whether it says to be of an older version than this build needs. Of a schema
// without any table it is the error of Ready: nothing was made yet.
func (db *DB) MissingSchema(ctx context.Context) ([]Contradiction, error) {
	rows, err := db.pool.Query(ctx, columnsOfSchema, db.schema)
	if err != nil {
		return nil, fmt.Errorf("the tables of the catalog: %w", Classify(err))
	}
	columns := make(map[string][]string)
	var table, column string
	if _, err := pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		columns[table] = append(columns[table], column)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("the tables of the catalog: %w", Classify(err))
	}
	if len(columns) == 0 {
		return nil, db.Ready(ctx)
	}
	var missing []Contradiction
	said := make(map[string]bool)
	for _, c := range Columns() {
		switch have, there := columns[c.Table]; {
		case !there && !said[c.Table]:
			said[c.Table] = true
			missing = append(missing, Contradiction{Where: "table " + c.Table, What: "is not in the catalog: what it held cannot be verified"})
		case there && !slices.Contains(have, c.Name):
			missing = append(missing, Contradiction{Where: "column " + c.Table + "." + c.Name, What: "is not in the catalog: what it held cannot be verified"})
		}
	}
	if said["goose_db_version"] {
		return missing, nil
	}
	want, err := newestMigration()
	if err != nil {
		return nil, err
	}
	var found int64
	err = db.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&found)
	if err != nil && !lacksSchema(err) {
		return nil, fmt.Errorf("the version of the catalog: %w", Classify(err))
	}
	if err == nil && found < want {
		missing = append(missing, Contradiction{Where: "table goose_db_version",
			What: fmt.Sprintf("says that the catalog is at version %d, this build needs %d: run colophon migrate of this build", found, want)})
	}
	return missing, nil
}

// lacksSchema reports whether a statement names a table or a column that is not there.
func lacksSchema(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "42P01" || pg.Code == "42703")
}
