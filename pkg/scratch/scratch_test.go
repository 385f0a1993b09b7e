package scratch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestATemporaryFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v can be left behind, %v", left, err)
	}
	if _, err := io.WriteString(f, "words"); err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 9)
	if n, err := f.ReadAt(part, 1); !errors.Is(err, io.EOF) || Failed(err) || string(part[:n]) != "ords" {
		t.Errorf("%q, %v", part[:n], err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(f); err != nil || string(all) != "words" {
		t.Errorf("%q, %v", all, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); !Failed(err) {
		t.Errorf("written after its end: %v", err)
	}
}

func TestAFileAtAPathStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept")
	for _, text := range []string{"first, and longer", "second"} {
		f, err := CreateAt(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := CreateAt(filepath.Join(path, "below a file")); !Failed(err) {
		t.Errorf("below a file: %v", err)
	}
}

func TestErrorsAreTheMachinesAndNameNoPath(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for name, err := range map[string]error{
		"made":  func() error { _, err := Create(none); return err }(),
		"asked": Room(none),
	} {
		if !Failed(fmt.Errorf("reading it: %w", err)) || !errors.Is(err, syscall.ENOENT) || strings.Contains(err.Error(), none) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Room(t.TempDir()); err != nil {
		t.Error(err)
	}
	if Failed(nil) || Failed(io.ErrUnexpectedEOF) {
		t.Error("anything is taken for the machine's error")
	}
}
