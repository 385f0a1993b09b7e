package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// newest selects, of each document of source $1 (all sources when it is empty),
// the snapshot that is its newest version. Of one whose order is not recorded yet it is the
// newest that is to be processed.
const newest = `SELECT DISTINCT ON (document_id) document_id, snapshot_id, source_id, record FROM snapshots
	WHERE coalesce(version, process) AND snapshot_kind <> 'container' AND ($1 = '' OR source_id = $1) ORDER BY document_id, retrieved_at DESC, snapshot_id DESC`

// newestBatch is how many snapshots are read at a time.
const newestBatch = 500

// NewestSnapshots returns the snapshot that is the newest version of each document of
// a source, or of all when it is empty, in the order of their documents: of captures of
// which the same is read the first. It holds no connection while the caller works, and ends at the first
// error.
func (db *DB) NewestSnapshots(ctx context.Context, sourceID string) iter.Seq2[model.Snapshot, error] {
	return db.newest(ctx, `SELECT record FROM (`+newest+`) n WHERE document_id > $2 ORDER BY document_id LIMIT $3`, sourceID)
}

// Unparsed is a snapshot whose document has to be extracted again.
type Unparsed struct {
	model.Snapshot
	After string // extraction_id of the run that stands in the place of one that there was, else ""
}

// Under is what units are made under.
type Under struct{ ParserVersion, RulesDigest string }

// wanted are the newest versions of source $1, or the one that $2 names, which is no
// container, with their last run under parser $3 and rules $4, and the last
// of all that stands, which takes its place when it is later and under others.
const wanted = `(SELECT w.snapshot_id, w.document_id, w.record, own.state, own.announced_redo < own.redo AS telling,
		last.extraction_id AS passed_by
	FROM (SELECT snapshot_id, document_id, record FROM (` + newest + `) n WHERE $2 = ''
		UNION ALL SELECT snapshot_id, document_id, record FROM snapshots WHERE snapshot_id = $2 AND snapshot_kind <> 'container') w
	LEFT JOIN LATERAL (SELECT * FROM runs r WHERE r.snapshot_id = w.snapshot_id AND r.parser_version = $3
		AND r.rules_digest = $4 ORDER BY run_order DESC LIMIT 1) own ON true
	LEFT JOIN LATERAL (SELECT * FROM runs r WHERE r.snapshot_id = w.snapshot_id AND r.run_order > own.run_order
		AND r.state NOT IN ('failed', 'superseded', 'removed') ORDER BY run_order DESC LIMIT 1) last ON true) wanted`

// UnparsedSnapshots returns those of NewestSnapshots, or the one that is named,
// that have no run under this parser and these rules, and those of which a later
// run under others stands in its place.
func (db *DB) UnparsedSnapshots(ctx context.Context, sourceID, snapshotID string, u Under) iter.Seq2[Unparsed, error] {
	return inBatches(sourceID, func(after string) ([]Unparsed, error) {
		rows, err := db.pool.Query(ctx, `SELECT record, coalesce(passed_by, '') FROM `+wanted+`
			WHERE (state IS NULL OR passed_by IS NOT NULL) AND document_id > $5 ORDER BY document_id LIMIT $6`,
			sourceID, snapshotID, u.ParserVersion, u.RulesDigest, after, newestBatch)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Unparsed, err error) {
			var raw []byte
			if err := row.Scan(&raw, &s.After); err != nil {
				return s, err
			}
			return s, json.Unmarshal(raw, &s.Snapshot)
		})
	}, func(s Unparsed) string { return s.DocumentID })
}

// ScannedSnapshots returns those of NewestSnapshots of which a page, or a part of
// one, was found to need OCR by any run, whether it was read or not.
func (db *DB) ScannedSnapshots(ctx context.Context, sourceID string) iter.Seq2[model.Snapshot, error] {
	return db.newest(ctx, `SELECT record FROM (`+newest+`) n WHERE document_id > $2
		AND EXISTS (SELECT 1 FROM pages p WHERE p.snapshot_id = n.snapshot_id AND p.record ? 'ocr')
		ORDER BY document_id LIMIT $3`, sourceID)
}

func (db *DB) newest(ctx context.Context, query, sourceID string) iter.Seq2[model.Snapshot, error] {
	return inBatches(sourceID, func(after string) ([]model.Snapshot, error) {
		return db.newestBatch(ctx, query, []any{sourceID, after, newestBatch})
	}, func(s model.Snapshot) string { return s.DocumentID })
}

func (db *DB) newestBatch(ctx context.Context, query string, args []any) ([]model.Snapshot, error) {
	rows, err := db.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s model.Snapshot, err error) {
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return s, err
		}
		return s, json.Unmarshal(raw, &s)
	})
}

// inBatches yields what comes after each document, until a batch is not full.
func inBatches[T any](sourceID string, batch func(after string) ([]T, error), document func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after := ""; ; {
			found, err := batch(after)
			if err != nil {
				var none T
				yield(none, fmt.Errorf("snapshots of source %q: %w", sourceID, Classify(err)))
				return
			}
			for _, s := range found {
				if !yield(s, nil) {
					return
				}
			}
			if len(found) < newestBatch {
				return
			}
			after = document(found[len(found)-1])
		}
	}
}

// ReparseProgress is how far the newest snapshots of a source's documents have
// come under a parser and rules.
type ReparseProgress struct {
	Documents int `json:"documents"` // with a snapshot that is to be processed
	Waiting   int `json:"waiting"`   // without a run, or with one in whose place a later one under others stands
	Running   int `json:"running"`   // or ended and not yet announced
	Done      int `json:"done"`
	Partial   int `json:"partial"`
	Failed    int `json:"failed"`
	Moved     int `json:"moved"` // superseded or removed
}

// Over reports whether nothing is left to do.
func (p ReparseProgress) Over() bool { return p.Waiting+p.Running == 0 }

// counted reads the columns state and telling of a table states.
const counted = `SELECT count(*), count(*) FILTER (WHERE state IS NULL),
		count(*) FILTER (WHERE state IN ('queued', 'running') OR state IN ('done', 'partial', 'failed') AND telling),
		count(*) FILTER (WHERE state = 'done' AND NOT telling), count(*) FILTER (WHERE state = 'partial' AND NOT telling),
		count(*) FILTER (WHERE state = 'failed' AND NOT telling), count(*) FILTER (WHERE state IN ('superseded', 'removed')) FROM states`

// ReparseProgress counts the states of the last runs under a parser and rules.
// With a snapshotID only that snapshot counts, whichever its document's newest is.
func (db *DB) ReparseProgress(ctx context.Context, sourceID, snapshotID string, u Under) (ReparseProgress, error) {
	return db.progress(ctx, `WITH states AS (SELECT CASE WHEN passed_by IS NULL THEN state END AS state, telling FROM `+wanted+`) `+counted,
		sourceID, snapshotID, u.ParserVersion, u.RulesDigest)
}

// ExtractionProgress counts the states of the runs that have this extraction_id, of the
// newest snapshots of a source or of the one that is named.
func (db *DB) ExtractionProgress(ctx context.Context, sourceID, snapshotID, extractionID string) (ReparseProgress, error) {
	return db.progress(ctx, `WITH states AS (SELECT r.state, r.announced_redo < r.redo AS telling
		FROM (SELECT snapshot_id FROM (`+newest+`) n WHERE $2 = '' UNION ALL SELECT snapshot_id FROM snapshots WHERE snapshot_id = $2) w
		JOIN runs r ON r.snapshot_id = w.snapshot_id AND r.extraction_id = $3) `+counted, sourceID, snapshotID, extractionID)
}

func (db *DB) progress(ctx context.Context, question string, args ...any) (p ReparseProgress, err error) {
	err = db.pool.QueryRow(ctx, question, args...).Scan(&p.Documents, &p.Waiting, &p.Running, &p.Done, &p.Partial, &p.Failed, &p.Moved)
	if err != nil {
		return p, fmt.Errorf("progress of the re-parse: %w", Classify(err))
	}
	return p, nil
}

// NewestSnapshotsOf returns the newest snapshot of each of the documents that has
// one, also where there is nothing to process. Of several with its bytes and time,
// it is the one that was recorded last.
func (db *DB) NewestSnapshotsOf(ctx context.Context, documents []string) (map[string]model.Snapshot, error) {
	found := make(map[string]model.Snapshot, len(documents))
	for part := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(documents))), newestBatch) {
		batch, err := db.newestBatch(ctx, `SELECT DISTINCT ON (s.document_id) s.record
			FROM (SELECT DISTINCT ON (document_id) document_id, retrieved_at, content_hash FROM snapshots
				WHERE document_id = ANY($1) ORDER BY document_id, retrieved_at DESC, snapshot_id DESC) n
			JOIN snapshots s USING (document_id, retrieved_at, content_hash)
			ORDER BY s.document_id, s.created_at DESC, s.snapshot_id`, []any{part})
		if err != nil {
			return nil, fmt.Errorf("the newest snapshots of %d documents: %w", len(part), Classify(err))
		}
		for _, s := range batch {
			found[s.DocumentID] = s
		}
	}
	return found, nil
}
