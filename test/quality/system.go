package quality

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
)

const (
	startLimit = time.Minute
	stopLimit  = time.Minute
	lookEvery  = 100 * time.Millisecond
	atTime     = "2026-01-01T00:00:00Z" // when all files are said to have been fetched
)

// system is a running `colophon dev`, and the commands that are given to it.
type system struct {
	binary string
	dir    string
	cmd    *exec.Cmd
	log    bytes.Buffer
	ended  chan error

	mu   sync.Mutex
	peak int64 // resident bytes of the process and its extraction children, together
	stop chan struct{}
	done chan struct{}
}

// startSystem runs `colophon dev` on an empty folder with so many extraction
// children and messages at a time, and waits until it is ready. More are settings as
// NAME=value, without the prefix of all settings.
func startSystem(ctx context.Context, binary, dir string, workers int, more ...string) (*system, error) {
	path, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	s := &system{binary: path, dir: dir, ended: make(chan error, 1), stop: make(chan struct{}), done: make(chan struct{})}
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), path, "dev", "--dir", dir, "--http", "127.0.0.1:0") // it is asked to stop, not killed
	s.cmd.Env = bare(s.cmd.Environ(), append([]string{fmt.Sprintf("EXTRACT_CHILDREN=%d", workers), fmt.Sprintf("WORKERS=%d", workers), "HEALTH_ADDR=off"}, more...)...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	go s.watch()
	ready, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if _, err := os.Stat(filepath.Join(dir, config.EndpointsFile)); err == nil {
			return s, nil
		}
		select {
		case <-tick.C:
		case err := <-s.ended:
			s.ended <- err
			return nil, errors.Join(fmt.Errorf("colophon dev ended: %w\n%s", err, s.log.Bytes()), s.end())
		case <-ready.Done():
			return nil, errors.Join(ready.Err(), s.end())
		}
	}
}

// bare is an environment without settings of another system.
func bare(lines []string, more ...string) []string {
	var out []string
	for _, line := range lines {
		if !strings.HasPrefix(line, config.Prefix) && !strings.HasPrefix(line, "OTEL_") {
			out = append(out, line)
		}
	}
	for _, line := range more {
		out = append(out, config.Prefix+line)
	}
	return out
}

// end stops the system in good order. A system that has ended by itself is an
// error.
func (s *system) end() error {
	close(s.stop)
	<-s.done
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case err := <-s.ended:
		if err != nil {
			return fmt.Errorf("colophon dev: %w\n%s", err, s.log.Bytes())
		}
		return nil
	case <-time.After(stopLimit):
		return errors.Join(errors.New("colophon dev does not stop"), s.cmd.Process.Kill())
	}
}

// say gives a command and returns what it prints; exit status 3, something
// failed, is no error.
func (s *system) say(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.binary, append([]string{"--dir", s.dir}, args...)...)
	cmd.Env = bare(cmd.Environ())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != exitFailed) {
		return out, fmt.Errorf("colophon %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// capture hands over a folder and waits until all of it is quiet.
func (s *system) capture(ctx context.Context, folder string, limit time.Duration) ([]catalog.Result, error) {
	out, err := s.say(ctx, "--json", "capture", "--wait", "--timeout", limit.String(), "--source", "quality", "--at", atTime, folder)
	if err != nil {
		return nil, err
	}
	var results []catalog.Result
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var r catalog.Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("colophon capture: %w", err)
		}
		results = append(results, r)
	}
	return results, lines.Err()
}

// watch keeps the largest sum of resident bytes.
func (s *system) watch() {
	defer close(s.done)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		sum := residentOf(s.cmd.Process.Pid)
		s.mu.Lock()
		s.peak = max(s.peak, sum)
		s.mu.Unlock()
		select {
		case <-tick.C:
		case <-s.stop:
			return
		}
	}
}

// peakResident is the most that the process and its extraction children used
// together.
func (s *system) peakResident() int64 {
	now := residentOf(s.cmd.Process.Pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.peak, now)
}

// residentOf sums a process and those of its children that parse documents.
func residentOf(pid int) int64 {
	sum := resident(pid)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return sum
	}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && bytes.HasPrefix(line, []byte("colophon-sandbox\x00")) && parentOf(child) == pid {
			sum += resident(child)
		}
	}
	return sum
}

func parentOf(pid int) int {
	n, _ := strconv.Atoi(statusLine(pid, "PPid:"))
	return n
}

func resident(pid int) int64 {
	kib, _ := strconv.ParseInt(strings.TrimSuffix(statusLine(pid, "VmRSS:"), " kB"), 10, 64)
	return kib << 10
}

// statusLine is a value of /proc/PID/status, empty when the process is gone.
func statusLine(pid int, name string) string {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
