package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// DocumentTx is a transaction that holds the row of one document: what its
// versions, their order and their chunks are is decided by one at a time
// (contracts#document-lock). Locks are taken in one order: the document, the run, the
// rows of knowledge in the order of their keys.
//
// The document is held from the first question on. What a method writes may go to
// the server only with the next question or the end of the transaction: an error,
// also that the document is not there or held by another, can come from a later
// call.
type DocumentTx struct {
	tx         *pipeline
	documentID string
	logged     []model.Run // runs under which the log of chunks was written, each once
}

// LockDocument runs f in one transaction that holds the document's row, and
// commits it when f returns nil. When another holds the row for longer than
// wait the error asks to be deferred: that is nobody's failure. A document that
// does not exist is ErrNotFound.
func (db *DB) LockDocument(ctx context.Context, documentID string, wait time.Duration, f func(*DocumentTx) error) error {
	return db.pipelined(ctx, func(p *pipeline) error {
		holdDocument(p, documentID, wait)
		t := &DocumentTx{tx: p, documentID: documentID}
		if err := f(t); err != nil {
			return err
		}
		return t.bindLog(ctx)
	})
}

// LandRun is LockDocument for the document of a run, and returns the oldest entries that
// the run's log has then and whose events were not published yet, at most limit.
func (db *DB) LandRun(ctx context.Context, run model.Run, wait time.Duration, limit int, f func(*DocumentTx) error) ([]model.Unpublished, error) {
	var log []model.Unpublished
	err := db.LockDocument(ctx, run.DocumentID, wait, func(t *DocumentTx) error {
		if err := f(t); err != nil {
			return err
		}
		t.tx.ask(unpublishedLog, run.SnapshotID, run.ExtractionID, limit).Query(func(rows pgx.Rows) (err error) {
			log, err = pgx.CollectRows(rows, scanUnpublished)
			return err
		})
		return nil
	})
	return log, err
}

// holdDocument takes the document's row with the first question that is asked.
func holdDocument(p *pipeline, documentID string, wait time.Duration) {
	const limit = `SELECT set_config('lock_timeout', $1, true)`
	p.queue(limit, fmt.Sprint(wait.Milliseconds()))
	p.queue(`SELECT 1 FROM documents WHERE document_id = $1 FOR UPDATE`, documentID).QueryRow(func(row pgx.Row) error {
		var one int
		err := row.Scan(&one)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "55P03" {
			return fault.Defer(wait, fmt.Errorf("document %s is held by another: %w", documentID, err))
		}
		if err != nil {
			return fmt.Errorf("document %s: %w", documentID, Classify(err))
		}
		return nil
	})
	p.queue(`SET LOCAL lock_timeout TO DEFAULT`)
}

// querier is what a pool and a transaction have in common.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// RunParts returns a run as it stands, the segments that count (of each range
// the one with the highest redo, ordered by first page), and the first pages of
// the ranges that its redo asked for again. It returns ErrNotFound for no run.
func (db *DB) RunParts(ctx context.Context, snapshotID, extractionID string) (model.Run, []model.SegmentRow, []int, error) {
	var b pgx.Batch
	parts := askRunParts(&b, "", snapshotID, extractionID)
	return parts.answer(db.pool.SendBatch(ctx, &b).Close())
}

// HoldRun returns what RunParts does, and holds the run as that does, with what the
// versions of the document are decided by. docHash is that of the version that the run is
// to become; "" for none.
func (t *DocumentTx) HoldRun(ctx context.Context, snapshotID, extractionID, docHash string) (model.HeldRun, error) {
	var held model.HeldRun
	var err error
	t.askHistory(docHash, &held.History)
	held.Run, held.Segments, held.Redone, err = t.RunParts(ctx, snapshotID, extractionID)
	return held, err
}

// RunParts is that of DB, and holds the run's row as well: no redo starts and
// no segment comes in until the transaction ends.
func (t *DocumentTx) RunParts(ctx context.Context, snapshotID, extractionID string) (model.Run, []model.SegmentRow, []int, error) {
	parts := askRunParts(t.tx.later, " FOR UPDATE", snapshotID, extractionID)
	return parts.answer(t.tx.flush(ctx))
}

// Snapshot is that of DB, as the transaction sees it.
func (t *DocumentTx) Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error) {
	s, err := scanSnapshot(t.tx.QueryRow(ctx, snapshotRecord, snapshotID))
	if err != nil {
		return model.Snapshot{}, fmt.Errorf("snapshot %s: %w", snapshotID, Classify(err))
	}
	return s, nil
}

// runParts are what RunParts answers.
type runParts struct {
	snapshotID, extractionID string

	run      model.Run
	segments []model.SegmentRow
	froms    []int
}

// askRunParts queues the questions of RunParts; lock is added to that for the
// run, which is the first.
func askRunParts(b *pgx.Batch, lock, snapshotID, extractionID string) *runParts {
	p := &runParts{snapshotID: snapshotID, extractionID: extractionID}
	b.Queue(`SELECT `+runColumns+` FROM runs WHERE snapshot_id = $1 AND extraction_id = $2`+lock,
		snapshotID, extractionID).QueryRow(func(row pgx.Row) (err error) {
		p.run, err = scanRun(row)
		return err
	})
	b.Queue(`SELECT DISTINCT ON (from_page) `+segmentColumns+` FROM ir_segments
		WHERE snapshot_id = $1 AND extraction_id = $2 ORDER BY from_page, redo DESC`, snapshotID, extractionID).Query(
		func(rows pgx.Rows) (err error) {
			p.segments, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.SegmentRow, error) { return scanSegment(row) })
			return err
		})
	b.Queue(`SELECT w.from_page FROM runs r JOIN run_ranges w USING (snapshot_id, extraction_id, redo)
		WHERE r.snapshot_id = $1 AND r.extraction_id = $2 ORDER BY w.from_page`, snapshotID, extractionID).Query(
		func(rows pgx.Rows) (err error) {
			p.froms, err = pgx.CollectRows(rows, pgx.RowTo[int])
			return err
		})
	return p
}

func (p *runParts) answer(err error) (model.Run, []model.SegmentRow, []int, error) {
	if err != nil {
		return model.Run{}, nil, nil, fmt.Errorf("run %s/%s: %w", p.snapshotID, p.extractionID, Classify(err))
	}
	return p.run, p.segments, p.froms, nil
}

// FinishRun sets a run's terminal state, with the reason and the sentence of
// what failed. Pages of a run that has failed and that still wait fail with it. That it has ended is to be
// told, again where its chunks are made again.
func (t *DocumentTx) FinishRun(ctx context.Context, run model.Run) error {
	what := fmt.Sprintf("finishing run %s/%s", run.SnapshotID, run.ExtractionID)
	if run.State == model.RunFailed {
		if err := t.tx.write(ctx, what, 1, `UPDATE pages SET status = 'failed', reason = $3, error_message = $4, updated_at = now()
			WHERE snapshot_id = $1 AND extraction_id = $2 AND status = 'pending'`,
			run.SnapshotID, run.ExtractionID, run.Reason, run.Message); err != nil {
			return err
		}
	}
	return t.tx.write(ctx, what, 1, `WITH ended AS (UPDATE runs SET state = $3, reason = $4, message = $5, finished_at = now(),
			progress_at = now(), reconciled = 0, announced_redo = least(announced_redo, redo - 1)
		WHERE snapshot_id = $1 AND extraction_id = $2 RETURNING *) `+bindEnd().inserted(`ended b`, ``),
		run.SnapshotID, run.ExtractionID, run.State, run.Reason, run.Message)
}

const markRunAnnounced = `UPDATE runs SET announced_redo = greatest(announced_redo, $3)
	WHERE snapshot_id = $1 AND extraction_id = $2`

// MarkRunAnnounced records that run.completed was published for the run at this
// redo.
func (db *DB) MarkRunAnnounced(ctx context.Context, snapshotID, extractionID string, redo int) error {
	_, err := db.pool.Exec(ctx, markRunAnnounced, snapshotID, extractionID, redo)
	if err != nil {
		return fmt.Errorf("marking run %s/%s announced: %w", snapshotID, extractionID, Classify(err))
	}
	return nil
}

// SetCurrent makes v the document's current version, with what was found in it.
// current_doc_hash and current_generation name the chunks that are current: of
// a version that is the same as an earlier one, that one's.
func (t *DocumentTx) SetCurrent(ctx context.Context, v model.Version, meta model.DocumentMeta, language string) error {
	raw, err := json.Marshal(meta)
	if err != nil {
		return fmt.Errorf("document %s: its meta: %w", t.documentID, err)
	}
	return t.tx.write(ctx, "document "+t.documentID+": its current version", 1,
		`UPDATE documents SET current_snapshot_id = $2, current_extraction_id = $3,
			current_doc_hash = $4, current_generation = $5, current_rev = current_rev + (current_doc_hash <> $4 OR current_generation <> $5)::int, fingerprint = $6, title = $7, language = $8, meta = $9,
			last_ingested_at = now()
		WHERE document_id = $1`,
		t.documentID, v.SnapshotID, v.ExtractionID, v.Chunks.DocHash, v.Chunks.Generation, v.Fingerprint, meta.Title, language, string(raw))
}

// ClearCurrent says that no version of the document is current: its URL is that of a
// container now.
func (t *DocumentTx) ClearCurrent(ctx context.Context) error {
	return t.tx.write(ctx, "document "+t.documentID+": that none is its current version", 1,
		`UPDATE documents SET current_snapshot_id = '', current_extraction_id = '', current_doc_hash = '', current_generation = 0,
			current_rev = current_rev + (current_doc_hash <> '' OR current_generation <> 0)::int, fingerprint = '', title = '', language = '', meta = '{}' WHERE document_id = $1`, t.documentID)
}

// MarkSettled notes that what is current is what the order of versions says, decided
// by a run.
func (t *DocumentTx) MarkSettled(ctx context.Context, by model.Run) error {
	const what = ": that it is settled"
	if err := t.tx.write(ctx, "run "+by.SnapshotID+what, 1, `UPDATE runs SET reconciled = 0
		WHERE snapshot_id = $1 AND extraction_id = $2`, by.SnapshotID, by.ExtractionID); err != nil {
		return err
	}
	return t.tx.write(ctx, "document "+t.documentID+what, 1,
		`UPDATE documents SET unsettled_at = NULL WHERE document_id = $1`, t.documentID)
}

// Unsettle notes that what is current is to be decided anew. A document that is unsettled stays as
// it is.
func (t *DocumentTx) Unsettle(ctx context.Context) error {
	return t.tx.write(ctx, "document "+t.documentID+": that it is not settled", 1,
		`UPDATE documents SET unsettled_at = coalesce(unsettled_at, now()) WHERE document_id = $1`, t.documentID)
}

// SetIngestStatus sets ingest_status and error_message from the newest capture that has
// ended: that of a version as its newest run, done, or error when all of its pages failed;
// a container as its request.
func (t *DocumentTx) SetIngestStatus(ctx context.Context) error {
	return t.tx.write(ctx, "document "+t.documentID+": its ingest status", 1, setStatus("last_processed_at"), t.documentID)
}

// StageItem notes in the staging (seeds#knowledge) that the document was made into chunks
// whose vectors are not in yet.
func (t *DocumentTx) StageItem(ctx context.Context) error {
	return t.tx.write(ctx, "staging document "+t.documentID, 1,
		`INSERT INTO staged_items (source_id, external_digest, document_id)
		SELECT source_id, external_digest, document_id FROM documents WHERE document_id = $1
		ON CONFLICT (source_id, external_digest) DO UPDATE SET synced_at = NULL`, t.documentID)
}
