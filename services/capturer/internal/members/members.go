// Package members makes of the members of a container what a crawler would have handed
// over: a request, and the bytes of a document.
package members

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/modified"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// Reader reads the members of one container.
type Reader struct {
	Obtain    *obtain.Obtainer
	RequestID string           // the container's
	Identity  string           // external_id of the container's document
	Limits    container.Limits // those of the walk
	MaxBytes  int64            // of a member
}

// Found is a member as it was found.
type Found struct {
	Asked   event.CaptureRequested // what it would be asked for with: not cleaned, and without what it has of its container
	Content obtain.Content         // to be closed; nothing where there is a Problem
	Problem error                  // why there are no bytes; container.ErrElsewhere: they were stored when they were first seen
	Reason  fault.Reason           // of the Problem; "" for container.ErrElsewhere
}

// Read reads a member. An error is this machine's, or ends the walk.
func (r *Reader) Read(ctx context.Context, m container.Member) (Found, error) {
	if m.Record != nil {
		return r.readRecord(ctx, m)
	}
	found := Found{Asked: event.CaptureRequested{
		RequestID: digest.MemberRequestID(r.RequestID, m.Path), SourceRecordID: r.Identity + "!/" + m.Path,
		Filename: path.Base(strings.ReplaceAll(m.Name, `\`, "/")),
	}}
	if at := m.Modified.UTC().Truncate(time.Second); !at.IsZero() && at.Year() > 0 && at.Year() < 10000 {
		found.Asked.LastModified, found.Asked.LastModifiedOrigin = &at, modified.FromMember
	}
	body, err := r.spoolMember(m)
	if err == nil {
		found.Content.Body = body
		return found, nil
	}
	reason, ok := ReasonOf(err)
	if !ok {
		return found, err
	}
	found.Problem, found.Reason = fmt.Errorf("%s: %w", m.Name, err), reason
	return found, nil
}

// spoolMember reads the bytes of a member.
func (r *Reader) spoolMember(m container.Member) (*spool.Content, error) {
	content, err := m.Open()
	if err != nil {
		return nil, err
	}
	body, err := r.Obtain.Spool.Read(content, r.MaxBytes)
	if closed := content.Close(); err == nil && closed != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", container.ErrDamaged, closed), body.Close())
	}
	return body, err
}

// ReasonOf returns the reason for which a container or a member cannot be read;
// ok is false for an error that is not its fault.
func ReasonOf(err error) (reason fault.Reason, ok bool) {
	switch {
	case scratch.Failed(err):
		return "", false
	case errors.Is(err, spool.ErrTooLarge):
		return fault.TooLarge, true
	case errors.Is(err, container.ErrLimit), errors.Is(err, container.ErrBomb):
		return fault.LimitExceeded, true
	case errors.Is(err, container.ErrEncrypted):
		return fault.Encrypted, true
	case errors.Is(err, container.ErrMethod), errors.Is(err, container.ErrNoFile):
		return fault.UnsupportedType, true
	case errors.Is(err, container.ErrDamaged):
		return fault.Malformed, true
	}
	return "", false
}

// readRecord reads a record of a web archive: it has what its server has said, and is refused as
// what we fetch is.
func (r *Reader) readRecord(ctx context.Context, m container.Member) (Found, error) {
	found := Found{Asked: r.requestOf(m)}
	refuse := func(reason fault.Reason, problem error) (Found, error) {
		found.Reason, found.Problem = reason, problem
		return found, nil
	}
	switch {
	case scratch.Failed(m.Problem):
		return found, m.Problem
	case errors.Is(m.Problem, container.ErrElsewhere):
		return refuse("", m.Problem)
	case m.Problem != nil:
		return refuse(fault.Malformed, m.Problem)
	case m.Record.Status >= 400: // as when we fetch
		return refuse(fault.FetchFailed, fmt.Errorf("the server answered with status %d", m.Record.Status))
	}
	body, err := r.spoolMember(m)
	switch {
	case errors.Is(err, spool.ErrTooLarge):
		return refuse(fault.TooLarge, obtain.TooLarge(r.MaxBytes))
	case errors.Is(err, container.ErrLimit), scratch.Failed(err): // the limit of all members together
		return found, err
	case err != nil && context.Cause(ctx) != nil:
		return found, context.Cause(ctx)
	case errors.Is(err, container.ErrBomb):
		return refuse(fault.LimitExceeded, err)
	case err != nil:
		return refuse(fault.Malformed, fmt.Errorf("%s: %w", m.Name, err))
	}
	return r.decodePayload(found, body, m.Record)
}

// requestOf returns what a record says of its capture.
func (r *Reader) requestOf(m container.Member) event.CaptureRequested {
	of := m.Record
	data := event.CaptureRequested{
		RequestID: digest.WARCRecordRequestID(r.RequestID, m.Path), URL: of.URL, ContentType: of.ContentType, HTTPStatus: of.Status, Headers: of.Header,
	}
	if _, err := digest.URLCanonV4(data.URL); err != nil { // a URN, or the address of a DNS record
		data.URL, data.SourceRecordID = "", redact.Today().Text(data.URL)
	}
	if at := of.At; !at.IsZero() && at.Year() > 0 {
		data.RetrievedAt = &at
	}
	if of.ID != "" && len(of.ID) <= event.MaxRequestID {
		data.Metadata = map[string]string{"warc_record_id": of.ID}
	}
	return data
}

// decodePayload undoes the content coding of a record's payload. What comes out is taken from the
// limits, and of what grows beyond its own limit all that may.
func (r *Reader) decodePayload(found Found, body *spool.Content, of *container.Record) (Found, error) {
	content, err := r.Obtain.Decode(body, http.Header(found.Asked.Headers), of.Truncated, r.MaxBytes)
	taken := r.MaxBytes
	switch {
	case err == nil && content.Wire == nil:
		taken = 0
	case err == nil:
		taken = content.Body.Size
	case scratch.Failed(err):
		return found, err
	case errors.Is(err, spool.ErrTooLarge):
		found.Reason = fault.TooLarge
	case errors.Is(err, fetch.ErrBomb):
		found.Reason = fault.LimitExceeded
	case errors.Is(err, fetch.ErrEncoding):
		found.Reason, taken = fault.Malformed, 0
	default:
		return found, err
	}
	found.Content, found.Problem = content, err
	if above := r.Limits.Take(taken); above != nil {
		content.Close()
		return found, above
	}
	return found, nil
}
