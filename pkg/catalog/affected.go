package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Origin names where records are from, by one of its fields, the others empty (seeds#capture,
// "removal").
type Origin struct {
	SourceID   string
	SnapshotID string
	URL        string // as a snapshot has it, or as one of its redirects has it
	Canonical  string // its canonical form, or ""
}

// Affected is a snapshot, and how many records were derived from it.
type Affected struct {
	SnapshotID       string `json:"snapshot_id"`
	SourceID         string `json:"source_id"`
	DocumentID       string `json:"document_id"`
	URL              string `json:"url"`                          // of the snapshot, "" for none
	ExternalID       string `json:"external_id"`                  // the document's identity
	ParentSnapshotID string `json:"parent_snapshot_id,omitempty"` // the container that it is a member of
	ContentHash      string `json:"content_hash"`                 // of the raw bytes, which other snapshots of the source may share
	Runs             int    `json:"runs"`
	Pages            int    `json:"pages"`       // over all runs
	Segments         int    `json:"ir_segments"` // objects with IR, over all runs
	Read             int    `json:"ocr_results"` // stored results of OCR that were made for it first
	Manifests        int    `json:"manifests"`
	Chunks           int    `json:"chunks"`
	Points           int    `json:"points"` // of its chunks, over all collections
}

// affected selects the snapshots of an origin, with the members of containers among them, and
// counts what was made of each.
const affected = `WITH RECURSIVE hit AS (
		SELECT snapshot_id FROM snapshots WHERE $1 <> '' AND source_id = $1 OR $2 <> '' AND snapshot_id = $2
			OR $3 <> '' AND (record->>'url' = $3 OR record->'redirect_chain' ? $3) OR $4 <> '' AND record->>'url_canonical' = $4
		UNION SELECT s.snapshot_id FROM snapshots s JOIN hit h ON s.record->>'parent_snapshot_id' = h.snapshot_id)
	SELECT s.snapshot_id, s.source_id, s.document_id, coalesce(s.record->>'url', ''), s.record->>'external_id',
		coalesce(s.record->>'parent_snapshot_id', ''), s.content_hash, coalesce(r.n, 0), coalesce(p.n, 0), coalesce(i.n, 0),
		coalesce(o.n, 0), coalesce(m.n, 0), coalesce(c.n, 0), coalesce(v.n, 0)
	FROM snapshots s JOIN hit USING (snapshot_id)
	LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM runs JOIN hit USING (snapshot_id) GROUP BY 1) r USING (snapshot_id)
	LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM pages JOIN hit USING (snapshot_id) GROUP BY 1) p USING (snapshot_id)
	LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM ir_segments JOIN hit USING (snapshot_id) GROUP BY 1) i USING (snapshot_id)
	LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM stored_results JOIN hit USING (snapshot_id) GROUP BY 1) o USING (snapshot_id)
	LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM chunk_manifests JOIN hit USING (snapshot_id) GROUP BY 1) m USING (snapshot_id)
	LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM chunks JOIN hit USING (snapshot_id) GROUP BY 1) c USING (snapshot_id)
	LEFT JOIN (SELECT k.snapshot_id, count(*) AS n FROM chunk_vectors JOIN chunks k USING (chunk_ref) JOIN hit USING (snapshot_id)
		WHERE present GROUP BY 1) v USING (snapshot_id)
	ORDER BY s.source_id, s.document_id, s.retrieved_at, s.snapshot_id`

// AffectedBy calls each with the snapshots of an origin, in the order of sources, documents
// and captures, and with how much was derived from each: all that its removal would touch.
func (db *DB) AffectedBy(ctx context.Context, o Origin, each func(Affected) error) error {
	rows, err := db.pool.Query(ctx, affected, o.SourceID, o.SnapshotID, o.URL, o.Canonical)
	if err != nil {
		return fmt.Errorf("what is affected: %w", Classify(err))
	}
	var a Affected
	_, err = pgx.ForEachRow(rows, []any{&a.SnapshotID, &a.SourceID, &a.DocumentID, &a.URL, &a.ExternalID, &a.ParentSnapshotID, &a.ContentHash,
		&a.Runs, &a.Pages, &a.Segments, &a.Read, &a.Manifests, &a.Chunks, &a.Points}, func() error { return each(a) })
	if err != nil {
		return fmt.Errorf("what is affected: %w", Classify(err))
	}
	return nil
}
