// Package spool holds the bytes of one document while they pass through: small
// ones in memory, large ones in a temporary file, hashed on the way.
package spool

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// ErrTooLarge says that there is more to read than the limit allows.
var ErrTooLarge = errors.New("more bytes than the limit allows")

// Spooler reads documents. Its zero value keeps all but 8 MiB in the system's
// folder for temporary files.
type Spooler struct {
	Dir    string // of temporary files
	Memory int64  // bytes up to which a document stays in memory, default 8 MiB
}

// Content is the bytes of one document. It is not safe for concurrent use.
type Content struct {
	Size int64
	Hash string // content_hash: sha256: and 64 hex digits
	data []byte
	file File // nil when data holds all
}

// File is a file that holds a document; Close ends it.
type File interface {
	io.ReaderAt
	io.Closer
}

// Bytes returns content that is in memory already.
func Bytes(data []byte) *Content {
	return &Content{Size: int64(len(data)), Hash: digest.Content(data), data: data}
}

// Opened returns content of a file of which size and content_hash are known.
func Opened(f File, size int64, hash string) *Content {
	return &Content{Size: size, Hash: hash, file: f}
}

// unknown is how much is kept in memory of a document that does not say how long
// it is: many may come at once, and most that say nothing are short.
const unknown = 1 << 20

// Room reports whether temporary files can be written now.
func (s Spooler) Room() error { return scratch.Room(s.Dir) }

// Read reads r to its end. More than limit bytes are ErrTooLarge, of which
// nothing is left; errors of r come back wrapped, those of a temporary file are
// a *scratch.Error, here and wherever the content is read. The caller closes the
// content.
func (s Spooler) Read(r io.Reader, limit int64) (*Content, error) { return s.ReadSized(r, -1, limit) }

// ReadSized is Read for a document of which the size is announced; a negative
// one is not known. What is announced decides where the bytes go, not how many
// are read.
func (s Spooler) ReadSized(r io.Reader, size, limit int64) (*Content, error) {
	memory := s.Memory
	if memory <= 0 {
		memory = 8 << 20
	}
	switch {
	case size > memory:
		return s.toFile(io.LimitReader(r, limit+1), limit)
	case size < 0:
		memory = min(memory, unknown)
	}
	memory = min(memory, limit)
	var buf bytes.Buffer
	buf.Grow(int(max(0, min(size, memory))) + bytes.MinRead) // no more than once: what it grows out of is garbage
	if _, err := io.Copy(&buf, io.LimitReader(r, memory+1)); err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	if int64(buf.Len()) <= memory {
		return Bytes(buf.Bytes()), nil
	}
	if memory == limit {
		return nil, ErrTooLarge
	}
	return s.toFile(io.MultiReader(&buf, io.LimitReader(r, limit+1-int64(buf.Len()))), limit)
}

func (s Spooler) toFile(r io.Reader, limit int64) (*Content, error) {
	f, err := scratch.Create(s.Dir)
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, hash), r)
	c := Opened(f, size, digest.ContentOfSum([sha256.Size]byte(hash.Sum(nil))))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading: %w", err), c.Close())
	}
	if size > limit {
		return nil, errors.Join(ErrTooLarge, c.Close())
	}
	return c, nil
}

// InMemory returns the bytes when they are in memory.
func (c *Content) InMemory() ([]byte, bool) { return c.data, c.file == nil }

// Open returns a reader of all bytes from the start.
func (c *Content) Open() *io.SectionReader { return io.NewSectionReader(c.readerAt(), 0, c.Size) }

// Head returns the first n bytes, or all when there are fewer.
func (c *Content) Head(n int64) ([]byte, error) {
	head := make([]byte, min(n, c.Size))
	if _, err := c.readerAt().ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	return head, nil
}

// Tail returns the last n bytes, or all when there are fewer.
func (c *Content) Tail(n int64) ([]byte, error) {
	tail := make([]byte, min(n, c.Size))
	if _, err := c.readerAt().ReadAt(tail, c.Size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the last bytes: %w", err)
	}
	return tail, nil
}

// Close ends the temporary file, if there is one.
func (c *Content) Close() error {
	if c == nil || c.file == nil {
		return nil
	}
	return c.file.Close()
}

func (c *Content) readerAt() io.ReaderAt {
	if c.file != nil {
		return c.file
	}
	return bytes.NewReader(c.data)
}
