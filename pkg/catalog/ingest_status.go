package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// placeOfRun is where a run counts in the order of its document's snapshots, as
// (retrieved_at, snapshot_id): at the last capture of the version that its snapshot s is a
// capture of. A capture that is unchanged has no run, and its document has ended then as it
// did with the version. That makes a difference only where a container stands in between.
const placeOfRun = `CASE WHEN EXISTS (SELECT 1 FROM snapshots k WHERE k.document_id = s.document_id AND k.snapshot_kind = 'container')
	THEN (SELECT ROW(l.retrieved_at, l.snapshot_id) FROM snapshots l
		WHERE l.document_id = s.document_id AND l.snapshot_kind <> 'container' AND (l.retrieved_at, l.snapshot_id) >= (s.retrieved_at, s.snapshot_id)
		AND ROW(l.retrieved_at, l.snapshot_id) < coalesce((SELECT ROW(v.retrieved_at, v.snapshot_id) FROM snapshots v
			WHERE v.document_id = s.document_id AND v.snapshot_kind <> 'container' AND coalesce(v.version, v.process)
			AND (v.retrieved_at, v.snapshot_id) > (s.retrieved_at, s.snapshot_id) ORDER BY v.retrieved_at, v.snapshot_id LIMIT 1),
			ROW('infinity'::timestamptz, ''::text))
		ORDER BY l.retrieved_at DESC, l.snapshot_id DESC LIMIT 1)
	ELSE ROW(s.retrieved_at, s.snapshot_id) END`

// newestEnding selects how the document that outer names ended last, as state, failed
// or not, and message: the newest of its containers and of its runs that have ended, by
// the order of its captures (see placeOfRun). A container ends as its request does.
func newestEnding(outer string) string {
	return `SELECT e.state, e.message FROM (
		SELECT ` + placeOfRun + ` AS place, s.retrieved_at, s.snapshot_id, r.run_order, r.state, r.message
			FROM runs r JOIN snapshots s ON s.snapshot_id = r.snapshot_id
			WHERE r.document_id = ` + outer + ` AND s.snapshot_kind <> 'container' AND r.state IN ('done', 'partial', 'failed')
		UNION ALL SELECT ROW(s.retrieved_at, s.snapshot_id), s.retrieved_at, s.snapshot_id, 0, CASE c.outcome WHEN 'failed' THEN 'failed' ELSE 'done' END,
			coalesce(c.message, '')
			FROM snapshots s LEFT JOIN captures c ON c.source_id = s.source_id AND c.request_id = s.record->>'request_id'
				AND c.snapshot_id = s.snapshot_id
			WHERE s.document_id = ` + outer + ` AND s.snapshot_kind = 'container') e
		ORDER BY e.place DESC, e.retrieved_at DESC, e.snapshot_id COLLATE "C" DESC, e.run_order DESC LIMIT 1`
}

// setStatus sets ingest_status and error_message of the document $1 from its
// newest ending, and the columns that are named to now.
func setStatus(times ...string) string {
	also := ""
	for _, column := range times {
		also += ", " + column + " = now()"
	}
	return `UPDATE documents d SET ingest_status = CASE e.state WHEN 'failed' THEN 'error' ELSE 'done' END,
			error_message = CASE e.state WHEN 'failed' THEN e.message ELSE '' END` + also + `
		FROM (` + newestEnding("$1") + `) e WHERE d.document_id = $1`
}

// setStatusBesideContainers is setStatus for a capture that may have no run, which says
// something new of a document only where a container was captured too.
func setStatusBesideContainers() string {
	return setStatus() + ` AND EXISTS (SELECT 1 FROM snapshots k WHERE k.document_id = $1 AND k.snapshot_kind = 'container')`
}

// MisjudgedDocuments returns documents, after the one that is named, of which the rows
// say another ingest status than how their captures ended, as older programs have left it
// where a container was captured between two captures of one version. Those with runs
// that are under way are left out.
func (db *DB) MisjudgedDocuments(ctx context.Context, after string, limit int) ([]string, error) {
	rows, err := db.pool.Query(ctx, `SELECT d.document_id
		FROM (SELECT DISTINCT document_id FROM snapshots WHERE snapshot_kind = 'container') k JOIN documents d USING (document_id)
		CROSS JOIN LATERAL (`+newestEnding("d.document_id")+`) e
		WHERE d.document_id > $1 AND d.final_type NOT IN ('zip', 'warc')
		AND NOT EXISTS (SELECT 1 FROM runs o WHERE o.document_id = d.document_id AND o.state IN ('queued', 'running'))
		AND (d.ingest_status, d.error_message) <> (CASE e.state WHEN 'failed' THEN 'error' ELSE 'done' END,
			CASE e.state WHEN 'failed' THEN e.message ELSE '' END)
		ORDER BY d.document_id LIMIT $2`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("documents of another status: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("documents of another status: %w", Classify(err))
	}
	return found, nil
}

// JudgeDocument sets the ingest status of a document anew. One that another holds for
// longer than wait is deferred.
func (db *DB) JudgeDocument(ctx context.Context, documentID string, wait time.Duration) error {
	err := db.pipelined(ctx, func(p *pipeline) error {
		holdDocument(p, documentID, wait)
		return p.write(ctx, "document "+documentID+": its ingest status", 1, setStatus(), documentID)
	})
	if err != nil {
		return fmt.Errorf("judging document %s: %w", documentID, err)
	}
	return nil
}
