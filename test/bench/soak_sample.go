package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/blobstore"
)

// Sample is what a soak saw at one moment.
type Sample struct {
	At       time.Time         `json:"at"`
	Services map[string]Gauges `json:"services"`
	Children Gauges            `json:"children"` // those of extraction together
	Servers  Gauges            `json:"servers"`  // the process of the bus and the vectors
	Store    Stored            `json:"store"`
}

// Gauges are what a process has in use.
type Gauges struct {
	Live       int64 `json:"live"`     // bytes of the heap that its last garbage collection found in use
	Resident   int64 `json:"resident"` // bytes
	Goroutines int64 `json:"goroutines"`
	Files      int64 `json:"files"` // descriptors
	Processes  int64 `json:"processes"`
}

// Stored is what the stores hold.
type Stored struct {
	Documents int64            `json:"documents"`
	Snapshots int64            `json:"snapshots"`
	Chunks    int64            `json:"chunks"`
	Waiting   int64            `json:"waiting"` // requests without an outcome and runs that have not ended
	Catalog   int64            `json:"catalog"` // bytes of the database
	Streams   map[string]int64 `json:"streams"` // bytes by stream
	Objects   int64            `json:"objects"` // bytes of the buckets raw and derived; in the first and the last sample only
}

// logBuffer keeps what processes write; they write while it is read.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns everything so far.
func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// metricsOf returns the address of each service's metrics, by its log.
func metricsOf(log string) map[string]string {
	addresses := make(map[string]string)
	for line := range strings.Lines(log) {
		var entry struct{ Msg, Service, Addr string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "health" && entry.Service != "" {
			addresses[entry.Service] = entry.Addr
		}
	}
	return addresses
}

func (s *system) sample(ctx context.Context) (Sample, error) {
	sample := Sample{At: time.Now().UTC(), Services: make(map[string]Gauges)}
	for service, address := range metricsOf(s.log.String()) {
		g, err := scrape(ctx, "http://"+address+"/metrics")
		if err != nil {
			return sample, fmt.Errorf("the metrics of %s: %w", service, err)
		}
		sample.Services[service] = g
	}
	if len(sample.Services) < 6 {
		return sample, fmt.Errorf("%d services tell where their metrics are", len(sample.Services))
	}
	sample.Servers.Resident, sample.Servers.Files = held(s.cmd.Process.Pid)
	for _, p := range tree(s.cmd.Process.Pid) {
		if p.sandboxed {
			resident, files := held(p.pid)
			sample.Children.Resident += resident
			sample.Children.Files += files
			sample.Children.Processes++
		}
	}
	var err error
	sample.Store, err = s.stored(ctx)
	return sample, err
}

// held returns the resident bytes and the descriptors of a process, 0 when it
// is gone.
func held(pid int) (resident, files int64) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if statm, err := os.ReadFile(filepath.Join(dir, "statm")); err == nil {
		if fields := strings.Fields(string(statm)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			resident = pages * int64(os.Getpagesize())
		}
	}
	if open, err := os.ReadDir(filepath.Join(dir, "fd")); err == nil {
		files = int64(len(open))
	}
	return resident, files
}

func scrape(ctx context.Context, url string) (Gauges, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Gauges{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return Gauges{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return Gauges{}, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return parseMetrics(resp.Body)
}

// parseMetrics reads the Prometheus text format. Every gauge must be there.
func parseMetrics(r io.Reader) (Gauges, error) {
	g := Gauges{Processes: 1}
	fields := map[string]*int64{
		"go_gc_heap_live_bytes": &g.Live, "process_resident_memory_bytes": &g.Resident,
		"go_goroutines": &g.Goroutines, "process_open_fds": &g.Files,
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, rest, ok := strings.Cut(lines.Text(), "{")
		if !ok {
			name, rest, _ = strings.Cut(lines.Text(), " ")
		}
		field, ok := fields[name]
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
		if err != nil {
			return g, fmt.Errorf("metric %s: %w", name, err)
		}
		*field = int64(value)
		delete(fields, name)
	}
	for name := range fields {
		return g, fmt.Errorf("metric %s is missing", name)
	}
	return g, lines.Err()
}

func (s *system) stored(ctx context.Context) (Stored, error) {
	st := Stored{Streams: make(map[string]int64)}
	err := s.pg.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM colophon.documents), (SELECT count(*) FROM colophon.snapshots), (SELECT count(*) FROM colophon.chunks),
		(SELECT count(*) FROM colophon.captures WHERE outcome IS NULL) + (SELECT count(*) FROM colophon.runs WHERE state IN ('queued', 'running')),
		pg_database_size(current_database())`).Scan(&st.Documents, &st.Snapshots, &st.Chunks, &st.Waiting, &st.Catalog)
	if err != nil {
		return st, err
	}
	js, err := jetstream.New(s.nc)
	if err != nil {
		return st, err
	}
	streams := js.ListStreams(ctx)
	for info := range streams.Info() {
		st.Streams[info.Config.Name] = int64(info.State.Bytes)
	}
	if err := streams.Err(); err != nil {
		return st, err
	}
	return st, nil
}

// objectBytes adds up what the buckets hold. It lists them: not for each sample.
func (s *system) objectBytes(ctx context.Context) (int64, error) {
	var sum int64
	for _, bucket := range []blobstore.Bucket{blobstore.Raw, blobstore.Derived} {
		for object, err := range s.blobs.List(ctx, bucket, "") {
			if err != nil {
				return 0, err
			}
			sum += object.Size
		}
	}
	return sum, nil
}
