// Package scratch makes temporary files. They have no name once they are open,
// so that a process that is killed leaves nothing behind, and their errors say
// that they are this machine's: a full disk is never taken for a document that
// cannot be read.
package scratch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Error is what went wrong with a temporary file. It names no path.
type Error struct {
	What string // what could not be done
	Err  error  // the system's, without its path
}

// Error returns a sentence without a path.
func (e *Error) Error() string { return e.What + ": " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// Failed reports whether an error is that of a temporary file.
func Failed(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// File is a temporary file. All of its errors but io.EOF are an *Error.
type File struct{ f *os.File }

// Create makes a file in a folder, that of the system when dir is empty, which
// ends when it is closed.
func Create(dir string) (*File, error) {
	f, err := os.CreateTemp(dir, "colophon-*")
	if err != nil {
		return nil, failed("a temporary file cannot be made", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, failed("a temporary file cannot be made", err)
	}
	return &File{f}, nil
}

// CreateAt makes an empty file at a path, in place of one that is there. It
// stays when it is closed.
func CreateAt(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, failed("a temporary file cannot be made", err)
	}
	return &File{f}, nil
}

// Write is io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, failed("a temporary file cannot be written", err)
}

// Read is io.Reader.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.f.Read(p)
	return n, failed("a temporary file cannot be read", err)
}

// ReadAt is io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(p, off)
	return n, failed("a temporary file cannot be read", err)
}

// Seek is io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	at, err := f.f.Seek(offset, whence)
	return at, failed("a temporary file cannot be read", err)
}

// Close is io.Closer.
func (f *File) Close() error { return failed("a temporary file cannot be closed", f.f.Close()) }

func failed(what string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return &Error{What: what, Err: err}
}

// room is how much must fit into a folder that is to be used, in bytes.
const room = 256 << 10

// Room reports whether temporary files can be written in a folder: it writes
// one. It is a probe, as those of the stores are.
func Room(dir string) error {
	f, err := Create(dir)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, room))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("no room for temporary files: %w", err)
	}
	return nil
}
