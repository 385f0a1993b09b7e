// Package gzipfile walks gzip files (RFC 1952) of a single file, and reads gzip files of
// several members as gzip(1) does.
package gzipfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// Kind is that of single files within gzip. It comes behind all others that begin as gzip
// does.
func Kind() container.Kind { return container.Kind{Type: model.TypeZIP, Begins: begins, Walk: walk} }

func begins(f container.File) (bool, error) {
	inner, err := Head(f, headSize)
	return inner != nil && !bytes.HasPrefix(inner, []byte(webArchive)), err
}

const (
	headSize   = 512     // bytes that must be read without an error before they are a web archive's
	webArchive = "WARC/" // what a file begins with inside that is none of this kind
)

// Head returns up to n of the first bytes of what a gzip file decompresses to: nil for a
// file that is none, nothing of one that cannot be read. An error is the file's own.
func Head(f container.File, n int) ([]byte, error) {
	head := make([]byte, len(magic()))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	if !bytes.Equal(head, magic()) {
		return nil, nil
	}
	inner := make([]byte, n)
	z, err := gzip.NewReader(bufio.NewReader(io.NewSectionReader(f, 0, f.Size)))
	if err == nil {
		n, err = io.ReadFull(z, inner)
	}
	switch {
	case scratch.Failed(err):
		return nil, err
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return []byte{}, nil
	}
	return inner[:n], nil
}

// walk walks the one file of a gzip file. Its name is the one that it brings,
// else that of the container without its ending.
func walk(w *container.Walk, f container.File) error {
	if err := w.Entry(); err != nil {
		return err
	}
	z, err := NewReader(io.NewSectionReader(f, 0, f.Size))
	if err != nil {
		return container.Fault(err)
	}
	name := z.Name
	if name == "" {
		name = strings.TrimSuffix(strings.TrimSuffix(f.Name, ".gz"), ".gzip")
	}
	if name == "" {
		name = "content"
	}
	m := container.Member{Modified: z.ModTime}
	if m.Modified.Equal(time.Unix(0, 0)) {
		m.Modified = time.Time{} // RFC 1952: 0 says that there is none
	}
	return w.File(m, name, z.Taken, func() (io.ReadCloser, error) { return io.NopCloser(z), nil })
}

// Reader reads the members of a gzip file one behind the other. What follows and
// is none, as the zeros that fill a block, is left out, as gzip(1) does.
type Reader struct {
	Name    string    // of the first member
	ModTime time.Time // of the first member
	file    *counter
	in      *bufio.Reader
	z       *gzip.Reader
}

// NewReader reads the header of the first member.
func NewReader(r io.Reader) (*Reader, error) {
	file := &counter{r: r}
	in := bufio.NewReader(file)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &Reader{Name: z.Name, ModTime: z.ModTime, file: file, in: in, z: z}, nil
}

// Taken returns how many bytes of the file were read.
func (g *Reader) Taken() int64 { return g.file.n }

// Read is io.Reader.
func (g *Reader) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		next, failed := g.in.Peek(len(magic()))
		switch {
		case failed != nil && !errors.Is(failed, io.EOF):
			return n, failed
		case !bytes.Equal(next, magic()):
			return n, io.EOF
		}
		if err := g.z.Reset(g.in); err != nil {
			return n, err
		}
		g.z.Multistream(false)
		if n > 0 {
			return n, nil
		}
	}
}

// magic is how a member begins that is compressed with deflate (RFC 1952).
func magic() []byte { return []byte{0x1f, 0x8b, 0x08} }

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
