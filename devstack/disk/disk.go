// Package disk says how much room there is for the data of a stack.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Free returns how many bytes can still be written below dir, or where dir would be made.
func Free(dir string) (int64, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	for {
		var state syscall.Statfs_t
		err := syscall.Statfs(dir, &state)
		if err == nil {
			return int64(state.Bavail * uint64(state.Bsize)), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return 0, fmt.Errorf("ask how much room there is in %s: %w", dir, err)
		}
		dir = filepath.Dir(dir)
	}
}

// Used returns how many bytes the files below dir have; 0 when dir is not there. Files that go meanwhile count for
// nothing.
func Used(dir string) (int64, error) {
	var used int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var info os.FileInfo
			if info, err = entry.Info(); err == nil {
				used += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("count what lies in %s: %w", dir, err)
	}
	return used, nil
}

// Text writes a number of bytes for people: in MiB, or in GiB where there are many.
func Text(bytes int64) string {
	const mebibyte, gibibyte = 1 << 20, 1 << 30
	if bytes >= 10*gibibyte {
		return fmt.Sprintf("%d GiB", bytes/gibibyte)
	}
	return fmt.Sprintf("%d MiB", bytes/mebibyte)
}
