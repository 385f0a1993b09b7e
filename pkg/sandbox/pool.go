// Package sandbox runs dangerous work in children: copies of the running
// program, started again with a role in place of its own work. A child can hang,
// crash or take all memory; the parent ends it at the deadline, with everything
// that it started, and says which of the three it was.
//
// A child has limits of memory, CPU time and file size, an environment that
// holds next to nothing, a temporary folder of its own, and is replaced after a
// number of calls. It ends with its parent, however that ends.
//
// Requests and responses are bytes; what they mean is between a role and its
// caller. A large document goes as the name of a file (Worker.Dir is a place
// for it), not as bytes. Linux only.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// How a call can fail, other than by the handler's own error (Failure). After
// each of these the child is gone; the next call has a new one.
var (
	// ErrDeadline: the context's deadline passed (contracts#reasons: timeout).
	ErrDeadline = errors.New("deadline passed")
	// ErrCrashed: the child ended by itself (contracts#reasons: parser_crashed).
	ErrCrashed = errors.New("child crashed")
	// ErrLimit: the child ran into a limit (contracts#reasons: limit_exceeded).
	ErrLimit = errors.New("limit exceeded")
	// ErrKilled, beside ErrLimit: somebody else killed the child, most likely the
	// system, short of memory for this document or for another's work. See Insist.
	ErrKilled = errors.New("killed by the system, which is short of memory")
	// ErrClosed: the pool is closed.
	ErrClosed = errors.New("sandbox is closed")
)

// Failure is the text of an error that the handler, or its role, returned. The
// child lives on.
type Failure struct{ Text string }

// Error implements error.
func (f *Failure) Error() string { return f.Text }

// Limits hold for one child. Zero: no limit, unless noted.
type Limits struct {
	// MemoryBytes bounds the private memory that the child can write to
	// (RLIMIT_DATA). Address space is not bounded: the Go runtime and the
	// engines reserve far more than they use (1.9 GB for 250 MB). Measured for
	// the PDF engine: 150 MB and what the document takes; in a program with cgo
	// each thread counts 8 MB. The Go heap is collected hard from half of it on.
	MemoryBytes int64
	// CPU bounds the CPU time of one call, rounded up to seconds.
	CPU time.Duration
	// FileBytes bounds each file that the child writes; a write beyond it fails
	// inside the child.
	FileBytes int64
	// ResponseBytes bounds one response. 0: 64 MiB.
	ResponseBytes int64
}

// Config describes a pool.
type Config struct {
	// Role is the name of the role in the map that main gives to Child.
	Role string
	// Setup is handed to the role in each child.
	Setup []byte
	// Size is the number of children. 0: one for each core.
	Size int
	// MaxCalls is after how many calls a child is replaced. 0: never.
	MaxCalls int
	// Limits hold for each child.
	Limits Limits
	// Env is the environment of the children, besides TMPDIR and GOMAXPROCS.
	Env []string
	// Dir is where the children's temporary folders are made, and those of killed
	// processes are removed. Empty: the system's.
	Dir string
	// Meter measures the children. Nil: nothing is measured.
	Meter metric.Meter
}

const defaultResponse = 64 << 20

// Pool is a fixed number of children, started when first needed. Its methods
// may be called by several goroutines.
type Pool struct {
	config Config
	starts chan func() // run on the thread that all children belong to
	free   chan struct{}
	closed chan struct{}

	closing sync.Once

	mu   sync.Mutex
	idle []*Worker // least recently used first; as many as free holds

	census *census
}

// New makes a pool, and removes what children of killed processes have left in its
// folder. It starts no child yet; see Start.
func New(config Config) (*Pool, error) {
	if config.Role == "" {
		return nil, errors.New("sandbox: no role")
	}
	if config.Size <= 0 {
		config.Size = runtime.GOMAXPROCS(0)
	}
	if config.Limits.ResponseBytes <= 0 {
		config.Limits.ResponseBytes = defaultResponse
	}
	p := &Pool{
		config: config,
		starts: make(chan func()),
		free:   make(chan struct{}, config.Size),
		closed: make(chan struct{}),
		census: newCensus(config.Meter, config.Role),
	}
	if err := p.census.tell(config.Meter); err != nil {
		return nil, err
	}
	for range config.Size {
		p.idle = append(p.idle, &Worker{pool: p})
		p.free <- struct{}{}
	}
	sweep(config.Dir)
	go p.starter()
	return p, nil
}

// starter starts all children on one thread that lives as long as the pool: a
// child gets its death signal when the thread that made it ends.
func (p *Pool) starter() {
	runtime.LockOSThread()
	for {
		select {
		case start := <-p.starts:
			start()
		case <-p.closed:
			return
		}
	}
}

// Close waits for the workers that are in use, and ends all children.
func (p *Pool) Close() {
	p.closing.Do(func() {
		for range p.config.Size {
			<-p.free
		}
		for _, w := range p.idle {
			w.end(instrument.ChildClosed)
		}
		close(p.closed)
	})
}

// Start starts the children that do not run, one after the other, so that the
// first calls find them ready. A call starts its own child when it needs one.
func (p *Pool) Start(ctx context.Context) error {
	for range p.config.Size { // the least recently used comes first, so each comes once
		w, err := p.Acquire(ctx, "")
		if err != nil {
			return err
		}
		err = w.ensure(ctx)
		w.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// Call acquires a worker, calls it and releases it.
func (p *Pool) Call(ctx context.Context, affinity string, request []byte) ([]byte, error) {
	w, err := p.Acquire(ctx, affinity)
	if err != nil {
		return nil, err
	}
	defer w.Release()
	return w.Call(ctx, request)
}

// Acquire takes a worker for a series of calls, and waits while all are in use.
// It prefers the one that was last used with the same affinity (the id of the
// document that its child may hold), then the one unused for longest. An
// affinity is a hint: the child may have been replaced, or hold another document.
func (p *Pool) Acquire(ctx context.Context, affinity string) (*Worker, error) {
	select {
	case <-p.closed:
		return nil, ErrClosed
	case <-p.free:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a free child: %w", contextError(ctx))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := 0
	for i, w := range p.idle {
		if affinity != "" && w.affinity == affinity {
			at = i
		}
	}
	w := p.idle[at]
	p.idle = append(p.idle[:at], p.idle[at+1:]...)
	w.affinity = affinity
	return w, nil
}

func contextError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrDeadline
	}
	return ctx.Err()
}

// Worker is a place in the pool with at most one child. It belongs to whoever
// acquired it, one goroutine at a time, until Release.
type Worker struct {
	pool     *Pool
	process  *process // nil: none yet, or it ended
	affinity string
}

// Release gives the worker back. Its child keeps what it holds.
func (w *Worker) Release() {
	p := w.pool
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
	p.free <- struct{}{}
}

// Dir is the temporary folder of the worker's child, which is started if there
// is none. It goes away with the child: after a failed call ask again.
func (w *Worker) Dir(ctx context.Context) (string, error) {
	if err := w.ensure(ctx); err != nil {
		return "", err
	}
	return w.process.dir, nil
}

// Call sends a request and waits for the response. When the context ends first
// the child is killed. It is sent once: repeating is the caller's decision.
func (w *Worker) Call(ctx context.Context, request []byte) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	if err := w.ensure(ctx); err != nil {
		return nil, err
	}
	response, err := w.process.call(ctx, kindRequest, request)
	var failure *Failure
	if err != nil && !errors.As(err, &failure) {
		w.end(causeOf(err))
	}
	return response, err
}

// ensure starts a child if there is none that can take another call.
func (w *Worker) ensure(ctx context.Context) error {
	if w.process != nil && !w.process.usable() {
		w.end(w.process.spent())
	}
	if w.process != nil {
		return nil
	}
	started, err := w.pool.start(ctx)
	if err != nil {
		return err
	}
	w.process = started
	w.pool.census.started(ctx, started.cmd.Process.Pid)
	return nil
}

// end ends the child, for a cause of the table of instruments.
func (w *Worker) end(cause string) {
	if w.process != nil {
		w.pool.census.ended(w.process.cmd.Process.Pid, cause)
		w.process.end()
		w.process = nil
	}
}
