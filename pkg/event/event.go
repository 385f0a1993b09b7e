// Package event is the envelope of everything that travels: CloudEvents 1.0 in
// the binary mode of its NATS binding (contracts#envelope). It knows no broker: it
// turns structs into headers and bytes and back.
package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// MaxEncoded is the largest encoded payload in bytes (contracts#event-size).
const MaxEncoded = 900 << 10

// The header names of the CloudEvents NATS binding, the W3C trace context and
// JetStream's message id.
const (
	HeaderSpecVersion = "ce-specversion"
	HeaderID          = "ce-id"
	HeaderSource      = "ce-source"
	HeaderType        = "ce-type"
	HeaderTime        = "ce-time"
	HeaderContentType = "content-type"
	HeaderTraceParent = "traceparent"
	HeaderTraceState  = "tracestate"
	HeaderMsgID       = "Nats-Msg-Id"
)

// Event is an envelope with its data still encoded.
type Event struct {
	ID       string            // ce-id: {type}:{about}
	Service  string            // ce-source: /colophon/{service}
	Type     string            // ce-type
	Time     time.Time         // ce-time, UTC
	SourceID string            // last token of the subject
	MsgID    string            // Nats-Msg-Id; the ID unless a redrive appended ;r{n}
	Trace    map[string]string // traceparent and tracestate
	Payload  []byte            // data as JSON
}

// New makes the event of data as the service says it at the given time. It
// returns a permanent LimitExceeded when the payload is above MaxEncoded.
func New(service string, data Data, at time.Time) (Event, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return Event{}, fmt.Errorf("encoding %s: %w", data.Type(), err)
	}
	payload := bytes.TrimRight(buf.Bytes(), "\n")
	if len(payload) > MaxEncoded {
		return Event{}, fault.Permanent(fault.LimitExceeded,
			fmt.Errorf("an event of %d bytes, limit %d", len(payload), MaxEncoded))
	}
	e := Event{
		ID: data.Type() + ":" + data.About(), Service: "/colophon/" + service, Type: data.Type(),
		Time: at.UTC(), SourceID: data.Source(), Payload: payload,
	}
	e.MsgID = e.ID
	if data.Type() == TypeCaptureRequested {
		e.MsgID = data.About()
	}
	return e, nil
}

// Redrive returns e with ";r{n}" appended to its message id: the duplicate
// window would swallow the plain one (contracts#redrive).
func (e Event) Redrive(n int64) Event {
	e.MsgID = fmt.Sprintf("%s;r%d", e.MsgID, n)
	return e
}

// Subject returns {prefix}.{noun}.{verb}.{source_id}.
func Subject(prefix, eventType, sourceID string) string {
	noun, verb := nounVerb(eventType)
	return prefix + "." + noun + "." + verb + "." + sourceID
}

// Noun returns the noun of a type: "chunk" of colophon.chunk.created.v1.
func Noun(eventType string) string { noun, _ := nounVerb(eventType); return noun }

func nounVerb(eventType string) (noun, verb string) {
	parts := strings.Split(eventType, ".")
	if len(parts) != 4 {
		return "", ""
	}
	return parts[1], parts[2]
}

// Encode returns subject, headers and payload of e under the subject prefix.
func (e Event) Encode(prefix string) (subject string, header map[string][]string, payload []byte) {
	header = map[string][]string{
		HeaderSpecVersion: {"1.0"},
		HeaderID:          {e.ID},
		HeaderSource:      {e.Service},
		HeaderType:        {e.Type},
		HeaderTime:        {e.Time.UTC().Format(time.RFC3339Nano)},
		HeaderContentType: {"application/json"},
		HeaderMsgID:       {e.MsgID},
	}
	for k, v := range e.Trace {
		header[k] = []string{v}
	}
	return Subject(prefix, e.Type, e.SourceID), header, e.Payload
}

// Decode reads an event as it came. Every error is a permanent Malformed one
// that names what is wrong.
func Decode(prefix, subject string, header map[string][]string, payload []byte) (Event, error) {
	get := func(name string) string {
		for k, v := range header {
			if len(v) > 0 && strings.EqualFold(k, name) {
				return v[0]
			}
		}
		return ""
	}
	e := Event{
		ID: get(HeaderID), Service: get(HeaderSource), Type: get(HeaderType),
		MsgID: get(HeaderMsgID), Payload: payload,
	}
	if v := get(HeaderSpecVersion); v != "1.0" {
		return e, malformed("ce-specversion is %q, must be 1.0", v)
	}
	if e.ID == "" && e.MsgID == "" {
		return e, malformed("neither ce-id nor Nats-Msg-Id is set")
	}
	if e.ID == "" {
		e.ID = e.MsgID
	}
	if e.MsgID == "" {
		e.MsgID = e.ID
	}
	if ts := get(HeaderTime); ts != "" {
		at, err := time.Parse(time.RFC3339Nano, ts)
		if err != nil {
			return e, malformed("ce-time is not RFC 3339")
		}
		e.Time = at.UTC()
	}
	noun, verb := nounVerb(e.Type)
	if noun == "" {
		return e, malformed("ce-type %q is not one of ours", e.Type)
	}
	rest, ok := strings.CutPrefix(subject, prefix+"."+noun+"."+verb+".")
	if !ok || !model.ValidSourceID(rest) {
		return e, malformed("subject %q does not fit type %q", subject, e.Type)
	}
	e.SourceID = rest
	for _, name := range []string{HeaderTraceParent, HeaderTraceState} {
		if v := get(name); v != "" {
			if e.Trace == nil {
				e.Trace = make(map[string]string, 2)
			}
			e.Trace[name] = v
		}
	}
	return e, nil
}

// As decodes the data of e into T, ignoring unknown fields. Every error is a
// permanent Malformed one: another type, bad JSON, a source_id that differs
// from the subject's (contracts#subject).
func As[T Data](e Event) (T, error) {
	var data T
	if e.Type != data.Type() {
		return data, malformed("event of type %q where %q is handled", e.Type, data.Type())
	}
	if err := json.Unmarshal(e.Payload, &data); err != nil {
		var at *time.ParseError
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &at): // its text holds what came, which may be a secret
			err = errors.New("a time is not RFC 3339")
		case errors.As(err, &wrong) && wrong.Field != "":
			err = fmt.Errorf("%s: it is of another type (%.60s)", wrong.Field, wrong.Value)
		}
		return data, malformed("data of %s: %v", e.Type, err)
	}
	if data.Source() != e.SourceID {
		return data, malformed("source_id %q in the data, %q in the subject", data.Source(), e.SourceID)
	}
	return data, nil
}

func malformed(format string, args ...any) error {
	return fault.Permanent(fault.Malformed, fmt.Errorf(format, args...))
}

// Validate checks what cannot be seen from the types alone: that exactly one
// of url, inline, object and warc says where the bytes are. A URL beside one of
// the other three is the crawler's fact about them.
func (d CaptureRequested) Validate() error {
	ways := 0
	for _, given := range []bool{d.Inline != nil, d.Object != nil, d.WARC != nil} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("more than one of inline, object and warc is given")
	case ways == 0 && d.URL == "":
		return errors.New("one of url, inline, object and warc must be given")
	case d.WARC == nil && d.URL == "" && d.SourceRecordID == "":
		return errors.New("a document needs a url or a source_record_id")
	case d.RequestID == "":
		return errors.New("request_id must be set")
	case !model.ValidSourceID(d.SourceID):
		return fmt.Errorf("source_id %q: 1 to 64 of a-z, 0-9, _ and -", d.SourceID)
	}
	return nil
}

// The bounds of what a request may say, in bytes. A request_id is part of an
// index.
const (
	MaxRequestID = 1000
	MaxRecordID  = 4 << 10
	MaxURL       = 16 << 10
	MaxInline    = 512 << 10 // decoded (contracts#request)
)

// CheckBounds checks what the capturer refuses as malformed, or cannot answer
// under the name that it was asked by: a request that is found wrong before it
// is sent needs no outcome.
func (d CaptureRequested) CheckBounds() error {
	if err := CheckName("request_id", d.RequestID, MaxRequestID); err != nil {
		return err
	}
	if err := CheckName("source_record_id", d.SourceRecordID, MaxRecordID); err != nil {
		return err
	}
	if err := d.CheckHTTP(); err != nil {
		return err
	}
	for field, t := range map[string]*time.Time{"retrieved_at": d.RetrievedAt, "last_modified": d.LastModified} {
		if t != nil && (t.Truncate(time.Second).IsZero() || t.UTC().Year() < 1 || t.UTC().Year() > 9999) {
			return fmt.Errorf("%s: the year %d is none", field, t.UTC().Year())
		}
	}
	if d.URL != "" {
		if _, err := digest.URLCanonV4(d.URL); err != nil {
			return fmt.Errorf("url: %w", err)
		}
	}
	if d.Inline != nil && len(d.Inline.ContentBase64) > MaxInline {
		return fmt.Errorf("%d bytes inline, limit %d: larger ones go through the inbox", len(d.Inline.ContentBase64), MaxInline)
	}
	return nil
}

// CheckHTTP checks what a request says of an answer of a server.
func (d CaptureRequested) CheckHTTP() error {
	switch {
	case len(d.URL) > MaxURL:
		return fmt.Errorf("url: %d bytes, limit %d", len(d.URL), MaxURL)
	case d.HTTPStatus < 0 || d.HTTPStatus > 999:
		return fmt.Errorf("http_status %d is none", d.HTTPStatus)
	}
	return nil
}

// CheckName refuses what names something and cannot be kept as it is.
func CheckName(field, value string, limit int) error {
	switch {
	case len(value) > limit:
		return fmt.Errorf("%s: %d bytes, limit %d", field, len(value), limit)
	case !utf8.ValidString(value):
		return fmt.Errorf("%s: it is no UTF-8", field)
	case strings.ContainsFunc(value, unicode.IsControl):
		return fmt.Errorf("%s: it holds a control character", field)
	}
	return nil
}

func refsDigest(refs []VectorRef) string {
	lines := make([]string, len(refs))
	for i, r := range refs {
		lines[i] = fmt.Sprintf("%s/%d", r.ChunkRef, r.Rev)
	}
	sort.Strings(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}
