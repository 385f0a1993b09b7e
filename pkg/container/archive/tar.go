package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/scratch"
)

// tar walks a tar file; in says how many bytes of the container were read.
func (w *walker) tar(r io.Reader, in func() int64) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath): // names are escaped
			return problem(err)
		}
		if err := w.limits.Count(); err != nil {
			return err
		}
		m := Member{Modified: h.ModTime, in: in, open: func() (io.ReadCloser, error) { return io.NopCloser(t), nil }}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		default:
			m.Problem = fmt.Errorf("%w but a link or a device", ErrNoFile)
		}
		if err := w.member(m, h.Name); err != nil {
			return err
		}
	}
}

func (w *walker) tarGzip(file io.Reader) error {
	in := &counter{r: file}
	z, err := NewGunzip(in)
	if err != nil {
		return problem(err)
	}
	out := &grown{r: z, in: in}
	return w.tar(out, func() int64 { return in.n })
}

// gzip walks the one file of a gzip file. Its name is the one that it brings,
// else that of the container without its ending.
func (w *walker) gzip(file io.Reader, name string) error {
	if err := w.limits.Count(); err != nil {
		return err
	}
	in := &counter{r: file}
	z, err := NewGunzip(in)
	if err != nil {
		return problem(err)
	}
	if z.Name != "" {
		name = z.Name
	} else {
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".gzip")
	}
	if name == "" {
		name = "content"
	}
	m := Member{Modified: z.ModTime, in: func() int64 { return in.n }, open: func() (io.ReadCloser, error) { return io.NopCloser(z), nil }}
	if m.Modified.Equal(time.Unix(0, 0)) {
		m.Modified = time.Time{} // RFC 1952: 0 says that there is none
	}
	return w.member(m, name)
}

// Gunzip reads the members of a gzip file one behind the other. What follows and
// is none, as the zeros that fill a block, is left out, as gzip(1) does.
type Gunzip struct {
	Name    string    // of the first member
	ModTime time.Time // of the first member
	in      *bufio.Reader
	z       *gzip.Reader
}

// NewGunzip reads the header of the first member.
func NewGunzip(r io.Reader) (*Gunzip, error) {
	in := bufio.NewReader(r)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &Gunzip{Name: z.Name, ModTime: z.ModTime, in: in, z: z}, nil
}

// Read is io.Reader.
func (g *Gunzip) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		next, failed := g.in.Peek(len(gzipMagic()))
		switch {
		case failed != nil && !errors.Is(failed, io.EOF):
			return n, failed
		case !bytes.Equal(next, gzipMagic()):
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

// gzipMagic is how a member begins that is compressed with deflate (RFC 1952).
func gzipMagic() []byte { return []byte{0x1f, 0x8b, 0x08} }

// gzipHead returns the first bytes of what a gzip file decompresses to.
func gzipHead(file io.Reader) ([]byte, error) {
	z, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, problem(err)
	}
	head := make([]byte, tarHeader)
	n, err := io.ReadFull(z, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, problem(err)
	}
	return head[:n], nil
}

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

// grown ends with ErrLimit when too much comes out of too little: also of what
// no member holds, as the padding between them.
type grown struct {
	r   io.Reader
	in  *counter
	out int64
}

func (g *grown) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.out += int64(n)
	if g.out > freeBytes && g.out/maxRatio > g.in.n {
		return 0, fmt.Errorf("%w: %d bytes from %d", ErrLimit, g.out, g.in.n)
	}
	return n, err
}

// problem calls an error of a library by one of ours; what is ours already, and
// what is no fault of the container but of the file that holds it, stays.
func problem(err error) error {
	if scratch.Failed(err) {
		return err
	}
	for _, known := range []error{ErrLimit, ErrEncrypted, ErrDamaged, ErrMethod, ErrNoFile} {
		if errors.Is(err, known) {
			return err
		}
	}
	if errors.Is(err, zip.ErrAlgorithm) {
		return fmt.Errorf("%w: %w", ErrMethod, err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
