package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

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

// Under is what units are made under, and chunks of them: the versions are integers as text.
type Under struct{ ParserVersion, RulesDigest, ChunkerVersion, HeaderVersion string }

// reread are the snapshots that a re-parse of source $1 is of: the newest version of each
// document, and the one that is current where that is another, as when the newest has failed.
const reread = `SELECT s.snapshot_id, s.document_id, s.record FROM snapshots s
	WHERE s.snapshot_id IN (SELECT snapshot_id FROM (` + newest + `) n
		UNION SELECT d.current_snapshot_id FROM documents d WHERE $1 = '' OR d.source_id = $1)`

// wanted are those of source $1, or the one that $2 names, which is no container, with their last run under parser $3 and rules $4, and the last
// of all that stands, which takes its place when it is later and under others. outdated says that a chunker older than $5, or one that wrote headers of a
// version older than $6, has made the chunks of that run; of a version that is no number it says nothing.
const wanted = `(SELECT w.snapshot_id, w.document_id, w.record, own.state, own.announced_redo < own.redo AS telling,
		last.extraction_id AS passed_by, own.extraction_id,
		coalesce(own.state IN ('done', 'partial') AND (SELECT substring(m.chunker_version from '^[0-9]{1,9}$')::int < substring($5 from '^[0-9]{1,9}$')::int OR substring(m.header_version from '^[0-9]{1,9}$')::int < substring($6 from '^[0-9]{1,9}$')::int
			FROM chunk_manifests m WHERE m.snapshot_id = own.snapshot_id AND m.extraction_id = own.extraction_id AND m.redo = own.redo
			ORDER BY m.generation DESC LIMIT 1), false) AS outdated
	FROM (SELECT * FROM (` + reread + `) n WHERE $2 = ''
		UNION ALL SELECT snapshot_id, document_id, record FROM snapshots WHERE snapshot_id = $2 AND snapshot_kind <> 'container') w
	LEFT JOIN LATERAL (SELECT * FROM runs r WHERE r.snapshot_id = w.snapshot_id AND r.parser_version = $3
		AND r.rules_digest = $4 ORDER BY run_order DESC LIMIT 1) own ON true
	LEFT JOIN LATERAL (SELECT * FROM runs r WHERE r.snapshot_id = w.snapshot_id AND r.run_order > own.run_order
		AND r.state NOT IN ('failed', 'superseded', 'removed') ORDER BY run_order DESC LIMIT 1) last ON true) wanted`

// UnparsedSnapshots returns the newest version of each document, the current one where that
// is another, or the one snapshot that is named, of those that have no run under this parser and these rules, and those of which a later
// run under others stands in its place.
func (db *DB) UnparsedSnapshots(ctx context.Context, sourceID, snapshotID string, u Under) iter.Seq2[Unparsed, error] {
	return inBatches(sourceID, func(after string) ([]Unparsed, error) {
		rows, err := db.pool.Query(ctx, `SELECT record, coalesce(passed_by, '') FROM `+wanted+`
			WHERE (state IS NULL OR passed_by IS NOT NULL) AND snapshot_id > $7 ORDER BY snapshot_id LIMIT $8`,
			sourceID, snapshotID, u.ParserVersion, u.RulesDigest, u.ChunkerVersion, u.HeaderVersion, after, newestBatch)
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
	}, func(s Unparsed) string { return s.SnapshotID })
}

// OutdatedRuns returns, of the snapshots of UnparsedSnapshots, the runs under this parser and these rules
// whose chunks an older chunker has made, by their snapshots.
func (db *DB) OutdatedRuns(ctx context.Context, sourceID, snapshotID string, u Under) iter.Seq2[model.Run, error] {
	return inBatches(sourceID, func(after string) ([]model.Run, error) {
		rows, err := db.pool.Query(ctx, `SELECT snapshot_id, extraction_id FROM `+wanted+`
			WHERE outdated AND passed_by IS NULL AND snapshot_id > $7 ORDER BY snapshot_id LIMIT $8`,
			sourceID, snapshotID, u.ParserVersion, u.RulesDigest, u.ChunkerVersion, u.HeaderVersion, after, newestBatch)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r model.Run, err error) {
			return r, row.Scan(&r.SnapshotID, &r.ExtractionID)
		})
	}, func(r model.Run) string { return r.SnapshotID })
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

// inBatches yields what comes after each place, until a batch is not full.
func inBatches[T any](sourceID string, batch func(after string) ([]T, error), place func(T) string) iter.Seq2[T, error] {
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
			after = place(found[len(found)-1])
		}
	}
}

// ReparseProgress is how far the snapshots of a source that a re-parse is of have come
// under a parser and rules. All but Documents count snapshots: of a document the newest
// version, and the current one where that is another.
type ReparseProgress struct {
	Documents int `json:"documents"` // with a snapshot that is to be processed
	Snapshots int `json:"snapshots"` // of these documents: the sum of those below
	Waiting   int `json:"waiting"`   // without a run, or with one in whose place a later one under others stands
	Running   int `json:"running"`   // or ended and not yet announced
	Done      int `json:"done"`
	Partial   int `json:"partial"`
	Failed    int `json:"failed"`
	Moved     int `json:"moved"` // superseded or removed
	// of those that are done or partial: their chunks an older chunker has made
	Outdated int `json:"outdated"`
}

// Over reports whether nothing is left to do.
func (p ReparseProgress) Over() bool { return p.Waiting+p.Running+p.Outdated == 0 }

// counted reads the columns document_id, state, telling and outdated of a table states, which has
// a row for each snapshot.
const counted = `SELECT count(DISTINCT document_id), count(*), count(*) FILTER (WHERE state IS NULL),
		count(*) FILTER (WHERE state IN ('queued', 'running') OR state IN ('done', 'partial', 'failed') AND telling),
		count(*) FILTER (WHERE state = 'done' AND NOT telling), count(*) FILTER (WHERE state = 'partial' AND NOT telling),
		count(*) FILTER (WHERE state = 'failed' AND NOT telling), count(*) FILTER (WHERE state IN ('superseded', 'removed')),
		count(*) FILTER (WHERE state IN ('done', 'partial') AND outdated) FROM states`

// ReparseProgress counts the states of the last runs under a parser and rules.
// With a snapshotID only that snapshot counts, whichever its document's newest is.
func (db *DB) ReparseProgress(ctx context.Context, sourceID, snapshotID string, u Under) (ReparseProgress, error) {
	return db.progress(ctx, `WITH states AS (SELECT document_id, CASE WHEN passed_by IS NULL THEN state END AS state, telling, outdated FROM `+wanted+`) `+counted,
		sourceID, snapshotID, u.ParserVersion, u.RulesDigest, u.ChunkerVersion, u.HeaderVersion)
}

// ExtractionProgress counts the states of the runs that have this extraction_id, of the
// newest snapshots of a source or of the one that is named.
func (db *DB) ExtractionProgress(ctx context.Context, sourceID, snapshotID, extractionID string) (ReparseProgress, error) {
	return db.progress(ctx, `WITH states AS (SELECT r.document_id, r.state, r.announced_redo < r.redo AS telling, false AS outdated
		FROM (SELECT snapshot_id FROM (`+newest+`) n WHERE $2 = '' UNION ALL SELECT snapshot_id FROM snapshots WHERE snapshot_id = $2) w
		JOIN runs r ON r.snapshot_id = w.snapshot_id AND r.extraction_id = $3) `+counted, sourceID, snapshotID, extractionID)
}

func (db *DB) progress(ctx context.Context, question string, args ...any) (p ReparseProgress, err error) {
	err = db.pool.QueryRow(ctx, question, args...).Scan(&p.Documents, &p.Snapshots, &p.Waiting, &p.Running, &p.Done, &p.Partial, &p.Failed, &p.Moved, &p.Outdated)
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

// SnapshotAt returns the snapshot of a document with these bytes and this time, of several
// the one that was recorded last, or ErrNotFound.
func (db *DB) SnapshotAt(ctx context.Context, documentID, contentHash string, at time.Time) (model.Snapshot, error) {
	found, err := db.newestBatch(ctx, `SELECT record FROM snapshots WHERE document_id = $1 AND retrieved_at = $2 AND content_hash = $3
		ORDER BY created_at DESC, snapshot_id LIMIT 1`, []any{documentID, at, contentHash})
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return model.Snapshot{}, fmt.Errorf("document %s at %s: %w", documentID, at.Format(time.RFC3339Nano), Classify(err))
	}
	return found[0], nil
}

// CapturedBefore reports whether a request was accepted before a migration was applied, so by
// a build that did not have it. A request that is not there is ErrNotFound.
func (db *DB) CapturedBefore(ctx context.Context, sourceID, requestID string, migration int64) (before bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT coalesce(accepted_at < (SELECT min(tstamp) AT TIME ZONE 'UTC' FROM goose_db_version
		WHERE version_id = $3 AND is_applied), true) FROM captures WHERE source_id = $1 AND request_id = $2`, sourceID, requestID, migration).Scan(&before)
	if err != nil {
		return false, fmt.Errorf("request %s/%s: %w", sourceID, requestID, Classify(err))
	}
	return before, nil
}

// CapturesOf returns the rows of those requests of a source that have one, by request_id.
func (db *DB) CapturesOf(ctx context.Context, sourceID string, requests []string) (map[string]model.Capture, error) {
	found := make(map[string]model.Capture)
	for part := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(requests))), newestBatch) {
		rows, err := db.pool.Query(ctx, `SELECT `+captureColumns+` FROM captures WHERE source_id = $1 AND request_id = ANY($2)`, sourceID, part)
		if err != nil {
			return nil, fmt.Errorf("requests of %s: %w", sourceID, Classify(err))
		}
		captures, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.Capture, error) { return scanCapture(row) })
		if err != nil {
			return nil, fmt.Errorf("requests of %s: %w", sourceID, Classify(err))
		}
		for _, c := range captures {
			found[c.RequestID] = c
		}
	}
	return found, nil
}
