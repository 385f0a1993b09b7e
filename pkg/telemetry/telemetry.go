// Package telemetry gives a service its traces, metrics and log lines. Nothing
// of it is global: two services in one process have two of everything.
//
// Traces and metrics go over OTLP gRPC when an endpoint is configured, and
// nowhere otherwise; metrics are served for Prometheus in any case. An endpoint
// that is away costs one log line and never stops the work.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	promexport "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/instrument"
)

// Config is the block of settings that a process has for its telemetry.
type Config = config.Telemetry

// scope names the instrumentation in traces and metrics.
const scope = "github.com/colophon-dev/colophon"

// serviceName is the resource attribute of a service, and a label of its
// metrics, so that those of several services can be served together.
const serviceName = "service.name"

// Telemetry is what one service reports through.
type Telemetry struct {
	Logger         *slog.Logger // adds trace_id and span_id of the context
	Tracer         trace.Tracer
	Meter          metric.Meter
	TracerProvider trace.TracerProvider // for libraries that make their own tracer
	MeterProvider  metric.MeterProvider
	Propagator     propagation.TextMapPropagator // W3C traceparent and tracestate

	registry *prometheus.Registry
	flush    time.Duration
	shutdown []func(context.Context) error
}

// Start makes the telemetry of a service. It does not connect; a setting that
// cannot be used is an error. Shutdown sends what is left.
func Start(ctx context.Context, service string, c Config) (*Telemetry, error) {
	logger := NewLogger(os.Stderr, service, c)
	about, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String(serviceName, service)))
	if err != nil {
		return nil, fmt.Errorf("describing service %s for telemetry: %w", service, err)
	}
	t := &Telemetry{Logger: logger, Propagator: propagation.TraceContext{}, registry: prometheus.NewRegistry(), flush: c.FlushTimeout}
	if t.flush <= 0 {
		t.flush = 5 * time.Second
	}
	traces := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(about),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.TraceRatio))),
	}
	scrape, err := promexport.New(promexport.WithRegisterer(t.registry), promexport.WithoutScopeInfo(), promexport.WithoutTargetInfo(),
		promexport.WithResourceAsConstantLabels(attribute.NewAllowKeysFilter(serviceName)))
	if err != nil {
		return nil, fmt.Errorf("serving metrics: %w", err)
	}
	metrics := []sdkmetric.Option{sdkmetric.WithResource(about), sdkmetric.WithReader(scrape), sdkmetric.WithView(secondsView())}
	var pushed sdkmetric.Exporter
	if c.OTLPEndpoint != "" {
		spans, exporter, err := exporters(ctx, c, logger)
		if err != nil {
			return nil, err
		}
		traces, pushed = append(traces, sdktrace.WithBatcher(spans)), exporter
	}
	wrapped := prometheus.WrapRegistererWith(prometheus.Labels{"service_name": service}, t.registry)
	live := collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/gc/heap/live:bytes$`)})
	wrapped.MustRegister(collectors.NewGoCollector(live), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	tracers, meters := sdktrace.NewTracerProvider(traces...), sdkmetric.NewMeterProvider(metrics...)
	t.TracerProvider, t.MeterProvider = tracers, meters
	t.Tracer, t.Meter = tracers.Tracer(scope), meters.Meter(scope)
	t.shutdown = []func(context.Context) error{tracers.Shutdown}
	if pushed != nil {
		t.shutdown = append(t.shutdown, startPusher(scrape, pushed, c.MetricInterval).Shutdown)
	}
	t.shutdown = append(t.shutdown, meters.Shutdown)
	return t, nil
}

// secondsView gives histograms of seconds that are not in the table of instruments
// buckets from a millisecond to six hours; the library's own are made for milliseconds.
func secondsView() sdkmetric.View {
	seconds := sdkmetric.NewView(
		sdkmetric.Instrument{Kind: sdkmetric.InstrumentKindHistogram, Unit: "s"},
		sdkmetric.Stream{Aggregation: sdkmetric.AggregationExplicitBucketHistogram{
			Boundaries: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600, 3600, 21600},
		}})
	return func(i sdkmetric.Instrument) (sdkmetric.Stream, bool) {
		if _, listed := instrument.Of(instrument.Name(i.Name)); listed {
			return sdkmetric.Stream{}, false
		}
		return seconds(i)
	}
}

// Nop returns telemetry that does nothing.
func Nop() *Telemetry {
	tracers, meters := tracenoop.NewTracerProvider(), metricnoop.NewMeterProvider()
	return &Telemetry{
		Logger: slog.New(slog.DiscardHandler), TracerProvider: tracers, Tracer: tracers.Tracer(scope),
		MeterProvider: meters, Meter: meters.Meter(scope),
		Propagator: propagation.TraceContext{}, registry: prometheus.NewRegistry(),
	}
}

// Shutdown sends what is left and ends the telemetry. It takes no longer than
// the configured flush time, and works also when ctx has ended. An endpoint that
// is away is no error.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(t.flush, time.Millisecond))
	defer cancel()
	var problems []error
	for _, stop := range t.shutdown {
		if err := stop(ctx); err != nil && ctx.Err() == nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// MetricsHandler serves the metrics of all given for Prometheus; each line has
// its service's name as the label service_name. Who asks for OpenMetrics gets exemplars:
// the trace that a value of a histogram comes from.
func MetricsHandler(all ...*Telemetry) http.Handler {
	gatherers := make(prometheus.Gatherers, len(all))
	for i, t := range all {
		gatherers[i] = t.registry
	}
	return promhttp.HandlerFor(gatherers, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, EnableOpenMetrics: true})
}
