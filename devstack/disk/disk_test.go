package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/devstack/disk"
)

func TestFreeAsksTheDiskOfAFolderThatIsNotThereYet(t *testing.T) {
	dir := t.TempDir()
	there, err := disk.Free(dir)
	if err != nil || there <= 0 {
		t.Fatalf("%d bytes: %v", there, err)
	}
	if later, err := disk.Free(filepath.Join(dir, "a", "b")); err != nil || later <= 0 {
		t.Errorf("%d bytes: %v", later, err)
	}
}

func TestUsedCountsFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"x": 3, "a/y": 4} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if used, err := disk.Used(dir); err != nil || used != 7 {
		t.Errorf("%d bytes: %v", used, err)
	}
	if used, err := disk.Used(filepath.Join(dir, "none")); err != nil || used != 0 {
		t.Errorf("of a folder that is not there %d bytes: %v", used, err)
	}
}

func TestText(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 MiB", 20 << 20: "20 MiB", 3 << 30: "3072 MiB", 75 << 30: "75 GiB"} {
		if got := disk.Text(bytes); got != want {
			t.Errorf("%d: %q, want %q", bytes, got, want)
		}
	}
}
