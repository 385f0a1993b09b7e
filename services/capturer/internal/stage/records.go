package stage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/container/archive"
	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// What one web archive may hold: records of any kind, and revisit records whose
// payload is looked for in it.
const (
	maxRecords  = 10 * maxEntries
	maxRevisits = maxEntries
)

// FlagTruncated says that a document's archive ends it early, and says so.
const FlagTruncated = "truncated_in_archive"

// records captures the documents of a web archive: its response and resource
// records, and the payloads that revisit records refer to. The archive's other
// records are counted. What is damaged is reported with its place, and the rest
// is read.
func (u *unpacking) records(ctx context.Context, file *spool.Content) error {
	payloads, err := u.revisited(ctx, file)
	if err != nil {
		return err
	}
	return u.each(ctx, file, func(r *warc.Record) error {
		switch r.Type() {
		case warc.TypeResponse, warc.TypeResource, warc.TypeConversion:
			return u.response(ctx, r, nil)
		case warc.TypeRevisit:
			return u.revisit(ctx, r, file, payloads)
		default:
			return u.pass(r)
		}
	}, true)
}

// each calls visit with every record of an archive.
func (u *unpacking) each(ctx context.Context, file *spool.Content, visit func(*warc.Record) error, report bool) error {
	reader, err := warc.NewReader(file.Open(), file.Size)
	if err != nil {
		return fmt.Errorf("%w: %w", archive.ErrDamaged, err)
	}
	for n := 0; ; n++ {
		if err := u.over(ctx); err != nil {
			return err
		}
		record, err := reader.Next()
		var damage *warc.Damage
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case scratch.Failed(err):
			return err
		case errors.As(err, &damage):
			if report {
				u.counts.damage(err.Error())
			}
			continue
		case errors.Is(err, warc.ErrDamaged):
			return fmt.Errorf("%w: %w", archive.ErrDamaged, err)
		case err != nil:
			return err
		case n >= maxRecords:
			return fmt.Errorf("%w: more than %d records", archive.ErrLimit, maxRecords)
		}
		if err := visit(record); err != nil {
			return err
		}
	}
}

// pass counts a record that is no document. To go over it means to decompress it.
func (u *unpacking) pass(r *warc.Record) error {
	u.counts.passed++
	return u.limits.Take(r.Length)
}

// target is what a revisit record refers to, as a digest: the archive says how
// long its names are. The zero target is nothing.
type target [sha256.Size]byte

func targetOf(r *warc.Record) target {
	id, uri, at := r.RefersTo()
	switch {
	case id != "":
		return byID(id)
	case uri != "":
		return byDate(uri, at)
	}
	return target{}
}

func byID(id string) target { return sha256.Sum256([]byte("id\x00" + id)) }

func byDate(uri string, at time.Time) target {
	return sha256.Sum256([]byte("uri\x00" + uri + "\x00" + at.String()))
}

// revisited returns where the records are that revisit records refer to. An
// archive without such records is read once for it, any other one twice.
func (u *unpacking) revisited(ctx context.Context, file *spool.Content) (map[target]warc.Place, error) {
	wanted := make(map[target]bool)
	err := u.each(ctx, file, func(r *warc.Record) error {
		if t := targetOf(r); r.Type() == warc.TypeRevisit && t != (target{}) && len(wanted) < maxRevisits {
			wanted[t] = true
		}
		return nil
	}, false)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	places := make(map[target]warc.Place)
	err = u.each(ctx, file, func(r *warc.Record) error {
		if r.Type() == warc.TypeRevisit {
			return nil
		}
		for _, t := range []target{byID(r.ID()), byDate(r.Target(), r.Date())} {
			if _, found := places[t]; wanted[t] && !found {
				places[t] = r.Place
			}
		}
		return nil
	}, false)
	return places, err
}

// revisit captures the payload that a revisit record refers to, under the
// record's own URL, time and headers. One that is not in the archive was stored
// when it was first seen: the document is there still, and unchanged.
func (u *unpacking) revisit(ctx context.Context, r *warc.Record, file *spool.Content, payloads map[target]warc.Place) error {
	if place, ok := payloads[targetOf(r)]; ok {
		if err := u.limits.Take(place.Inner); err != nil { // all of a gzip member before it is read again
			return err
		}
		original, err := warc.At(file.Open(), file.Size, place)
		if err != nil {
			u.counts.damage(err.Error())
			return nil
		}
		return u.response(ctx, r, original)
	}
	if err := u.limits.Count(); err != nil {
		return err
	}
	data := u.request(r)
	member, err := u.complete(data, u.snap.ContentHash)
	if err != nil {
		return u.unnamed(ctx, data, err)
	}
	identity, err := u.identify(ctx, member, &captured{canonical: member.canonical, raw: member.fetchURL})
	if err != nil {
		return u.unnamed(ctx, data, err)
	}
	u.counts.unchanged++
	return u.decide(ctx, member, func(row *model.Capture) {
		row.Outcome, row.DocumentID = string(event.OutcomeUnchanged), digest.DocumentID(member.SourceID, identity.ExternalID)
		row.Message = "a revisit whose payload is not in the archive"
	})
}

// request returns what a record says of its capture.
func (u *unpacking) request(r *warc.Record) event.CaptureRequested {
	id := digest.WARCRecordRequestID(u.req.RequestID, r.Place.Offset)
	if r.Place.Inner > 0 {
		id += fmt.Sprintf("+%d", r.Place.Inner)
	}
	data := event.CaptureRequested{RequestID: id, URL: r.Target()}
	if _, err := digest.URLCanonV3(data.URL); err != nil { // a URN, or the address of a DNS record
		data.URL, data.SourceRecordID = "", redact.Today().Text(data.URL)
	}
	if at := r.Date(); !at.IsZero() && at.Year() > 0 {
		data.RetrievedAt = &at
	}
	if id := r.ID(); id != "" && len(id) <= event.MaxRequestID {
		data.Metadata = map[string]string{"warc_record_id": id}
	}
	return data
}

// response captures the document of a record; of a revisit record, original is
// the record that has its payload.
func (u *unpacking) response(ctx context.Context, r, original *warc.Record) error {
	data := u.request(r)
	payload, problem := payloadOf(r, &data)
	if problem == nil && original != nil {
		if data.HTTPStatus == http.StatusNotModified { // its headers are not those of a document
			data.HTTPStatus, data.Headers = 0, nil
		}
		payload, problem = payloadOf(original, &data)
	}
	scheme, _, _ := strings.Cut(strings.ToLower(r.Target()), ":")
	if data.HTTPStatus >= 300 && data.HTTPStatus < 400 || scheme == "dns" || scheme == "metadata" {
		return u.pass(r) // the way to a document, or what its crawler says of itself
	}
	if err := u.limits.Count(); err != nil {
		return err
	}
	switch {
	case problem != nil:
		return u.refuse(ctx, data, fault.Malformed, problem)
	case data.HTTPStatus >= 400: // as when we fetch
		return u.refuse(ctx, data, fault.FetchFailed, fmt.Errorf("the server answered with status %d", data.HTTPStatus))
	}
	body, err := u.Spool.Read(&taken{r: payload, limits: u.limits}, u.source.MaxBytes)
	switch {
	case errors.Is(err, spool.ErrTooLarge):
		return u.refuse(ctx, data, fault.TooLarge, tooLarge(u.source.MaxBytes))
	case errors.Is(err, archive.ErrLimit), scratch.Failed(err):
		return err
	case err != nil && context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case errors.Is(err, warc.ErrBomb):
		return u.refuse(ctx, data, fault.LimitExceeded, err)
	case err != nil:
		return u.refuse(ctx, data, fault.Malformed, fmt.Errorf("the record at byte %s: %w", r.Place, err))
	}
	c := &captured{tool: u.req.FetchToolVersion, header: http.Header(data.Headers)}
	if r.Truncated() || original != nil && original.Truncated() {
		c.flags = append(c.flags, FlagTruncated)
	}
	if reason, err := u.decodeMember(c, body); err != nil {
		if reason == "" {
			return err
		}
		return u.refuse(ctx, data, reason, err)
	}
	return u.record(ctx, data, "@"+r.Place.String(), c)
}

// payloadOf returns the payload of a record, and adds what its HTTP message, or
// else its own header, says of it to data, unless another record has said it.
func payloadOf(r *warc.Record, data *event.CaptureRequested) (io.Reader, error) {
	if !r.HasResponse() {
		if data.HTTPStatus == 0 && r.Type() != warc.TypeRevisit {
			data.ContentType = r.Fields.Get("Content-Type")
		}
		return r.Block, nil
	}
	answer, err := r.Response()
	if err != nil {
		return nil, err
	}
	if data.HTTPStatus == 0 {
		data.HTTPStatus, data.Headers = answer.Status, answer.Header
	}
	return answer.Body, nil
}

// decodeMember undoes the content coding of a record's payload. What comes out
// is taken from the limits, and of a bomb all that may.
func (u *unpacking) decodeMember(c *captured, body *spool.Content) (fault.Reason, error) {
	err := u.decode(c, body, u.source)
	taken := u.source.MaxBytes
	reason := fault.Malformed
	switch {
	case err == nil && c.wire == nil:
		return "", nil
	case err == nil:
		taken = c.body.Size
	case scratch.Failed(err):
		return "", err
	case errors.Is(err, spool.ErrTooLarge):
		reason = fault.TooLarge
	case errors.Is(err, fetch.ErrBomb):
		reason = fault.LimitExceeded
	case errors.Is(err, fetch.ErrEncoding):
		taken = 0
	default:
		return "", err
	}
	if above := u.limits.Take(taken); above != nil {
		if err == nil {
			c.Close()
		}
		return "", above
	}
	return reason, err
}

// taken counts what is read against the limits.
type taken struct {
	r      io.Reader
	limits archive.Limits
}

func (t *taken) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if above := t.limits.Take(int64(n)); above != nil {
		return 0, above
	}
	return n, err
}
