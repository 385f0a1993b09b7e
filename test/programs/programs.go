// Package programs is the beginning of tests that run the built programs as users and
// operators do: which there are, how they are built, and whether the servers that they
// start are installed.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// root is the repository's root, seen from the folder of a package of tests.
const root = "../.."

// Services are the names of all services.
func Services() []string {
	return []string{"capturer", "splitter", "extractor", "chunker", "annotator", "indexer", "gateway", "janitor"}
}

// All are the packages of the command and of all services, for Build.
func All() []string {
	all := []string{"./cmd/colophon"}
	for _, s := range Services() {
		all = append(all, "./services/"+s)
	}
	return all
}

// Build builds packages into the folder name of bin, and returns its path. args are flags
// of go build, then packages: one command for all, and without what a debugger would need,
// since linking is most of it. env stands above the environment. Packages of tests that need
// the same programs name the same folder: the first builds them, the others wait for it and
// find them up to date.
func Build(name string, env []string, args ...string) (dir string, err error) {
	if dir, err = filepath.Abs(filepath.Join(root, "bin", name)); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close() // which lets it go
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("waiting for another build of %s: %w", dir, err)
	}
	cmd := exec.Command("go", append([]string{"build", "-ldflags", "-s -w", "-o", dir + "/"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, out)
	}
	return dir, nil
}

// Shared builds all programs as they are run, for test/e2e and test/access together.
func Shared() (dir string, err error) { return Build("tests", []string{"GOAMD64=v1"}, All()...) }

// NeedServers skips a test on a laptop without PostgreSQL, never in CI.
func NeedServers(t testing.TB) {
	t.Helper()
	if os.Getenv("PG_BIN") != "" {
		return
	}
	if _, err := exec.LookPath("postgres"); err == nil {
		return
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(found) > 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no PostgreSQL binaries")
	}
	t.Skip("no PostgreSQL binaries")
}
