package catalog

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Ready answers whether this build can work with the catalog: the probe of the
// runner and of readiness. Where the catalog is away, its tables are not made yet or
// are of a version before this build's, the error is Unavailable and says what to do.
// Tables of a newer version are no error: migrations only add.
func (db *DB) Ready(ctx context.Context) error {
	want, err := newestMigration()
	if err != nil {
		return err
	}
	var found int64
	err = db.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&found)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42P01" { // no such table
		return fault.Unavailable(fmt.Errorf("schema %s of the catalog has no tables yet: run colophon migrate", db.schema))
	}
	if err != nil {
		return fmt.Errorf("asking the catalog for its version: %w", db.note(ctx, Classify(err)))
	}
	_ = db.note(ctx, nil)
	if found < want {
		return fault.Unavailable(fmt.Errorf("schema %s of the catalog is at version %d, this build needs %d: run colophon migrate of this build", db.schema, found, want))
	}
	return nil
}

// newestMigration returns the number of the last migration of this build, which the
// names of the files begin with.
func newestMigration() (int64, error) {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	var newest int64
	for _, file := range files {
		number, _, _ := strings.Cut(path.Base(file.Name()), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s has no number: %w", file.Name(), err)
		}
		newest = max(newest, n)
	}
	return newest, nil
}
