package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk/inbox"
)

// Capture is what the capturer does alone, with nothing of the chain behind it.
type Capture struct {
	Events     int           `json:"events"` // of inlineSize bytes inside their requests
	EventsTook time.Duration `json:"events_took"`
	EventsCPU  time.Duration `json:"events_cpu"` // of the capturer
	Objects    int           `json:"objects"`    // of objectSize bytes in the inbox
	ObjectsIn  time.Duration `json:"objects_took"`
	Large      int           `json:"large"` // of largeSize bytes, all at once
	LargeIn    time.Duration `json:"large_took"`
	LargePeak  int64         `json:"large_peak"` // resident memory of the capturer, in bytes
}

const (
	inlineSize = 2 << 10
	objectSize = 1 << 20
	largeSize  = 200 << 20
	largeCount = 16

	captureWorkers = 8 // a capture waits for its stores more than it computes
)

// capture measures a capturer by itself: the servers run, the other services do
// not.
func (o Options) capture(ctx context.Context, dir string) (c Capture, err error) {
	s, err := startWith(ctx, o.Colophon, dir, []string{"--only", "servers"})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	c.Events, c.Objects, c.Large = 1000, 100, largeCount
	at := time.Now().UTC().Truncate(time.Second)
	first, err := s.capturer(o.Colophon, dir, captureWorkers)
	if err != nil {
		return c, err
	}
	measured := func() error {
		if c.EventsTook, c.EventsCPU, err = s.captured(ctx, first, "inline", c.Events, func(n int, r *event.CaptureRequested) error {
			data := make([]byte, inlineSize)
			_, err := made{uint64(n), inlineSize}.ReadAt(data, 0)
			r.Inline = &event.Inline{ContentBase64: data}
			return err
		}, at); err != nil {
			return err
		}
		o.Progress("%d documents inside their requests", c.Events)
		c.ObjectsIn, _, err = s.captured(ctx, first, "objects", c.Objects, s.put(ctx, objectSize), at)
		o.Progress("%d objects of %d MiB", c.Objects, objectSize>>20)
		return err
	}
	if err := errors.Join(measured(), first.stop()); err != nil {
		return c, err
	}
	// One process of its own, so that its peak is of these alone.
	second, err := s.capturer(o.Colophon, dir, largeCount)
	if err != nil {
		return c, err
	}
	c.LargeIn, _, err = s.captured(ctx, second, "large", c.Large, s.put(ctx, largeSize), at)
	c.LargePeak = usage(second.cmd.Process.Pid, "capturer")["capturer"].Peak
	o.Progress("%d objects of %d MiB", c.Large, largeSize>>20)
	return c, errors.Join(err, second.stop())
}

// put returns what puts documents of a size into the inbox.
func (s *system) put(ctx context.Context, size int64) func(n int, r *event.CaptureRequested) error {
	box := inbox.Of(s.blobs)
	return func(n int, r *event.CaptureRequested) error {
		object, err := box.Put(ctx, r.SourceID, fmt.Sprintf("%d-%d", size, n), made{uint64(n) ^ uint64(size)<<20, size}, size)
		r.Object = &object
		return err
	}
}

// captured makes requests, then lets the process capture them and returns how
// long that took and its CPU time.
func (s *system) captured(ctx context.Context, p *part, source string, documents int, give func(int, *event.CaptureRequested) error,
	at time.Time,
) (took, cpu time.Duration, err error) {
	if err := s.source(ctx, source); err != nil {
		return 0, 0, err
	}
	requests := make([]event.CaptureRequested, documents)
	for n := range requests {
		requests[n] = event.CaptureRequested{
			RequestID: fmt.Sprint(n), SourceID: source, URL: fmt.Sprintf("https://bench.example/%s/%d", source, n), RetrievedAt: &at,
		}
		if err := give(n, &requests[n]); err != nil {
			return 0, 0, err
		}
	}
	before := usage(p.cmd.Process.Pid, "capturer")["capturer"].CPU
	began := time.Now()
	if err := s.send(ctx, requests); err != nil {
		return 0, 0, err
	}
	err = s.poll(ctx, func() (bool, error) {
		var stored, ended int
		err := s.pg.QueryRow(ctx, `SELECT count(*) FILTER (WHERE outcome = 'stored'), count(*) FROM colophon.captures
			WHERE source_id = $1 AND outcome IS NOT NULL`, source).Scan(&stored, &ended)
		if err == nil && stored != ended {
			err = fmt.Errorf("%d of %d captures failed", ended-stored, ended)
		}
		return stored == documents, err
	})
	return time.Since(began), usage(p.cmd.Process.Pid, "capturer")["capturer"].CPU - before, err
}

// part is a service as a process of its own.
type part struct {
	cmd *exec.Cmd
	log logBuffer
}

// capturer starts a capturer beside the servers.
func (s *system) capturer(colophon, dir string, workers int) (*part, error) {
	values, err := config.ReadFile(filepath.Join(dir, config.EndpointsFile))
	if err != nil {
		return nil, err
	}
	p := &part{cmd: exec.Command(filepath.Join(filepath.Dir(colophon), "capturer"))}
	p.cmd.Env = environment(os.Environ())
	for name, value := range values {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	p.cmd.Env = append(p.cmd.Env, fmt.Sprintf("COLOPHON_WORKERS=%d", workers), "COLOPHON_HTTP_ADDR=127.0.0.1:0", "COLOPHON_HEALTH_ADDR=off",
		"COLOPHON_LOG_LEVEL=error", "COLOPHON_TEMP_DIR="+dir)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	return p, p.cmd.Start()
}

func (p *part) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("capturer: %w\n%s", err, p.log.String())
	}
	return nil
}

// made is a document of so many bytes that a seed gives.
type made struct {
	seed uint64
	size int64
}

// ReadAt implements io.ReaderAt.
func (m made) ReadAt(p []byte, at int64) (int, error) {
	var word [8]byte
	for n := range p {
		if at+int64(n) >= m.size {
			return n, io.EOF
		}
		place := at + int64(n)
		if n == 0 || place%8 == 0 {
			x := (m.seed<<32 ^ uint64(place/8)) * 0x9e3779b97f4a7c15
			binary.LittleEndian.PutUint64(word[:], (x^x>>29)*0xbf58476d1ce4e5b9)
		}
		p[n] = word[place%8]
	}
	return len(p), nil
}

// write prints the rows of Capture.
func (c Capture) write(row func(...string)) {
	if c.Events == 0 {
		return
	}
	row("capture alone, documents of 2 KiB in requests", fmt.Sprintf("%.0f events/s", float64(c.Events)/c.EventsTook.Seconds()),
		fmt.Sprintf("%d of them by %d workers; CPU of the capturer %s each", c.Events, captureWorkers, perPage(c.EventsCPU, c.Events)))
	row("… objects of 1 MiB in the inbox", fmt.Sprintf("%.0f objects/s", float64(c.Objects)/c.ObjectsIn.Seconds()), fmt.Sprintf("%d of them", c.Objects))
	row("… objects of 200 MiB, all at once", mib(c.LargePeak), fmt.Sprintf("peak of the capturer; %d of them in %.0f s", c.Large, c.LargeIn.Seconds()))
}

var _ io.ReaderAt = made{}
