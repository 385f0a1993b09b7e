package catalog_test

import (
	"fmt"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// addCrowds adds chunks that make so many claims, one each but for the first 20, of which so
// many make each.
func addCrowds(t testing.TB, db *catalog.DB, claims, crowd int) {
	t.Helper()
	exec(t, db, `INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id, text, content,
			text_hash, content_text_hash, source_type, provenance, record)
		SELECT n || ':' || i, gen_random_uuid(), n || ':' || i, 1, 1, 'd' || n, 's' || i % 300, 's', repeat('text ', 300), repeat('text ', 300), 't' || n, 'c' || n, 'official', '[]',
			jsonb_build_object('type', 'fact', 'status', 'under_review', 'language', 'fr', 'doc_type', 'html', 'domain', 'civics', 'territory', 'T' || i % 40,
				'title', repeat('A title ', 20), 'url', 'https://example.org/' || n || '/' || i, 'section_path', '["One", "Two"]'::jsonb)
		FROM generate_series(1, $2::integer) n, generate_series(1, CASE WHEN n <= 20 THEN $1::integer ELSE 1 END) i`, crowd, claims)
	exec(t, db, `INSERT INTO chunk_state (chunk_ref, layer, rev) SELECT chunk_ref, 'hot', 1 FROM chunks`)
	exec(t, db, `ANALYZE chunks`)
	exec(t, db, `ANALYZE chunk_state`)
}

// TestFacetsSayWhereTheyStop: of more chunks that make a claim than are looked at.
func TestFacetsSayWhereTheyStop(t *testing.T) {
	db := openCatalog(t)
	addCrowds(t, db, 1, 2001)
	claims := []catalog.Claim{{ContentTextHash: "c1", Type: "fact", Status: "under_review"}}
	for _, c := range []struct {
		filter catalog.ChunkFilter
		whole  bool
	}{{catalog.ChunkFilter{}, false}, {catalog.ChunkFilter{ExceptSources: []string{"s1"}}, true}} {
		counts, whole, err := db.Facets(t.Context(), claims, c.filter)
		if err != nil || whole != c.whole || len(counts) < 40 {
			t.Errorf("%+v: whole %t, %d values, %v", c.filter, whole, len(counts), err)
		}
		for i, n := range counts {
			if n.Field == "" || n.Value == "" || n.Count != 1 || i > 0 && n.Field == counts[i-1].Field && n.Value <= counts[i-1].Value {
				t.Errorf("%+v after %+v", n, counts[max(0, i-1)])
			}
		}
	}
}

// BenchmarkFacets measures what facets of 800 claims take: of claims that one chunk makes
// each, and with crowds among them.
func BenchmarkFacets(b *testing.B) {
	for name, crowd := range map[string]int{"one chunk each": 1, "20 of 2,000 chunks": 2000} {
		b.Run(name, func(b *testing.B) {
			db := openCatalog(b)
			addCrowds(b, db, 800, crowd)
			claims := make([]catalog.Claim, 800)
			for i := range claims {
				claims[i] = catalog.Claim{ContentTextHash: fmt.Sprint("c", i+1), Type: "fact", Status: "under_review"}
			}
			for b.Loop() {
				if _, _, err := db.Facets(b.Context(), claims, catalog.ChunkFilter{Layers: []string{"hot", "summary"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
