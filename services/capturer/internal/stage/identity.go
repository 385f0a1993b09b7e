package stage

import (
	"context"
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
)

// FlagSplit says that older rules for URLs held a document and others for one.
const FlagSplit = "identity_split"

// Identities says under which identity a document is kept: one that was captured under
// older rules keeps the identity that these gave it.
type Identities interface {
	Identify(ctx context.Context, sourceID string, asked model.AskedIdentity) (model.DocumentIdentity, error)
}

// identifyDocument returns the identity of what was captured at an address, which came as rawURL;
// "" for none. What cannot have one is Malformed.
func (s *Stage) identifyDocument(ctx context.Context, req *request.Request, rawURL, canonical string) (model.DocumentIdentity, error) {
	today, err := digest.Identity(req.SourceRecordID, canonical)
	if err != nil {
		return model.DocumentIdentity{}, fault.Permanent(fault.Malformed, err)
	}
	asked := model.AskedIdentity{Today: today}
	switch {
	case req.SourceRecordID != "" && strings.Contains(req.RawRecordID, "://"):
		before3, before2, before1 := digest.RedactURLV3(req.RawRecordID), digest.RedactURLV2(req.RawRecordID), digest.RedactURLV1(req.RawRecordID)
		asked.Older = []model.OlderIdentity{
			{Policy: digest.RedactVersion3, Identity: before3, Trace: before3},
			{Policy: digest.RedactVersion2, Identity: before2, Trace: before2}, {Policy: digest.RedactVersion1, Identity: before1, Trace: before1},
		}
	case req.SourceRecordID != "": // it is a name
		return model.DocumentIdentity{ExternalID: today}, nil
	default:
		if asked.Older, err = olderIdentities(rawURL); err != nil {
			return model.DocumentIdentity{}, fault.Permanent(fault.Malformed, err)
		}
	}
	return s.Identities.Identify(ctx, req.SourceID, asked)
}

// olderIdentities returns what the rules of before make of an address. Rules that refuse it,
// as those before urlcanon_v3 did a host with an underscore, have kept no document of it.
func olderIdentities(address string) ([]model.OlderIdentity, error) {
	before, err := digest.URLCanonV3(address)
	if err != nil {
		return nil, err
	}
	trace, err := digest.URLPlain(digest.RedactURLV3(address))
	if err != nil {
		return nil, err
	}
	older := []model.OlderIdentity{{Policy: digest.RedactVersion3, Identity: before, Trace: trace}}
	if before, err := digest.URLCanonV2(address); err == nil {
		trace, err := digest.URLPlain(digest.RedactURLV2(address))
		if err != nil {
			return nil, err
		}
		older = append(older, model.OlderIdentity{Policy: digest.RedactVersion2, Identity: before, Trace: trace})
	}
	if before, err := digest.URLCanonV1(address); err == nil {
		trace, err := digest.URLCanonV4(digest.RedactURLV1(address))
		if err != nil {
			return nil, err
		}
		older = append(older, model.OlderIdentity{Policy: digest.RedactVersion1, Identity: before, Trace: trace})
	}
	return older, nil
}

// splitMessage tells a crawler that a document was held for another's.
func splitMessage(id model.DocumentIdentity) string {
	if id.MergedWith == "" {
		return ""
	}
	return fmt.Sprintf("older rules held this address and that of %s for one document: they are two", id.MergedWith)
}
