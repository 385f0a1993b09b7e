package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// seedColumns are the columns of the founding documents' tables and their types, as those
// have them: where they have VARCHAR(n), text of any length; where they have an enum or
// JSON as text, text.
const seedColumns = `
seed003.sources id uuid, external_id text, fingerprint text, source_type text, domain text, territory text, meta jsonb, last_seen_at timestamptz, last_processed_at timestamptz
seed003.knowledge_chunks id uuid, source_id uuid, text text, text_hash text, embedding real[], type text, status text, source_type text, domain text, territory text, info_date date, layer text, meta jsonb, created_at timestamptz
seed003.staging id bigint, post_id bigint, source_id uuid, synced_at timestamptz, external_id text
seed004.document_catalog id bigint, canonical_url varchar, content_type varchar, final_type text, last_modified timestamptz, etag varchar, content_hash varchar, title text, domain varchar, first_seen_at timestamptz, last_checked_at timestamptz, last_ingested_at timestamptz, ingest_status varchar, error_message text
seed004.chunk_manifest id bigint, doc_hash varchar, canonical_url varchar, source_file varchar, doc_type varchar, chunk_count integer, status varchar, error_message text, meta text, created_at timestamptz, updated_at timestamptz, last_pushed_at timestamptz, last_pushed_collection varchar, vector_status text
seed004.chunk_store id bigint, doc_hash varchar, chunk_id varchar, chunk_index integer, text_content text, tokens integer, anchors text, chunk_metadata text, created_at timestamptz
`

// seeded is a catalog, and its views by their names alone.
type seeded struct {
	*catalog.DB
	schema string
}

func openSeeded(t *testing.T) seeded {
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
	return seeded{db, env.Schema}
}

// rows returns what a statement yields with the views of a seed as its search_path.
func (db seeded) rows(t *testing.T, seed, sql string, args ...any) []map[string]any {
	t.Helper()
	var all []map[string]any
	err := db.Tx(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "SET LOCAL search_path TO "+pgx.Identifier{access.SeedSchema(db.schema, seed)}.Sanitize())
		if err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(), sql, args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowToMap)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}

// TestSeedViewsHaveEveryColumn: each view has the columns of its table in their order and
// of their types, and no view can be written through, by its owner either.
func TestSeedViewsHaveEveryColumn(t *testing.T) {
	db := openSeeded(t)
	views := 0
	for line := range strings.Lines(strings.TrimSpace(seedColumns)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		seed, view, _ := strings.Cut(name, ".")
		full := pgx.Identifier{access.SeedSchema(db.schema, seed), view}.Sanitize()
		var columns []string
		for _, row := range db.rows(t, seed, `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
			WHERE attrelid = $1::text::regclass AND attnum > 0 ORDER BY attnum`, full) {
			columns = append(columns, fmt.Sprintf("%s %s", row["name"], row["type"]))
		}
		got := strings.NewReplacer("timestamp with time zone", "timestamptz", "character varying", "varchar").Replace(strings.Join(columns, ", "))
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		first, _, _ := strings.Cut(want, " ")
		for _, statement := range []string{
			"INSERT INTO " + full + " DEFAULT VALUES", "DELETE FROM " + full, "UPDATE " + full + " SET " + first + " = NULL",
		} {
			err := db.Tx(t.Context(), func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), statement); return err })
			var pg *pgconn.PgError
			if !errors.As(err, &pg) || pg.Code != "55000" { // cannot be written: it is a view of several tables
				t.Errorf("%s: %v", statement, err)
			}
		}
		views++
	}
	if views != 6 {
		t.Errorf("%d views", views)
	}
}

// TestSeed003FindsWhatIsKnown: the seed's SELECT, as it is written there, finds a text once;
// for each text and type of source there is one row, whatever repeats, duplicates or
// archives it; facts that are confirmed come first, the newest first, and opinions apart.
func TestSeed003FindsWhatIsKnown(t *testing.T) {
	db := openSeeded(t)
	a, b, c := snapshotOf("a", 1), snapshotOf("b", 2), snapshotOf("c", 3)
	for _, s := range []model.Snapshot{a, b, c} {
		addSnapshot(t, db.DB, s)
	}
	runA, runB, runC := startRun(t, db.DB, a, "x1", 1), startRun(t, db.DB, b, "x1", 1), startRun(t, db.DB, c, "x1", 1)
	land(t, db.DB, a, runA, generation{n: 1, texts: []string{"the bridge", "the mill", "gone twice", "old bridge"}})
	land(t, db.DB, b, runB, generation{n: 1, texts: []string{"the bridge", "gone twice", "a well"}, archive: []string{chunkRef(a, 1, 2), chunkRef(b, 1, 1)}})
	land(t, db.DB, c, runC, generation{n: 1, texts: []string{"the mill", "old bridge"}, repeats: map[int]string{0: chunkRef(a, 1, 1)}, archive: []string{chunkRef(a, 1, 3)}})
	exec(t, db.DB, `UPDATE chunk_state SET duplicate_of = $1 WHERE chunk_ref = $2`, chunkRef(a, 1, 0), chunkRef(b, 1, 0))
	exec(t, db.DB, `INSERT INTO knowledge (text_hash, source_type, chunk_ref) SELECT text_hash, source_type, chunk_ref FROM chunks JOIN chunk_state s USING (chunk_ref)
		WHERE s.layer <> 'archive' AND repeats = '' AND duplicate_of = ''`)

	hash := func(text string) string { return digest.Text("TYPE: fact\n\n" + text) }
	for _, text := range []string{"the bridge", "the mill", "gone twice", "old bridge", "a well"} {
		// As the seed has it, word for word.
		found := db.rows(t, "seed003", `SELECT id FROM knowledge_chunks WHERE text_hash = $1 AND source_type = $2`, hash(text), "official")
		if len(found) != 1 {
			t.Errorf("%s: %d rows", text, len(found))
		}
	}
	if found := db.rows(t, "seed003", `SELECT id FROM knowledge_chunks WHERE text_hash = $1 AND source_type = $2`, hash("never said"), "official"); len(found) != 0 {
		t.Errorf("what nobody said: %v", found)
	}
	all := db.rows(t, "seed003", `SELECT k.text_hash, k.layer, s.external_id FROM knowledge_chunks k JOIN sources s ON s.id = k.source_id`)
	byHash := make(map[string]string)
	for _, row := range all {
		byHash[row["text_hash"].(string)] = fmt.Sprint(row["layer"], " ", row["external_id"])
	}
	want := map[string]string{
		hash("the bridge"): "hot " + a.ExternalID, hash("the mill"): "hot " + a.ExternalID, hash("old bridge"): "hot " + c.ExternalID,
		hash("a well"): "hot " + b.ExternalID,
	}
	for text, is := range want {
		if byHash[text] != is {
			t.Errorf("%s, want %s", byHash[text], is)
		}
	}
	if len(all) != 5 || !strings.HasPrefix(byHash[hash("gone twice")], "archive ") {
		t.Errorf("%d rows: %v", len(all), byHash)
	}

	exec(t, db.DB, `UPDATE chunks SET record = record || jsonb_build_object('type', 'fact', 'status', 'confirmed', 'info_date', '2024-03-15', 'meta', jsonb_build_object('topic', 'bridges')) WHERE chunk_ref = $1`, chunkRef(a, 1, 0))
	exec(t, db.DB, `UPDATE chunks SET record = record || jsonb_build_object('type', 'allegation', 'status', 'under_review', 'info_date', '2026-01-02') WHERE chunk_ref = $1`, chunkRef(a, 1, 1))
	exec(t, db.DB, `UPDATE chunks SET record = record || jsonb_build_object('type', 'fact', 'status', 'confirmed', 'info_date', '2025-07-01') WHERE chunk_ref = $1`, chunkRef(c, 1, 1))
	exec(t, db.DB, `UPDATE chunks SET record = record || jsonb_build_object('type', 'opinion', 'status', 'under_review', 'info_date', '0000-00-00') WHERE chunk_ref = $1`, chunkRef(b, 1, 2))
	var facts []string
	for _, row := range db.rows(t, "seed003", `SELECT text_hash, info_date FROM knowledge_chunks WHERE type <> 'opinion' AND layer = 'hot'
		ORDER BY type = 'fact' AND status = 'confirmed' DESC, info_date DESC`) {
		facts = append(facts, row["text_hash"].(string))
	}
	if !slices.Equal(facts, []string{hash("old bridge"), hash("the bridge"), hash("the mill")}) {
		t.Errorf("in this order: %v", facts)
	}
	opinions := db.rows(t, "seed003", `SELECT info_date, embedding FROM knowledge_chunks WHERE type = 'opinion'`)
	if len(opinions) != 1 || opinions[0]["info_date"] != nil || opinions[0]["embedding"] != nil {
		t.Errorf("opinions, of which one has no date: %v", opinions)
	}
	if found := db.rows(t, "seed003", `SELECT 1 FROM knowledge_chunks WHERE info_date = '2024-03-15' AND meta->>'topic' = 'bridges' AND domain IS NULL`); len(found) != 1 {
		t.Errorf("%d chunks of that day", len(found))
	}
}

// TestSeed003Staging: a document that was made into chunks is staged, and has the number
// that its source gives it.
func TestSeed003Staging(t *testing.T) {
	db := openSeeded(t)
	for external, post := range map[string]any{
		"forum:4711": int64(4711), "42": int64(42), "https://example.org/9": nil, "https://example.org:80": nil, "a:b:7": nil, "forum:99999999999999999999": nil,
	} {
		id := digest.DocumentID("s", external)
		exec(t, db.DB, `INSERT INTO documents (document_id, source_id, external_id, external_digest, slug) VALUES ($1, 's', $2::text, sha256(convert_to($2::text, 'UTF8')), 'x')`, id, external)
		exec(t, db.DB, `INSERT INTO staged_items (source_id, external_digest, document_id) SELECT source_id, external_digest, document_id FROM documents WHERE document_id = $1`, id)
		found := db.rows(t, "seed003", `SELECT i.post_id, i.synced_at FROM staging i JOIN sources s ON s.id = i.source_id WHERE s.external_id = $1 AND i.external_id = $1`, external)
		if len(found) != 1 || found[0]["post_id"] != post || found[0]["synced_at"] != nil {
			t.Errorf("%s: %v", external, found)
		}
	}
}

// TestSeed004ManifestsAreThoseOfTheAPI: from its run on a version has the manifest that the
// API shows, doc_hash included, and one doc_hash has one row.
func TestSeed004ManifestsAreThoseOfTheAPI(t *testing.T) {
	db := openSeeded(t)
	s := snapshotOf("a", 1)
	s.ExternalID, s.Filename = "forum:\"é\\\u2028\t\x7f/ 1", "agenda.html"
	s.DocumentID = digest.DocumentID("s", s.ExternalID)
	equal := func(when string, rows int) {
		t.Helper()
		api, err := db.DocumentManifests(t.Context(), s.DocumentID)
		if err != nil {
			t.Fatal(err)
		}
		views := db.rows(t, "seed004", `SELECT doc_hash, status, canonical_url, source_file, doc_type, chunk_count, coalesce(error_message, '') AS error_message,
			vector_status, meta, created_at, updated_at FROM chunk_manifest`)
		if len(views) != rows || len(api) == 0 && rows > 0 {
			t.Errorf("%s: %v, and of the API %+v", when, views, api)
			return
		}
		for _, v := range views {
			m := api[slices.IndexFunc(api, func(m model.Manifest) bool { return m.DocHash == v["doc_hash"] && m.Generation == maxGeneration(api) })]
			var meta model.ManifestMeta
			if err := json.Unmarshal([]byte(v["meta"].(string)), &meta); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(v["status"], v["canonical_url"], v["doc_type"], v["chunk_count"], v["error_message"], v["vector_status"], v["created_at"].(time.Time).UTC(), v["updated_at"].(time.Time).UTC()) !=
				fmt.Sprint(m.Status, m.CanonicalURL, m.DocType, m.ChunkCount, m.ErrorMessage, m.VectorStatus, m.CreatedAt.UTC(), m.UpdatedAt.UTC()) ||
				fmt.Sprint(meta) != fmt.Sprint(m.Meta) && (meta.Pages == nil || *meta.Pages != *m.Meta.Pages) {
				t.Errorf("%s: %v, want %+v", when, v, m)
			}
		}
	}
	addSnapshot(t, db.DB, s)
	run := startRun(t, db.DB, s, "x1", 17)
	equal("split", 1)
	putRange(t, db.DB, run, model.PageRange{From: 1, To: 16}, 0)
	equal("half extracted", 1)
	failed := run
	failed.Reason, failed.Message = "timeout", "page 1 took longer than a minute"
	if _, err := db.FailRun(t.Context(), failed, time.Second); err != nil {
		t.Fatal(err)
	}
	equal("failed", 1)
	again := startRun(t, db.DB, s, "x2", 1)
	equal("two runs of one doc_hash", 1)
	land(t, db.DB, s, again, generation{n: 1, texts: []string{"one", "two"}})
	finish(t, db.DB, again, model.RunDone)
	equal("landed", 1)
	land(t, db.DB, s, again, generation{n: 2, texts: []string{"three"}})
	equal("landed again", 1)

	chunks := db.rows(t, "seed004", `SELECT c.id, c.chunk_id, c.chunk_index, c.text_content, c.anchors, c.chunk_metadata::jsonb->>'layer' AS layer, m.chunk_count
		FROM chunk_store c JOIN chunk_manifest m USING (doc_hash) ORDER BY c.chunk_index`)
	if len(chunks) != 1 || chunks[0]["chunk_id"] != "0@2" || chunks[0]["text_content"] != "TYPE: fact\n\nthree" || chunks[0]["layer"] != "hot" ||
		fmt.Sprint(chunks[0]["chunk_count"]) != "1" || chunks[0]["anchors"] != "null" && chunks[0]["anchors"] != "[]" {
		t.Errorf("of the newest generation: %v", chunks)
	}
	if found := db.rows(t, "seed004", `SELECT text_content FROM chunk_store WHERE id = $1`, chunks[0]["id"]); len(found) != 1 {
		t.Errorf("by its number: %v", found)
	}
	exec(t, db.DB, `UPDATE chunk_manifests SET canonical_url = $1`, s.URLCanonical)
	documents := db.rows(t, "seed004", `SELECT d.content_hash, d.domain, m.doc_hash FROM document_catalog d JOIN chunk_manifest m USING (canonical_url)`)
	if len(documents) != 1 || "sha256:"+documents[0]["content_hash"].(string) != s.ContentHash || documents[0]["domain"] != "example.org" {
		t.Errorf("by address: %v", documents)
	}
}

func maxGeneration(all []model.Manifest) int {
	highest := 0
	for _, m := range all {
		highest = max(highest, m.Generation)
	}
	return highest
}

// TestSeedViewsAreFoundByTheirKeys: whoever asks by a key of the seeds' tables reads no
// table from end to end, however large it is.
func TestSeedViewsAreFoundByTheirKeys(t *testing.T) {
	db := openSeeded(t)
	for _, asked := range []string{
		"seed003 knowledge_chunks text_hash = 'h' AND source_type = 'official'",
		"seed003 knowledge_chunks id = '00000000-0000-0000-0000-000000000000'",
		"seed003 knowledge_chunks source_id = '00000000-0000-0000-0000-000000000000'",
		"seed003 sources id = '00000000-0000-0000-0000-000000000000'",
		"seed003 sources external_id = 'x'",
		"seed003 staging id = 1",
		"seed003 staging post_id = 1",
		"seed003 staging source_id = '00000000-0000-0000-0000-000000000000'",
		"seed004 document_catalog id = 1",
		"seed004 document_catalog canonical_url = 'x'",
		"seed004 chunk_manifest id = 1",
		"seed004 chunk_manifest doc_hash = 'x'",
		"seed004 chunk_manifest canonical_url = 'x'",
		"seed004 chunk_store id = 1",
		"seed004 chunk_store doc_hash = 'x' AND chunk_id = '0'",
		"seed004 chunk_store doc_hash = 'x' ORDER BY chunk_index",
		"seed004 chunk_store id > 1 ORDER BY id LIMIT 100",
	} {
		seed, rest, _ := strings.Cut(asked, " ")
		view, where, _ := strings.Cut(rest, " ")
		var plan strings.Builder
		err := db.Tx(t.Context(), func(tx pgx.Tx) error {
			for _, statement := range []string{"SET LOCAL enable_seqscan = off", "SET LOCAL search_path TO " + pgx.Identifier{access.SeedSchema(db.schema, seed)}.Sanitize()} {
				if _, err := tx.Exec(t.Context(), statement); err != nil {
					return err
				}
			}
			rows, err := tx.Query(t.Context(), "EXPLAIN SELECT * FROM "+view+" WHERE "+where)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			plan.WriteString(strings.Join(lines, "\n"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(plan.String(), "Seq Scan") {
			t.Errorf("%s:\n%s", asked, plan.String())
		}
	}
}
