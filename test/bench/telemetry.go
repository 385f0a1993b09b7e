package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/colophon-dev/colophon/pkg/config"
)

// Telemetry is the share of `colophon dev`'s CPU time that its traces and
// metrics take, while it exports all of them.
type Telemetry struct {
	Samples   int64   `json:"samples"`   // of the profile
	Telemetry int64   `json:"telemetry"` // those with a frame of telemetry
	Share     float64 `json:"share"`
}

// Error is by how much the share is wrong in one of three times, since samples are few.
func (t Telemetry) Error() float64 {
	if t.Samples == 0 {
		return 0
	}
	return math.Sqrt(t.Share * (1 - t.Share) / float64(t.Samples))
}

// telemetry profiles one round.
func (o Options) telemetry(ctx context.Context, dir string) (t Telemetry, err error) {
	endpoint, stop, err := collector()
	if err != nil {
		return t, err
	}
	defer stop()
	path := filepath.Join(filepath.Dir(dir), "telemetry.prof")
	s, err := startWith(ctx, o.Colophon, dir, []string{"--cpu-profile", path}, config.Prefix+"OTLP_ENDPOINT=http://"+endpoint)
	if err != nil {
		return t, err
	}
	_, err = o.round(ctx, s, "telemetry", 70, o.Documents)
	if err = errors.Join(err, s.stop()); err != nil {
		return t, fmt.Errorf("a round that is profiled: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return t, err
	}
	defer func() { _ = file.Close() }()
	p, err := profile.Parse(file)
	if err != nil {
		return t, fmt.Errorf("the profile: %w", err)
	}
	t = shareOf(p)
	o.Progress("telemetry of %d pages", o.Documents*o.Pages)
	return t, nil
}

// shareOf counts the samples whose stack has a frame of telemetry.
func shareOf(p *profile.Profile) (t Telemetry) {
	for _, s := range p.Sample {
		t.Samples += s.Value[0]
		if isTelemetry(s) {
			t.Telemetry += s.Value[0]
		}
	}
	if t.Samples > 0 {
		t.Share = float64(t.Telemetry) / float64(t.Samples)
	}
	return t
}

func isTelemetry(s *profile.Sample) bool {
	for _, location := range s.Location {
		for _, line := range location.Line {
			name := line.Function.Name
			for _, part := range []string{"go.opentelemetry.io/", "exaring/otelpgx", "colophon/pkg/telemetry.", "prometheus/client_golang"} {
				if strings.Contains(name, part) {
					return true
				}
			}
		}
	}
	return false
}

// collector is an OTLP endpoint that takes everything and keeps nothing.
func collector() (endpoint string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := grpc.NewServer()
	collectortrace.RegisterTraceServiceServer(server, traces{})
	collectormetrics.RegisterMetricsServiceServer(server, measurements{})
	go func() { _ = server.Serve(listener) }() // it ends with Stop
	return listener.Addr().String(), server.Stop, nil
}

type traces struct {
	collectortrace.UnimplementedTraceServiceServer
}

// Export implements the trace service.
func (traces) Export(context.Context, *collectortrace.ExportTraceServiceRequest) (*collectortrace.ExportTraceServiceResponse, error) {
	return &collectortrace.ExportTraceServiceResponse{}, nil
}

type measurements struct {
	collectormetrics.UnimplementedMetricsServiceServer
}

// Export implements the metrics service.
func (measurements) Export(context.Context, *collectormetrics.ExportMetricsServiceRequest) (*collectormetrics.ExportMetricsServiceResponse, error) {
	return &collectormetrics.ExportMetricsServiceResponse{}, nil
}
