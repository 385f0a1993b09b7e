package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// unmade selects what is not made into chunks: runs that are open or have failed, at the
// redo that they are at, and snapshots that are to be processed and have no run yet. A run
// that another has taken the place of is none of them, since that one's manifest says what
// becomes of the version. It yields, in this order: the snapshot's id, the run's (empty:
// none), the status as a manifest has it, the redo, the pages (0: not known), the sentence of
// a failure, the two times, and what more is asked of the snapshot s.
func unmade(of, more string) string {
	return `SELECT s.snapshot_id, r.extraction_id, CASE r.state WHEN 'queued' THEN 'queued' WHEN 'running' THEN 'processing' ELSE 'error' END,
			r.redo, r.page_count, CASE WHEN r.state = 'failed' THEN coalesce(nullif(r.message, ''), r.reason) ELSE '' END,
			r.created_at, coalesce(r.finished_at, r.progress_at)` + more + `
		FROM runs r JOIN snapshots s ON s.snapshot_id = r.snapshot_id
		WHERE ` + of + ` r.state IN ('queued', 'running', 'failed') AND NOT EXISTS (SELECT 1 FROM chunk_manifests m
			WHERE m.snapshot_id = r.snapshot_id AND m.extraction_id = r.extraction_id AND m.redo = r.redo)
		UNION ALL SELECT s.snapshot_id, '', 'queued', 0, 0, '', s.created_at, s.progress_at` + more + `
		FROM snapshots s WHERE ` + of + ` s.process AND s.snapshot_kind <> 'container'
			AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = s.snapshot_id)`
}

// DocumentManifests returns the manifests of a document, the newest first: one for each
// generation of chunks, which is done, and one for each version that has none, which is
// queued, processing or in error as its run is. The latter have no generation and no row:
// what they say is what run and snapshot say. All is of one moment: a version that lands
// meanwhile is one of the former or of the latter.
func (db *DB) DocumentManifests(ctx context.Context, documentID string) ([]model.Manifest, error) {
	tx, err := db.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("manifests of document %s: %w", documentID, Classify(err))
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	all, err := manifestsOf(ctx, tx, `document_id = $1`, documentID)
	if err != nil {
		return nil, err
	}
	open, err := collectAll(ctx, tx, scanUnmade, unmade(`s.document_id = $1 AND`, `, s.record`), documentID)
	if err != nil {
		return nil, fmt.Errorf("manifests of runs: %w", Classify(err))
	}
	all = append(all, open...)
	slices.SortStableFunc(all, func(a, b model.Manifest) int {
		return cmp.Or(movedAt(b).Compare(movedAt(a)), cmp.Compare(a.DocHash, b.DocHash), cmp.Compare(b.Generation, a.Generation))
	})
	return all, nil
}

// movedAt is when chunks were made; of what has none, when it moved last.
func movedAt(m model.Manifest) time.Time {
	if m.Generation > 0 {
		return m.CreatedAt
	}
	return m.UpdatedAt
}

func scanUnmade(row pgx.CollectableRow) (model.Manifest, error) {
	var (
		m     model.Manifest
		s     model.Snapshot
		pages int
	)
	if err := row.Scan(&m.SnapshotID, &m.ExtractionID, &m.Status, &m.Redo, &pages, &m.ErrorMessage, &m.CreatedAt, &m.UpdatedAt, &s); err != nil {
		return m, err
	}
	m.DocHash = s.DocHash()
	m.DocumentID, m.SourceID, m.CanonicalURL, m.SourceFile = s.DocumentID, s.SourceID, s.URLCanonical, s.Filename
	m.DocType, m.VectorStatus = string(s.FinalType), model.VectorNone
	if pages > 0 {
		m.Meta.Pages = &pages
	}
	return m, nil
}
