// Package e2e runs the built binaries as a user would: the whole system on the
// documents of test/documents, its commands, a kill in the middle, separate
// processes.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

// limit bounds every command and every wait of these tests: it ends what hangs, on
// machines where dozens of other processes are at work as well.
const limit = 3 * devtest.Patience

// root is the repository's root, seen from this package's folder.
const root = "../.."

// binaries builds all programs once for the package.
var binaries = sync.OnceValues(programs.Shared)

func bin(t *testing.T, name string) string {
	t.Helper()
	dir, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

func documents(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(root, "test", "documents"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// result is what a command printed and how it ended.
type result struct {
	out, err string
	code     int
}

func run(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return runProgram(t, bin(t, "colophon"), environment(dir), args...)
}

func runProgram(t *testing.T, program string, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = env
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("colophon %v: %v", args, err)
	}
	return result{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

// environment is this process's without settings of its own system.
func environment(dir string, more ...string) []string {
	var env []string
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "COLOPHON_") && !strings.HasPrefix(line, "OTEL_") {
			env = append(env, line)
		}
	}
	// The binaries have no engine: the one for tests stands in for it. Tests share a
	// machine, so that no service has its own port.
	return append(append(env, "TMPDIR="+os.TempDir(), "COLOPHON_OCR_ENGINE=fake:read", "COLOPHON_HEALTH_ADDR=127.0.0.1:0"), more...)
}

// world is a running `colophon dev`.
type world struct {
	t       *testing.T
	dir     string
	program string
	env     []string
	cmd     *exec.Cmd
	log     *bytes.Buffer
	done    chan error
}

func startDev(t *testing.T, dir string, env []string, args ...string) *world {
	t.Helper()
	return startProgram(t, bin(t, "colophon"), dir, env, args...)
}

// startProgram is startDev of another build, which runs the commands as well.
func startProgram(t *testing.T, program, dir string, env []string, args ...string) *world {
	t.Helper()
	w := &world{t: t, dir: dir, program: program, env: environment(dir, env...), log: new(bytes.Buffer), done: make(chan error, 1)}
	_ = os.Remove(filepath.Join(dir, "endpoints.env"))
	args = append([]string{"dev", "--dir", dir, "--http", "127.0.0.1:0"}, args...)
	w.cmd = exec.Command(program, args...)
	w.cmd.Env = w.env
	w.cmd.Stdout, w.cmd.Stderr = w.log, w.log
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.done <- w.cmd.Wait() }()
	t.Cleanup(w.stop)
	await(t, "dev is ready", func() bool {
		select {
		case err := <-w.done:
			t.Fatalf("dev ended: %v\n%s", err, w.log)
		default:
		}
		_, err := os.Stat(filepath.Join(dir, "endpoints.env"))
		return err == nil
	})
	return w
}

// stop ends dev in good order; a second call does nothing.
func (w *world) stop() {
	if w.cmd == nil {
		return
	}
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-w.done:
		if err != nil {
			w.t.Errorf("dev did not stop cleanly: %v\n%s", err, w.log)
		}
	case <-time.After(limit):
		_ = w.cmd.Process.Kill()
		<-w.done
		w.t.Errorf("dev did not stop\n%s", w.log)
	}
	w.cmd = nil
}

func (w *world) kill() {
	_ = w.cmd.Process.Kill()
	<-w.done
	w.cmd = nil
}

func (w *world) run(args ...string) result {
	w.t.Helper()
	env := slices.DeleteFunc(slices.Clone(w.env), func(line string) bool {
		return strings.HasPrefix(line, "COLOPHON_") // the endpoints are found in the folder
	})
	return runProgram(w.t, w.program, env, append([]string{"--dir", w.dir}, args...)...)
}

// must runs a command that has to end with the code.
func (w *world) must(code int, args ...string) result {
	w.t.Helper()
	r := w.run(args...)
	if r.code != code {
		w.t.Fatalf("colophon %v ended with %d, want %d\n%s%s", args, r.code, code, r.out, r.err)
	}
	return r
}

// await polls a condition; it is the one place of these tests that lets time
// pass.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

func lines[T any](t *testing.T, out string) []T {
	t.Helper()
	var all []T
	for line := range strings.Lines(out) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, v)
	}
	return all
}
