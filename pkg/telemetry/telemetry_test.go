package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// receiver is an OTLP collector that keeps what it gets.
type receiver struct {
	collecttrace.UnimplementedTraceServiceServer
	mu      sync.Mutex
	spans   map[string]*tracepb.Span // by name
	service map[string]string        // of a span's name
	metrics map[string]bool
	headers metadata.MD
}

func (r *receiver) Export(ctx context.Context, in *collecttrace.ExportTraceServiceRequest) (*collecttrace.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers, _ = metadata.FromIncomingContext(ctx)
	for _, from := range in.ResourceSpans {
		service := ""
		for _, attribute := range from.Resource.Attributes {
			if attribute.Key == "service.name" {
				service = attribute.Value.GetStringValue()
			}
		}
		for _, group := range from.ScopeSpans {
			for _, span := range group.Spans {
				r.spans[span.Name], r.service[span.Name] = span, service
			}
		}
	}
	return &collecttrace.ExportTraceServiceResponse{}, nil
}

type metricsReceiver struct {
	collectmetrics.UnimplementedMetricsServiceServer
	*receiver
}

func (r metricsReceiver) Export(_ context.Context, in *collectmetrics.ExportMetricsServiceRequest) (*collectmetrics.ExportMetricsServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, from := range in.ResourceMetrics {
		for _, group := range from.ScopeMetrics {
			for _, m := range group.Metrics {
				r.metrics[m.Name] = true
			}
		}
	}
	return &collectmetrics.ExportMetricsServiceResponse{}, nil
}

func receive(t *testing.T) (*receiver, string) {
	t.Helper()
	r := &receiver{spans: map[string]*tracepb.Span{}, service: map[string]string{}, metrics: map[string]bool{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collecttrace.RegisterTraceServiceServer(server, r)
	collectmetrics.RegisterMetricsServiceServer(server, metricsReceiver{receiver: r})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return r, "http://" + listener.Addr().String()
}

func start(t *testing.T, service string, c telemetry.Config) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.Start(t.Context(), service, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	return tel
}

func TestOneTraceSpansTwoServices(t *testing.T) {
	received, endpoint := receive(t)
	c := telemetry.Config{OTLPEndpoint: endpoint, OTLPHeaders: "x-key=a%20b, x-other=c", TraceRatio: 1}
	capturer, splitter := start(t, "capturer", c), start(t, "splitter", c)

	carrier := propagation.MapCarrier{}
	ctx, first := capturer.Tracer.Start(t.Context(), "capture")
	capturer.Propagator.Inject(ctx, carrier)
	count, err := capturer.Meter.Int64Counter("colophon.test.captures")
	if err != nil {
		t.Fatal(err)
	}
	count.Add(ctx, 1)
	first.End()

	ctx = splitter.Propagator.Extract(context.Background(), carrier)
	_, second := splitter.Tracer.Start(ctx, "split", trace.WithSpanKind(trace.SpanKindConsumer))
	second.End()

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tel := range []*telemetry.Telemetry{capturer, splitter} {
		if err := tel.Shutdown(ended); err != nil {
			t.Error(err)
		}
	}
	received.mu.Lock()
	defer received.mu.Unlock()
	capture, split := received.spans["capture"], received.spans["split"]
	if capture == nil || split == nil {
		t.Fatalf("received %v", received.spans)
	}
	if !bytes.Equal(capture.TraceId, split.TraceId) || !bytes.Equal(capture.SpanId, split.ParentSpanId) {
		t.Error("the spans are not one trace")
	}
	if received.service["capture"] != "capturer" || received.service["split"] != "splitter" {
		t.Errorf("services %v", received.service)
	}
	if !received.metrics["colophon.test.captures"] {
		t.Errorf("metrics %v", received.metrics)
	}
	if got := received.headers.Get("x-key"); len(got) != 1 || got[0] != "a b" {
		t.Errorf("headers %v", received.headers)
	}
}

func TestSamplingKeepsTheDecisionOfOthers(t *testing.T) {
	never, always := start(t, "never", telemetry.Config{}), start(t, "always", telemetry.Config{TraceRatio: 1})
	sampled, _ := always.Tracer.Start(t.Context(), "a")
	unsampled, _ := never.Tracer.Start(t.Context(), "a")
	if !trace.SpanContextFromContext(sampled).IsSampled() || trace.SpanContextFromContext(unsampled).IsSampled() {
		t.Error("the ratio is not kept")
	}
	if !trace.SpanContextFromContext(unsampled).IsValid() {
		t.Error("an unsampled trace has no id")
	}
	child, _ := never.Tracer.Start(sampled, "b")
	if !trace.SpanContextFromContext(child).IsSampled() {
		t.Error("the parent's decision is lost")
	}
}

func TestAnEndpointThatIsAwayIsNoError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	tel := start(t, "lonely", telemetry.Config{OTLPEndpoint: endpoint, TraceRatio: 1, FlushTimeout: 200 * time.Millisecond})
	_, span := tel.Tracer.Start(t.Context(), "x")
	span.End()
	began := time.Now()
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("stopping took %s", took)
	}
}

func TestWrongSettings(t *testing.T) {
	for _, c := range []telemetry.Config{
		{OTLPEndpoint: "collector:4317"}, {OTLPEndpoint: "http://"}, {OTLPEndpoint: "unix:///x"},
		{OTLPEndpoint: "http://h:1", OTLPHeaders: "nothing"}, {OTLPEndpoint: "http://h:1", OTLPHeaders: "a=%zz"},
	} {
		if _, err := telemetry.Start(t.Context(), "x", c); err == nil || !strings.Contains(err.Error(), "COLOPHON_OTLP_") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestMetricsHandlerServesSeveralServices(t *testing.T) {
	a, b := start(t, "a", telemetry.Config{}), start(t, "b", telemetry.Config{})
	for _, tel := range []*telemetry.Telemetry{a, b, telemetry.Nop()} {
		work, err := tel.Meter.Int64Counter("colophon.work")
		if err != nil {
			t.Fatal(err)
		}
		work.Add(t.Context(), 2)
		duration, err := tel.Meter.Float64Histogram("colophon.duration", metric.WithUnit("s"))
		if err != nil {
			t.Fatal(err)
		}
		duration.Record(t.Context(), .003)
	}
	recorder := httptest.NewRecorder()
	telemetry.MetricsHandler(a, b, telemetry.Nop()).ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(recorder.Body)
	if err != nil || recorder.Code != 200 {
		t.Fatal(recorder.Code, err)
	}
	for _, want := range []string{
		`colophon_work_total{service_name="a"} 2`, `colophon_work_total{service_name="b"} 2`,
		`colophon_duration_seconds_bucket{service_name="a",le="0.0025"} 0`, `colophon_duration_seconds_bucket{service_name="a",le="0.005"} 1`,
		`go_goroutines{service_name="b"}`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
}

func TestLogLinesHaveTheTrace(t *testing.T) {
	tel := start(t, "x", telemetry.Config{})
	ctx, span := tel.Tracer.Start(t.Context(), "work")
	defer span.End()
	var out bytes.Buffer
	logger := telemetry.NewLogger(&out, "extractor", telemetry.Config{LogFormat: "json", LogLevel: "warn"})
	logger.InfoContext(ctx, "not this")
	logger.With("page_no", 3).WarnContext(ctx, "this")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	id := span.SpanContext()
	if line["msg"] != "this" || line["service"] != "extractor" || line["page_no"] != 3.0 || line["trace_id"] != id.TraceID().String() || line["span_id"] != id.SpanID().String() {
		t.Error(out.String())
	}
	out.Reset()
	telemetry.NewLogger(&out, "extractor", telemetry.Config{LogFormat: "text"}).Info("outside", "page_no", 1)
	if text := out.String(); !strings.Contains(text, "msg=outside service=extractor page_no=1") || strings.Contains(text, "trace_id") {
		t.Error(text)
	}
}

func TestNop(t *testing.T) {
	tel := telemetry.Nop()
	ctx, span := tel.Tracer.Start(t.Context(), "x")
	tel.Logger.InfoContext(ctx, "x")
	span.End()
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// What is measured is exported again and again, and for the last time at the end, while it
// is served for Prometheus too.
func TestMetricsAreExportedAndServed(t *testing.T) {
	r, endpoint := receive(t)
	tel := start(t, "gateway", telemetry.Config{TraceRatio: 1, OTLPEndpoint: endpoint, MetricInterval: 5 * time.Millisecond})
	has := func(name string) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.metrics[name]
	}
	count := func(name string) {
		c, err := tel.Meter.Int64Counter(name)
		if err != nil {
			t.Fatal(err)
		}
		c.Add(t.Context(), 1)
	}
	count("first.of.them")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(30 * time.Second); !has("first.of.them"); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("nothing is exported while the process runs")
		}
	}
	answer := httptest.NewRecorder()
	telemetry.MetricsHandler(tel).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if !strings.Contains(answer.Body.String(), "first_of_them_total") {
		t.Errorf("it is not served: %s", answer.Body)
	}
	count("last.of.them")
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if !has("last.of.them") {
		t.Error("what was measured last is not exported")
	}
}
