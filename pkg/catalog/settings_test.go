package catalog_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
)

// TestWhatIsAskedByKeyReadsNoTable: the plan of a statement goes by an index also
// while its table is small, and is the one that is made once.
func TestWhatIsAskedByKeyReadsNoTable(t *testing.T) {
	env := devtest.Start(t)
	config := catalog.Config{URL: env.PostgresURL, Schema: env.Schema}
	plan := func(config catalog.Config, prepare bool) (text string) {
		db, err := catalog.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if prepare {
			if err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			addDocument(t, db, "doc_one")
		}
		err = db.Tx(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `ANALYZE documents`); err != nil {
				return err
			}
			if _, err := tx.Exec(t.Context(), `PREPARE named AS SELECT slug FROM documents WHERE document_id = ANY($1::text[])`); err != nil {
				return err
			}
			rows, err := tx.Query(t.Context(), `EXPLAIN EXECUTE named('{doc_one}')`, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			text = strings.Join(lines, "\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if text := plan(config, true); !strings.Contains(text, "Seq Scan") {
		t.Errorf("a small table is not read as a whole:\n%s", text)
	}
	if text := plan(config.ByKey(), false); strings.Contains(text, "Seq Scan") || !strings.Contains(text, "$1") {
		t.Errorf("no plan by key:\n%s", text)
	}
}
