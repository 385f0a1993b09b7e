package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

const documentColumns = `document_id, source_id, external_id, canonical_url, slug, content_type, final_type, title, host,
	current_snapshot_id, current_extraction_id, current_doc_hash, current_generation, source_type, domain, territory,
	etag, last_modified, content_hash, fingerprint, language, meta, first_seen_at, last_checked_at, last_seen_at,
	last_ingested_at, last_processed_at, ingest_status, error_message`

// Document returns one document, or ErrNotFound.
func (db *DB) Document(ctx context.Context, documentID string) (model.Document, error) {
	d, err := scanDocument(db.pool.QueryRow(ctx,
		`SELECT `+documentColumns+` FROM documents WHERE document_id = $1`, documentID))
	if err != nil {
		return d, fmt.Errorf("document %s: %w", documentID, Classify(err))
	}
	return d, nil
}

func scanDocument(row pgx.Row) (model.Document, error) {
	var d model.Document
	var meta []byte
	var modified, checked, seen, ingested, processed *time.Time
	err := row.Scan(&d.DocumentID, &d.SourceID, &d.ExternalID, &d.CanonicalURL, &d.Slug, &d.ContentType, &d.FinalType,
		&d.Title, &d.Host, &d.CurrentSnapshotID, &d.CurrentExtractionID, &d.CurrentDocHash, &d.CurrentGeneration,
		&d.SourceType, &d.Domain, &d.Territory, &d.ETag, &modified, &d.ContentHash, &d.Fingerprint, &d.Language, &meta,
		&d.FirstSeenAt, &checked, &seen, &ingested, &processed, &d.IngestStatus, &d.ErrorMessage)
	if err != nil {
		return d, err
	}
	for _, t := range []struct {
		from *time.Time
		to   *model.Time
	}{
		{modified, &d.LastModified}, {checked, &d.LastCheckedAt}, {seen, &d.LastSeenAt},
		{ingested, &d.LastIngestedAt}, {processed, &d.LastProcessedAt},
	} {
		if t.from != nil {
			*t.to = *t.from
		}
	}
	if err := json.Unmarshal(meta, &d.Meta); err != nil {
		return d, fmt.Errorf("its meta: %w", err)
	}
	return d, nil
}

// lockDocument makes sure that the document of a snapshot has its row, locks it
// for the rest of the transaction, and gives s its slug, which is that of the
// first capture, with the next flush.
func lockDocument(p *pipeline, s *model.Snapshot) {
	p.queue(`INSERT INTO documents
			(document_id, source_id, external_id, external_digest, slug, last_checked_at, last_seen_at)
		VALUES ($1, $2, $3, sha256(convert_to($3, 'UTF8')), $4, now(), now())
		ON CONFLICT (document_id) DO UPDATE SET last_checked_at = now(), last_seen_at = now()
		RETURNING slug`,
		s.DocumentID, s.SourceID, s.ExternalID, digest.Slug(s.Filename, cmp.Or(s.URLCanonical, s.ExternalID), s.DocumentID)).
		QueryRow(func(row pgx.Row) error { return row.Scan(&s.Slug) })
}

// updateDocument copies to the document what its newest snapshot says: newest
// by (retrieved_at, snapshot_id), never by arrival (contracts#run-order). The caller
// holds the document's row and has inserted the snapshot.
func updateDocument(ctx context.Context, p *pipeline, s model.Snapshot) error {
	return p.write(ctx, "document "+s.DocumentID, 1, `UPDATE documents SET canonical_url = $2, host = $3, content_type = $4, final_type = $5,
			source_type = $6, domain = $7, territory = $8, etag = $9, last_modified = $10, content_hash = $11
		WHERE document_id = $1 AND NOT EXISTS (SELECT 1 FROM snapshots n
			WHERE n.document_id = $1 AND (n.retrieved_at, n.snapshot_id) > ($12, $13))`,
		s.DocumentID, s.URLCanonical, hostOf(s.URLCanonical), s.ContentType, s.FinalType,
		s.SourceType, s.Domain, s.Territory, s.ETag, s.LastModified, s.ContentHash, s.RetrievedAt, s.SnapshotID)
}

// hostOf returns the host of a canonical URL without its port, "" when it has
// none.
func hostOf(urlCanonical string) string {
	u, err := url.Parse(urlCanonical)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
