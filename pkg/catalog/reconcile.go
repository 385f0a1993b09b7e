package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// vectorFailed stands in chunk_vectors.reconciled of a chunk whose vector could not be made
// of the state that is recorded. A push of the chunk takes it away.
const vectorFailed = -1

// MaxRedrives is how often reconcile moves one thing before it gives it up
// (contracts#reconcile). What is given up has one redrive more, and is left alone.
const MaxRedrives = 3

// Exclusive runs f while this process holds the advisory lock of that name,
// and tells it the catalog's time. held is false, and f is not called, when
// another holds the lock. It takes one connection for as long as f runs.
func (db *DB) Exclusive(ctx context.Context, name string, f func(ctx context.Context, now time.Time) error) (held bool, err error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", name, Classify(err))
	}
	defer conn.Release()
	key := db.lockKey("exclusive", name)
	var now time.Time
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1), now()`, key).Scan(&held, &now); err != nil {
		return false, fmt.Errorf("lock %s: %w", name, Classify(err))
	}
	if !held {
		return false, nil
	}
	defer func() {
		if _, err := conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, key); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx)) // which ends the lock
		}
	}()
	return true, f(ctx, now)
}

// NextRedrive writes to the audit that things of a kind are published again,
// and returns the number of the entry: no two are the same, so that a message
// id that ends with it is new to the duplicate window.
func (db *DB) NextRedrive(ctx context.Context, who, what string) (int64, error) {
	var seq int64
	err := db.pool.QueryRow(ctx, `INSERT INTO audit (who, action, target) VALUES ($1, 'redrive', $2) RETURNING seq`,
		who, what).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("audit: %w", Classify(err))
	}
	return seq, nil
}

// Page is a part of a list: what comes after the first Offset.
type Page struct{ Limit, Offset int }

// StuckCapture is a request that has no outcome, or one that was not announced.
type StuckCapture struct {
	model.Capture
	Redrives int
}

// StuckCaptures returns the requests without an announced outcome, whose lease
// is over and that made no progress since before, the oldest first.
func (db *DB) StuckCaptures(ctx context.Context, before time.Time, p Page) ([]StuckCapture, error) {
	return stuck(ctx, db, "requests", func(row pgx.CollectableRow) (c StuckCapture, err error) {
		c.Capture, err = scanCapture(andRow{row, []any{&c.Redrives}})
		return c, err
	}, `SELECT `+captureColumns+`, reconciled FROM captures
		WHERE (outcome IS NULL OR announced_at IS NULL) AND progress_at < $1 AND reconciled <= $2
			AND (lease_until IS NULL OR lease_until < now())
		ORDER BY progress_at, source_id, request_id LIMIT $3 OFFSET $4`, before, MaxRedrives, p.Limit, p.Offset)
}

// CaptureRedriven counts a redrive of a request.
func (db *DB) CaptureRedriven(ctx context.Context, sourceID, requestID string) error {
	return db.redriven(ctx, `UPDATE captures SET reconciled = reconciled + 1, progress_at = now()
		WHERE source_id = $1 AND request_id = $2`, sourceID, requestID)
}

// StuckSnapshot is a snapshot that is to be processed and has no run.
type StuckSnapshot struct {
	model.Snapshot
	Redrives int
}

// StuckSnapshots returns the snapshots that are to be processed, have no run
// and made no progress since before, the oldest first.
func (db *DB) StuckSnapshots(ctx context.Context, before time.Time, p Page) ([]StuckSnapshot, error) {
	return stuck(ctx, db, "snapshots", func(row pgx.CollectableRow) (s StuckSnapshot, err error) {
		return s, row.Scan(&s.Snapshot, &s.Redrives)
	}, `SELECT record, reconciled FROM snapshots s
		WHERE process AND snapshot_kind <> 'container' AND progress_at < $1 AND reconciled <= $2
			AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = s.snapshot_id)
		ORDER BY progress_at, snapshot_id LIMIT $3 OFFSET $4`, before, MaxRedrives, p.Limit, p.Offset)
}

// SnapshotRedriven counts a redrive of a snapshot.
func (db *DB) SnapshotRedriven(ctx context.Context, snapshotID string) error {
	return db.redriven(ctx, `UPDATE snapshots SET reconciled = reconciled + 1, progress_at = now()
		WHERE snapshot_id = $1`, snapshotID)
}

// StuckRun is a run that stands still.
type StuckRun struct {
	model.Run
	Redrives int
}

// runComplete says of a run r in SQL what the chunker asks of it: whether every
// range has its segment, and every range of its redo the segment of that redo.
func runComplete() string {
	return fmt.Sprintf(`((SELECT count(DISTINCT g.from_page) FROM ir_segments g
		WHERE g.snapshot_id = r.snapshot_id AND g.extraction_id = r.extraction_id) >= greatest((r.page_count + %d) / %d, 1)
	AND NOT EXISTS (SELECT 1 FROM run_ranges q
		WHERE q.snapshot_id = r.snapshot_id AND q.extraction_id = r.extraction_id AND q.redo = r.redo
		AND NOT EXISTS (SELECT 1 FROM ir_segments g WHERE g.snapshot_id = q.snapshot_id AND g.extraction_id = q.extraction_id
			AND g.from_page = q.from_page AND g.redo = q.redo)))`, model.RangeSize-1, model.RangeSize)
}

// StuckRuns returns the runs that made no progress since before, the oldest
// first: with incomplete those that still lack a range; without, those that are
// complete and not made into chunks, that ended and were not announced, or
// whose changes of chunks were not all published: also of one whose redo has begun since.
func (db *DB) StuckRuns(ctx context.Context, before time.Time, incomplete bool, p Page) ([]StuckRun, error) {
	which := `r.state IN ('queued', 'running') AND NOT ` + runComplete()
	if !incomplete {
		which = `(r.state IN ('queued', 'running') AND ` + runComplete() + ` AND NOT ` + waitedFor + `
			OR r.state IN ('done', 'partial', 'failed') AND r.announced_redo < r.redo
			OR (r.snapshot_id, r.extraction_id) IN (
				SELECT l.snapshot_id, l.extraction_id FROM chunk_log l WHERE NOT l.published AND l.at < $1))`
	}
	return stuck(ctx, db, "runs", func(row pgx.CollectableRow) (r StuckRun, err error) {
		r.Run, err = scanRun(andRow{row, []any{&r.Redrives}})
		return r, err
	}, `SELECT `+runColumns+`, reconciled FROM runs r
		WHERE r.progress_at < $1 AND r.reconciled <= $2 AND `+which+`
		ORDER BY progress_at, snapshot_id, extraction_id LIMIT $3 OFFSET $4`, before, MaxRedrives, p.Limit, p.Offset)
}

// UnannotatedRuns returns the runs that have ended, were announced and made no progress since
// before, and of which the entities of some page were not told, the oldest first.
func (db *DB) UnannotatedRuns(ctx context.Context, before time.Time, p Page) ([]StuckRun, error) {
	return stuck(ctx, db, "runs", func(row pgx.CollectableRow) (r StuckRun, err error) {
		r.Run, err = scanRun(andRow{row, []any{&r.Redrives}})
		return r, err
	}, `SELECT `+runColumns+`, reconciled FROM runs
		WHERE state IN ('done', 'partial') AND annotated_redo < redo AND announced_redo >= redo AND progress_at < $1 AND reconciled <= $2
		ORDER BY progress_at, snapshot_id, extraction_id LIMIT $3 OFFSET $4`, before, MaxRedrives, p.Limit, p.Offset)
}

// RunRedriven counts a redrive of a run.
func (db *DB) RunRedriven(ctx context.Context, snapshotID, extractionID string) error {
	return db.redriven(ctx, `UPDATE runs SET reconciled = reconciled + 1, progress_at = now()
		WHERE snapshot_id = $1 AND extraction_id = $2`, snapshotID, extractionID)
}

// FailRun ends a run that is not terminal, and with it those of its pages that
// were not extracted, and returns the run as it stands then.
func (db *DB) FailRun(ctx context.Context, run model.Run, wait time.Duration) (model.Run, error) {
	stands := run
	err := db.LockDocument(ctx, run.DocumentID, wait, func(t *DocumentTx) error {
		var err error
		if stands, _, _, err = t.RunParts(ctx, run.SnapshotID, run.ExtractionID); err != nil || stands.State.Terminal() {
			return err
		}
		stands.State, stands.Reason, stands.Message = model.RunFailed, run.Reason, run.Message
		if err := t.FinishRun(ctx, stands); err != nil {
			return err
		}
		return t.SetIngestStatus(ctx)
	})
	if err != nil {
		return run, fmt.Errorf("failing run %s/%s: %w", run.SnapshotID, run.ExtractionID, err)
	}
	return stands, nil
}

// StuckChunk names a chunk whose vectors are not those of its state.
type StuckChunk struct {
	ChunkRef   string
	Change     string // of its newest revision: created, superseded or removed
	Cause      string
	ReplacedBy string
	Epoch      string // of the catalog now
	Redrives   int    // for the collection that is searched; 0 where only one that is filled lacks it
}

// movedTo selects which collections k chunks are moved to: of alias $1 the one that is
// searched, and one that is building while it is filled, which is named by $2. One that nobody
// fills may have no indexer with its model at all.
const movedTo = `k.alias = $1 AND (k.state = 'active' OR k.state = 'building' AND k.name = $2)`

// lagsBehind says in SQL of a row v of chunk_vectors whether collection k has another vector of
// the chunk than that of its state s: an earlier revision, none of a duplicate of before these
// had points, or, in one that is filled, none where the one that is searched has one.
func lagsBehind(v string) string {
	return `(` + v + `.pushed_rev <> s.rev OR s.duplicate_of <> '' AND s.repeats = '' AND NOT ` + v + `.present
		AND ` + v + `.reconciled <> ` + fmt.Sprint(vectorFailed) + ` AND NOT EXISTS (SELECT 1 FROM chunk_log g
			WHERE g.chunk_ref = s.chunk_ref AND g.rev = s.rev AND g.change = '` + model.ChangeRemoved + `')
		OR k.state = 'building' AND NOT ` + v + `.present AND EXISTS (SELECT 1 FROM chunk_vectors o
			JOIN collections a ON a.name = o.collection AND a.alias = k.alias AND a.state = 'active'
			WHERE o.chunk_ref = s.chunk_ref AND o.pushed_rev = s.rev AND o.present))`
}

// StuckChunks looks at the next window chunks after a chunk_ref and returns
// those that differ from the active collection of the alias, or from the one that is filled
// ("" for none), although their state was published and they made no progress since before. Among
// them are duplicates of before these had points; one whose own vector could not be made
// (FailVectors) is none of them, whatever became of its neighbours, unless it is the collection
// that is filled which lacks it. last is where to go on, "" at the end.
func (db *DB) StuckChunks(ctx context.Context, alias, filled string, before time.Time, after string, window int) (due []StuckChunk, last string, err error) {
	rows, err := db.pool.Query(ctx, `WITH part AS (
			SELECT chunk_ref, rev, repeats, duplicate_of FROM chunk_state WHERE chunk_ref > $4 ORDER BY chunk_ref LIMIT $5),
		due AS (
			SELECT s.chunk_ref, l.change, l.cause, l.replaced_by,
				greatest(max(v.reconciled) FILTER (WHERE k.state = 'active'), 0) AS redrives FROM part s
			JOIN chunk_log l ON l.chunk_ref = s.chunk_ref AND l.rev = s.rev AND l.published AND l.at < $3
			JOIN collections k ON `+movedTo+`
			LEFT JOIN chunk_vectors v ON v.chunk_ref = s.chunk_ref AND v.collection = k.name
			WHERE v.chunk_ref IS NULL OR v.pushed_at < $3 AND (k.state = 'building' OR v.reconciled <= $6) AND `+lagsBehind("v")+`
			GROUP BY 1, 2, 3, 4)
		SELECT chunk_ref, change, cause, replaced_by, `+newestEpoch+`, redrives FROM due
		UNION ALL SELECT coalesce(max(chunk_ref), ''), '', '', '', '', 0 FROM part HAVING count(*) = $5
		ORDER BY 1`, alias, filled, before, after, window, MaxRedrives)
	if err != nil {
		return nil, "", fmt.Errorf("chunks that stand still: %w", Classify(err))
	}
	var c StuckChunk
	_, err = pgx.ForEachRow(rows, []any{&c.ChunkRef, &c.Change, &c.Cause, &c.ReplacedBy, &c.Epoch, &c.Redrives}, func() error {
		if c.Change == "" {
			last = c.ChunkRef
		} else {
			due = append(due, c)
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("chunks that stand still: %w", Classify(err))
	}
	return due, last, nil
}

// ChunksRedriven counts a redrive of chunks in the collections that StuckChunks compares,
// where they still differ. A chunk that was never pushed gets a row that says
// that nothing was.
func (db *DB) ChunksRedriven(ctx context.Context, alias, filled string, refs []string) error {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, strings.Compare)
	return db.redriven(ctx, `INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present, reconciled)
		SELECT c.chunk_ref, k.name, c.point_id, 0, false, 1 FROM unnest($3::text[]) WITH ORDINALITY AS u(ref, n)
		JOIN chunks c ON c.chunk_ref = u.ref
		JOIN collections k ON `+movedTo+` ORDER BY n, k.name
		ON CONFLICT (chunk_ref, collection) DO UPDATE SET reconciled = greatest(chunk_vectors.reconciled, 0) + 1, pushed_at = now()
		WHERE EXISTS (SELECT 1 FROM chunk_state s JOIN collections k ON k.name = excluded.collection
			WHERE s.chunk_ref = excluded.chunk_ref AND `+lagsBehind("chunk_vectors")+`)`,
		alias, filled, slices.Compact(refs))
}

func (db *DB) redriven(ctx context.Context, statement string, args ...any) error {
	if _, err := db.pool.Exec(ctx, statement, args...); err != nil {
		return fmt.Errorf("counting a redrive: %w", Classify(err))
	}
	return nil
}

func stuck[T any](ctx context.Context, db *DB, what string, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, err := db.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s that stand still: %w", what, Classify(err))
	}
	found, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("%s that stand still: %w", what, Classify(err))
	}
	return found, nil
}

// andRow is a row with columns behind those that its scanner knows.
type andRow struct {
	pgx.Row
	more []any
}

func (r andRow) Scan(dest ...any) error { return r.Row.Scan(append(dest, r.more...)...) }
