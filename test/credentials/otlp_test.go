package credentials_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/test/secrets"
)

// collector is an endpoint that keeps who sent something, with which header.
type collector struct {
	traces.UnimplementedTraceServiceServer
	metrics.UnimplementedMetricsServiceServer
	mu  sync.Mutex
	got map[string]int // by kind, header and the name in the client's certificate
}

func (c *collector) note(ctx context.Context, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := "nobody"
	if from, ok := peer.FromContext(ctx); ok {
		if info, ok := from.AuthInfo.(credentials.TLSInfo); ok {
			name = info.State.PeerCertificates[0].Subject.CommonName
		}
	}
	c.got[fmt.Sprint(kind, metadata.ValueFromIncomingContext(ctx, "authorization"), name)]++
}

func (c *collector) heard(what string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.got[what] > 0 {
		return nil
	}
	return fmt.Errorf("heard only %v", c.got)
}

type traceDoor struct{ *collector }

// Export implements traces.TraceServiceServer.
func (d traceDoor) Export(ctx context.Context, _ *traces.ExportTraceServiceRequest) (*traces.ExportTraceServiceResponse, error) {
	d.note(ctx, "traces")
	return &traces.ExportTraceServiceResponse{}, nil
}

type metricDoor struct{ *collector }

// Export implements metrics.MetricsServiceServer.
func (d metricDoor) Export(ctx context.Context, _ *metrics.ExportMetricsServiceRequest) (*metrics.ExportMetricsServiceResponse, error) {
	d.note(ctx, "metrics")
	return &metrics.ExportMetricsServiceResponse{}, nil
}

// TestOTLPHeadersAndCertificates: a client's certificate is shown to the endpoint, and
// headers and certificate are those of their files as they are, also on a connection that
// nothing else would end.
func TestOTLPHeadersAndCertificates(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=of-the-environment") // ours count
	a := secrets.NewAuthority(t, "authority")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{got: make(map[string]int)}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(a.Server(a))))
	traces.RegisterTraceServiceServer(server, traceDoor{c})
	metrics.RegisterMetricsServiceServer(server, metricDoor{c})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	files := secrets.NewMount(t, a.Client("splitter", secrets.InAnHour()), map[string]string{"headers": "Authorization=one"})
	tel, err := telemetry.Start(t.Context(), "splitter", config.Telemetry{
		OTLPEndpoint: "https://" + listener.Addr().String(), HeadersFile: files.Path("headers"), TraceRatio: 1, MetricInterval: 20 * time.Millisecond,
		TLS: config.TLS{CAFile: files.Path("ca.crt"), CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key")},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, span := tel.Tracer.Start(t.Context(), "work")
	span.End()
	eventually(t, "metrics are sent", func() error { return c.heard("metrics[one]splitter") })
	files.Change(map[string]string{"headers": "authorization=two"})
	eventually(t, "with the new header", func() error { return c.heard("metrics[two]splitter") })
	files.Change(a.Client("splitter-again", secrets.InAnHour()))
	eventually(t, "with the new certificate", func() error { return c.heard("metrics[two]splitter-again") })
	eventually(t, "traces with the new certificate", func() error {
		_, span := tel.Tracer.Start(t.Context(), "work")
		span.End()
		return c.heard("traces[two]splitter-again")
	})
	if err := tel.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	for _, wrong := range []config.Telemetry{
		{OTLPEndpoint: "http://127.0.0.1:1", TLS: config.TLS{CAFile: "x"}},
		{OTLPEndpoint: "https://127.0.0.1:1", TLS: config.TLS{CertFile: "x"}},
	} {
		if _, err := telemetry.Start(t.Context(), "splitter", wrong); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
}
