package catalog

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// LeaseWindow takes the right to fetch a URL and returns what is known of its
// last fetch. held is false while another owner has that right. The owner that
// has it may take it again.
func (db *DB) LeaseWindow(ctx context.Context, sourceID, urlCanonical, owner string, lease time.Duration) (w model.FetchWindow, held bool, err error) {
	w.URLCanonical = urlCanonical
	err = db.pool.QueryRow(ctx, `INSERT INTO fetch_windows AS w (source_id, url_canonical, url_digest, lease_owner, lease_until)
		VALUES ($1, $2, $3, $4, now() + $5::interval)
		ON CONFLICT (source_id, url_digest) DO UPDATE SET lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
		WHERE w.lease_until IS NULL OR w.lease_until < now() OR w.lease_owner = excluded.lease_owner
		RETURNING final_type, snapshot_id, document_id,
			coalesce(extract(epoch FROM now() - last_fetch_at), 0)::double precision`,
		sourceID, urlCanonical, urlDigest(urlCanonical), owner, lease).
		Scan(&w.FinalType, &w.SnapshotID, &w.DocumentID, &w.AgeSeconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return w, false, nil
	}
	if err != nil {
		return w, false, fmt.Errorf("leasing the window of a URL of %s: %w", sourceID, Classify(err))
	}
	return w, true, nil
}

// RenewWindow moves the end of a lease; false says that it was lost.
func (db *DB) RenewWindow(ctx context.Context, sourceID, urlCanonical, owner string, lease time.Duration) (bool, error) {
	tag, err := db.pool.Exec(ctx, `UPDATE fetch_windows SET lease_until = now() + $4::interval
		WHERE source_id = $1 AND url_digest = $2 AND lease_owner = $3`, sourceID, urlDigest(urlCanonical), owner, lease)
	if err != nil {
		return false, fmt.Errorf("renewing the window of a URL of %s: %w", sourceID, Classify(err))
	}
	return tag.RowsAffected() == 1, nil
}

// ReleaseWindow gives a lease back; what is known of the last fetch stays.
func (db *DB) ReleaseWindow(ctx context.Context, sourceID, urlCanonical, owner string) error {
	_, err := db.pool.Exec(ctx, `UPDATE fetch_windows SET lease_owner = '', lease_until = NULL
		WHERE source_id = $1 AND url_digest = $2 AND lease_owner = $3`, sourceID, urlDigest(urlCanonical), owner)
	if err != nil {
		return fmt.Errorf("releasing the window of a URL of %s: %w", sourceID, Classify(err))
	}
	return nil
}

// putWindows records a fetch for all URLs that led to it, and ends their
// leases: a window knows of successes only.
func putWindows(ctx context.Context, p *pipeline, s model.Snapshot, urls []string) error {
	if len(urls) == 0 {
		return nil
	}
	urls = slices.Clone(urls)
	slices.SortFunc(urls, func(a, b string) int { return slices.Compare(urlDigest(a), urlDigest(b)) })
	urls = slices.Compact(urls)
	digests := make([][]byte, len(urls))
	for i, u := range urls {
		digests[i] = urlDigest(u)
	}
	return p.write(ctx, "windows of "+s.SourceID, len(urls), `INSERT INTO fetch_windows
			(source_id, url_canonical, url_digest, last_fetch_at, final_type, snapshot_id, document_id)
		SELECT $1, u, d, now(), $4, $5, $6 FROM unnest($2::text[], $3::bytea[]) AS w(u, d)
		ON CONFLICT (source_id, url_digest) DO UPDATE SET last_fetch_at = excluded.last_fetch_at,
			final_type = excluded.final_type, snapshot_id = excluded.snapshot_id, document_id = excluded.document_id,
			lease_owner = '', lease_until = NULL`,
		s.SourceID, urls, digests, s.FinalType, s.SnapshotID, s.DocumentID)
}

// Standing returns what a capture that comes after all others of a document has
// before it; the zero value when there is none.
func (db *DB) Standing(ctx context.Context, documentID string) (model.Standing, error) {
	var n *neighbours
	err := db.pipelined(ctx, func(p *pipeline) error {
		n = askNeighbours(p, documentID, forever(), "")
		return p.flush(ctx)
	})
	if err != nil {
		return model.Standing{}, fmt.Errorf("document %s: %w", documentID, err)
	}
	return n.standing, nil
}

func urlDigest(urlCanonical string) []byte {
	sum := sha256.Sum256([]byte(urlCanonical))
	return sum[:]
}
