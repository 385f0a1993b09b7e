package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// freshCatalog is an empty catalog.
func freshCatalog(t *testing.T) *DB {
	t.Helper()
	env := devtest.Start(t)
	db, err := Open(t.Context(), Config{URL: env.PostgresURL, Schema: env.Schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// A check lists its first hundred breaks, and says in the last of them how many more
// there are.
func TestAllContradictionsAreCounted(t *testing.T) {
	var f few
	for i := range maxContradictions + 30 {
		f.add("row", "is the %dth", i)
	}
	f.take(Contradiction{Where: "row", What: "is of a check by document", More: 4})
	if n := len(f.found); n != maxContradictions || f.found[n-1].More != 35 || f.found[0].More != 0 {
		t.Errorf("%d are listed, and the last says %d more", n, f.found[n-1].More)
	}
	var g few
	for range maxContradictions - 1 {
		g.add("row", "is wrong")
	}
	g.take(Contradiction{Where: "row", What: "is of a check by document", More: 4})
	if n := len(g.found); n != maxContradictions || g.found[n-1].More != 4 {
		t.Errorf("%d are listed, and the last says %d more", n, g.found[n-1].More)
	}

	db := freshCatalog(t)
	if _, err := db.pool.Exec(t.Context(), `INSERT INTO bindings (kind, key, digest) SELECT 'other', 'key ' || n, '\x00' FROM generate_series(1, 130) n`); err != nil {
		t.Fatal(err)
	}
	found, err := db.Contradictions(t.Context(), "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	listed, more := 0, 0
	for _, c := range found {
		listed, more = listed+1, more+c.More
	}
	if listed != maxContradictions || more != 30 {
		t.Errorf("%d are listed, %d more counted", listed, more)
	}
}

// A check that a row is in the way of is made of every document by itself: the row hides
// what is of its own document, and no more.
func TestACheckGoesRoundARow(t *testing.T) {
	db := freshCatalog(t)
	if _, err := db.pool.Exec(t.Context(), `INSERT INTO bindings (kind, key, digest) VALUES ('other', 'x', '\x00')`); err != nil {
		t.Fatal(err)
	}
	tx, err := db.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	for _, cast := range []string{`key::integer`, `1 / (length(key) - 1)`, `left(key, length(key) - 2 - length(key))::timestamptz`, `(SELECT n FROM generate_series(1, 2) n)`} {
		found, err := checkBy(fmt.Sprintf(`SELECT key, (%s)::text FROM bindings WHERE $1 = ''`, cast)).apart(t.Context(), tx, "", time.Now())
		if err != nil || len(found) != 1 || found[0].Where != "catalog" {
			t.Errorf("%s: %+v, %v", cast, found, err)
		}
	}
	for _, lacks := range []string{`SELECT nothing, nothing FROM bindings`, `SELECT key, key FROM nothing`} { // it is said, once
		found, err := checkBy(lacks).apart(t.Context(), tx, "", time.Now())
		if err != nil || len(found) != 1 || found[0].Where != "catalog" {
			t.Errorf("%s: %+v, %v", lacks, found, err)
		}
	}
	if _, err := checkBy(`SELECT key key key FROM bindings`).apart(t.Context(), tx, "", time.Now()); err == nil || Unreadable(err) != nil {
		t.Errorf("a check that is none is taken for damage: %v", err)
	}
}

// A chunk whose keys of blocks were taken away is found beside others of its version; a version
// of before, which has none at all, is not.
func TestAChunkThatLostItsBlocksIsFound(t *testing.T) {
	db := freshCatalog(t)
	tx, err := db.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica;
		INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id, text, content, text_hash, content_text_hash,
			source_type, provenance, record, blocks)
		SELECT v.doc || ':' || v.n, gen_random_uuid(), v.doc, 1, v.n, 'doc_' || v.doc, 's', 'snap_' || v.doc, '', '', '', '', '', '{}', '{}', v.blocks
		FROM (VALUES ('a', 0, '{1,2}'::bigint[]), ('a', 1, NULL), ('a', 2, '{}'), ('before', 0, NULL), ('before', 1, NULL)) v (doc, n, blocks)`); err != nil {
		t.Fatal(err)
	}
	var lost []string
	for _, check := range chunkContradictions() {
		found, err := checkBy(check).apart(t.Context(), tx, "", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			if strings.Contains(c.What, "keys of its blocks") {
				lost = append(lost, c.Where)
			}
		}
	}
	if !slices.Equal(lost, []string{"chunk a:1"}) {
		t.Errorf("found %q, want the one that lost them", lost)
	}
}
