package sandbox

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// holdFolder names the variable in which the test below hands a folder to a copy of this
// program, which keeps a document there until it is killed.
const holdFolder = "COLOPHON_TEST_SANDBOX_FOLDER"

// TestNothingCapturedOutlivesAKill kills a process whose child has a document: the next
// pool removes it, and leaves alone what others use, or have under other names.
func TestNothingCapturedOutlivesAKill(t *testing.T) {
	if dir := os.Getenv(holdFolder); dir != "" {
		keepDocument(dir)
		return
	}
	dir := t.TempDir()
	for _, name := range []string{"sandbox-1", "colophon", "other-" + folderPrefix + "1"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "colophon"), filepath.Join(dir, folderPrefix+"link")); err != nil {
		t.Fatal(err)
	}
	pool, err := New(Config{Role: "test", Size: 1, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	alive, err := pool.Acquire(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Release()
	mine, err := alive.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestNothingCapturedOutlivesAKill$")
	cmd.Env = append(os.Environ(), holdFolder+"="+dir)
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	lines.Scan()
	path, pid, _ := strings.Cut(lines.Text(), " ")
	child, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	gone := watch(t, child)
	sweep(dir) // as a pool that begins while all are in use
	if _, err := os.Stat(path); err != nil {
		t.Errorf("what is in use: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone()
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the kill has left nothing, so this shows nothing: %v", err)
	}
	next, err := New(Config{Role: "test", Size: 1, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the document is still there: %v", err)
	}
	for _, kept := range []string{mine, "sandbox-1", "colophon", "other-" + folderPrefix + "1", folderPrefix + "link"} {
		if !filepath.IsAbs(kept) {
			kept = filepath.Join(dir, kept)
		}
		if _, err := os.Stat(kept); err != nil {
			t.Error(err)
		}
	}
}

// keepDocument starts a child, puts a document into its folder, says where, and waits.
func keepDocument(dir string) {
	p, err := New(Config{Role: "test", Size: 1, Dir: dir})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	w, err := p.Acquire(ctx, "")
	if err != nil {
		panic(err)
	}
	folder, err := w.Dir(ctx)
	if err != nil {
		panic(err)
	}
	pid, err := w.Call(ctx, []byte("pid"))
	if err != nil {
		panic(err)
	}
	path := filepath.Join(folder, "raw-document")
	if err := os.WriteFile(path, []byte("what was captured"), 0o600); err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString(path + " " + string(pid) + "\n")
	select {}
}

// TestSweepsAndNewFoldersAtOnce makes folders while others sweep: none that was made is
// taken away.
func TestSweepsAndNewFoldersAtOnce(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var sweeps, makers sync.WaitGroup
	for range 3 {
		sweeps.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					sweep(dir)
				}
			}
		})
	}
	for range 4 {
		makers.Go(func() {
			for range 200 {
				path, lock, err := makeFolder(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(path, "document"), nil, 0o600); err != nil {
					t.Error(err)
				}
				_ = lock.Close()
			}
		})
	}
	makers.Wait()
	close(done)
	sweeps.Wait()
	sweep(dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
