package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// orderBatch is how many documents' versions are looked at together.
const orderBatch = 500

// checkOrder returns where rows do not follow the order of versions, of one
// document or of all: what is read of a snapshot, which are versions, and which
// version is current. What is current of a document that is to be decided anew is on its
// way.
func checkOrder(ctx context.Context, tx pgx.Tx, documentID string, _ time.Time) ([]Contradiction, error) {
	var found few
	for after := ""; ; {
		documents, last, err := orderedDocuments(ctx, tx, documentID, after)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			for _, c := range d.contradictions() {
				found.take(c)
			}
		}
		if len(documents) < orderBatch {
			return found.found, nil
		}
		after = last
	}
}

// orderedDocument is all that the order of one document's versions depends on, and
// what its rows say of it.
type orderedDocument struct {
	id       string
	rows     []ordered
	digests  []string // as the rows say
	landed   []model.Version
	recorded model.Recorded
	unread   few // snapshots of which the record is none
}

// contradictions derives the order of a document's versions again.
func (d *orderedDocument) contradictions() []Contradiction {
	found := d.unread.found
	captured := make([]model.Captured, len(d.rows))
	said := make(map[string]ordered, len(d.rows))
	for i, row := range d.rows {
		captured[i], said[row.SnapshotID] = row.Captured, row
		if !row.bare && d.digests[i] != row.Reads {
			found = append(found, Contradiction{Where: "snapshot " + row.SnapshotID, What: "its reads_digest is not that of its record"})
		}
	}
	order := model.OrderVersions(captured)
	for _, c := range order {
		row, place := said[c.SnapshotID], "snapshot "+c.SnapshotID
		version := c.Version == c.SnapshotID
		if row.bare != (row.version == nil) {
			found = append(found, Contradiction{Where: place, What: "says what is read of it, or whether it is a version, and not both"})
		}
		switch {
		case version && !row.process:
			found = append(found, Contradiction{Where: place, What: "is a version of its document, and is not to be processed"})
		case row.version != nil && *row.version && !version:
			found = append(found, Contradiction{Where: place, What: "is recorded as a version, and is a capture of " + c.Version})
		case row.version != nil && !*row.version && version:
			found = append(found, Contradiction{Where: place, What: "is a version of its document, and is not recorded as one"})
		}
	}
	current, _ := model.CurrentVersion(order, d.landed)
	place := "document " + d.id
	switch {
	case d.recorded.Unsettled: // the chunker is to decide, however long it takes: reconcile asks it, or gives it up
	case !d.recorded.Is(current):
		found = append(found, Contradiction{Where: place, What: "its current version is not its newest one"})
	}
	return found
}

// orderedDocuments reads the next documents after the one that is named.
func orderedDocuments(ctx context.Context, tx pgx.Tx, documentID, after string) (documents []*orderedDocument, last string, err error) {
	byID := make(map[string]*orderedDocument)
	var ids []string
	rows, err := tx.Query(ctx, `SELECT document_id, current_snapshot_id, current_extraction_id, current_doc_hash, current_generation,
			unsettled_at IS NOT NULL FROM documents
		WHERE ($1 = '' OR document_id = $1) AND document_id > $2 ORDER BY document_id LIMIT $3`, documentID, after, orderBatch)
	if err != nil {
		return nil, "", err
	}
	var d orderedDocument
	r := &d.recorded
	if _, err := pgx.ForEachRow(rows, []any{&d.id, &r.SnapshotID, &r.ExtractionID, &r.Chunks.DocHash, &r.Chunks.Generation,
		&r.Unsettled}, func() error {
		one := d
		documents, byID[d.id], ids, last = append(documents, &one), &one, append(ids, d.id), d.id
		return nil
	}); err != nil {
		return nil, "", err
	}
	if err := readOrder(ctx, tx, ids, byID); err != nil {
		return nil, "", err
	}
	rows, err = tx.Query(ctx, landedVersions+` AND m.document_id = ANY($1)`, ids)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for rows.Next() {
		var of string
		v, err := scanVersion(rows, &of)
		if err != nil {
			return nil, "", err
		}
		byID[of].landed = append(byID[of].landed, v)
	}
	return documents, last, rows.Err()
}

// readOrder reads the snapshots of documents, with their digests computed again.
func readOrder(ctx context.Context, tx pgx.Tx, ids []string, documents map[string]*orderedDocument) error {
	rows, err := tx.Query(ctx, `SELECT document_id, snapshot_id, retrieved_at, snapshot_kind = 'container', reads_digest, process, version, record
		FROM snapshots WHERE document_id = ANY($1)`, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			o          ordered
			of, digest string
			record     []byte
			s          model.Snapshot
		)
		if err := rows.Scan(&of, &o.SnapshotID, &o.RetrievedAt, &o.Container, &digest, &o.process, &o.version, &record); err != nil {
			return fmt.Errorf("snapshot %s: %w", o.SnapshotID, err)
		}
		o.bare = digest == ""
		d := documents[of]
		err := json.Unmarshal(record, &s)
		if err == nil {
			o.Reads, err = s.ReadsDigest()
		}
		if err != nil {
			d.unread.add("snapshot "+o.SnapshotID, "its record cannot be read: %v", err)
			o.Reads = digest
		}
		d.rows, d.digests = append(d.rows, o), append(d.digests, digest)
	}
	return rows.Err()
}
