package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// dumped is one part of a dump: a name and the query that yields one JSON
// object a row. What the queries leave out is what contracts#dump lists: times
// but retrieved_at, last_modified, info_date and since; attempts, revisions,
// leases, what was announced or published, which of equal chunks stands for
// them, and object keys.
type dumped struct{ name, query string }

func dumpParts() []dumped {
	return []dumped{
		{"source", `SELECT record FROM sources`},
		{"capture", `SELECT jsonb_build_object('source_id', source_id, 'request_id', request_id,
			'request_digest', request_digest, 'url_canonical', url_canonical, 'outcome', outcome, 'reason', reason,
			'message', message, 'snapshot_id', snapshot_id, 'document_id', document_id) FROM captures`},
		{"document", `SELECT to_jsonb(d) - ARRAY['external_digest', 'first_seen_at', 'last_checked_at', 'last_seen_at',
			'last_ingested_at', 'last_processed_at', 'unsettled_at', 'current_rev'] FROM documents d`},
		{"snapshot", `SELECT record || jsonb_build_object('process', process, 'version', version, 'reads_digest', reads_digest)
			FROM snapshots`},
		{"run", `SELECT to_jsonb(r) - ARRAY['created_at', 'finished_at', 'announced_redo', 'annotated_redo', 'reconciled',
			'progress_at', 'facts_key'] FROM runs r`},
		{"page", `SELECT to_jsonb(p) - ARRAY['attempts', 'updated_at', 'record'] || jsonb_build_object('record', record)
			FROM pages p`},
		{"segment", `SELECT to_jsonb(s) - ARRAY['object_key', 'created_at'] FROM (SELECT DISTINCT ON
			(snapshot_id, extraction_id, from_page) * FROM ir_segments
			ORDER BY snapshot_id, extraction_id, from_page, redo DESC) s`},
		{"manifest", `SELECT to_jsonb(m) - ARRAY['created_at', 'updated_at', 'last_pushed_at', 'last_pushed_collection']
			FROM chunk_manifests m`},
		{"chunk", `SELECT record || jsonb_build_object('text', text, 'content', content, 'provenance', provenance)
			FROM chunks`},
		{"chunk_state", `SELECT jsonb_build_object('chunk_ref', chunk_ref, 'layer', layer, 'repeats', repeats,
			'since', since) FROM chunk_state`},
		{"vector", vectorPart},
		{"entity_page", entityPagePart(``)},
		{"entity", entityPart(``)},
	}
}

// entityPagePart and entityPart leave out what pages have yielded before, and pages that failed: which of it
// was ever recorded depends on what was read when, and nobody waits for those of a run that failed.
func entityPagePart(of string) string {
	return `SELECT to_jsonb(e) - ARRAY['attempts', 'announced', 'created_at', 'updated_at', 'superseded', 'run_order']
		FROM entity_pages e ` + of + ` WHERE NOT e.superseded AND e.status = 'processed'`
}

func entityPart(of string) string {
	return `SELECT to_jsonb(e) - ARRAY['created_at', 'updated_at', 'superseded'] FROM entities e ` + of + ` WHERE NOT e.superseded`
}

// vectorPart says for each text in a collection whether one of the chunks that
// hold it has a point there: which of them is left out.
const vectorPart = `SELECT jsonb_build_object('collection', v.collection, 'text_hash', c.text_hash,
	'present', bool_or(v.present)) FROM chunk_vectors v JOIN chunks c USING (chunk_ref)
	GROUP BY v.collection, c.text_hash`

// currentChunks are those of the documents' current versions. One of an earlier
// version or generation that a current one repeats is not archived either, but
// says nothing more.
const currentChunks = `chunks c JOIN documents d ON d.document_id = c.document_id
	AND d.current_doc_hash = c.doc_hash AND d.current_generation = c.generation`

// ofCurrent joins entities e with the documents whose current version they are of.
const ofCurrent = `JOIN documents d ON d.current_snapshot_id = e.snapshot_id AND d.current_extraction_id = e.extraction_id`

// currentParts are what is true now, whatever the way there: without the
// archive, generations and redos, and without slugs, which are those of what came first.
func currentParts() []dumped {
	return []dumped{
		{"source", `SELECT record FROM sources`},
		{"document", `SELECT to_jsonb(d) - ARRAY['external_digest', 'first_seen_at', 'last_checked_at', 'last_seen_at',
			'last_ingested_at', 'last_processed_at', 'unsettled_at', 'current_generation', 'current_rev', 'slug'] FROM documents d`},
		{"snapshot", `SELECT s.record - 'slug' FROM snapshots s JOIN documents d ON d.current_snapshot_id = s.snapshot_id`},
		{"page", `SELECT to_jsonb(p) - ARRAY['attempts', 'updated_at', 'redo'] FROM pages p
			JOIN documents d ON d.current_snapshot_id = p.snapshot_id AND d.current_extraction_id = p.extraction_id`},
		{"chunk", `SELECT c.record - ARRAY['chunk_ref', 'chunk_id', 'generation', 'point_id'] || jsonb_build_object('layer', s.layer,
			'text', c.text, 'content', c.content, 'provenance', c.provenance) FROM ` + currentChunks + `
			JOIN chunk_state s ON s.chunk_ref = c.chunk_ref`},
		{"vector", `SELECT jsonb_build_object('collection', v.collection, 'text_hash', k.text_hash,
			'present', bool_or(v.present)) FROM chunk_vectors v JOIN chunks k USING (chunk_ref)
			JOIN chunk_state s USING (chunk_ref) WHERE s.layer <> 'archive'
			AND k.text_hash IN (SELECT c.text_hash FROM ` + currentChunks + `) GROUP BY v.collection, k.text_hash`},
		{"entity_page", entityPagePart(ofCurrent)},
		{"entity", entityPart(ofCurrent)},
	}
}

// Dump writes every fact of the catalog as JSON lines in the canonical form of
// RFC 8785, sorted bytewise: two runs over the same input give the same bytes
// (contracts#dump). With current it leaves out archive, generations and
// redos. It reads one snapshot of the database and holds the lines in memory.
func (db *DB) Dump(ctx context.Context, w io.Writer, current bool) error {
	parts := dumpParts()
	if current {
		parts = currentParts()
	}
	tx, err := db.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return Classify(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var lines [][]byte
	for _, part := range parts {
		if lines, err = dumpPart(ctx, tx, part, lines); err != nil {
			return fmt.Errorf("dump of %s: %w", part.name, Classify(err))
		}
	}
	slices.SortFunc(lines, bytes.Compare)
	for _, line := range lines {
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func dumpPart(ctx context.Context, tx pgx.Tx, part dumped, lines [][]byte) ([][]byte, error) {
	rows, err := tx.Query(ctx, part.query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return nil, err
		}
		line, err := digest.JCS(map[string]any{"is": part.name, "row": json.RawMessage(raw)})
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}
