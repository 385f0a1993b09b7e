package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const runColumns = `snapshot_id, extraction_id, source_id, document_id, state, page_count, redo, run_order,
	reason, message, parser_version, rules_digest, facts_key, facts_digest, why, rules, ocr`

func scanRun(row pgx.Row) (model.Run, error) {
	var r model.Run
	err := row.Scan(runFields(&r)...)
	return r, err
}

// runFields are where runColumns are scanned to.
func runFields(r *model.Run) []any {
	return []any{&r.SnapshotID, &r.ExtractionID, &r.SourceID, &r.DocumentID, &r.State, &r.PageCount, &r.Redo,
		&r.RunOrder, &r.Reason, &r.Message, &r.ParserVersion, &r.RulesDigest, &r.FactsKey, &r.FactsDigest, &r.Why, &r.Rules, &r.OCR}
}

// Run returns one run, or ErrNotFound.
func (db *DB) Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error) {
	r, err := scanRun(db.pool.QueryRow(ctx,
		`SELECT `+runColumns+` FROM runs WHERE snapshot_id = $1 AND extraction_id = $2`, snapshotID, extractionID))
	if err != nil {
		return model.Run{}, fmt.Errorf("run %s/%s: %w", snapshotID, extractionID, Classify(err))
	}
	return r, nil
}

// runsOf selects the runs of a snapshot in their order.
const runsOf = `SELECT ` + runColumns + ` FROM runs WHERE snapshot_id = $1 ORDER BY run_order`

func collectRuns(rows pgx.Rows) ([]model.Run, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.Run, error) { return scanRun(row) })
}

// Runs returns the runs of a snapshot in their order.
func (db *DB) Runs(ctx context.Context, snapshotID string) ([]model.Run, error) {
	rows, err := db.pool.Query(ctx, runsOf, snapshotID)
	if err != nil {
		return nil, fmt.Errorf("runs of %s: %w", snapshotID, Classify(err))
	}
	runs, err := collectRuns(rows)
	if err != nil {
		return nil, fmt.Errorf("runs of %s: %w", snapshotID, Classify(err))
	}
	return runs, nil
}

// SnapshotRuns returns a snapshot with its runs in their order, or ErrNotFound.
func (db *DB) SnapshotRuns(ctx context.Context, snapshotID string) (s model.Snapshot, runs []model.Run, err error) {
	var b pgx.Batch // one way to the server
	b.Queue(snapshotRecord, snapshotID).QueryRow(func(row pgx.Row) (err error) {
		s, err = scanSnapshot(row)
		return err
	})
	b.Queue(runsOf, snapshotID).Query(func(rows pgx.Rows) (err error) {
		runs, err = collectRuns(rows)
		return err
	})
	if err := db.pool.SendBatch(ctx, &b).Close(); err != nil {
		return model.Snapshot{}, nil, fmt.Errorf("snapshot %s: %w", snapshotID, Classify(err))
	}
	return s, runs, nil
}

// StartRun records a new run with a pending row for each of its pages, and
// returns the run as it stands: that of whoever was first, with the pages that
// that one gave, when two start the same one. Pages are given by their ids, in
// page order. An older run that this one takes over is marked superseded, unless
// it has ended.
//
// The run may not be on the disk yet when StartRun returns: see KeepRun.
func (db *DB) StartRun(ctx context.Context, run model.Run, pageIDs []string, supersedes string) (model.Run, error) {
	var out model.Run
	var b pgx.Batch // one transaction, and one way to the server
	b.Queue(unkept)
	// The snapshot's row orders its runs among each other.
	b.Queue(`SELECT 1 FROM snapshots WHERE snapshot_id = $1 FOR UPDATE`, run.SnapshotID)
	b.Queue(`WITH started AS (INSERT INTO runs (`+runColumns+`)
		SELECT snapshot_id, $2, $3, $4, 'queued', $5, 0, (SELECT coalesce(max(run_order), 0) + 1 FROM runs WHERE snapshot_id = $1),
			$6, $7, $8, $9, $10, $11, $12, $13, $14 FROM snapshots WHERE snapshot_id = $1 ON CONFLICT DO NOTHING RETURNING *) `+
		bindRun().inserted(`started b`, ``),
		run.SnapshotID, run.ExtractionID, run.SourceID, run.DocumentID, run.PageCount, run.Reason, run.Message,
		run.ParserVersion, run.RulesDigest, run.FactsKey, run.FactsDigest, run.Why, run.Rules, run.OCR)
	if supersedes != "" {
		b.Queue(`WITH superseded AS (UPDATE runs SET state = 'superseded', finished_at = now()
			WHERE snapshot_id = $1 AND extraction_id = $2 AND state IN ('queued', 'running') RETURNING *) `+
			bindEnd().inserted(`superseded b`, ``), run.SnapshotID, supersedes)
	}
	// Pages come with their run: those of one that stands already are there, the
	// first of them too, which comes in last here.
	parts := slices.Collect(slices.Chunk(pageIDs, pageBatch))
	for i, part := range slices.Backward(parts) {
		b.Queue(insertPages+` WHERE EXISTS (SELECT 1 FROM snapshots WHERE snapshot_id = $4)
			AND NOT EXISTS (SELECT 1 FROM pages WHERE page_id = $5 AND extraction_id = $3) ORDER BY id ON CONFLICT DO NOTHING`,
			part, pageNumbers(i*pageBatch, len(part)), run.ExtractionID, run.SnapshotID, pageIDs[0])
	}
	b.Queue(`SELECT `+runColumns+` FROM runs WHERE snapshot_id = $1 AND extraction_id = $2`,
		run.SnapshotID, run.ExtractionID).QueryRow(func(row pgx.Row) (err error) {
		out, err = scanRun(row)
		return err
	})
	if err := db.pool.SendBatch(ctx, &b).Close(); err != nil {
		return model.Run{}, fmt.Errorf("starting the run of %s: %w", run.SnapshotID, Classify(err))
	}
	return out, nil
}

// pageBatch is how many pages one statement inserts.
const pageBatch = 1000

const insertPages = `INSERT INTO pages (page_id, extraction_id, snapshot_id, page_no, status)
	SELECT id, $3, $4, no, 'pending' FROM unnest($1::uuid[], $2::int[]) AS p(id, no)`

// pageNumbers returns the numbers of n pages that follow so many others.
func pageNumbers(after, n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(after + i + 1)
	}
	return numbers
}

func insertPending(ctx context.Context, tx pgx.Tx, run model.Run, pageIDs []string) error {
	at := 0
	for part := range slices.Chunk(pageIDs, pageBatch) {
		if _, err := tx.Exec(ctx, insertPages+` ORDER BY id ON CONFLICT DO NOTHING`,
			part, pageNumbers(at, len(part)), run.ExtractionID, run.SnapshotID); err != nil {
			return err
		}
		at += len(part)
	}
	return nil
}

// StartRedo moves a run that has ended on to the given redo and records the
// ranges that are to be extracted again. Repeated with the same redo it changes
// nothing and returns the run. A run that still runs, is at another redo, or was
// superseded or removed is fault.ErrRunMoved, as a permanent RequestConflict.
func (db *DB) StartRedo(ctx context.Context, snapshotID, extractionID string, redo int, ranges []model.PageRange) (model.Run, error) {
	return db.redo(ctx, snapshotID, extractionID, redo, ranges, func(pgx.Tx, *model.Run) error { return nil })
}

// SplitAgain is StartRedo for a run that could not be split (Run.Unsplit) and
// now can be: it has the page count and the facts of split from now on, and a
// pending row for each page that it did not have. All of its ranges are
// extracted.
func (db *DB) SplitAgain(ctx context.Context, split model.Run, redo int, pageIDs []string) (model.Run, error) {
	return db.redo(ctx, split.SnapshotID, split.ExtractionID, redo, model.Ranges(split.PageCount), func(tx pgx.Tx, run *model.Run) error {
		if !run.Unsplit() {
			return fault.Permanent(fault.RequestConflict, fmt.Errorf("%w: it is split", fault.ErrRunMoved))
		}
		run.PageCount, run.FactsKey, run.FactsDigest = split.PageCount, split.FactsKey, split.FactsDigest
		return insertPending(ctx, tx, *run, pageIDs)
	})
}

func (db *DB) redo(ctx context.Context, snapshotID, extractionID string, redo int, ranges []model.PageRange,
	change func(pgx.Tx, *model.Run) error,
) (model.Run, error) {
	var run model.Run
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		var err error
		run, err = scanRun(tx.QueryRow(ctx, `SELECT `+runColumns+` FROM runs
			WHERE snapshot_id = $1 AND extraction_id = $2 FOR UPDATE`, snapshotID, extractionID))
		if err != nil {
			return err
		}
		ended := run.State == model.RunDone || run.State == model.RunPartial || run.State == model.RunFailed
		switch {
		case run.Redo == redo:
			return nil
		case run.Redo != redo-1 || !ended:
			return fault.Permanent(fault.RequestConflict, fmt.Errorf("%w: it is %s at redo %d", fault.ErrRunMoved, run.State, run.Redo))
		case len(ranges) == 0:
			return fault.Permanent(fault.Malformed, errors.New("a redo of no range"))
		}
		if err := change(tx, &run); err != nil {
			return err
		}
		froms := make([]int32, len(ranges))
		for i, r := range ranges {
			froms[i] = int32(r.From)
		}
		slices.Sort(froms)
		if _, err := tx.Exec(ctx, `INSERT INTO run_ranges (snapshot_id, extraction_id, redo, from_page)
			SELECT $1, $2, $3, f FROM unnest($4::int[]) AS r(f) ON CONFLICT DO NOTHING`,
			snapshotID, extractionID, redo, froms); err != nil {
			return err
		}
		run.Redo, run.State, run.Reason, run.Message = redo, model.RunQueued, "", ""
		_, err = tx.Exec(ctx, `WITH again AS (UPDATE runs SET redo = $3, state = 'queued', finished_at = NULL, reason = '', message = '',
			page_count = $4, facts_key = $5, facts_digest = $6, progress_at = now(), reconciled = 0
			WHERE snapshot_id = $1 AND extraction_id = $2 RETURNING *) `+bindEnd().removed(`again b`),
			snapshotID, extractionID, redo, run.PageCount, run.FactsKey, run.FactsDigest)
		return err
	})
	if err != nil {
		return model.Run{}, fmt.Errorf("redo %d of %s: %w", redo, snapshotID, err)
	}
	return run, nil
}

// RedoRanges returns the first pages of the ranges that a redo asked for again,
// ascending.
func (db *DB) RedoRanges(ctx context.Context, snapshotID, extractionID string, redo int) ([]int, error) {
	rows, err := db.pool.Query(ctx, `SELECT from_page FROM run_ranges
		WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3 ORDER BY from_page`, snapshotID, extractionID, redo)
	if err != nil {
		return nil, fmt.Errorf("ranges of redo %d of %s: %w", redo, snapshotID, Classify(err))
	}
	froms, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("ranges of redo %d of %s: %w", redo, snapshotID, Classify(err))
	}
	return froms, nil
}

// FailedPages returns the numbers of a run's failed pages, ascending.
func (db *DB) FailedPages(ctx context.Context, snapshotID, extractionID string) ([]int, error) {
	rows, err := db.pool.Query(ctx, `SELECT page_no FROM pages
		WHERE snapshot_id = $1 AND extraction_id = $2 AND status = 'failed' ORDER BY page_no`, snapshotID, extractionID)
	if err != nil {
		return nil, fmt.Errorf("failed pages of %s: %w", snapshotID, Classify(err))
	}
	pages, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("failed pages of %s: %w", snapshotID, Classify(err))
	}
	return pages, nil
}
