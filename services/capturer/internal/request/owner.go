package request

import (
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
)

// Owns reports whether the row of a request's request_id is its own. A request_id may be of
// any form, and be used twice, so that the row which stands under it can be another
// request's. However often a request is taken up again, a crawler's owns the row that has
// its digest, and a member the row that names its container.
func (r *Request) Owns(row model.Capture) bool {
	if r.Container != "" {
		return row.Container == r.Container
	}
	return row.RequestDigest == r.digest || r.isOlder(row)
}

// Accepted returns the request as the row that it owns has it: with the time, and under the
// rules, of when it was accepted first.
func (r *Request) Accepted(row model.Capture) *Request {
	accepted := *r
	accepted.At, accepted.digest = row.RequestedAt, row.RequestDigest
	return &accepted
}

// isOlder reports whether a request is the one that was accepted under the rules
// before: its row has the digest of what those have stored.
func (r *Request) isOlder(row model.Capture) bool {
	if r.asRead == nil {
		return false
	}
	for _, before := range []struct {
		rules redact.Rules
		id    func(string) string
	}{{redact.Before3(), digest.RedactURLV3}, {redact.Before2(), digest.RedactURLV2}, {redact.Before1(), digest.RedactURLV1}} {
		older := Request{CaptureRequested: *r.asRead, Bytes: r.Bytes, inbox: r.inbox}
		if strings.Contains(older.SourceRecordID, "://") {
			older.SourceRecordID = before.id(older.SourceRecordID)
		}
		if older.cleanRequest(before.rules) == nil && older.digest == row.RequestDigest {
			return true
		}
	}
	return false
}

// Member returns the request that stands for a member of the request's container, which
// nobody has sent: data is what is known of the member, parent the container's snapshot,
// and hash the content_hash of the member's bytes, or of the container's when there are
// none. A member whose name, address or times break the rules for requests is an error.
func (r *Request) Member(data event.CaptureRequested, parent model.Snapshot, hash string) (*Request, error) {
	sum, err := digest.ContentHex(hash)
	if err != nil {
		return nil, err
	}
	data.SourceID, data.Object = r.SourceID, &event.Object{Bucket: BucketRaw, Key: sum}
	data.FetchToolVersion, data.RobotsPolicyNotes = r.FetchToolVersion, r.RobotsPolicyNotes
	data.SnapshotGroupID, data.Language, data.Region, data.Force = r.SnapshotGroupID, r.Language, r.Region, r.Force
	var undated time.Time
	if data.RetrievedAt == nil {
		at := parent.RetrievedAt
		data.RetrievedAt, undated = &at, r.undatedMembers()
	}
	member := &Request{CaptureRequested: data, At: r.At, Undated: undated, Container: r.RequestID, inbox: r.inbox}
	return member, member.cleanRequest(redact.Today())
}

// undatedMembers returns what the members of a request's container are dated by that have
// no date, zero for when it was retrieved: the clock of a fetch must not be in ids.
func (r *Request) undatedMembers() time.Time {
	switch {
	case !r.Undated.IsZero() || !r.Fetches():
		return r.Undated
	case r.RetrievedAt != nil:
		return *r.RetrievedAt
	default:
		return r.At
	}
}

// Unnamed returns the request for a member that Member has no request for, under what can
// be kept of its request_id.
func (r *Request) Unnamed(requestID string, parent model.Snapshot) (*Request, error) {
	id := Addressable(requestID)
	return r.Member(event.CaptureRequested{RequestID: id, SourceRecordID: id}, parent, parent.ContentHash)
}

// Renamed returns a member's request when the row of its request_id is another's: under
// its request_id, "!/" and the snapshot_id of its container.
func (r *Request) Renamed(parent model.Snapshot) (*Request, error) {
	renamed := *r
	renamed.RequestID = Addressable(digest.MemberRequestID(r.RequestID, parent.SnapshotID))
	return &renamed, renamed.cleanRequest(redact.Today())
}
