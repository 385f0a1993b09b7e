package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// holderEnv makes the test binary a parent that does nothing but hold children.
const holderEnv = "SANDBOX_TEST_HOLDER"

func TestMain(m *testing.M) {
	if Child(testRoles()) {
		return
	}
	if os.Getenv(holderEnv) != "" {
		hold()
		return
	}
	os.Exit(m.Run())
}

func testRoles() map[string]Role {
	return map[string]Role{
		"test":   testRole,
		"engine": engineRole,
		"broken": func([]byte) (Handler, error) { return nil, errors.New("no engine") },
		"noise": func([]byte) (Handler, error) {
			_, err := os.NewFile(fdResponses, "").Write([]byte("this is not a frame"))
			return nil, err
		},
	}
}

// testRole does as it is told: the request is a word and its arguments.
func testRole(setup []byte) (Handler, error) {
	kept := ""
	return func(_ context.Context, request []byte) ([]byte, error) {
		word, arg, _ := strings.Cut(string(request), " ")
		switch word {
		case "echo":
			return []byte(arg), nil
		case "setup":
			return setup, nil
		case "pid":
			return []byte(strconv.Itoa(os.Getpid())), nil
		case "keep":
			kept = arg
			return nil, nil
		case "kept":
			return []byte(kept), nil
		case "fail":
			return nil, errors.New(arg)
		case "panic":
			panic(arg)
		case "killed": // as if by somebody else
			return nil, syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "exit":
			os.Exit(3)
		case "print":
			fmt.Println("a library prints something")
			return []byte("printed"), nil
		case "env":
			return []byte(strings.Join(os.Environ(), "\n")), nil
		case "large":
			n, err := strconv.Atoi(arg)
			return make([]byte, n), err
		case "hang":
			for {
				unix.Pause()
			}
		case "spin":
			for n := 0; ; n++ {
			}
		case "hog":
			var all [][]byte
			for {
				all = append(all, bytes.Repeat([]byte{1}, 1<<20))
			}
		case "write":
			n, err := strconv.Atoi(arg)
			if err != nil {
				return nil, err
			}
			return nil, os.WriteFile(filepath.Join(os.TempDir(), "file"), make([]byte, n), 0o600)
		case "grandchild":
			cmd := exec.Command("/bin/sh", "-c", "echo $$; while :; do read x; done")
			out, err := cmd.StdoutPipe()
			if err != nil {
				return nil, err
			}
			if err := cmd.Start(); err != nil {
				return nil, err
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			return []byte(strings.TrimSpace(line)), err
		}
		return nil, fmt.Errorf("unknown word %q", word)
	}, nil
}

func newPool(t testing.TB, config Config) *Pool {
	t.Helper()
	if config.Role == "" {
		config.Role = "test"
	}
	config.Dir = t.TempDir()
	p, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func worker(t testing.TB, config Config) *Worker {
	t.Helper()
	w, err := newPool(t, config).Acquire(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Release)
	return w
}

func ask(t testing.TB, w *Worker, request string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	response, err := w.Call(ctx, []byte(request))
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return string(response)
}

func askFails(t *testing.T, w *Worker, request string, want error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := w.Call(ctx, []byte(request))
	if !errors.Is(err, want) {
		t.Fatalf("%s: got %v, want %v", request, err, want)
	}
	return err
}

func TestCall(t *testing.T) {
	w := worker(t, Config{Setup: []byte("the setup")})
	for request, want := range map[string]string{
		"echo hello": "hello",
		"echo":       "",
		"setup":      "the setup",
		"print":      "printed",
	} {
		if got := ask(t, w, request); got != want {
			t.Errorf("%s: got %q, want %q", request, got, want)
		}
	}
	large := strings.Repeat("x", 5<<20)
	if got := ask(t, w, "echo "+large); got != large {
		t.Errorf("large echo: %d bytes", len(got))
	}
}

func TestHandlerErrorKeepsTheChild(t *testing.T) {
	w := worker(t, Config{})
	pid := ask(t, w, "pid")
	_, err := w.Call(t.Context(), []byte("fail page 3 is damaged"))
	var failure *Failure
	if !errors.As(err, &failure) || failure.Text != "page 3 is damaged" {
		t.Fatalf("got %v", err)
	}
	if got := ask(t, w, "pid"); got != pid {
		t.Errorf("child was replaced: %s, then %s", pid, got)
	}
}

func TestCrashIsReportedAndReplaced(t *testing.T) {
	w := worker(t, Config{})
	for _, request := range []string{"exit", "panic at the disco"} {
		pid := ask(t, w, "pid")
		err := askFails(t, w, request, ErrCrashed)
		if strings.HasPrefix(request, "panic") && !strings.Contains(err.Error(), "at the disco") {
			t.Errorf("error does not name the panic: %v", err)
		}
		if got := ask(t, w, "pid"); got == pid {
			t.Errorf("%s: the same child answers", request)
		}
	}
}

func TestDeadlineKillsTheGroup(t *testing.T) {
	for _, request := range []string{"hang", "spin"} {
		w := worker(t, Config{})
		grandchild, err := strconv.Atoi(ask(t, w, "grandchild"))
		if err != nil {
			t.Fatal(err)
		}
		gone := watch(t, grandchild)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err = w.Call(ctx, []byte(request))
		cancel()
		if !errors.Is(err, ErrDeadline) {
			t.Fatalf("%s: got %v, want %v", request, err, ErrDeadline)
		}
		gone()
		if got := ask(t, w, "echo again"); got != "again" {
			t.Errorf("after %s: %q", request, got)
		}
	}
}

func TestCancel(t *testing.T) {
	w := worker(t, Config{})
	pid, err := strconv.Atoi(ask(t, w, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	gone := watch(t, pid)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := w.Call(ctx, []byte("hang"))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || errors.Is(err, ErrDeadline) {
		t.Errorf("got %v", err)
	}
	w.end(instrument.ChildClosed) // the call may have ended before it was sent
	gone()
}

// needsRealMemory skips a test that the race detector's own memory would fail.
func needsRealMemory(t *testing.T) {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build information")
	}
	for _, s := range info.Settings {
		if s.Key == "-race" && s.Value == "true" {
			t.Skip("the race detector takes more memory than a child may have")
		}
	}
}

func TestLimits(t *testing.T) {
	needsRealMemory(t)
	limits := Limits{MemoryBytes: 256 << 20, CPU: time.Second, FileBytes: 1 << 20, ResponseBytes: 1 << 20}
	w := worker(t, Config{Limits: limits})
	for _, request := range []string{"hog", "spin", "large 2000000"} {
		askFails(t, w, request, ErrLimit)
		if got := ask(t, w, "echo again"); got != "again" {
			t.Errorf("after %s: %q", request, got)
		}
	}
	var failure *Failure
	if _, err := w.Call(t.Context(), []byte("write 2000000")); !errors.As(err, &failure) || !strings.Contains(failure.Text, "file too large") {
		t.Errorf("write: got %v", err)
	}
	ask(t, w, "write 900000")
	ask(t, w, "large 900000")
}

func TestEnvironmentIsEmpty(t *testing.T) {
	t.Setenv("SANDBOX_TEST_SECRET", "secret")
	w := worker(t, Config{Env: []string{"OMP_THREAD_LIMIT=1"}})
	dir, err := w.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := "TMPDIR=" + dir + "\nGOMAXPROCS=2\nOMP_THREAD_LIMIT=1"
	got := strings.Split(ask(t, w, "env"), "\n")
	if strings.Join(got[:min(3, len(got))], "\n") != want || len(got) > 4 { // PWD is added by os/exec
		t.Errorf("got %q", got)
	}
}

func TestTemporaryFolder(t *testing.T) {
	w := worker(t, Config{})
	dir, err := w.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask(t, w, "write 10")
	if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
		t.Error(err)
	}
	askFails(t, w, "exit", ErrCrashed)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder is still there: %v", err)
	}
}

func TestReplacedAfterMaxCalls(t *testing.T) {
	w := worker(t, Config{MaxCalls: 3})
	var pids []string
	for range 7 {
		pids = append(pids, ask(t, w, "pid"))
	}
	for i, pid := range pids {
		if same := pid == pids[i-i%3]; !same {
			t.Errorf("call %d: child %s, want %s", i, pid, pids[i-i%3])
		}
	}
	if pids[0] == pids[3] || pids[3] == pids[6] {
		t.Errorf("not replaced: %v", pids)
	}
}

func TestIdleChildThatDiedIsReplaced(t *testing.T) {
	w := worker(t, Config{})
	pid, err := strconv.Atoi(ask(t, w, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	gone := watch(t, pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone()
	if got := ask(t, w, "echo again"); got != "again" {
		t.Errorf("got %q", got)
	}
}

func TestInsist(t *testing.T) {
	w := worker(t, Config{})
	for _, c := range []struct {
		kills, tries int
		want         error
	}{{0, 1, nil}, {2, 3, nil}, {100, killedTries, ErrKilled}} {
		tries := 0
		_, err := Insist(t.Context(), func() ([]byte, error) {
			if tries++; tries > c.kills {
				return w.Call(t.Context(), []byte("echo done"))
			}
			return w.Call(t.Context(), []byte("killed"))
		})
		if !errors.Is(err, c.want) || tries != c.tries {
			t.Errorf("%d kills: %d tries, %v", c.kills, tries, err)
		}
	}
	// An end of its own is told at once.
	tries := 0
	_, err := Insist(t.Context(), func() ([]byte, error) {
		tries++
		return w.Call(t.Context(), []byte("exit"))
	})
	if tries != 1 || !errors.Is(err, ErrCrashed) {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func TestAffinity(t *testing.T) {
	p := newPool(t, Config{Size: 3})
	call := func(affinity, request string) string {
		t.Helper()
		response, err := p.Call(t.Context(), affinity, []byte(request))
		if err != nil {
			t.Fatal(err)
		}
		return string(response)
	}
	for range 2 {
		for _, document := range []string{"a", "b", "c"} {
			call(document, "keep "+document)
		}
	}
	for _, document := range []string{"b", "c", "a", "a", "b"} {
		if got := call(document, "kept"); got != document {
			t.Errorf("document %s went to the child with %q", document, got)
		}
	}
	call("d", "keep d") // takes the place of c, which was used longest ago
	if got := call("a", "kept"); got != "a" {
		t.Errorf("a went to the child with %q", got)
	}
}

func TestManyCallers(t *testing.T) {
	p := newPool(t, Config{Size: 3, MaxCalls: 20})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 20 {
				want := fmt.Sprintf("%d-%d", i, j)
				got, err := p.Call(t.Context(), strconv.Itoa(i), []byte("echo "+want))
				if err != nil || string(got) != want {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
				if j%10 == 5 {
					if _, err := p.Call(t.Context(), "", []byte("exit")); !errors.Is(err, ErrCrashed) {
						t.Errorf("exit: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestAcquireWaits(t *testing.T) {
	p := newPool(t, Config{Size: 1})
	w, err := p.Acquire(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Acquire(ctx, ""); !errors.Is(err, ErrDeadline) {
		t.Errorf("got %v, want %v", err, ErrDeadline)
	}
	w.Release()
	w, err = p.Acquire(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	w.Release()
	p.Close()
	if _, err := p.Acquire(t.Context(), ""); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want %v", err, ErrClosed)
	}
}

func TestCloseEndsChildren(t *testing.T) {
	p := newPool(t, Config{Size: 1})
	answer, err := p.Call(t.Context(), "", []byte("pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(answer))
	if err != nil {
		t.Fatal(err)
	}
	gone := watch(t, pid)
	p.Close()
	gone()
	left, err := os.ReadDir(p.config.Dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBadRoles(t *testing.T) {
	var failure *Failure
	for role, want := range map[string]string{"broken": "no engine", "nothing": `no role "nothing"`} {
		_, err := newPool(t, Config{Role: role, Size: 1}).Call(t.Context(), "", []byte("echo"))
		if !errors.As(err, &failure) || !strings.Contains(failure.Text, want) {
			t.Errorf("%s: got %v", role, err)
		}
	}
	if _, err := newPool(t, Config{Role: "noise", Size: 1}).Call(t.Context(), "", nil); !errors.Is(err, ErrCrashed) {
		t.Errorf("noise: got %v, want %v", err, ErrCrashed)
	}
}

// A parent that is killed has no chance to end its children, and a child that
// is busy does not notice that its pipe is closed.
func TestChildDiesWithParent(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), holderEnv+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	gone := watch(t, pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	gone()
	_ = cmd.Wait()
}

// hold starts a child, says its process id, and lets it spin.
func hold() {
	dir, err := os.MkdirTemp("", "sandbox-holder-")
	if err != nil {
		panic(err)
	}
	p, err := New(Config{Role: "test", Size: 1, Dir: dir})
	if err != nil {
		panic(err)
	}
	pid, err := p.Call(context.Background(), "", []byte("pid"))
	if err != nil {
		panic(err)
	}
	// The child keeps its working folder; nobody will be left to remove it.
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	fmt.Println(string(pid))
	_, err = p.Call(context.Background(), "", []byte("spin"))
	panic(err)
}

// watch returns a function that waits until the process, alive now, has ended.
func watch(t *testing.T, pid int) (gone func()) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("watch process %d: %v", pid, err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return func() {
		t.Helper()
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			n, err := unix.Poll(fds, 10_000)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil || n != 1 {
				t.Fatalf("process %d is still alive: %v", pid, err)
			}
			return
		}
	}
}

func BenchmarkCall(b *testing.B) {
	w := worker(b, Config{})
	request := []byte("echo " + strings.Repeat("x", 20_000))
	for b.Loop() {
		if _, err := w.Call(b.Context(), request); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	w := worker(b, Config{})
	for b.Loop() {
		if _, err := w.Call(b.Context(), []byte("echo")); err != nil {
			b.Fatal(err)
		}
		w.end(instrument.ChildClosed)
	}
}
