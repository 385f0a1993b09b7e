package stage

import (
	"context"
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
)

// FlagSplit says that older rules for URLs held a document and others for one.
const FlagSplit = "identity_split"

// Identities says under which identity a document is kept: one that was captured under
// older rules keeps the identity that these gave it.
type Identities interface {
	Identify(ctx context.Context, sourceID string, asked model.AskedIdentity) (model.DocumentIdentity, error)
}

// identify returns the identity of what was captured. What cannot have one is
// Malformed.
func (s *Stage) identify(ctx context.Context, req *request, c *captured) (model.DocumentIdentity, error) {
	today, err := digest.Identity(req.SourceRecordID, c.canonical)
	if err != nil {
		return model.DocumentIdentity{}, fault.Permanent(fault.Malformed, err)
	}
	asked := model.AskedIdentity{Today: today, Before: today, Trace: today}
	switch {
	case req.SourceRecordID != "" && strings.Contains(req.rawRecordID, "://"):
		asked.Before = digest.RedactURLV1(req.rawRecordID)
		asked.Trace = asked.Before
	case req.SourceRecordID != "": // it is a name
		return model.DocumentIdentity{ExternalID: today}, nil
	default:
		if asked.Before, err = digest.URLCanonV1(c.raw); err == nil {
			asked.Trace, err = digest.URLCanonV2(digest.RedactURLV1(c.raw))
		}
		if err != nil {
			return model.DocumentIdentity{}, fault.Permanent(fault.Malformed, err)
		}
	}
	return s.Identities.Identify(ctx, req.SourceID, asked)
}

// splitMessage tells a crawler that a document was held for another's.
func splitMessage(id model.DocumentIdentity) string {
	if id.MergedWith == "" {
		return ""
	}
	return fmt.Sprintf("%s held this address and that of %s for one document: they are two", digest.URLCanonVersion1, id.MergedWith)
}

// underOlderRules tells whether a request is the one that was accepted under the rules
// before: its row has the digest of what those have stored.
func (r *request) underOlderRules(row model.Capture, inboxName string) bool {
	if row.RequestDigest == r.digest || r.asRead == nil {
		return false
	}
	older := request{CaptureRequested: *r.asRead, inline: r.inline}
	if strings.Contains(older.SourceRecordID, "://") {
		older.SourceRecordID = digest.RedactURLV1(older.SourceRecordID)
	}
	return older.cleanUnder(inboxName, redact.Before()) == nil && older.digest == row.RequestDigest
}
