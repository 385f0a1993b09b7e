package catalog

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/digest"
)

// seedViews are the views under the names of the founding documents (contracts#seed-views),
// one file a schema.
//
//go:embed seeds/*.sql
var seedViews embed.FS

// ErrSeedSchema says that a schema of views cannot be made, since something else is there.
var ErrSeedSchema = errors.New("the views of the founding documents cannot be made")

// dependentObjects is PostgreSQL's code for what cannot be dropped, since others need it.
const dependentObjects = "2BP01"

// otherColumns is PostgreSQL's code for a view that cannot be replaced by one of other columns.
const otherColumns = "42P16"

// seedSchema is a schema of views.
type seedSchema struct {
	seed  string // seed003
	name  string // of the schema
	views string // statements that make its views
	mark  string // comment on the schema, by which it is known as ours, and as this build's
}

// markForm begins the comment on a schema of views of the catalog's schema.
const markForm = "views of colophon, schema %s: "

// seedSchemas returns the schemas of views of this catalog.
func (db *DB) seedSchemas() ([]seedSchema, error) {
	var all []seedSchema
	for _, seed := range access.Seeds() {
		text, err := seedViews.ReadFile(path.Join("seeds", seed+".sql"))
		if err != nil {
			return nil, err
		}
		one := seedSchema{seed: seed, name: access.SeedSchema(db.schema, seed)}
		one.views = strings.ReplaceAll(string(text), seed+".", pgx.Identifier{one.name}.Sanitize()+".")
		one.mark = fmt.Sprintf(markForm, db.schema) + digest.Hex([]byte(one.views))[:16]
		all = append(all, one)
	}
	return all, nil
}

// seedSchemaNames are the names of the schemas of views of a catalog's schema.
func seedSchemaNames(schema string) []string {
	var names []string
	for _, seed := range access.Seeds() {
		names = append(names, access.SeedSchema(schema, seed))
	}
	return names
}

// dropSeedViews takes the views away before tables below them change: PostgreSQL changes no
// column that a view shows. Where something else needs the views they stay; most changes
// only add, and those that do not say which view is in their way.
func (db *DB) dropSeedViews(ctx context.Context, conn *sql.Conn) error {
	return db.eachSeedSchema(ctx, conn, func(tx *sql.Tx, one seedSchema, mark string) error {
		if !strings.HasPrefix(mark, fmt.Sprintf(markForm, db.schema)) {
			return nil
		}
		err := dropViews(ctx, tx, one)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == dependentObjects {
			return errStays
		}
		return err
	})
}

// errStays undoes what was done with a schema, and is no error.
var errStays = errors.New("stays as it is")

// makeSeedViews makes the views where they are not there as this build has them: in place of
// those that are there, where that can be.
func (db *DB) makeSeedViews(ctx context.Context, conn *sql.Conn) error {
	return db.eachSeedSchema(ctx, conn, func(tx *sql.Tx, one seedSchema, mark string) error {
		if mark == one.mark {
			there := 0 // a schema that was dropped with CASCADE below its views keeps its comment
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_views WHERE schemaname = $1`, one.name).Scan(&there); err != nil {
				return err
			}
			if there == strings.Count(one.views, createView) {
				return nil
			}
		}
		var strangers int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1`, one.name).Scan(&strangers); err != nil {
			return err
		}
		if strangers > 0 && !strings.HasPrefix(mark, fmt.Sprintf(markForm, db.schema)) {
			return fmt.Errorf("%w: schema %s is there, and not made by migrate of schema %s: rename it, and run colophon migrate again", ErrSeedSchema, one.name, db.schema)
		}
		if replaced, err := db.replaceViews(ctx, tx, one); err != nil || replaced {
			return err
		}
		if err := dropViews(ctx, tx, one); err != nil {
			return fmt.Errorf("%w: %w: drop it, and run colophon migrate again", ErrSeedSchema, err)
		}
		return db.createViews(ctx, tx, one, one.views)
	})
}

// createView begins each view of the seeds.
const createView = "CREATE VIEW "

// createViews runs the statements that make the views of a schema, and marks it.
func (db *DB) createViews(ctx context.Context, tx *sql.Tx, one seedSchema, views string) error {
	name := pgx.Identifier{one.name}.Sanitize()
	for _, statement := range []string{
		"CREATE SCHEMA IF NOT EXISTS " + name,
		"SET LOCAL search_path TO " + pgx.Identifier{db.schema}.Sanitize(),
		views,
		"COMMENT ON SCHEMA " + name + " IS '" + strings.ReplaceAll(one.mark, "'", "''") + "'",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// replaceViews makes the views in place of those that are there, which keeps the rights on
// them and what others have made of them. replaced is false, and nothing is done, where their
// columns are not those of before with others behind them, or there are views more.
func (db *DB) replaceViews(ctx context.Context, tx *sql.Tx, one seedSchema) (replaced bool, err error) {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT views"); err != nil {
		return false, err
	}
	err = db.createViews(ctx, tx, one, strings.ReplaceAll(one.views, createView, "CREATE OR REPLACE VIEW "))
	var pg *pgconn.PgError
	if err != nil && (!errors.As(err, &pg) || pg.Code != otherColumns) {
		return false, err
	}
	there := 0
	if err == nil {
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_views WHERE schemaname = $1`, one.name).Scan(&there); err != nil {
			return false, err
		}
	}
	if there == strings.Count(one.views, createView) {
		return true, nil
	}
	_, err = tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT views")
	return false, err
}

// eachSeedSchema calls f for each schema of views in a transaction of its own, with the
// comment that the schema has. What is wrong with one of them (ErrSeedSchema) keeps none of
// the others.
func (db *DB) eachSeedSchema(ctx context.Context, conn *sql.Conn, f func(tx *sql.Tx, one seedSchema, mark string) error) error {
	all, err := db.seedSchemas()
	if err != nil {
		return err
	}
	var wrong error
	for _, one := range all {
		if err := inTx(ctx, conn, func(tx *sql.Tx) error {
			var mark sql.NullString
			err := tx.QueryRowContext(ctx, `SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1`, one.name).Scan(&mark)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			return f(tx, one, mark.String)
		}); errors.Is(err, ErrSeedSchema) {
			wrong = errors.Join(wrong, fmt.Errorf("schema %s: %w", one.name, err))
		} else if err != nil && !errors.Is(err, errStays) {
			return fmt.Errorf("schema %s: %w", one.name, err)
		}
	}
	return wrong
}

// viewsWait is how long a view waits for those who read it, before the migration ends with
// an error that names it: a session that was left open must not hold an upgrade up.
const viewsWait = "30s"

func inTx(ctx context.Context, conn *sql.Conn, f func(tx *sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of one that is committed: nothing
	if _, err := tx.ExecContext(ctx, "SET LOCAL lock_timeout = '"+viewsWait+"'"); err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// dropViews drops all views of a schema of ours, and its comment with them: a migration
// that dies goes on without.
func dropViews(ctx context.Context, tx *sql.Tx, one seedSchema) error {
	var views sql.NullString
	if err := tx.QueryRowContext(ctx, `SELECT string_agg(format('%I.%I', schemaname, viewname), ', ') FROM pg_views WHERE schemaname = $1`, one.name).Scan(&views); err != nil {
		return err
	}
	if !views.Valid {
		return nil
	}
	for _, statement := range []string{
		"DROP VIEW " + views.String,
		"COMMENT ON SCHEMA " + pgx.Identifier{one.name}.Sanitize() + " IS '" + strings.ReplaceAll(one.mark[:strings.LastIndex(one.mark, " ")+1], "'", "''") + "'",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
