package blobstore

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// Traced returns the Config with a span for each request to the store that is part of a
// trace, and with instruments of all requests. A nil meter measures nothing.
func (c Config) Traced(p trace.TracerProvider, m metric.Meter) Config {
	moved := instrument.Counter(m, instrument.ObjectIO)
	for _, direction := range instrument.Values(instrument.ObjectIO, "direction") {
		instrument.BeginAtZero(moved, "bucket", instrument.Buckets(), attribute.String("direction", direction))
	}
	c.observe = &observer{
		prefix: c.BucketPrefix, tracer: p.Tracer("github.com/colophon-dev/colophon/pkg/blobstore"),
		requests: instrument.NewRequests(m, instrument.StoreObjects), bytes: moved,
		sets: instrument.Sets[way]{Labels: func(w way) []attribute.KeyValue {
			return []attribute.KeyValue{attribute.String("bucket", w.bucket), attribute.String("direction", w.direction)}
		}},
	}
	return c
}

// observer measures the HTTP requests of the client, also those that it makes again.
type observer struct {
	prefix   string // of the buckets' names
	tracer   trace.Tracer
	requests *instrument.Requests
	bytes    metric.Int64Counter
	sets     instrument.Sets[way]
}

// way is where bytes go: out of a bucket, or into it.
type way struct{ bucket, direction string }

// over returns a transport that measures what goes through next; next itself, where
// nothing is measured.
func (o *observer) over(next http.RoundTripper) http.RoundTripper {
	if o == nil {
		return next
	}
	return &observed{observer: o, next: next}
}

// observed is a transport that measures.
type observed struct {
	*observer
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper. A request is over with the last byte of its
// answer, or when that is closed.
func (o *observed) RoundTrip(r *http.Request) (*http.Response, error) {
	start, ctx := time.Now(), r.Context()
	bucket, key := o.target(r.URL)
	operation := operationOf(r, key)
	span := trace.SpanFromContext(ctx)
	if span.SpanContext().IsValid() {
		_, span = o.tracer.Start(ctx, "S3 "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("rpc.system.name", "aws-api"), attribute.String("aws.s3.bucket", bucket)))
	} else {
		span = nil
	}
	answer, err := o.next.RoundTrip(r)
	done := sync.OnceFunc(func() {
		outcome := outcomeOf(ctx, answer, err)
		o.requests.Done(ctx, operation, outcome, time.Since(start))
		if span == nil {
			return
		}
		if answer != nil {
			span.SetAttributes(attribute.Int("http.response.status_code", answer.StatusCode))
		}
		if outcome != instrument.OutcomeOK && outcome != instrument.OutcomeNotFound && outcome != instrument.OutcomeExists {
			span.SetStatus(codes.Error, string(outcome))
		}
		span.End()
	})
	if err != nil {
		done()
		return nil, err
	}
	if operation == "put" && answer.StatusCode < http.StatusMultipleChoices {
		o.moved(ctx, bucket, "written", r.ContentLength)
	}
	answer.Body = &measured{ReadCloser: answer.Body, bytes: func(n int64) {
		if operation == "get" {
			o.moved(ctx, bucket, "read", n)
		}
	}, done: done}
	return answer, nil
}

func (o *observer) moved(ctx context.Context, bucket, direction string, n int64) {
	if n > 0 {
		o.bytes.Add(ctx, n, o.sets.Of(way{bucket, direction}))
	}
}

// operationOf is what a request asks for, in the words of the table of instruments. key
// is that of its object, empty for what is asked of a bucket.
func operationOf(r *http.Request, key string) string {
	switch {
	case r.Method == http.MethodPut && key != "":
		return "put"
	case r.Method == http.MethodHead:
		return "stat"
	case r.Method == http.MethodDelete:
		return "delete"
	case r.Method == http.MethodGet && key != "":
		return "get"
	case r.Method == http.MethodGet && (r.URL.Query().Has("list-type") || r.URL.Query().Has("prefix")):
		return "list"
	}
	return "other"
}

// target returns the bucket of a request, without the prefix of the installation, and the
// key of its object. The bucket is the first part of the path, or, at some stores, of the
// host's name.
func (o *observer) target(u *url.URL) (bucket, key string) {
	known := func(name string) (string, bool) {
		name = strings.TrimPrefix(name, o.prefix)
		return name, name != "other" && slices.Contains(instrument.Buckets(), name)
	}
	host, _, _ := strings.Cut(u.Host, ".")
	if name, ok := known(host); ok {
		return name, strings.TrimPrefix(u.Path, "/")
	}
	name, key, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if name, ok := known(name); ok {
		return name, key
	}
	return "other", key
}

// outcomeOf is how a request ended, in the words of the metrics.
func outcomeOf(ctx context.Context, answer *http.Response, err error) instrument.Outcome {
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		return instrument.OutcomeCancelled
	case err != nil:
		return instrument.OutcomeUnavailable
	case answer.StatusCode < http.StatusBadRequest:
		return instrument.OutcomeOK
	}
	switch answer.StatusCode {
	case http.StatusNotFound:
		return instrument.OutcomeNotFound
	case http.StatusPreconditionFailed:
		return instrument.OutcomeExists
	case http.StatusUnauthorized, http.StatusForbidden:
		return instrument.OutcomeDenied
	case http.StatusConflict:
		return instrument.OutcomeConflict
	case http.StatusInsufficientStorage:
		return instrument.OutcomeFull
	case http.StatusTooManyRequests, http.StatusRequestTimeout:
		return instrument.OutcomeUnavailable
	}
	if answer.StatusCode >= http.StatusInternalServerError && answer.StatusCode != http.StatusNotImplemented {
		return instrument.OutcomeUnavailable
	}
	return instrument.OutcomeRefused
}

// measured is the body of an answer, which counts what is read of it.
type measured struct {
	io.ReadCloser
	read  int64
	bytes func(n int64)
	done  func()
}

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.read += int64(n)
	if err != nil {
		m.end()
	}
	return n, err
}

// Close implements io.Closer.
func (m *measured) Close() error {
	m.end()
	return m.ReadCloser.Close()
}

func (m *measured) end() {
	m.bytes(m.read)
	m.read = 0
	m.done()
}
