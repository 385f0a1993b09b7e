package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Identify returns the identity under which a document is kept: asked.Today, unless the
// document was captured before under one of asked.Older (ADR 13). Of several addresses that
// older rules had made one document of, the first that asks keeps it; each other one
// gets a document of its own, now and always. Asking again gives the same answer.
func (db *DB) Identify(ctx context.Context, sourceID string, asked model.AskedIdentity) (id model.DocumentIdentity, err error) {
	id, settled, err := db.settledIdentity(ctx, sourceID, asked)
	if err == nil && !settled {
		err = db.Tx(ctx, func(tx pgx.Tx) error {
			id, err = settleIdentity(ctx, tx, sourceID, asked)
			return err
		})
	}
	if err != nil {
		return id, fmt.Errorf("identity of a document of %s: %w", sourceID, Classify(err))
	}
	return id, nil
}

// settledIdentity answers what is known already, and what needs no rows: settled is
// false where a document of older rules may be the one.
func (db *DB) settledIdentity(ctx context.Context, sourceID string, asked model.AskedIdentity) (id model.DocumentIdentity, settled bool, err error) {
	id, found, err := identityRow(ctx, db.pool, sourceID, asked.Today)
	if err != nil || found {
		return id, found, err
	}
	var taken bool
	err = db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM document_identities WHERE document_id = $1)`,
		digest.DocumentID(sourceID, asked.Today)).Scan(&taken)
	return model.DocumentIdentity{ExternalID: asked.Today}, !taken && !slices.ContainsFunc(asked.Older, func(o model.OlderIdentity) bool { return o.Identity != asked.Today }), err
}

// identityRow returns the row of an identity; found is false when there is none.
func identityRow(ctx context.Context, q querier, sourceID, identity string) (id model.DocumentIdentity, found bool, err error) {
	err = q.QueryRow(ctx, `SELECT i.external_id, CASE WHEN i.merged_with <> '' THEN i.merged_with ELSE coalesce(
				(SELECT min(m.document_id) FROM document_identities m WHERE m.merged_with = i.document_id), '') END
			FROM document_identities i WHERE i.source_id = $1 AND i.identity_digest = $2`,
		sourceID, urlDigest(identity)).Scan(&id.ExternalID, &id.MergedWith)
	if errors.Is(err, pgx.ErrNoRows) {
		return id, false, nil
	}
	return id, err == nil, err
}

// settleIdentity decides on an identity for good.
func settleIdentity(ctx context.Context, tx pgx.Tx, sourceID string, asked model.AskedIdentity) (model.DocumentIdentity, error) {
	own := model.DocumentIdentity{ExternalID: asked.Today}
	today := digest.DocumentID(sourceID, asked.Today)
	var taken, there bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM document_identities WHERE document_id = $1),
			EXISTS (SELECT 1 FROM documents WHERE document_id = $1)`, today).Scan(&taken, &there); err != nil {
		return own, err
	}
	switch {
	case taken: // its name is that of another's document: no canonical URL has a fragment
		own.ExternalID, own.MergedWith = asked.Today+"#"+digest.URLCanonVersion, today
		return putIdentity(ctx, tx, sourceID, asked.Today, own)
	case there:
		return own, nil
	}
	for _, older := range asked.Older {
		if older.Identity == asked.Today {
			continue // it would be there
		}
		before := digest.DocumentID(sourceID, older.Identity)
		merged, owned, err := capturedBefore(ctx, tx, before, older)
		if err != nil {
			return own, err
		}
		if !merged {
			continue
		}
		own.MergedWith = before
		if owned {
			first := model.DocumentIdentity{ExternalID: older.Identity}
			if got, err := putIdentity(ctx, tx, sourceID, asked.Today, first); err != nil || got.ExternalID != "" {
				return got, err
			}
		}
		return putIdentity(ctx, tx, sourceID, asked.Today, own)
	}
	return own, nil
}

// putIdentity writes the row of an identity and returns it as it stands: the zero
// identity when the document is another's.
func putIdentity(ctx context.Context, tx pgx.Tx, sourceID, identity string, id model.DocumentIdentity) (model.DocumentIdentity, error) {
	tag, err := tx.Exec(ctx, `INSERT INTO document_identities (source_id, identity_digest, identity, document_id, external_id, merged_with)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		sourceID, urlDigest(identity), identity, digest.DocumentID(sourceID, id.ExternalID), id.ExternalID, id.MergedWith)
	if err != nil || tag.RowsAffected() == 1 {
		return id, err
	}
	stands, _, err := identityRow(ctx, tx, sourceID, identity)
	return stands, err
}

// snapshotsAsked is how many snapshots of older rules are asked where a document comes
// from.
const snapshotsAsked = 1000

// capturedBefore reports whether a document of older rules was captured from an address
// that these could not tell from the one that is asked for; owned is false when one of
// its addresses is what its identity says, since then that one keeps it.
func capturedBefore(ctx context.Context, tx pgx.Tx, documentID string, asked model.OlderIdentity) (merged, owned bool, err error) {
	rows, err := tx.Query(ctx, `SELECT DISTINCT coalesce(record->>'url', ''), coalesce(record->>'source_record_id', '') FROM (
			SELECT record FROM snapshots WHERE document_id = $1 AND record->>'redaction_policy_id' = $2
			ORDER BY retrieved_at, snapshot_id LIMIT $3) s`, documentID, asked.Policy, snapshotsAsked)
	if err != nil {
		return false, false, err
	}
	canon := digest.URLCanonV4
	if asked.Policy != digest.RedactVersion1 {
		canon = digest.URLPlain
	}
	owned = true
	var url, recordID string
	_, err = pgx.ForEachRow(rows, []any{&url, &recordID}, func() error {
		if recordID != "" {
			merged = merged || recordID == asked.Trace
			return nil
		}
		canonical, err := canon(url)
		if err != nil {
			return nil //nolint:nilerr // it is none of the address
		}
		merged = merged || canonical == asked.Trace
		owned = owned && (canonical != asked.Identity || canonical == asked.Trace)
		return nil
	})
	return merged, owned, err
}
