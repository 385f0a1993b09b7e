package stage

import (
	"context"
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

// The buckets that a stored request names: the inbox, which crawlers write, and
// raw, where inline content is kept so that the request can be handled again
// from its row.
const (
	bucketInbox = "inbox"
	bucketRaw   = "raw"
)

// request is a capture request as it is worked on: cleaned and redacted, but
// for the URL that is fetched and the bytes that came inline.
type request struct {
	event.CaptureRequested
	stored      json.RawMessage         // the cleaned request, as its row keeps it
	digest      string                  // of stored
	canonical   string                  // under today's rules, of URL; "" without one
	asRead      *event.CaptureRequested // as it came
	rawRecordID string
	fetchURL    string
	inline      []byte
	hash        string // content_hash of inline
	at          time.Time
	begun       string          // the snapshot of the container that an earlier handling has begun with; "" for none
	message     string          // what there is to say of a capture that succeeded
	recorded    *model.Snapshot // what the request's handling has recorded; nil before
}

// read decodes and checks a request. Every error is a permanent Malformed one.
func (s *Stage) read(e event.Event) (*request, error) {
	data, err := event.As[event.CaptureRequested](e)
	if err != nil {
		return nil, err
	}
	if data.RequestID == "" {
		data.RequestID = requestIDOf(e.MsgID, e.SourceID)
	}
	if err := data.Validate(); err != nil {
		return nil, fault.Permanent(fault.Malformed, err)
	}
	asRead := data
	data.SourceRecordID = redact.RecordID(data.SourceRecordID)
	r := &request{CaptureRequested: data, asRead: &asRead, rawRecordID: asRead.SourceRecordID, fetchURL: data.URL, at: e.Time}
	if !e.Time.IsZero() {
		at, err := cleanTime("ce-time", &e.Time)
		if err != nil {
			return nil, fault.Permanent(fault.Malformed, err)
		}
		r.at = *at
	}
	if err := r.clean(s.InboxBucket); err != nil {
		return nil, fault.Permanent(fault.Malformed, err)
	}
	return r, nil
}

// clean checks what Validate cannot, and makes of the request what may be
// stored.
func (r *request) clean(inboxName string) error { return r.cleanUnder(inboxName, redact.Today()) }

// cleanUnder does it under the rules of one version.
func (r *request) cleanUnder(inboxName string, rules redact.Rules) error {
	var err error
	if err := r.CheckHTTP(); err != nil {
		return err
	}
	if r.URL != "" {
		if r.canonical, err = digest.URLCanonV3(r.URL); err != nil {
			return fmt.Errorf("url: %w", err)
		}
	}
	longest := event.MaxRequestID
	if r.Object != nil && r.Object.Bucket == bucketRaw {
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
	if err := r.cleanPlace(inboxName); err != nil {
		return err
	}
	if r.fetchURL == "" { // of a member, which nobody fetches
		r.fetchURL = r.URL
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
func (r *request) cleanPlace(inboxName string) error {
	if r.Inline != nil {
		r.inline = r.Inline.ContentBase64
		if r.inline == nil {
			r.inline = []byte{}
		}
		r.hash = digest.Content(r.inline)
		sum, err := digest.ContentHex(r.hash)
		if err != nil {
			return err
		}
		r.Inline, r.Object = nil, &event.Object{Bucket: bucketRaw, Key: sum}
		return nil
	}
	for i, o := range []*event.Object{r.Object, r.WARC} {
		if o == nil {
			continue
		}
		if o.Bucket == "" || o.Bucket == inboxName {
			o.Bucket = bucketInbox
		}
		if err := event.CheckName("key", o.Key, 1024); err != nil {
			return err
		}
		switch {
		case o.Bucket == bucketRaw && i == 0: // a request that is handled again from its row
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

// again checks that a request for a raw object is one that was accepted before:
// only its row is where inline content became one, and crawlers hand over what is
// in their inbox (contracts#inbox).
func (s *Stage) again(ctx context.Context, r *request) error {
	if r.Object == nil || r.Object.Bucket != bucketRaw || r.inline != nil {
		return nil
	}
	switch row, err := s.Requests.Capture(ctx, r.SourceID, r.RequestID); {
	case err != nil && !s.Missing(err):
		return err
	case err != nil || row.RequestDigest != r.digest && !r.underOlderRules(row, s.InboxBucket):
		return fault.Permanent(fault.Malformed, errors.New("object: only the inbox bucket is read"))
	}
	return nil
}

// row returns the request as captures keeps it.
func (r *request) row() model.Capture {
	return model.Capture{
		SourceID: r.SourceID, RequestID: r.RequestID, RequestDigest: r.digest, Request: r.stored,
		RequestedAt: r.at, URLCanonical: r.canonical,
	}
}

// addressable returns a request_id as an answer can carry it. One that cannot be
// kept as it is becomes its own beginning, with spaces for control characters
// and what is cut off, then "~" and 16 hex digits of the sha256 of the whole, so
// that its sender knows it again (contracts#rejected).
func addressable(requestID string) string {
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

// requestIDOf returns the request_id that a message id stands for (contracts#request-id):
// without what a redrive appended, and without the source, which a
// message id of ours begins with (contracts#ce-id).
func requestIDOf(msgID, sourceID string) string {
	return strings.TrimPrefix(redriven.ReplaceAllString(msgID, ""), sourceID+"/")
}
