package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
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
		if err := WriteWhole(name, half); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != "an earlier export" {
		t.Errorf("half of an export leaves %q, %v", kept, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("half of an export leaves %v, %v", left, err)
	}
	if err := WriteFile(link, []byte("whole")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 5 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if err := WriteFile(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{dir, filepath.Join(dir, "none", "x")} {
		if err := WriteFile(wrong, nil); ExitCode(err) != ExitUsage {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
