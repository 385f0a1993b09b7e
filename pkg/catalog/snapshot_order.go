package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// capturedColumns are what scanCaptured reads. The record comes only with rows of
// which the digest was not written yet.
const capturedColumns = `snapshot_id, retrieved_at, reads_digest, snapshot_kind = 'container', CASE WHEN reads_digest = '' THEN record END`

// scanCaptured reads capturedColumns, and what more holds after them.
func scanCaptured(row pgx.Row, more ...any) (c model.Captured, err error) {
	var record []byte
	if err := row.Scan(append([]any{&c.SnapshotID, &c.RetrievedAt, &c.Reads, &c.Container, &record}, more...)...); err != nil {
		return c, err
	}
	if record != nil {
		var s model.Snapshot
		if err := json.Unmarshal(record, &s); err != nil {
			return c, fmt.Errorf("snapshot %s: its record: %w", c.SnapshotID, err)
		}
		c.Reads, err = s.ReadsDigest()
	}
	return c, err
}

// neighbours are the snapshots of a document around a place in their order.
type neighbours struct {
	before, after *model.Captured // that are no containers; nil: none
	standing      model.Standing  // of before
}

// alone reports whether the document has no other snapshot that is no container.
func (n *neighbours) alone() bool { return n.before == nil && n.after == nil }

// standingRuns is how many captures of one version are looked at before a capture
// of the same is processed: more than one of them were processed only where the
// ones before had failed pages, or were made by older programs.
const standingRuns = 16

// forever is a time after that of all snapshots.
func forever() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// askNeighbours asks what stands around a place in the order of a document's
// snapshots. The transaction holds the document's row.
func askNeighbours(p *pipeline, documentID string, at time.Time, snapshotID string) *neighbours {
	n := &neighbours{}
	one := func(to **model.Captured) func(pgx.Rows) error {
		return func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.Captured, error) { return scanCaptured(row) })
			if len(found) > 0 {
				*to = &found[0]
			}
			return err
		}
	}
	const before = ` FROM snapshots WHERE document_id = $1 AND (retrieved_at, snapshot_id) < ($2, $3)`
	p.queue(`SELECT `+capturedColumns+before+` AND snapshot_kind <> 'container' ORDER BY retrieved_at DESC, snapshot_id DESC LIMIT 1`,
		documentID, at, snapshotID).Query(one(&n.before))
	p.queue(`SELECT `+capturedColumns+` FROM (`+nextSnapshot+`) n`, documentID, at, snapshotID).Query(one(&n.after))
	p.queue(`SELECT snapshot_kind = 'container'`+before+` ORDER BY retrieved_at DESC, snapshot_id DESC LIMIT 1`,
		documentID, at, snapshotID).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, pgx.RowTo[bool])
		n.standing.Container = len(found) > 0 && found[0]
		return err
	})
	p.queue(`SELECT `+capturedColumns+`, coalesce(r.state, ''), coalesce(r.parser_version, ''),
			coalesce(m.chunker_version, ''), coalesce(m.header_version, '')
		FROM (SELECT *`+before+` AND process AND snapshot_kind <> 'container' ORDER BY retrieved_at DESC, snapshot_id DESC LIMIT $4) s
		LEFT JOIN LATERAL (SELECT state, parser_version, extraction_id, redo FROM runs WHERE runs.snapshot_id = s.snapshot_id
			ORDER BY run_order DESC LIMIT 1) r ON true
		LEFT JOIN LATERAL (SELECT chunker_version, header_version FROM chunk_manifests k
			WHERE k.snapshot_id = s.snapshot_id AND k.extraction_id = r.extraction_id AND k.redo = r.redo
			ORDER BY generation DESC LIMIT 1) m ON true
		ORDER BY retrieved_at DESC, snapshot_id DESC`, documentID, at, snapshotID, standingRuns).Query(n.scanRuns)
	return n
}

// scanRuns takes the runs of the captures of the version before.
func (n *neighbours) scanRuns(rows pgx.Rows) error {
	defer rows.Close()
	if n.before == nil {
		return nil
	}
	n.standing.Reads = n.before.Reads
	for rows.Next() {
		var r model.StandingRun
		c, err := scanCaptured(rows, &r.State, &r.ParserVersion, &r.ChunkerVersion, &r.HeaderVersion)
		if err != nil {
			return err
		}
		if c.Reads != n.before.Reads {
			return nil // of the version before that one
		}
		n.standing.Runs = append(n.standing.Runs, r)
	}
	return rows.Err()
}

// nextSnapshot selects the one directly after a place in the order of a document's
// snapshots that is no container: $1 is the document, $2 and $3 are retrieved_at and
// snapshot_id of the place.
const nextSnapshot = `SELECT * FROM snapshots WHERE document_id = $1 AND (retrieved_at, snapshot_id) > ($2, $3)
	AND snapshot_kind <> 'container' ORDER BY retrieved_at, snapshot_id LIMIT 1`

// placeSnapshot records a snapshot in the order of its document's, and decides it and
// the one directly after it anew: which of them are versions, and whether the one
// after it, which was recorded only while the version before it stood there, is to
// be processed now. process is false for one that is recorded only. A snapshot that is
// recorded already stays as it is. The caller holds the document's row, and n was asked
// of the snapshot's place since then.
func placeSnapshot(ctx context.Context, p *pipeline, s model.Snapshot, process bool, n *neighbours) error {
	c, err := model.CapturedOf(s)
	if err != nil {
		return err
	}
	arrival := model.Arrive(n.before, n.after, c)
	if err := insertSnapshot(ctx, p, s, c, process, arrival.Version); err != nil {
		return err
	}
	if !c.Container && n.after != nil {
		if err := p.write(ctx, "the snapshot after "+s.SnapshotID, 1, `UPDATE snapshots SET version = $2, reads_digest = $3, process = process OR $2,
				progress_at = CASE WHEN $2 AND NOT process THEN now() ELSE progress_at END
			WHERE snapshot_id = $1 AND (version IS DISTINCT FROM $2 OR $2 AND NOT process)`,
			n.after.SnapshotID, arrival.AfterVersion, n.after.Reads); err != nil {
			return err
		}
	}
	if !c.Container && n.alone() {
		return nil
	}
	if !c.Container { // a container ends later; its recorder sees to the status
		if err := p.write(ctx, "document "+s.DocumentID+": its ingest status", 1, setStatusBesideContainers(), s.DocumentID); err != nil {
			return err
		}
	}
	return unsettle(ctx, p, s.DocumentID, c.Container || arrival.Divides)
}

// unsettle notes that the arrival of a snapshot can have changed what is current by
// itself, before anything is made of it: when changes says so, since a container takes
// the place of what was, and what comes between two captures of one version makes two of
// it; and in a document that has a container, since what comes after that brings back
// what was. It is the chunker that decides (see DocumentTx.Settle):
// where nothing was made into chunks there is nothing to decide.
func unsettle(ctx context.Context, p *pipeline, documentID string, changes bool) error {
	return p.write(ctx, "document "+documentID+": what is current", 1, `UPDATE documents SET unsettled_at = now()
		WHERE document_id = $1 AND EXISTS (SELECT 1 FROM chunk_manifests m WHERE m.document_id = $1)
		AND ($2 OR EXISTS (SELECT 1 FROM snapshots k WHERE k.document_id = $1 AND k.snapshot_kind = 'container'))`,
		documentID, changes)
}
