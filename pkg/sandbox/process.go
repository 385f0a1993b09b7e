package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// process is one running child.
type process struct {
	cmd       *exec.Cmd
	requests  *os.File
	responses *os.File
	reader    *bufio.Reader
	output    *head
	dir       string
	lock      *os.File // says that dir is in use, for as long as this process lives
	limit     int64    // of one response
	left      int      // calls until it is replaced; negative: never

	mu     sync.Mutex
	reaped bool // its id may belong to another process now
}

// start starts a child and waits until its role is ready.
func (p *Pool) start(ctx context.Context) (*process, error) {
	first, err := json.Marshal(setup{Limits: p.config.Limits, Setup: p.config.Setup})
	if err != nil {
		return nil, fmt.Errorf("sandbox: setup: %w", err)
	}
	c, err := p.spawn()
	if err != nil {
		return nil, err
	}
	if _, err := c.call(ctx, kindSetup, first); err != nil {
		c.end()
		return nil, fmt.Errorf("start a child: %w", err)
	}
	c.left = p.config.MaxCalls
	if c.left <= 0 {
		c.left = -1
	}
	return c, nil
}

func (p *Pool) spawn() (*process, error) {
	dir, lock, err := makeFolder(p.config.Dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox: temporary folder: %w", err)
	}
	c := &process{dir: dir, lock: lock, limit: p.config.Limits.ResponseBytes, output: &head{}}
	if err := c.run(p); err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: start a child: %w", err), os.RemoveAll(dir), lock.Close())
	}
	return c, nil
}

func (c *process) run(p *Pool) error {
	theirRequests, requests, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirRequests.Close()
	responses, theirResponses, err := os.Pipe()
	if err != nil {
		requests.Close()
		return err
	}
	defer theirResponses.Close()
	c.cmd = &exec.Cmd{
		Path: "/proc/self/exe", // also when the file has been replaced
		Args: []string{childName, p.config.Role},
		Env:  append([]string{"TMPDIR=" + c.dir, "GOMAXPROCS=2"}, p.config.Env...),
		Dir:  c.dir,
		// Standard input and output are the null device.
		Stderr:     c.output,
		ExtraFiles: []*os.File{theirRequests, theirResponses}, // fdRequests, fdResponses
		SysProcAttr: &syscall.SysProcAttr{
			Setpgid:   true,
			Pdeathsig: syscall.SIGKILL,
		},
		WaitDelay: time.Second,
	}
	started := make(chan error)
	select {
	case p.starts <- func() { started <- c.cmd.Start() }:
		err = <-started
	case <-p.closed:
		err = ErrClosed
	}
	if err != nil {
		requests.Close()
		responses.Close()
		return err
	}
	c.requests, c.responses, c.reader = requests, responses, bufio.NewReader(responses)
	return nil
}

// call sends one frame and waits for the answer. After an error other than a
// Failure the child must be ended.
func (c *process) call(ctx context.Context, kind byte, payload []byte) ([]byte, error) {
	c.left--
	c.output.reset()
	stop := context.AfterFunc(ctx, c.kill)
	var answer byte
	var response []byte
	err := writeFrame(c.requests, kind, payload)
	if err == nil {
		answer, response, err = readFrame(c.reader, c.limit)
	}
	if !stop() {
		return nil, contextError(ctx)
	}
	switch {
	case errors.Is(err, errFrameSize):
		return nil, fmt.Errorf("%w: response: %w", ErrLimit, err)
	case err != nil:
		c.end()
		return nil, c.verdict(err)
	case answer == kindFailure:
		return nil, &Failure{Text: string(response)}
	case answer != kindResult:
		return nil, fmt.Errorf("%w: %w: kind %q", ErrCrashed, errFrame, answer)
	}
	return response, nil
}

// usable: it is alive and may take another call.
func (c *process) usable() bool {
	if c.left == 0 {
		return false
	}
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, c.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo == 0
}

// spent is why a child that is not usable is not.
func (c *process) spent() string {
	if c.left == 0 {
		return instrument.ChildReplaced
	}
	return instrument.ChildCrashed // it ended between two calls
}

// kill ends the child and whatever it started.
func (c *process) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		// Fails only when the child has already ended.
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// end kills the child, if it still runs, and cleans up. It may be called again.
func (c *process) end() {
	c.kill()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return
	}
	// How it ended is in ProcessState; that it did not end well is known.
	_ = c.cmd.Wait()
	c.reaped = true
	c.requests.Close()
	c.responses.Close()
	// What cannot be removed is tried again by the next pool.
	_ = os.RemoveAll(c.dir)
	_ = c.lock.Close()
}

// verdict says why an ended child did not answer.
func (c *process) verdict(cause error) error {
	state := c.cmd.ProcessState
	output := c.output.String()
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case strings.Contains(output, cpuWords), ok && status.Signaled() && status.Signal() == syscall.SIGXCPU:
		return fmt.Errorf("%w: CPU time", ErrLimit)
	case ok && status.Signaled() && status.Signal() == syscall.SIGXFSZ:
		return fmt.Errorf("%w: file size", ErrLimit)
	case outOfMemory(output):
		return fmt.Errorf("%w: memory", ErrLimit)
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL && (errors.Is(cause, io.EOF) || errors.Is(cause, syscall.EPIPE)):
		return fmt.Errorf("%w: %w", ErrLimit, ErrKilled)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	return fmt.Errorf("%w: %s: %s", ErrCrashed, state, line)
}

// outOfMemory knows the last words of the Go runtime, the C library and C++. A
// thread that cannot be made has no memory for its stack.
func outOfMemory(output string) bool {
	for _, words := range []string{
		"out of memory", "cannot allocate memory", "Cannot allocate memory",
		"std::bad_alloc", "pthread_create failed", "failed to create new OS thread",
	} {
		if strings.Contains(output, words) {
			return true
		}
	}
	return false
}

// headSize keeps the first lines of a long stack trace, which name its reason.
const headSize = 16 << 10

// head keeps the beginning of what a child writes during one call.
type head struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer and takes everything.
func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, b[:min(len(b), headSize-len(h.text))]...)
	return len(b), nil
}

func (h *head) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = h.text[:0]
}

// String returns what was kept.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}
