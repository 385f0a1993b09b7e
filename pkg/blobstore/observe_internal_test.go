package blobstore

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// answers is a transport that answers without a store.
type answers struct {
	status int
	body   string
	err    error
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.err != nil {
		return nil, a.err
	}
	return &http.Response{StatusCode: a.status, Body: io.NopCloser(strings.NewReader(a.body)), Request: r, Header: http.Header{}}, nil
}

// TestRequestsAreMeasured: each is one of its operation and outcome when its answer was
// read, with its bytes, whatever form the store's addresses have.
func TestRequestsAreMeasured(t *testing.T) {
	for _, c := range []struct {
		method, url        string
		answer             answers
		operation, outcome string
		bucket, direction  string // of the bytes that are counted
	}{
		{"GET", "http://s/pre-raw/a/b", answers{status: 200, body: "12345"}, "get", "ok", "raw", "read"},
		{"GET", "http://pre-raw.s/a", answers{status: 200, body: "12345"}, "get", "ok", "raw", "read"},
		{"GET", "http://s/pre-derived/a", answers{status: 404}, "get", "not_found", "", ""},
		{"GET", "http://s/pre-raw/?list-type=2", answers{status: 200, body: "<x/>"}, "list", "ok", "", ""},
		{"PUT", "http://s/pre-derived/a", answers{status: 200}, "put", "ok", "derived", "written"},
		{"PUT", "http://s/pre-derived/a", answers{status: 412}, "put", "exists", "", ""},
		{"PUT", "http://s/pre-derived/a", answers{status: 507}, "put", "full", "", ""},
		{"HEAD", "http://s/pre-raw/a", answers{status: 403}, "stat", "denied", "", ""},
		{"DELETE", "http://s/pre-raw/a", answers{status: 503}, "delete", "unavailable", "", ""},
		{"GET", "http://s/secret-name/a", answers{err: errors.New("refused")}, "get", "unavailable", "", ""},
	} {
		reader, recorder := sdkmetric.NewManualReader(), tracetest.NewSpanRecorder()
		tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
		config := Config{BucketPrefix: "pre-"}.Traced(tracers, sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)).Meter("test"))
		ctx, span := tracers.Tracer("test").Start(t.Context(), "work")
		request, err := http.NewRequestWithContext(ctx, c.method, c.url, strings.NewReader("12345"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := config.observe.over(c.answer).RoundTrip(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		span.End()
		if ended := recorder.Ended(); len(ended) != 2 || ended[0].Name() != "S3 "+c.operation || ended[0].Parent().SpanID() != span.SpanContext().SpanID() {
			t.Errorf("%s %s: spans %v", c.method, c.url, ended)
		}
		operation, outcome, bytes := told(t, reader, c.bucket, c.direction)
		if operation != c.operation || outcome != c.outcome || (bytes == 5) != (c.bucket != "") {
			t.Errorf("%s %s: %s %s, %d bytes", c.method, c.url, operation, outcome, bytes)
		}
	}
}

// told returns what was measured of the one request.
func told(t *testing.T, reader *sdkmetric.ManualReader, bucket, direction string) (operation, outcome string, bytes int64) {
	t.Helper()
	var data metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &data); err != nil {
		t.Fatal(err)
	}
	value := func(s attribute.Set, name string) string {
		v, _ := s.Value(attribute.Key(name))
		return v.AsString()
	}
	for _, m := range data.ScopeMetrics[0].Metrics {
		switch instrument.Name(m.Name) {
		case instrument.StoreRequestDuration:
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				operation, outcome = value(p.Attributes, "operation"), value(p.Attributes, "outcome")
			}
		case instrument.ObjectIO:
			for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
				if value(p.Attributes, "bucket") == bucket && value(p.Attributes, "direction") == direction {
					bytes = p.Value
				}
			}
		}
	}
	return operation, outcome, bytes
}
