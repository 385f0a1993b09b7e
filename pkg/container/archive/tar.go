package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
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
	z, err := gzip.NewReader(in)
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
	z, err := gzip.NewReader(in)
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
	m := Member{Modified: z.ModTime, in: func() int64 { return in.n }, open: func() (io.ReadCloser, error) { return z, nil }}
	if m.Modified.Equal(time.Unix(0, 0)) {
		m.Modified = time.Time{} // RFC 1952: 0 says that there is none
	}
	return w.member(m, name)
}

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
// what the file itself says, stays.
func problem(err error) error {
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
