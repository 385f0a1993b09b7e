package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// unsettled selects documents d with a run each, the newest that has a manifest: one that has ended, if
// there is one.
const unsettled = `SELECT d.document_id, m.snapshot_id, m.extraction_id
	FROM documents d JOIN LATERAL (SELECT r.snapshot_id, r.extraction_id FROM chunk_manifests k
		JOIN snapshots s ON s.snapshot_id = k.snapshot_id
		JOIN runs r ON r.snapshot_id = k.snapshot_id AND r.extraction_id = k.extraction_id
		WHERE k.document_id = d.document_id ORDER BY r.state IN ('queued', 'running'), s.retrieved_at DESC, s.snapshot_id DESC, r.run_order DESC LIMIT 1) m ON true
	WHERE d.unsettled_at IS NOT NULL AND `

// Unsettled returns the document when it is not settled, else nil.
func (db *DB) Unsettled(ctx context.Context, documentID string) (*model.Unsettled, error) {
	var d model.Unsettled
	err := db.pool.QueryRow(ctx, unsettled+`d.document_id = $1`, documentID).Scan(&d.DocumentID, &d.SnapshotID, &d.ExtractionID)
	if err = Classify(err); errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("document %s: what is current: %w", documentID, err)
	}
	return &d, nil
}

// StuckDocument is a document that is not settled.
type StuckDocument struct {
	model.Unsettled
	Redrives int
}

// UnsettledDocuments returns the documents that are not settled since before, the oldest
// first. What moves them is counted with their runs: see RunRedriven.
func (db *DB) UnsettledDocuments(ctx context.Context, before time.Time, p Page) ([]StuckDocument, error) {
	return stuck(ctx, db, "documents", func(row pgx.CollectableRow) (d StuckDocument, err error) {
		return d, row.Scan(&d.DocumentID, &d.SnapshotID, &d.ExtractionID, &d.Redrives)
	}, `SELECT u.*, r.reconciled FROM (`+unsettled+`d.unsettled_at < $1) u
		JOIN documents d USING (document_id) JOIN runs r USING (snapshot_id, extraction_id)
		ORDER BY d.unsettled_at, u.document_id LIMIT $2 OFFSET $3`, before, p.Limit, p.Offset)
}

// DocumentRedriven counts that the chunker was asked to settle a document.
func (db *DB) DocumentRedriven(ctx context.Context, u model.Unsettled) error {
	return db.redriven(ctx, `WITH counted AS (UPDATE runs SET reconciled = reconciled + 1 WHERE snapshot_id = $2 AND extraction_id = $3)
		UPDATE documents SET unsettled_at = now() WHERE document_id = $1 AND unsettled_at IS NOT NULL`,
		u.DocumentID, u.SnapshotID, u.ExtractionID)
}

// DocumentGivenUp notes that the chunker could not settle a document: nobody tries any
// more, and what its row says that is current contradicts the order of its versions.
func (db *DB) DocumentGivenUp(ctx context.Context, documentID string) error {
	return db.redriven(ctx, `UPDATE documents SET unsettled_at = NULL WHERE document_id = $1`, documentID)
}

// UnorderedDocuments returns documents, after the one that is named, with snapshots of
// which it is not recorded what extraction reads of them and which are versions: those
// that were captured before this was recorded.
func (db *DB) UnorderedDocuments(ctx context.Context, after string, limit int) ([]string, error) {
	rows, err := db.pool.Query(ctx, `SELECT DISTINCT document_id FROM snapshots
		WHERE reads_digest = '' AND document_id > $1 ORDER BY document_id LIMIT $2`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("documents of before: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("documents of before: %w", Classify(err))
	}
	return found, nil
}

// orderColumns are what OrderDocument reads of each snapshot.
const orderColumns = capturedColumns + `, process, version, reads_digest = ''`

// ordered is a snapshot as its row says what it is in the order of versions.
type ordered struct {
	model.Captured
	process, bare bool  // bare: without its digest
	version       *bool // nil: not recorded
}

// OrderDocument records of every snapshot of a document what is read of it and
// whether it is a version, lets those be processed that are versions and were
// recorded only, and no container; and where another version is current than the order
// says, it notes that the document is not settled, since long ago: nothing is on its way
// to settle it. It changes nothing where all is recorded. A run of a container is superseded: it has none. changed is false when
// nothing but digests was missing.
func (db *DB) OrderDocument(ctx context.Context, documentID string, wait time.Duration) (changed bool, err error) {
	err = db.pipelined(ctx, func(p *pipeline) error {
		holdDocument(p, documentID, wait)
		var found []ordered
		p.queue(`SELECT `+orderColumns+` FROM snapshots WHERE document_id = $1 ORDER BY retrieved_at, snapshot_id`, documentID).
			Query(func(rows pgx.Rows) (err error) {
				found, err = pgx.CollectRows(rows, scanOrdered)
				return err
			})
		var landed []model.Version
		askLanded(p, documentID, &landed)
		var recorded model.Recorded
		askCurrent(p, documentID, &recorded)
		if err := p.flush(ctx); err != nil {
			return err
		}
		captured := make([]model.Captured, len(found))
		for i, o := range found {
			captured[i] = o.Captured
		}
		order := model.OrderVersions(captured)
		current, _ := model.CurrentVersion(order, landed)
		changed = !recorded.Is(current)
		if changed {
			if err := p.write(ctx, "document "+documentID, 1, `UPDATE documents SET unsettled_at = to_timestamp(0) WHERE document_id = $1`, documentID); err != nil {
				return err
			}
		}
		moved, err := orderSnapshots(ctx, p, documentID, found, order)
		changed = changed || moved
		return err
	})
	if err != nil {
		return false, fmt.Errorf("ordering document %s: %w", documentID, err)
	}
	return changed, nil
}

func scanOrdered(row pgx.CollectableRow) (o ordered, err error) {
	o.Captured, err = scanCaptured(row, &o.process, &o.version, &o.bare)
	return o, err
}

// orderSnapshots writes what is missing or wrong in the rows of one document.
func orderSnapshots(ctx context.Context, p *pipeline, documentID string, found []ordered, order []model.Ordered) (changed bool, err error) {
	rows := make(map[string]ordered, len(found))
	for _, o := range found {
		rows[o.SnapshotID] = o
	}
	for _, c := range order {
		is := rows[c.SnapshotID]
		version := c.Version == c.SnapshotID
		process := !c.Container && (is.process || version)
		changed = changed || process != is.process || is.version != nil && *is.version != version
		if process == is.process && !is.bare && is.version != nil && *is.version == version {
			continue
		}
		if err := p.write(ctx, "snapshot "+c.SnapshotID, 1, `UPDATE snapshots SET reads_digest = $2, version = $3, process = $4
			WHERE snapshot_id = $1`,
			c.SnapshotID, c.Reads, version, process); err != nil {
			return changed, err
		}
		if !c.Container {
			continue
		}
		if err := p.write(ctx, "runs of "+c.SnapshotID, 1, `UPDATE runs SET state = 'superseded', finished_at = coalesce(finished_at, now())
			WHERE snapshot_id = $1 AND state <> 'removed'`, c.SnapshotID); err != nil {
			return changed, err
		}
	}
	return changed, p.write(ctx, "document "+documentID+": its ingest status", 1, setStatus(), documentID)
}
