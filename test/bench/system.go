package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

const (
	startLimit = time.Minute
	stopLimit  = time.Minute
	pollEvery  = 100 * time.Millisecond
)

// endpoints are the settings by which a measurement reaches a system.
type endpoints struct {
	NATS     config.NATS
	Postgres config.Postgres
	S3       config.S3
	Qdrant   config.Qdrant
	Runner   config.Runner
	Gateway  string `env:"GATEWAY_URL" help:"Address of the gateway's HTTP API."`
}

// system is a running `colophon dev` of its own folder.
type system struct {
	dir     string
	health  string // host:port of its metrics, where they are asked for
	cmd     *exec.Cmd
	log     logBuffer
	ended   chan error
	db      *catalog.DB
	pg      *pgx.Conn
	blobs   *blobstore.Store
	conn    *stream.Conn
	nc      *nats.Conn
	vectors *vectorstore.Client
	alias   string // of the collection that is searched
	gateway string // address of the HTTP API
	monitor *monitor
}

// start runs `colophon dev` on an empty folder, with the services in it or as
// separate processes, and waits until it is ready. Settings are NAME=value.
func start(ctx context.Context, binary, dir string, separate bool, settings ...string) (*system, error) {
	if separate {
		return startWith(ctx, binary, dir, []string{"--separate"}, settings...)
	}
	return startWith(ctx, binary, dir, nil, settings...)
}

// startWith is start with more arguments.
func startWith(ctx context.Context, binary, dir string, more []string, settings ...string) (*system, error) {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	s := &system{dir: dir, ended: make(chan error, 1)}
	name, args := partDev, append([]string{"dev", "--dir", dir, "--http", "127.0.0.1:0"}, more...)
	if slices.Contains(more, "--separate") {
		name = partServers
	}
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), binary, args...) // it is asked to stop, not killed
	s.cmd.Env = append(environment(s.cmd.Environ()), settings...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	s.monitor = watch(s.cmd.Process.Pid, name)
	if err := s.connect(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// environment is one without settings of its own system.
func environment(lines []string) []string {
	var out []string
	for _, line := range lines {
		if !strings.HasPrefix(line, config.Prefix) && !strings.HasPrefix(line, "OTEL_") {
			out = append(out, line)
		}
	}
	return append(out, config.Prefix+"HEALTH_ADDR=127.0.0.1:0") // what is measured shares the machine
}

func (s *system) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	path := filepath.Join(s.dir, config.EndpointsFile)
	err := s.poll(ctx, func() (bool, error) {
		_, err := os.Stat(path)
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	values, err := config.ReadFile(path)
	if err != nil {
		return err
	}
	e, err := config.LoadFrom[endpoints](values)
	if err != nil {
		return err
	}
	if s.db, err = catalog.Open(ctx, catalog.ConfigOf(e.Postgres)); err != nil {
		return err
	}
	if s.pg, err = pgx.Connect(ctx, string(e.Postgres.URL)); err != nil {
		return err
	}
	if s.blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(e.S3)); err != nil {
		return err
	}
	if s.conn, err = stream.Connect(ctx, stream.ConfigOf("bench", e.NATS, e.Runner)); err != nil {
		return err
	}
	if s.vectors, err = vectorstore.Open(ctx, vectorstore.ConfigOf(e.Qdrant)); err != nil {
		return err
	}
	s.alias, s.gateway = e.Qdrant.Collection, e.Gateway
	s.nc, err = nats.Connect(string(e.NATS.URL))
	return err
}

// poll asks until the answer is yes. It fails when the system has ended.
func (s *system) poll(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("colophon dev ended: %w\n%s", err, s.log.String())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stop ends the system in good order.
func (s *system) stop() error {
	s.monitor.end()
	if s.nc != nil {
		s.nc.Close()
	}
	if s.conn != nil {
		s.conn.Close()
	}
	if s.pg != nil {
		_ = s.pg.Close(context.Background()) // it only read
	}
	if s.vectors != nil {
		_ = s.vectors.Close() // what was written is durable
	}
	if s.db != nil {
		s.db.Close()
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case err := <-s.ended:
		if err != nil {
			return fmt.Errorf("colophon dev: %w\n%s", err, s.log.String())
		}
		return nil
	case <-time.After(stopLimit):
		return errors.Join(errors.New("colophon dev does not stop"), s.cmd.Process.Kill())
	}
}

// document is one to be captured.
type document struct {
	name string
	data []byte
}

// requests puts documents into the inbox, as a crawler does, and returns what
// asks for their capture.
func (s *system) requests(ctx context.Context, source string, docs []document) ([]event.CaptureRequested, error) {
	out := make([]event.CaptureRequested, len(docs))
	for i, d := range docs {
		key := blobstore.InboxKey(source, digest.Hex(d.data))
		if _, err := s.blobs.PutOnce(ctx, blobstore.Inbox, key, d.data, "application/octet-stream"); err != nil {
			return nil, err
		}
		at := time.Now().UTC().Truncate(time.Second)
		out[i] = event.CaptureRequested{
			RequestID: d.name, SourceID: source, URL: "file:///" + d.name, RetrievedAt: &at, Filename: d.name,
			Object: &event.Object{Bucket: string(blobstore.Inbox), Key: key},
		}
	}
	return out, nil
}

func (s *system) send(ctx context.Context, requests []event.CaptureRequested) error {
	for _, r := range requests {
		e, err := event.New("bench", r, time.Now())
		if err != nil {
			return err
		}
		if err := s.conn.Publisher("bench").Publish(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// process captures documents and returns how long it took from the first
// request until nothing was left to do, vectors included. Every page must have
// come out.
func (s *system) process(ctx context.Context, source string, docs []document, pages int) (time.Duration, error) {
	requests, err := s.requests(ctx, source, docs)
	if err != nil {
		return 0, err
	}
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = r.RequestID
	}
	began := time.Now()
	if err := s.send(ctx, requests); err != nil {
		return 0, err
	}
	var last catalog.Progress
	err = s.poll(ctx, func() (bool, error) {
		if ok, err := s.nearlyDone(ctx, source, len(docs)); !ok || err != nil {
			return false, err
		}
		last, err = s.db.Progress(ctx, source, ids)
		return last.Quiet(), err
	})
	took := time.Since(began)
	if err == nil && (last.Pages != pages || last.FailedPages > 0) {
		err = fmt.Errorf("%d of %d pages came out, %d failed", last.Pages, pages, last.FailedPages)
	}
	return took, err
}

// nearlyDone reports whether so many runs of a source have ended, and have all
// their vectors. Progress asks more, and costs more than a measurement may.
func (s *system) nearlyDone(ctx context.Context, source string, documents int) (bool, error) {
	var runs, indexed int
	err := s.pg.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM colophon.runs WHERE source_id = $1 AND state NOT IN ('queued', 'running')),
		(SELECT count(*) FROM colophon.chunk_manifests WHERE source_id = $1 AND vector_status = 'present')`,
		source).Scan(&runs, &indexed)
	return runs >= documents && indexed >= documents, err
}

// Work counts what a system did.
type Work struct {
	Statements   int64 `json:"statements"`  // of the services, without what is asked about them
	Allocations  int64 `json:"allocations"` // of the process, without the extraction children
	Transactions int64 `json:"transactions"`
	RowsRead     int64 `json:"rows_read"`
	RowsWritten  int64 `json:"rows_written"`
	Messages     int64 `json:"messages"`
	Objects      int64 `json:"objects"`
}

func (w Work) less(v Work) Work {
	return Work{
		w.Statements - v.Statements, w.Allocations - v.Allocations, w.Transactions - v.Transactions, w.RowsRead - v.RowsRead, w.RowsWritten - v.RowsWritten,
		w.Messages - v.Messages, w.Objects - v.Objects,
	}
}

func (s *system) work(ctx context.Context) (Work, error) {
	var w Work
	err := s.pg.QueryRow(ctx, `SELECT xact_commit, tup_returned, tup_inserted + tup_updated + tup_deleted
		FROM pg_stat_database WHERE datname = current_database()`).Scan(&w.Transactions, &w.RowsRead, &w.RowsWritten)
	if err != nil {
		return w, err
	}
	if w.Statements, w.Allocations, err = s.metrics(ctx); err != nil {
		return w, err
	}
	js, err := jetstream.New(s.nc)
	if err != nil {
		return w, err
	}
	streams := js.ListStreams(ctx)
	for info := range streams.Info() {
		w.Messages += int64(info.State.LastSeq)
	}
	if err := streams.Err(); err != nil {
		return w, err
	}
	for _, bucket := range []blobstore.Bucket{blobstore.Raw, blobstore.Derived} {
		for _, err := range s.blobs.List(ctx, bucket, "") {
			if err != nil {
				return w, err
			}
			w.Objects++
		}
	}
	return w, nil
}

// newFolder makes a folder and returns what removes it.
func newFolder(base string) (string, func() error, error) {
	dir, err := os.MkdirTemp(base, "colophon-bench-")
	if err != nil {
		return "", nil, err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL may run as another user
		return "", nil, err
	}
	return dir, func() error {
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}, nil
}
