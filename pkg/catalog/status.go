package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Count is how many things of one kind are in one state.
type Count struct {
	What  string `json:"what"`  // capture, document, run, page, ocr, manifest, chunk, left out (documents of which an unusual share is in no chunk), vector
	State string `json:"state"` // in which state
	N     int64  `json:"count"` // how many
}

// Counts returns the counts by kind and state, sorted.
func (db *DB) Counts(ctx context.Context) ([]Count, error) {
	rows, err := db.pool.Query(ctx, `
		SELECT 'capture', coalesce(outcome, 'open'), count(*) FROM captures GROUP BY 2
		UNION ALL SELECT 'document', ingest_status, count(*) FROM documents GROUP BY 2
		UNION ALL SELECT 'run', state, count(*) FROM runs GROUP BY 2
		UNION ALL SELECT 'page', status, count(*) FROM pages GROUP BY 2
		UNION ALL SELECT 'ocr', t.state, count(*) FROM ocr_tasks t JOIN runs r USING (snapshot_id, extraction_id)
			WHERE r.state NOT IN ('superseded', 'removed') AND t.redo = r.redo GROUP BY 2
		UNION ALL SELECT 'manifest', status, count(*) FROM (SELECT status FROM chunk_manifests
			UNION ALL SELECT u.status FROM (`+unmade(``, ``)+`) u(snapshot_id, extraction_id, status)) m GROUP BY 2
		UNION ALL SELECT 'chunk', layer, count(*) FROM chunk_state GROUP BY 2
		UNION ALL SELECT 'left out', 'unusual', count(*) FROM documents d WHERE EXISTS (SELECT 1 FROM chunk_manifests m
			WHERE m.doc_hash = d.current_doc_hash AND m.generation = d.current_generation AND m.left_out ? 'unusual') HAVING count(*) > 0
		UNION ALL SELECT 'enrichment', state, count(*) FROM (`+enrichmentStates+`) e(state) GROUP BY 2
		UNION ALL SELECT 'proposal', 'not kept: ' || d.key, sum(d.value::bigint)::bigint FROM enrichments, jsonb_each_text(dropped) d GROUP BY 2
		UNION ALL SELECT 'vector', vector_status, count(*) FROM chunk_manifests GROUP BY 2
		ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("counts: %w", Classify(err))
	}
	counts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Count])
	if err != nil {
		return nil, fmt.Errorf("counts: %w", Classify(err))
	}
	return counts, nil
}

// Progress is how far a set of requests has come: the work that is left until
// they are quiet (contracts#quiet).
type Progress struct {
	Requests    int `json:"requests"`     // asked for
	Open        int `json:"open"`         // without an outcome
	Unannounced int `json:"unannounced"`  // outcomes not yet published
	Runs        int `json:"runs"`         // of the snapshots that are to be processed, but superseded and removed ones
	OpenRuns    int `json:"open_runs"`    // not terminal, not announced, their entities not told, or not yet begun
	Held        int `json:"held"`         // of OpenRuns, those whose version waits for what a model proposes
	Pages       int `json:"pages"`        // of Runs
	DonePages   int `json:"done_pages"`   // of these, processed or failed
	FailedPages int `json:"failed_pages"` // of these, failed
	Chunks      int `json:"chunks"`       // of the snapshots
	Unsettled   int `json:"unsettled"`    // documents of which it is to be decided anew what is current
	Unpublished int `json:"unpublished"`  // rows of chunk_log about the chunks, or caused by the runs
	Unpushed    int `json:"unpushed"`     // chunks of these whose state the active collection does not have
}

// Quiet reports whether nothing is left to do.
func (p Progress) Quiet() bool {
	return p.Open == 0 && p.Unannounced == 0 && p.OpenRuns == 0 && p.Unsettled == 0 && p.Unpublished == 0 && p.Unpushed == 0
}

// Plus adds the counts of two disjoint sets of requests.
func (p Progress) Plus(q Progress) Progress {
	return Progress{
		Requests: p.Requests + q.Requests, Open: p.Open + q.Open, Unannounced: p.Unannounced + q.Unannounced,
		Runs: p.Runs + q.Runs, OpenRuns: p.OpenRuns + q.OpenRuns, Held: p.Held + q.Held, Pages: p.Pages + q.Pages,
		DonePages: p.DonePages + q.DonePages, FailedPages: p.FailedPages + q.FailedPages, Chunks: p.Chunks + q.Chunks,
		Unsettled: p.Unsettled + q.Unsettled, Unpublished: p.Unpublished + q.Unpublished, Unpushed: p.Unpushed + q.Unpushed,
	}
}

// progressOfChunks are the parts of the question for a Progress that are about chunks.
type progressOfChunks struct{ with, count, unpublished, unpushed string }

// chunksOfRequests are those of the snapshots snaps, and those that their runs changed.
var chunksOfRequests = progressOfChunks{
	with: `
		parts AS (SELECT c.chunk_ref FROM chunks c JOIN snaps USING (document_id, snapshot_id)), -- chunks have an index by document
		turned AS (SELECT DISTINCT a.document_id FROM asked a JOIN snapshots s USING (snapshot_id) WHERE NOT s.process
			AND EXISTS (SELECT 1 FROM snapshots k WHERE k.document_id = a.document_id AND k.snapshot_kind = 'container')),
		touched AS (SELECT chunk_ref FROM parts UNION SELECT l.chunk_ref FROM chunk_log l JOIN snaps USING (snapshot_id)
			UNION SELECT c.chunk_ref FROM chunks c JOIN turned USING (document_id)),`,
	count:       `(SELECT count(*) FROM parts)`,
	unpublished: `(SELECT count(*) FROM chunk_log l JOIN touched USING (chunk_ref) WHERE NOT published)`,
	unpushed: `(SELECT count(*) FROM touched JOIN chunk_state st USING (chunk_ref) WHERE NOT EXISTS (SELECT 1 FROM searched)
				OR EXISTS (SELECT 1 FROM searched w WHERE NOT EXISTS (SELECT 1 FROM chunk_vectors v
					WHERE v.chunk_ref = st.chunk_ref AND v.collection = w.name AND v.pushed_rev = st.rev)))`,
}

// allChunks are all that there are: each table is read once, and no chunk is looked up, which for 100,000 takes
// seconds.
var allChunks = progressOfChunks{
	count:       `(SELECT count(*) FROM chunk_state)`,
	unpublished: `(SELECT count(*) FROM chunk_log WHERE NOT published)`,
	unpushed: `CASE WHEN EXISTS (SELECT 1 FROM searched) THEN (SELECT count(DISTINCT st.chunk_ref) FROM chunk_state st CROSS JOIN searched w
				WHERE NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_ref = st.chunk_ref AND v.collection = w.name AND v.pushed_rev = st.rev))
				ELSE (SELECT count(*) FROM chunk_state) END`,
}

// Progress returns the progress of the given requests of a source, or, when
// requests is nil, of everything. Chunks of other documents that the runs of
// these requests changed are waited for as well, and those of documents of which a
// container has taken the place.
func (db *DB) Progress(ctx context.Context, sourceID string, requests []string) (Progress, error) {
	requests = slices.Clone(requests)
	slices.Sort(requests)
	requests = slices.Compact(requests)
	var p Progress
	chunks := chunksOfRequests
	if requests == nil {
		chunks = allChunks
	}
	err := db.pool.QueryRow(ctx, `
		WITH RECURSIVE asked AS (`+withMembers+`),
		snaps AS (SELECT DISTINCT s.snapshot_id, s.document_id FROM snapshots s JOIN asked USING (snapshot_id) WHERE s.process),
		work AS (SELECT r.* FROM runs r JOIN snaps USING (snapshot_id)),
		live AS (SELECT snapshot_id, extraction_id FROM work WHERE state NOT IN ('superseded', 'removed')),
		pieces AS (SELECT p.status FROM pages p JOIN live USING (snapshot_id, extraction_id)),
`+chunks.with+`
		searched AS (SELECT name FROM collections WHERE state = 'active')
		SELECT CASE WHEN $2::text[] IS NULL THEN (SELECT count(*) FROM asked) ELSE cardinality($2::text[]) + (SELECT count(*) FROM asked WHERE request_id <> ALL($2)) END,
			CASE WHEN $2::text[] IS NULL THEN (SELECT count(*) FROM asked WHERE outcome IS NULL)
				ELSE cardinality($2::text[]) - (SELECT count(*) FROM asked WHERE outcome IS NOT NULL AND request_id = ANY($2)) END,
			(SELECT count(*) FROM asked WHERE outcome IS NOT NULL AND announced_at IS NULL),
			(SELECT count(*) FROM live),
			(SELECT count(*) FROM snaps s WHERE NOT EXISTS (SELECT 1 FROM work w WHERE w.snapshot_id = s.snapshot_id))
				+ (SELECT count(*) FROM work WHERE state IN ('queued', 'running') OR announced_redo < redo
					AND state IN ('done', 'partial', 'failed') OR annotated_redo < redo AND state IN ('done', 'partial')),
			(SELECT count(*) FROM work r WHERE state IN ('queued', 'running') AND `+waitedFor+`),
			(SELECT count(*) FROM pieces), (SELECT count(*) FROM pieces WHERE status <> 'pending'),
			(SELECT count(*) FROM pieces WHERE status = 'failed'),
			`+chunks.count+`,
			(SELECT count(*) FROM documents d WHERE d.unsettled_at IS NOT NULL AND d.document_id IN (SELECT document_id FROM asked)),
			`+chunks.unpublished+`,
			`+chunks.unpushed,
		sourceID, requests).Scan(&p.Requests, &p.Open, &p.Unannounced, &p.Runs, &p.OpenRuns, &p.Held, &p.Pages, &p.DonePages,
		&p.FailedPages, &p.Chunks, &p.Unsettled, &p.Unpublished, &p.Unpushed)
	if err != nil {
		return p, fmt.Errorf("progress: %w", Classify(err))
	}
	return p, nil
}

// Result is what became of one request.
type Result struct {
	SourceID   string `json:"source_id"`
	RequestID  string `json:"request_id"`
	URL        string `json:"url"`
	Outcome    string `json:"outcome"`
	SnapshotID string `json:"snapshot_id,omitempty"`
	DocumentID string `json:"document_id,omitempty"`
	State      string `json:"state,omitempty"`  // of the run
	Reason     string `json:"reason,omitempty"` // of the outcome or the run
	Message    string `json:"message,omitempty"`
	Pages      int    `json:"pages"`
	Failed     int    `json:"failed_pages"`
	Chunks     int    `json:"chunks"`              // of the run's newest generation
	Container  string `json:"container,omitempty"` // the request_id of the container that it is a member of
}

// InError reports whether the request ended in an error, which a partial run is
// not.
func (r Result) InError() bool {
	return r.Outcome == "rejected" || r.Outcome == "failed" || r.State == "failed"
}

// withMembers selects the requests of a source ($1) with ids ($2), and the
// members of those that are containers; all requests when the ids are null.
const withMembers = `SELECT * FROM captures WHERE $2::text[] IS NULL OR (source_id = $1 AND request_id = ANY($2))
	UNION ALL SELECT m.* FROM captures m JOIN asked a ON m.source_id = a.source_id AND m.container = a.request_id
		WHERE $2::text[] IS NOT NULL AND m.container <> ''`

// resultColumns are those of a Result, of a request c and its newest run r.
const resultColumns = `c.source_id, c.request_id, coalesce(c.request->>'url', c.request->>'source_record_id', ''),
	coalesce(c.outcome, ''), c.snapshot_id, c.document_id,
	coalesce(r.state, ''), coalesce(nullif(c.reason, ''), r.reason, ''), coalesce(nullif(c.message, ''), r.message, ''),
	coalesce(r.page_count, 0),
	(SELECT count(*) FROM pages p WHERE p.snapshot_id = r.snapshot_id AND p.extraction_id = r.extraction_id
		AND p.status = 'failed'),
	coalesce((SELECT m.chunk_count FROM chunk_manifests m WHERE m.snapshot_id = r.snapshot_id
		AND m.extraction_id = r.extraction_id ORDER BY m.redo DESC, m.generation DESC LIMIT 1), 0), c.container`

// newestRun joins the newest run of the snapshot of a request c as r.
const newestRun = `LEFT JOIN LATERAL (SELECT * FROM runs WHERE runs.snapshot_id = c.snapshot_id
	AND state <> 'superseded' ORDER BY run_order DESC LIMIT 1) r ON true`

// RecentOptions say which of the requests Recent returns.
type RecentOptions struct {
	SourceID string // empty: of all sources
	Failed   bool   // only those that ended in error
	Limit    int    // 0: all
}

// Recent returns what became of the requests that are asked for, those that ended
// in error first and then the newest first, and how many there are without the
// limit.
func (db *DB) Recent(ctx context.Context, o RecentOptions) (results []Result, total int, err error) {
	limit := &o.Limit
	if o.Limit == 0 {
		limit = nil
	}
	const inError = `(coalesce(c.outcome IN ('rejected', 'failed'), false) OR coalesce(r.state = 'failed', false))`
	const chosen = ` FROM captures c ` + newestRun + ` WHERE ($1 = '' OR c.source_id = $1) AND (NOT $2 OR ` + inError + `)`
	if err := db.pool.QueryRow(ctx, `SELECT count(*)`+chosen, o.SourceID, o.Failed).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("requests: %w", Classify(err))
	}
	rows, err := db.pool.Query(ctx, `SELECT `+resultColumns+chosen+`
		ORDER BY `+inError+` DESC, c.accepted_at DESC, c.source_id COLLATE "C", c.request_id COLLATE "C" LIMIT $3`, o.SourceID, o.Failed, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("requests: %w", Classify(err))
	}
	if results, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Result]); err != nil {
		return nil, 0, fmt.Errorf("requests: %w", Classify(err))
	}
	return results, total, nil
}

// Results returns what became of the requests and of their members, in the
// order of their ids. A nil requests means all of them.
func (db *DB) Results(ctx context.Context, sourceID string, requests []string) ([]Result, error) {
	rows, err := db.pool.Query(ctx, `WITH RECURSIVE asked AS (`+withMembers+`) SELECT `+resultColumns+` FROM asked c `+newestRun+`
		ORDER BY c.source_id COLLATE "C", c.request_id COLLATE "C"`, sourceID, requests)
	if err != nil {
		return nil, fmt.Errorf("results: %w", Classify(err))
	}
	results, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Result])
	if err != nil {
		return nil, fmt.Errorf("results: %w", Classify(err))
	}
	return results, nil
}

// Failures counts the requests of Results that ended in error by their reason: by
// that of the outcome, else of the newest run.
func (db *DB) Failures(ctx context.Context, sourceID string, requests []string) (map[string]int, error) {
	rows, err := db.pool.Query(ctx, `
		WITH RECURSIVE asked AS (`+withMembers+`)
		SELECT coalesce(nullif(c.reason, ''), r.reason, ''), count(*)
		FROM asked c LEFT JOIN LATERAL (SELECT state, reason FROM runs WHERE runs.snapshot_id = c.snapshot_id
			AND state <> 'superseded' ORDER BY run_order DESC LIMIT 1) r ON true
		WHERE c.outcome IN ('rejected', 'failed') OR r.state = 'failed' GROUP BY 1`, sourceID, requests)
	if err != nil {
		return nil, fmt.Errorf("failures: %w", Classify(err))
	}
	counts := make(map[string]int)
	var reason string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&reason, &n}, func() error {
		counts[reason] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("failures: %w", Classify(err))
	}
	return counts, nil
}

// oldestWork selects when each thing that still needs work made its last progress. A version that waits for a model needs none.
const oldestWork = `SELECT progress_at AS at FROM captures WHERE outcome IS NULL OR announced_at IS NULL
	UNION ALL SELECT progress_at FROM runs r WHERE state IN ('queued', 'running') AND NOT ` + waitedFor + `
	UNION ALL SELECT at FROM chunk_log WHERE NOT published`

// Oldest returns when the oldest thing that still needs work last made
// progress; ok is false when there is none.
func (db *DB) Oldest(ctx context.Context) (at time.Time, ok bool, err error) {
	var t *time.Time
	err = db.pool.QueryRow(ctx, `SELECT min(at) FROM (`+oldestWork+`) w`).Scan(&t)
	if err != nil {
		return at, false, fmt.Errorf("oldest work: %w", Classify(err))
	}
	if t == nil {
		return at, false, nil
	}
	return *t, true, nil
}
