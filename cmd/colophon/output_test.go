package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
)

// What could not be printed is an error, whatever prints it.
func TestOutputThatDoesNotArrive(t *testing.T) {
	full := errors.New("no space left")
	for _, command := range [][]string{{"version"}, {"version", "--json"}, {"--help"}, {"source", "--help"}} {
		var problems bytes.Buffer
		if code := run(t.Context(), command, writerOf(func([]byte) (int, error) { return 0, full }), &problems); code != cli.ExitInternal {
			t.Errorf("%v: exit %d", command, code)
		}
		contains(t, problems.String(), "no space left")
	}
}

type writerOf func([]byte) (int, error)

func (w writerOf) Write(p []byte) (int, error) { return w(p) }

// asCommand makes this test binary the command itself.
const asCommand = "RUN_AS_COMMAND"

// itself is the command as a process, with temporary files in a folder of its own.
func itself(t *testing.T, temp string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(cmd.Environ(), asCommand+"=1", "TMPDIR="+temp)
	return cmd
}

// A temporary system goes with its command also when nobody reads what that
// writes, and when it is interrupted while it starts.
func TestNothingIsLeftBehind(t *testing.T) {
	newDesk(t) // skips where there is no PostgreSQL
	page := filepath.Join(t.TempDir(), "page.txt")
	if err := os.WriteFile(page, []byte(strings.Repeat("The bridge at the mill is closed.\n\n", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	if err := os.Chmod(temp, 0o777); err != nil { // PostgreSQL may run as another user
		t.Fatal(err)
	}
	nothing := func(t *testing.T) {
		t.Helper()
		left, err := os.ReadDir(temp)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
	t.Run("unread", func(t *testing.T) {
		cmd := itself(t, temp, "convert", page, "--to", "text")
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = reader.Close()
		var problems bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &problems
		err = cmd.Run()
		_ = writer.Close()
		status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || status.Signal() != syscall.SIGPIPE || problems.Len() > 0 {
			t.Errorf("%v: %s", err, &problems)
		}
		nothing(t)
	})
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sent.String(), func(t *testing.T) {
			if signal.Ignored(sent) {
				t.Skip("the command inherits that it is ignored, as under nohup")
			}
			cmd := itself(t, temp, "convert", page, "--to", "text")
			var problems bytes.Buffer
			cmd.Stderr = &problems
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pattern := filepath.Join(temp, "colophon-*", "data", "postgres", "*")
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for made := []string(nil); len(made) == 0; made, _ = filepath.Glob(pattern) {
				select {
				case <-tick.C:
				case <-t.Context().Done():
					t.Fatal("no server is started")
				}
			}
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if cmd.ProcessState.ExitCode() != cli.ExitFailed || problems.String() != "colophon: interrupted\n" {
				t.Errorf("%v: %s", err, &problems)
			}
			nothing(t)
		})
	}
}
