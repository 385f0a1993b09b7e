package secrets

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// Mount is a folder of files as Kubernetes mounts a Secret: each is a link through one
// link that is turned to a new folder. It is not safe for concurrent use.
type Mount struct {
	t   testing.TB
	dir string
	now map[string]string
}

// NewMount makes one, which is gone after the test.
func NewMount(t testing.TB, files ...map[string]string) *Mount {
	t.Helper()
	m := &Mount{t: t, dir: t.TempDir(), now: make(map[string]string)}
	m.Change(files...)
	return m
}

// Path is where a file of that name is, or will be.
func (m *Mount) Path(name string) string { return filepath.Join(m.dir, name) }

// Now returns what the files hold.
func (m *Mount) Now() map[string]string { return maps.Clone(m.now) }

// Change replaces files in one step; the others stay.
func (m *Mount) Change(files ...map[string]string) {
	m.t.Helper()
	fresh, err := os.MkdirTemp(m.dir, "..")
	if err != nil {
		m.t.Fatal(err)
	}
	for _, some := range files {
		maps.Copy(m.now, some)
	}
	for name, text := range m.now {
		if err := os.WriteFile(filepath.Join(fresh, name), []byte(text), 0o600); err != nil {
			m.t.Fatal(err)
		}
		if _, err := os.Lstat(m.Path(name)); err != nil {
			if err := os.Symlink(filepath.Join("..data", name), m.Path(name)); err != nil {
				m.t.Fatal(err)
			}
		}
	}
	next := m.Path("..next")
	if err := os.Symlink(filepath.Base(fresh), next); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(next, m.Path("..data")); err != nil {
		m.t.Fatal(err)
	}
}
