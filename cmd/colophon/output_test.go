package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A file is written whole or not at all.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "units.jsonl"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("an earlier export"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("interrupted")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	}
	for _, name := range []string{path, link, filepath.Join(dir, "other")} {
		if err := writeWhole(name, half); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != "an earlier export" {
		t.Errorf("half of an export leaves %q, %v", kept, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("half of an export leaves %v, %v", left, err)
	}
	if err := writeFile(link, []byte("whole")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 5 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if err := writeFile(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{dir, filepath.Join(dir, "none", "x")} {
		if err := writeFile(wrong, nil); exitCode(err) != exitUsage {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// What could not be printed is an error, whatever prints it.
func TestOutputThatDoesNotArrive(t *testing.T) {
	full := errors.New("no space left")
	for _, command := range [][]string{{"version"}, {"version", "--json"}, {"--help"}, {"source", "--help"}} {
		var problems bytes.Buffer
		if code := run(t.Context(), command, writerOf(func([]byte) (int, error) { return 0, full }), &problems); code != exitInternal {
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
			if cmd.ProcessState.ExitCode() != exitFailed || problems.String() != "colophon: interrupted\n" {
				t.Errorf("%v: %s", err, &problems)
			}
			nothing(t)
		})
	}
}
