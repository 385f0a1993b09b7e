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

// RecordNotModified decides a request whose server said that the document is
// still that of a snapshot: nothing is recorded, its document was checked, and
// the windows of the URLs begin anew (contracts 12, Bytes). It returns the
// request's row as it stands. When the document has changed meanwhile, so that
// still is false of it, nothing is written and recorded is false.
func (db *DB) RecordNotModified(ctx context.Context, c model.Capture, s model.Snapshot, windows []string,
	still func(model.Standing) bool) (stands model.Capture, recorded bool, err error) {
	stands = c
	err = db.pipelined(ctx, func(p *pipeline) error {
		p.queue(lockCapture, c.SourceID, c.RequestID).QueryRow(func(row pgx.Row) (err error) {
			if stands, err = scanCapture(row); err == nil && stands.Outcome != "" {
				return errDecided
			}
			return err
		})
		p.queue(`UPDATE documents SET last_checked_at = now() WHERE document_id = $1`, s.DocumentID)
		n := askNeighbours(p, s.DocumentID, forever(), "")
		if err := p.flush(ctx); err != nil {
			return err
		}
		if !still(n.standing) {
			return errMoved
		}
		if err := putWindows(ctx, p, s, windows); err != nil {
			return err
		}
		p.ask(decideCapture(), decided(c)...).QueryRow(func(row pgx.Row) (err error) {
			stands, err = scanCapture(row)
			return err
		})
		return nil
	})
	switch {
	case errors.Is(err, errMoved):
		return c, false, nil
	case err != nil && !errors.Is(err, errDecided):
		return c, false, fmt.Errorf("recording that the document of %s/%s is as it was: %w", c.SourceID, c.RequestID, err)
	}
	return stands, true, nil
}

// errMoved says that a document has changed since it was looked at.
var errMoved = errors.New("the document has changed meanwhile")

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
