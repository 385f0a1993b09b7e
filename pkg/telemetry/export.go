package telemetry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/credential/rpc"
)

// exporters returns what sends spans and metrics to the configured endpoint.
func exporters(ctx context.Context, c Config, logger *slog.Logger) (sdktrace.SpanExporter, sdkmetric.Exporter, error) {
	u, err := url.Parse(c.OTLPEndpoint)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, nil, fmt.Errorf("COLOPHON_OTLP_ENDPOINT is %q; allowed is http://host:port or https://host:port", c.OTLPEndpoint)
	}
	own, err := connectionOf(c, u.Scheme == "https", logger)
	if err != nil {
		return nil, nil, err
	}
	none := map[string]string{} // else the exporters take those of the environment beside ours
	spanOptions := []otlptracegrpc.Option{
		otlptracegrpc.WithEndpointURL(c.OTLPEndpoint), otlptracegrpc.WithHeaders(none), otlptracegrpc.WithDialOption(own.options...),
	}
	metricOptions := []otlpmetricgrpc.Option{
		otlpmetricgrpc.WithEndpointURL(c.OTLPEndpoint), otlpmetricgrpc.WithHeaders(none), otlpmetricgrpc.WithDialOption(own.options...),
	}
	var renewSpans, renewMetrics func()
	if own.tls != nil { // one for each, so that neither ends a connection that the other is using
		forSpans, forMetrics := rpc.NewTransport(own.tls), rpc.NewTransport(own.tls)
		spanOptions = append(spanOptions, otlptracegrpc.WithTLSCredentials(forSpans))
		metricOptions = append(metricOptions, otlpmetricgrpc.WithTLSCredentials(forMetrics))
		renewSpans, renewMetrics = forSpans.Renew, forMetrics.Renew
	}
	spans, err := otlptracegrpc.New(ctx, spanOptions...)
	if err != nil {
		return nil, nil, fmt.Errorf("exporting traces: %w", err)
	}
	metrics, err := otlpmetricgrpc.New(ctx, metricOptions...)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("exporting metrics: %w", err), spans.Shutdown(ctx))
	}
	return &quietSpans{SpanExporter: spans, quiet: quiet{what: "traces", renew: renewSpans, logger: logger}},
		&quietMetrics{Exporter: metrics, quiet: quiet{what: "metrics", renew: renewMetrics, logger: logger}}, nil
}

// connection is what the connections to the endpoint have of ours.
type connection struct {
	options []grpc.DialOption
	tls     func() (*tls.Config, error) // nil: the exporter's own
}

// connectionOf makes it of files that are read again when they change.
func connectionOf(c Config, secure bool, logger *slog.Logger) (connection, error) {
	const store = "OTLP endpoint"
	o := credential.Options{Store: store, Log: logger}
	headers := credential.Watch(o, func(read credential.Read) (map[string]string, error) {
		text, err := credential.Text(read, c.OTLPHeaders.Value(), c.HeadersFile)
		if err != nil {
			return nil, err
		}
		found, err := parseHeaders(text)
		if err != nil && c.HeadersFile != "" {
			err = fmt.Errorf("%w: %s: %w", credential.ErrFile, c.HeadersFile, err)
		}
		return found, err
	})
	if _, err := headers.Latest(); err != nil && !errors.Is(err, credential.ErrFile) {
		return connection{}, err
	}
	own := connection{options: []grpc.DialOption{grpc.WithPerRPCCredentials(rpc.Headers(headers.Now))}}
	files := credential.TLSFiles{CA: c.TLS.CAFile, Cert: c.TLS.CertFile, Key: c.TLS.KeyFile}
	named, err := files.Named()
	if err == nil && named && !secure {
		err = errors.New("there are files of certificates, but its address is not https")
	}
	if err != nil {
		return connection{}, fmt.Errorf("%s: %w", store, err)
	}
	if named {
		own.tls = credential.Watch(o, files.Client).Now
	}
	return own, nil
}

// parseHeaders reads name=value,name=value, the values percent-encoded.
func parseHeaders(text string) (map[string]string, error) {
	headers := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errors.New("COLOPHON_OTLP_HEADERS has a wrong value; allowed is name=value,name=value")
		}
		headers[strings.ToLower(name)] = decoded
	}
	return headers, nil
}

// quiet logs when exporting begins to fail and when it works again. The library
// would hand each failure to a global handler.
type quiet struct {
	what    string
	renew   func() // nil: there are no certificates of ours
	logger  *slog.Logger
	failing atomic.Bool
}

// prepare lets what is sent now go over a connection with the certificates of now. Of
// each kind one thing is sent at a time, so that nothing is under way on one that ends.
func (q *quiet) prepare() {
	if q.renew != nil {
		q.renew()
	}
}

func (q *quiet) note(ctx context.Context, err error) {
	switch {
	case err != nil && !q.failing.Swap(true):
		q.logger.WarnContext(ctx, "telemetry cannot be exported", slog.String("what", q.what), slog.Any("error", err))
	case err == nil && q.failing.Swap(false):
		q.logger.InfoContext(ctx, "telemetry is exported again", slog.String("what", q.what))
	}
}

type quietSpans struct {
	sdktrace.SpanExporter
	quiet
}

func (q *quietSpans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	q.prepare()
	q.note(ctx, q.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

type quietMetrics struct {
	sdkmetric.Exporter
	quiet
}

func (q *quietMetrics) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	q.prepare()
	q.note(ctx, q.Exporter.Export(ctx, data))
	return nil
}
