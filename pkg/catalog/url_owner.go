package catalog

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// claimURL refuses a snapshot under contracts#seed-ids whose URL is another document's: both
// would have one doc_hash. Whoever claims a URL holds it until its transaction ends, so of
// two documents that come at once one has it.
func claimURL(p *pipeline, s model.Snapshot) {
	if s.RuleVersions[model.RuleIDs] != model.IDs004 {
		return
	}
	p.queue(`SELECT pg_advisory_xact_lock($1)`, p.db.lockKey("url", s.URLCanonical))
	p.queue(`SELECT coalesce(min(source_id || ', ' || external_id), '') FROM documents
		WHERE canonical_url = $1 AND document_id <> $2`, s.URLCanonical, s.DocumentID).QueryRow(func(row pgx.Row) error {
		var owner string
		if err := row.Scan(&owner); err != nil || owner == "" {
			return err
		}
		return fault.Permanent(fault.RequestConflict, fmt.Errorf("%w: %s", fault.ErrURLTaken, owner))
	})
}
