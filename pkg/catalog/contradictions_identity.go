package catalog

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// askedIdentity is a query's expression for what today's rules call a snapshot s: see
// digest.Identity. It is "" of a member, whose record has its container and its path.
const askedIdentity = `coalesce(nullif(s.record->>'source_record_id', ''), s.record->>'url_canonical', '')`

// flagSplit is the quality flag of snapshots that older rules held for another document.
const flagSplit = "identity_split"

// identityContradictions hold snapshots that were captured under today's rules against
// the rows that keep the names of those of before, and these against the documents.
func identityContradictions() []string {
	const today = `s.record->>'redaction_policy_id' IS DISTINCT FROM '` + digest.RedactVersion1 + `'`
	return []string{
		`SELECT 'snapshot ' || s.snapshot_id, 'its document is called ' || (s.record->>'external_id') || ', and nothing says that ' ||
			` + askedIdentity + ` || ' is called so'
		FROM snapshots s WHERE ($1 = '' OR s.document_id = $1) AND ` + today + ` AND s.record->>'external_id' <> ` + askedIdentity + `
		AND ` + askedIdentity + ` <> '' AND NOT EXISTS (SELECT 1 FROM document_identities i WHERE i.source_id = s.source_id
			AND i.identity_digest = sha256(convert_to(` + askedIdentity + `, 'UTF8')) AND i.external_id = s.record->>'external_id')`,

		`SELECT 'snapshot ' || s.snapshot_id, 'older rules held it for another document, and nothing says for which'
		FROM snapshots s WHERE ($1 = '' OR s.document_id = $1) AND s.record->'quality_flags' ? '` + flagSplit + `' AND NOT EXISTS (SELECT 1 FROM document_identities i WHERE i.document_id = s.document_id)`,

		`SELECT 'identity ' || i.identity || ' of ' || i.source_id, 'was merged with ' || i.merged_with || ', which its snapshot ' || s.snapshot_id || ' does not know'
		FROM document_identities i JOIN snapshots s ON s.document_id = i.document_id AND s.source_id = i.source_id
		WHERE ($1 = '' OR i.document_id = $1) AND i.merged_with <> '' AND ` + today + ` AND ` + askedIdentity + ` = i.identity
		AND NOT coalesce(s.record->'quality_flags' ? '` + flagSplit + `', false)`,

		// The name is settled before its document is stored, which may fail; a revisit
		// names a document that was never captured.
		`SELECT 'identity ' || i.identity || ' of ' || i.source_id, 'its document is not there, and no request can have asked for it: ' || i.document_id
		FROM document_identities i WHERE ($1 = '' OR i.document_id = $1) AND i.merged_with <> '' AND i.at < $2
		AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.document_id = i.document_id AND d.source_id = i.source_id)
		AND NOT EXISTS (SELECT 1 FROM captures c WHERE c.source_id = i.source_id
			AND (c.document_id = i.document_id OR c.outcome IS NULL OR c.outcome = 'failed' AND c.decided_at >= i.at))`,
	}
}

// identityRowOf is a row of document_identities, and what documents say of it.
type identityRowOf struct {
	sourceID, identity, documentID, externalID, mergedWith string

	digest []byte
	before string // identity of the document that was captured under older rules: its own, or the one it was merged with
	there  bool   // that document is there, and of this source
	old    bool   // it was captured under older rules
}

// checkIdentitiesMade returns the rows of identities that are not made as Identify makes them.
func checkIdentitiesMade(ctx context.Context, tx pgx.Tx, documentID string, _ time.Time) ([]Contradiction, error) {
	rows, err := tx.Query(ctx, `SELECT i.source_id, i.identity_digest, i.identity, i.document_id, i.external_id, i.merged_with,
			coalesce(d.external_id, ''), d.document_id IS NOT NULL, EXISTS (SELECT 1 FROM snapshots s
				WHERE s.document_id = d.document_id AND s.record->>'redaction_policy_id' = ANY ($2))
		FROM document_identities i LEFT JOIN documents d
			ON d.document_id = coalesce(nullif(i.merged_with, ''), i.document_id) AND d.source_id = i.source_id
		WHERE $1 = '' OR i.document_id = $1 OR i.merged_with = $1
		ORDER BY i.source_id COLLATE "C", i.identity_digest`, documentID, []string{digest.RedactVersion1, digest.RedactVersion2, digest.RedactVersion3})
	if err != nil {
		return nil, err
	}
	var found few
	var i identityRowOf
	_, err = pgx.ForEachRow(rows, []any{&i.sourceID, &i.digest, &i.identity, &i.documentID, &i.externalID, &i.mergedWith,
		&i.before, &i.there, &i.old}, func() error {
		if wrong := i.wrong(); wrong != "" {
			found.add("identity "+i.identity+" of "+i.sourceID, "%s", wrong)
		}
		return nil
	})
	return found.found, err
}

// wrong says what of a row cannot have been written, "" when nothing is.
func (i identityRowOf) wrong() string {
	sum, made := sha256.Sum256([]byte(i.identity)), digest.DocumentID(i.sourceID, i.externalID)
	// Where its own name is that of another's document.
	second := slices.Contains([]string{digest.URLCanonVersion, digest.URLCanonVersion3, digest.URLCanonVersion2}, strings.TrimPrefix(i.externalID, i.identity+"#"))
	switch {
	case string(i.digest) != string(sum[:]):
		return "its digest is of something else"
	case made != i.documentID:
		return "its document's id computes to " + made
	case !i.there && i.mergedWith == "":
		return "the document of older rules that it is is not there: " + i.documentID
	case !i.there:
		return "the document that it was merged with is not there: " + i.mergedWith
	case i.mergedWith == i.documentID:
		return "it was merged with itself"
	case second && i.mergedWith != digest.DocumentID(i.sourceID, i.identity):
		return "its name is taken by another document than " + i.mergedWith
	case second:
		return ""
	case (i.mergedWith == "") == (i.externalID == i.identity):
		return fmt.Sprintf("it is called %s and was merged with %q", i.externalID, i.mergedWith)
	case !i.old:
		return "no older rules have merged it: " + i.before
	case !alikeBefore(i.identity, i.before):
		return "older rules did not hold it for " + i.before
	}
	return ""
}

// alikeBefore reports whether older rules can have held two addresses for one: without
// what the rules of today and those of before leave out or hide they are the same. What
// is no address, as a record's id may be, cannot be told.
func alikeBefore(one, other string) bool {
	var made [2]string
	for n, address := range []string{one, other} {
		for _, canonical := range []func(string) (string, error){digest.URLCanonV1, digest.URLCanonV2, digest.URLCanonV3, digest.URLCanonV4} {
			var err error
			if address, err = canonical(address); err != nil {
				return true
			}
		}
		made[n] = address
	}
	return made[0] == made[1]
}
