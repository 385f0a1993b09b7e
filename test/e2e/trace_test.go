package e2e

import (
	"context"
	"encoding/hex"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/colophon-dev/colophon/test/programs"
)

// receiver is an OTLP receiver that remembers what spans each trace has: service and
// name. Links do not count.
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
				r.traces[id][service+" "+span.GetName()] = true
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// spans reports whether one trace has all of the spans.
func (r *receiver) spans(names ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, have := range r.traces {
		if !slices.ContainsFunc(names, func(name string) bool { return !have[name] }) {
			return true
		}
	}
	return false
}

// followTraces returns what tells the traces that the events of each kind have come with
// since then; "" stands for none.
func followTraces(t *testing.T, w *world) func() map[string]map[string]bool {
	t.Helper()
	bus, err := nats.Connect(endpoint(t, w.dir, "COLOPHON_NATS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	var mu sync.Mutex
	seen := make(map[string]map[string]bool)
	_, err = bus.Subscribe("colophon.>", func(m *nats.Msg) {
		parts := strings.SplitN(m.Subject, ".", 4)
		if len(parts) < 4 {
			return
		}
		kind, trace := parts[1]+"."+parts[2], ""
		if fields := strings.Split(m.Header.Get("traceparent"), "-"); len(fields) == 4 {
			trace = fields[1]
		}
		mu.Lock()
		defer mu.Unlock()
		if seen[kind] == nil {
			seen[kind] = make(map[string]bool)
		}
		seen[kind][trace] = true
	})
	if err == nil {
		err = bus.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() map[string]map[string]bool {
		mu.Lock()
		defer mu.Unlock()
		copied := make(map[string]map[string]bool, len(seen))
		for kind, traces := range seen {
			copied[kind] = maps.Clone(traces)
		}
		return copied
	}
}

func TestSeparateProcessesAndOneTrace(t *testing.T) {
	programs.NeedServers(t)
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
	hops := followTraces(t, w)
	w.must(0, "capture", "--wait", filepath.Join(documents(t), "conseil-ordre-du-jour.html"))
	await(t, "one trace spans capture to vector", func() bool {
		return r.spans("capturer capture", "capturer S3 put", "splitter split", "extractor extract", "extractor S3 put",
			"chunker chunk", "chunker S3 get", "indexer index", "indexer Qdrant upsert")
	})
	await(t, "each event of the document has the trace of its capture", func() bool {
		seen := hops()
		for _, kind := range []string{"snapshot.stored", "page.split", "ir.extracted", "chunk.created", "run.completed", "vector.indexed"} {
			if len(seen[kind]) != 1 || !maps.Equal(seen[kind], seen["snapshot.stored"]) {
				return false
			}
		}
		return true
	})
	w.env = append(w.env, "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+listener.Addr().String()) // which commands keep
	snapshot := lines[captureLine](t, w.must(0, "capture", "--wait", "--json", filepath.Join(documents(t), "conseil-ordre-du-jour.html"), "--source", "again").out)[0].SnapshotID
	w.must(0, "retry", snapshot)
	w.must(0, "source", "set", "again", "--name", "Once more")
	await(t, "what commands ask for and tell has the trace of the command", func() bool {
		seen := hops()
		return len(seen["run.requested"]) > 0 && !seen["run.requested"][""] && len(seen["source.changed"]) > 0 && !seen["source.changed"][""]
	})
	await(t, "a run that a command asked for is one trace with it", func() bool {
		return r.spans("colophon retry", "splitter split", "extractor extract", "chunker chunk")
	})
	w.must(0, "search", "budget primitif")
	w.must(0, "verify", "--all")
}
