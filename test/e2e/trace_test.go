package e2e

import (
	"context"
	"encoding/hex"
	"net"
	"path/filepath"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
)

// receiver is an OTLP receiver that remembers which services a trace has spans
// of.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	mu     sync.Mutex
	traces map[string]map[string]bool
}

func (r *receiver) Export(_ context.Context, req *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rs := range req.GetResourceSpans() {
		service := ""
		for _, a := range rs.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				service = a.GetValue().GetStringValue()
			}
		}
		for _, ss := range rs.GetScopeSpans() {
			for _, span := range ss.GetSpans() {
				id := hex.EncodeToString(span.GetTraceId())
				if r.traces[id] == nil {
					r.traces[id] = map[string]bool{}
				}
				r.traces[id][service] = true
				for _, link := range span.GetLinks() { // where batches join
					linked := hex.EncodeToString(link.GetTraceId())
					if r.traces[linked] == nil {
						r.traces[linked] = map[string]bool{}
					}
					r.traces[linked][service] = true
				}
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

func (r *receiver) spans(services ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, have := range r.traces {
		all := true
		for _, s := range services {
			all = all && have[s]
		}
		if all {
			return true
		}
	}
	return false
}

func TestSeparateProcessesAndOneTrace(t *testing.T) {
	needServers(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{traces: map[string]map[string]bool{}}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, r)
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()

	w := startDev(t, t.TempDir(), []string{
		"COLOPHON_OTLP_ENDPOINT=http://" + listener.Addr().String(), "COLOPHON_METRIC_INTERVAL=1h", "COLOPHON_LOG_LEVEL=warn",
	}, "--separate")
	w.must(0, "capture", "--wait", filepath.Join(documents(t), "conseil-ordre-du-jour.html"))
	await(t, "one trace spans capture to vector", func() bool {
		return r.spans("capturer", "splitter", "extractor", "chunker", "indexer")
	})
	w.must(0, "search", "budget primitif")
	w.must(0, "verify", "--all")
}
