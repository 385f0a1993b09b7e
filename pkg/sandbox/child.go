package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// childName is what a child finds in place of the program's name; the role
// follows as the only argument.
const childName = "colophon-sandbox"

// The child's ends of the two pipes. Standard output is left to whatever a
// library prints.
const (
	fdRequests  = 3
	fdResponses = 4
)

// childGCPercent is how much a limited child's heap may grow between two
// collections.
const childGCPercent = 400

// cpuWords are a child's last when its CPU time is used up.
const cpuWords = "sandbox: CPU time is used up"

// Handler answers requests, one at a time, for the life of one child. What it
// keeps between calls (an open document) is its own. An error goes back to the
// caller as its text (Failure); a panic ends the child.
type Handler func(ctx context.Context, request []byte) (response []byte, err error)

// Role makes a child's handler. It runs once, in the child, under the limits,
// and gets Config.Setup.
type Role func(setup []byte) (Handler, error)

// Child serves a role if this process was started by a Pool, and then reports
// true: main must return. Otherwise it reports false at once. It is the first
// thing that main, or TestMain, calls.
func Child(roles map[string]Role) bool {
	if len(os.Args) != 2 || os.Args[0] != childName {
		return false
	}
	runtime.MemProfileRate = 0 // nobody asks a child what its memory is used for
	// A program that the role starts must not hold the pipes open.
	syscall.CloseOnExec(fdRequests)
	syscall.CloseOnExec(fdResponses)
	requests := os.NewFile(fdRequests, "requests")
	responses := os.NewFile(fdResponses, "responses")
	if err := serve(roles[os.Args[1]], bufio.NewReader(requests), responses); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return true
}

// serve answers until the parent closes its end or is gone.
func serve(role Role, r io.Reader, w io.Writer) error {
	handler, limits, err := prepare(role, r)
	if err != nil {
		return writeFrame(w, kindFailure, []byte(err.Error()))
	}
	if err := writeFrame(w, kindResult, nil); err != nil {
		return fmt.Errorf("sandbox: answer: %w", err)
	}
	for {
		kind, request, err := readFrame(r, math.MaxUint32)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("sandbox: request: %w", err)
		}
		if kind != kindRequest {
			return fmt.Errorf("sandbox: request: %w: kind %q", errFrame, kind)
		}
		if err := limits.renewCPU(); err != nil {
			return err
		}
		answer, response := byte(kindResult), []byte(nil)
		if response, err = handler(context.Background(), request); err != nil {
			answer, response = kindFailure, []byte(err.Error())
		}
		if err := writeFrame(w, answer, response); err != nil {
			return fmt.Errorf("sandbox: answer: %w", err)
		}
	}
}

// setup is the first frame.
type setup struct {
	Limits Limits
	Setup  []byte
}

func prepare(role Role, r io.Reader) (Handler, Limits, error) {
	kind, payload, err := readFrame(r, math.MaxUint32)
	if err != nil {
		return nil, Limits{}, fmt.Errorf("sandbox: setup: %w", err)
	}
	var s setup
	if kind != kindSetup {
		return nil, Limits{}, fmt.Errorf("sandbox: setup: %w: kind %q", errFrame, kind)
	}
	if err := json.Unmarshal(payload, &s); err != nil {
		return nil, Limits{}, fmt.Errorf("sandbox: setup: %w", err)
	}
	if role == nil {
		return nil, Limits{}, fmt.Errorf("sandbox: this program has no role %q", os.Args[len(os.Args)-1])
	}
	if err := s.Limits.apply(); err != nil {
		return nil, Limits{}, err
	}
	handler, err := role(s.Setup)
	if err != nil {
		return nil, Limits{}, fmt.Errorf("sandbox: role: %w", err)
	}
	return handler, s.Limits, nil
}

// apply limits this process for good, but for the CPU time.
func (l Limits) apply() error {
	if l.MemoryBytes > 0 {
		// A child keeps little from one call to the next, so collecting is
		// rarely worth its time until memory is short.
		debug.SetGCPercent(childGCPercent)
		debug.SetMemoryLimit(l.MemoryBytes / 2)
	}
	for _, limit := range []struct {
		name     string
		resource int
		value    int64
	}{
		{"memory", syscall.RLIMIT_DATA, l.MemoryBytes},
		{"file size", syscall.RLIMIT_FSIZE, l.FileBytes},
	} {
		if limit.value <= 0 {
			continue
		}
		if err := setLimit(limit.resource, limit.value); err != nil {
			return fmt.Errorf("sandbox: limit of %s: %w", limit.name, err)
		}
	}
	if l.CPU > 0 {
		go exitAtCPULimit()
	}
	// When the machine runs out of memory, this process goes before its parent.
	// A system that does not offer it decides by itself.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	// A core file would be the size of the document and hold it.
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("sandbox: limit of core files: %w", err)
	}
	return nil
}

// exitAtCPULimit ends the process at the signal for CPU time, which the Go
// runtime would let pass.
func exitAtCPULimit() {
	limit := make(chan os.Signal, 1)
	signal.Notify(limit, syscall.SIGXCPU)
	<-limit
	fmt.Fprintln(os.Stderr, cpuWords)
	os.Exit(1)
}

// setLimit lowers a limit, never above the one that is there.
func setLimit(resource int, value int64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	v := min(uint64(value), now.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: v, Max: v})
}

// renewCPU gives the coming call its own CPU time, on top of what is used.
func (l Limits) renewCPU() error {
	if l.CPU <= 0 {
		return nil
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return fmt.Errorf("sandbox: CPU time: %w", err)
	}
	spent := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return fmt.Errorf("sandbox: CPU time: %w", err)
	}
	seconds := uint64((spent + l.CPU + time.Second - 1) / time.Second)
	limit.Cur = min(seconds, limit.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return fmt.Errorf("sandbox: CPU time: %w", err)
	}
	return nil
}
