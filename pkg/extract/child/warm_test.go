package child

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// TestStart: all children run before any document comes, warmed.
func TestStart(t *testing.T) {
	dir := t.TempDir()
	c, err := New(Config{Workers: 2, TempDir: dir, Warm: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if dirs, err := filepath.Glob(filepath.Join(dir, "colophon-sandbox-*")); err != nil || len(dirs) != 2 {
		t.Errorf("%d children, %v", len(dirs), err)
	}
}

// TestWarm: what a child reads to get warm is a page like others.
func TestWarm(t *testing.T) {
	raw, err := json.Marshal(setup{Warm: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Builtin().Role(raw); err != nil {
		t.Error(err)
	}
}
