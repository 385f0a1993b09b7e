package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// folderPrefix begins the name of each child's temporary folder, and of nothing else
	// in a folder that other programs use as well.
	folderPrefix = "colophon-sandbox-"
	// folderTries bounds how often a new folder is made that a sweep takes away at once.
	folderTries = 10
)

// errSwept: another process took the new folder for one that nobody uses.
var errSwept = errors.New("the folder was removed while it was made")

// makeFolder makes a child's temporary folder below dir and locks it. The lock goes with
// the file, or with this process however that ends: then the folder may be swept.
func makeFolder(dir string) (path string, lock *os.File, err error) {
	for range folderTries {
		if path, err = os.MkdirTemp(dir, folderPrefix); err != nil {
			return "", nil, err
		}
		lock, err = lockFolder(path)
		if !errors.Is(err, errSwept) {
			break
		}
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(path))
	}
	return path, lock, nil
}

// lockFolder locks a folder for this process alone. The error is errSwept when another
// has the lock, or the folder is gone.
func lockFolder(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errSwept
	}
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errSwept
	}
	if err == nil && !stillAt(path, file) {
		err = errSwept
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// stillAt reports whether a path names an open file.
func stillAt(path string, file *os.File) bool {
	now, err := os.Lstat(path)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(now, opened)
}

// sweep removes the folders below dir that killed processes have left: this user's, whose
// lock nobody holds. What cannot be removed is left to the next sweep.
func sweep(dir string) {
	if dir == "" {
		dir = os.TempDir()
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the first child says what is wrong with it
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), folderPrefix) || !entry.IsDir() {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
			continue
		}
		lock, err := lockFolder(path)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(path)
		_ = lock.Close()
	}
}
