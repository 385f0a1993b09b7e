package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

func openCatalog(t testing.TB) *catalog.DB {
	t.Helper()
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

func addDocument(t *testing.T, db *catalog.DB, id string) {
	t.Helper()
	err := db.Tx(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO documents (document_id, source_id, external_id, external_digest, slug)
			VALUES ($1::text, 's', $1::text, sha256(convert_to($1::text, 'UTF8')), $1::text)`, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestADocumentThatIsHeldIsDeferred(t *testing.T) {
	db := openCatalog(t)
	addDocument(t, db, "doc_a")
	held, done := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- db.LockDocument(t.Context(), "doc_a", time.Second, func(tx *catalog.DocumentTx) error {
			_, err := tx.Links(t.Context(), model.ChunkSet{}) // the first question takes the row
			close(held)
			<-done
			return err
		})
	}()
	<-held
	err := db.LockDocument(t.Context(), "doc_a", 20*time.Millisecond, func(tx *catalog.DocumentTx) error {
		if _, err := tx.Links(t.Context(), model.ChunkSet{}); err != nil {
			return err
		}
		t.Error("two hold the document")
		return nil
	})
	if fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("error %v", err)
	}
	close(done)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := db.LockDocument(t.Context(), "doc_b", time.Second, func(*catalog.DocumentTx) error { return nil }); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("no document: %v", err)
	}
}

// TestKnowledgeIsHeldByOne counts in the rows of knowledge from many
// transactions at once: each sees what the one before it wrote, whatever the
// order in which it names the keys.
func TestKnowledgeIsHeldByOne(t *testing.T) {
	db := openCatalog(t)
	const workers, keys = 6, 41 // a prime: every stride meets all keys
	errs := make(chan error, workers)
	for n := range workers {
		id := fmt.Sprintf("doc_%d", n)
		addDocument(t, db, id)
		go func() {
			errs <- db.LockDocument(t.Context(), id, time.Second, func(tx *catalog.DocumentTx) error {
				all := make(map[model.KnowledgeKey]string)
				for k := range keys {
					all[model.KnowledgeKey{TextHash: fmt.Sprint((k*(2*n+1) + n) % keys), SourceType: "official"}] = ""
				}
				standing, err := tx.LockKnowledge(t.Context(), all)
				if err != nil {
					return err
				}
				for key := range all {
					standing[key] += "x"
				}
				return tx.SetKnowledge(t.Context(), standing)
			})
		}()
	}
	for range workers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	err := db.LockDocument(t.Context(), "doc_0", time.Second, func(tx *catalog.DocumentTx) error {
		proposed, taken := model.KnowledgeKey{TextHash: "proposed", SourceType: "official"}, "taken"
		all := map[model.KnowledgeKey]string{{TextHash: "new", SourceType: "official"}: "", proposed: taken}
		for k := range keys {
			all[model.KnowledgeKey{TextHash: fmt.Sprint(k), SourceType: "official"}] = taken // too late
		}
		standing, err := tx.LockKnowledge(t.Context(), all)
		for key, stands := range standing {
			if key == proposed && stands != taken || key != proposed && stands != strings.Repeat("x", workers) {
				t.Errorf("%q stands for %s", stands, key.TextHash)
			}
		}
		if len(standing) != keys+1 {
			t.Errorf("%d keys of %d", len(standing), keys+1)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
