// Package request says what was asked: a request cleaned and redacted, as its row keeps it,
// and which row is that of which request.
package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
)

// maxMemberID bounds the request_id of a member in bytes: it is longer than what a
// crawler may choose.
const maxMemberID = 2400

// BucketRaw is the name of the bucket of captured bytes in a stored request. It is where
// inline content is kept, so that the request can be handled again from its row.
const BucketRaw = "raw"

// bucketInbox is the name of the bucket that crawlers write, in a stored request.
const bucketInbox = "inbox"

// Request is a capture request as it is worked on: cleaned and redacted, but
// for the URL that is fetched and the bytes that came inline. It is not changed
// once it was made.
type Request struct {
	event.CaptureRequested
	Canonical   string    // under today's rules, of URL; "" without one
	FetchURL    string    // the URL as it came
	RawRecordID string    // source_record_id as it came; "" for a member
	Bytes       []byte    // what came inline; nil when nothing did
	BytesHash   string    // content_hash of Bytes
	At          time.Time // when it was sent
	Undated     time.Time // of a member of a container that was fetched, which has no date of its own: when the container was asked for
	Container   string    // the request_id of the container that it is a member of; "" for a crawler's

	stored json.RawMessage         // the cleaned request, as its row keeps it
	digest string                  // of stored
	asRead *event.CaptureRequested // as it came; nil for a member
	inbox  string                  // the name of the inbox's bucket
}

// Read decodes and checks a request. Every error is a permanent Malformed one. inbox is
// the name of the inbox's bucket.
func Read(e event.Event, inbox string) (*Request, error) {
	data, err := event.As[event.CaptureRequested](e)
	if err != nil {
		return nil, err
	}
	if data.RequestID == "" {
		data.RequestID = OfMessage(e.MsgID, e.SourceID)
	}
	if err := data.Validate(); err != nil {
		return nil, fault.Permanent(fault.Malformed, err)
	}
	asRead := data
	data.SourceRecordID = redact.RecordID(data.SourceRecordID)
	r := &Request{CaptureRequested: data, asRead: &asRead, RawRecordID: asRead.SourceRecordID, FetchURL: data.URL, At: e.Time, inbox: inbox}
	if !e.Time.IsZero() {
		at, err := cleanTime("ce-time", &e.Time)
		if err != nil {
			return nil, fault.Permanent(fault.Malformed, err)
		}
		r.At = *at
	}
	if err := r.cleanRequest(redact.Today()); err != nil {
		return nil, fault.Permanent(fault.Malformed, err)
	}
	return r, nil
}

// cleanRequest checks what Validate cannot, and makes of the request what may be
// stored, under the rules of one version.
func (r *Request) cleanRequest(rules redact.Rules) error {
	var err error
	if err := r.CheckHTTP(); err != nil {
		return err
	}
	if r.URL != "" {
		if r.Canonical, err = digest.URLCanonV4(r.URL); err != nil {
			return fmt.Errorf("url: %w", err)
		}
	}
	longest := event.MaxRequestID
	if r.Object != nil && r.Object.Bucket == BucketRaw {
		longest = maxMemberID
	}
	if err := event.CheckName("request_id", r.RequestID, longest); err != nil {
		return err
	}
	if err := event.CheckName("source_record_id", r.SourceRecordID, event.MaxRecordID); err != nil {
		return err
	}
	if r.RetrievedAt, err = cleanTime("retrieved_at", r.RetrievedAt); err != nil {
		return err
	}
	if r.LastModified, err = cleanTime("last_modified", r.LastModified); err != nil {
		return err
	}
	if err := r.cleanPlace(); err != nil {
		return err
	}
	if r.FetchURL == "" { // of a member, which nobody fetches
		r.FetchURL = r.URL
	}
	r.URL = rules.URL(r.URL)
	r.RedirectChain = rules.URLs(r.RedirectChain)
	r.Headers = rules.Headers(r.Headers)
	r.Metadata = rules.Values(r.Metadata)
	for _, field := range []*string{&r.ContentType, &r.Encoding, &r.FetchToolVersion, &r.RobotsPolicyNotes,
		&r.SnapshotGroupID, &r.Filename, &r.LastModifiedOrigin, &r.Language, &r.Region} {
		*field = rules.Text(*field)
	}
	if r.stored, err = json.Marshal(r.CaptureRequested); err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	canonical, err := digest.JCS(r.stored)
	if err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	r.digest = digest.Hex(canonical)
	return nil
}

// cleanPlace turns inline content into the raw object that it becomes, and
// calls the inbox by its own name, whatever its bucket is called.
func (r *Request) cleanPlace() error {
	if r.Inline != nil {
		r.Bytes = r.Inline.ContentBase64
		if r.Bytes == nil {
			r.Bytes = []byte{}
		}
		r.BytesHash = digest.Content(r.Bytes)
		sum, err := digest.ContentHex(r.BytesHash)
		if err != nil {
			return err
		}
		r.Inline, r.Object = nil, &event.Object{Bucket: BucketRaw, Key: sum}
		return nil
	}
	for i, o := range []*event.Object{r.Object, r.WARC} {
		if o == nil {
			continue
		}
		if o.Bucket == "" || o.Bucket == r.inbox {
			o.Bucket = bucketInbox
		}
		if err := event.CheckName("key", o.Key, 1024); err != nil {
			return err
		}
		switch {
		case o.Bucket == BucketRaw && i == 0: // a request that is handled again from its row
			if _, err := digest.ContentHex("sha256:" + o.Key); err != nil {
				return fmt.Errorf("object: %w", err)
			}
		case o.Bucket == bucketInbox:
			if o.Key == "" {
				return errors.New("object: a key must be given")
			}
		default:
			return errors.New("object: only the inbox bucket is read")
		}
	}
	return nil
}

// Fetches reports whether the request leaves the fetching to us.
func (r *Request) Fetches() bool { return r.Object == nil && r.WARC == nil }

// Row returns the request as captures keeps it.
func (r *Request) Row() model.Capture {
	return model.Capture{
		SourceID: r.SourceID, RequestID: r.RequestID, RequestDigest: r.digest, Request: r.stored,
		RequestedAt: r.At, URLCanonical: r.Canonical, Container: r.Container,
	}
}

// Addressable returns a request_id as an answer can carry it. One that cannot be
// kept as it is becomes its own beginning, with spaces for control characters
// and what is cut off, then "~" and 16 hex digits of the sha256 of the whole, so
// that its sender knows it again (contracts#rejected).
func Addressable(requestID string) string {
	if event.CheckName("request_id", requestID, event.MaxRequestID) == nil {
		return requestID
	}
	mark := "~" + digest.Hex([]byte(requestID))[:16]
	start := requestID[:min(len(requestID), event.MaxRequestID-len(mark))]
	for !utf8.ValidString(start) && utf8.ValidString(requestID) {
		start = start[:len(start)-1]
	}
	start = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(start, " "))
	return strings.TrimLeft(start, " ") + mark
}

// cleanTime returns a time of UTC in microseconds, as Postgres keeps it.
func cleanTime(field string, t *time.Time) (*time.Time, error) {
	if t == nil {
		return nil, nil
	}
	clean := t.UTC().Truncate(time.Microsecond)
	if clean.Truncate(time.Second).IsZero() || clean.Year() < 1 || clean.Year() > 9999 {
		return nil, fmt.Errorf("%s: the year %d is none", field, clean.Year())
	}
	return &clean, nil
}

var redriven = regexp.MustCompile(`(;r[0-9]+)+$`)

// OfMessage returns the request_id that a message id stands for (contracts#request-id):
// without what a redrive appended, and without the source, which a
// message id of ours begins with (contracts#ce-id).
func OfMessage(msgID, sourceID string) string {
	return strings.TrimPrefix(redriven.ReplaceAllString(msgID, ""), sourceID+"/")
}
