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
	asked := model.AskedIdentity{Today: today}
	switch {
	case req.SourceRecordID != "" && strings.Contains(req.rawRecordID, "://"):
		before2, before1 := digest.RedactURLV2(req.rawRecordID), digest.RedactURLV1(req.rawRecordID)
		asked.Older = []model.OlderIdentity{
			{Policy: digest.RedactVersion2, Identity: before2, Trace: before2}, {Policy: digest.RedactVersion1, Identity: before1, Trace: before1},
		}
	case req.SourceRecordID != "": // it is a name
		return model.DocumentIdentity{ExternalID: today}, nil
	default:
		if asked.Older, err = olderIdentities(c.raw); err != nil {
			return model.DocumentIdentity{}, fault.Permanent(fault.Malformed, err)
		}
	}
	return s.Identities.Identify(ctx, req.SourceID, asked)
}

// olderIdentities returns what the rules of before make of an address.
func olderIdentities(address string) ([]model.OlderIdentity, error) {
	before2, err := digest.URLCanonV2(address)
	if err != nil {
		return nil, err
	}
	before1, err := digest.URLCanonV1(address)
	if err != nil {
		return nil, err
	}
	trace2, err := digest.URLPlain(digest.RedactURLV2(address))
	if err != nil {
		return nil, err
	}
	trace1, err := digest.URLCanonV3(digest.RedactURLV1(address))
	return []model.OlderIdentity{
		{Policy: digest.RedactVersion2, Identity: before2, Trace: trace2}, {Policy: digest.RedactVersion1, Identity: before1, Trace: trace1},
	}, err
}

// splitMessage tells a crawler that a document was held for another's.
func splitMessage(id model.DocumentIdentity) string {
	if id.MergedWith == "" {
		return ""
	}
	return fmt.Sprintf("older rules held this address and that of %s for one document: they are two", id.MergedWith)
}

// underOlderRules tells whether a request is the one that was accepted under the rules
// before: its row has the digest of what those have stored.
func (r *request) underOlderRules(row model.Capture, inboxName string) bool {
	if row.RequestDigest == r.digest || r.asRead == nil {
		return false
	}
	for _, before := range []struct {
		rules redact.Rules
		id    func(string) string
	}{{redact.Before2(), digest.RedactURLV2}, {redact.Before1(), digest.RedactURLV1}} {
		older := request{CaptureRequested: *r.asRead, inline: r.inline}
		if strings.Contains(older.SourceRecordID, "://") {
			older.SourceRecordID = before.id(older.SourceRecordID)
		}
		if older.cleanUnder(inboxName, before.rules) == nil && older.digest == row.RequestDigest {
			return true
		}
	}
	return false
}
