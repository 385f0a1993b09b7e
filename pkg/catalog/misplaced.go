package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// misplaced selects of the chunks behind $1, at most $2 in their order, the documents of
// those that rules of before have left in the wrong place: in the archive, and standing for
// a text or a duplicate, so that a search without the archive finds none of its equals; or
// current, in another layer than that of the version that is, or whose document's meta is
// that of no version or of another; or, with $4, repeating a chunk of other facets;
// and at the beginning the documents without chunks whose meta is so. Documents that are to be
// decided anew already, and those of which that was tried in vain, are left out. With them
// comes, without a name, the last chunk when there are more.
const misplaced = `WITH part AS MATERIALIZED (
		SELECT chunk_ref, layer, duplicate_of, repeats FROM chunk_state WHERE chunk_ref > $1 ORDER BY chunk_ref LIMIT $2),
	wrong AS (
		SELECT DISTINCT c.document_id FROM part s JOIN chunks c ON c.chunk_ref = s.chunk_ref
		LEFT JOIN documents d ON d.document_id = c.document_id AND d.current_doc_hash = c.doc_hash AND d.current_generation = c.generation
		LEFT JOIN snapshots n ON n.snapshot_id = d.current_snapshot_id
		WHERE s.layer <> n.record->>'layer' OR ` + undescribed + ` OR s.layer = 'archive' AND (s.duplicate_of <> '' OR EXISTS (SELECT 1 FROM knowledge k
			WHERE k.text_hash = c.text_hash AND k.source_type = c.source_type AND k.chunk_ref = c.chunk_ref))
			OR $4 AND s.repeats <> '' AND EXISTS (SELECT 1 FROM chunks o WHERE o.chunk_ref = s.repeats AND (` + chunkFacets + `) IS DISTINCT FROM (` + otherFacets + `)))
	SELECT w.document_id, '' FROM wrong w JOIN documents d ON d.document_id = w.document_id
	WHERE d.unsettled_at IS NULL AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.document_id = w.document_id AND r.reconciled >= $3)
	UNION ALL (SELECT d.document_id, '' FROM documents d WHERE $1 = '' AND ` + undescribed + ` AND d.unsettled_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.doc_hash = d.current_doc_hash AND c.generation = d.current_generation)
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.document_id = d.document_id AND r.reconciled >= $3) LIMIT $2)
	UNION ALL SELECT '', max(chunk_ref) FROM part HAVING count(*) = $2`

// MisplacedDocuments looks at the next window chunks after a chunk_ref and returns the
// documents of those that are in another layer than the document's current version makes
// them, or that stand for a text in the archive, or whose meta is not that version's. With
// repeats it looks, too, at which repeat a chunk of other facets: it reads the records of all
// that repeat then. last is where to go on, "" at the end.
func (db *DB) MisplacedDocuments(ctx context.Context, after string, window int, repeats bool) (ids []string, last string, err error) {
	rows, err := db.pool.Query(ctx, misplaced, after, window, MaxRedrives, repeats)
	if err != nil {
		return nil, "", fmt.Errorf("chunks in the wrong layer: %w", Classify(err))
	}
	var id, chunk string
	_, err = pgx.ForEachRow(rows, []any{&id, &chunk}, func() error {
		if id == "" {
			last = chunk
		} else {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("chunks in the wrong layer: %w", Classify(err))
	}
	return ids, last, nil
}

// UnsettleDocument notes that what is current of a document is to be decided anew, since
// long ago: nothing is on its way to decide it. One that is noted so stays as it is.
func (db *DB) UnsettleDocument(ctx context.Context, documentID string) error {
	if _, err := db.pool.Exec(ctx, `UPDATE documents SET unsettled_at = to_timestamp(0)
		WHERE document_id = $1 AND unsettled_at IS NULL`, documentID); err != nil {
		return fmt.Errorf("document %s: what is current: %w", documentID, Classify(err))
	}
	return nil
}
