package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// ErrNotInstalled says that there is no PostgreSQL to start.
var ErrNotInstalled = errors.New("PostgreSQL is not installed: initdb and postgres are neither in PG_BIN, nor in PATH, " +
	"nor in /usr/lib/postgresql/*/bin (Debian: apt-get install postgresql)")

// findBinaries returns the folder that holds initdb and postgres: PG_BIN when it is set, else the first in PATH, else
// the newest version in the Debian folders.
func findBinaries() (string, error) {
	if dir := os.Getenv("PG_BIN"); dir != "" {
		if !hasBinaries(dir) {
			return "", fmt.Errorf("PG_BIN=%s holds no initdb and postgres", dir)
		}
		return dir, nil
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil && hasBinaries(filepath.Dir(target)) {
			return filepath.Dir(target), nil
		}
	}
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", fmt.Errorf("look for postgres: %w", err)
	}
	slices.SortFunc(dirs, func(a, b string) int { return versionOf(b) - versionOf(a) })
	for _, dir := range dirs {
		if hasBinaries(dir) {
			return dir, nil
		}
	}
	return "", ErrNotInstalled
}

func hasBinaries(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// versionOf reads the major version from /usr/lib/postgresql/VERSION/bin.
func versionOf(bin string) int {
	number, err := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	if err != nil {
		return 0
	}
	return number
}
