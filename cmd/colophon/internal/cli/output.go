package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// newFile is the mode of files that are made, before the umask.
const newFile = 0o644

// WriteWhole has write fill a file that gets its name when write has ended well:
// until then, and for good when it fails or is interrupted, what was there before
// stays. What is no regular file, as a device or a pipe, is written to as it is;
// a link is followed. A file that cannot be made is wrong usage.
func WriteWhole(path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := os.FileMode(newFile)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return Usagef("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return writeDirectly(path, write)
	case err == nil:
		mode = info.Mode().Perm()
	}
	part := filepath.Join(filepath.Dir(path), ".colophon-"+rand.Text())
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return Usagef("%s cannot be written: %w", path, cause(err))
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	err = write(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return os.Rename(part, path)
}

// cause is what an error of a file says beside the name, which nobody knows.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

func writeDirectly(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return Usage(err)
	}
	err = write(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// WriteFile writes data to a file, whole or not at all.
func WriteFile(path string, data []byte) error {
	return WriteWhole(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// MakeFolder makes a folder for output, unless it is there, and returns an error of
// usage when no file can be made in it: before work that would be for nothing.
func MakeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Usage(err)
	}
	probe, err := os.CreateTemp(dir, ".colophon-")
	if err != nil {
		return Usagef("%s cannot be written to: %w", dir, cause(err))
	}
	_ = probe.Close() // nothing was written
	return os.Remove(probe.Name())
}
