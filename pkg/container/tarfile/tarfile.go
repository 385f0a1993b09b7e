// Package tarfile walks the members of tar files, plain and compressed with gzip.
package tarfile

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/container/gzipfile"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Kind is that of tar files.
func Kind() container.Kind {
	return container.Kind{Type: model.TypeZIP, Begins: begins, Walk: func(w *container.Walk, f container.File) error {
		return walk(w, io.NewSectionReader(f, 0, f.Size), func() int64 { return f.Size })
	}}
}

// CompressedKind is that of tar files within gzip.
func CompressedKind() container.Kind {
	return container.Kind{Type: model.TypeZIP, Begins: compressedBegins, Walk: walkCompressed}
}

// headerSize is the length of a tar header (POSIX.1-1988).
const headerSize = 512

func begins(f container.File) (bool, error) {
	head := make([]byte, min(f.Size, headerSize))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("reading the first bytes: %w", err)
	}
	return isHeader(head), nil
}

func compressedBegins(f container.File) (bool, error) {
	inner, err := gzipfile.Head(f, headerSize)
	return isHeader(inner), err
}

// isHeader reports whether bytes begin with a tar header: by its magic, or, since
// old ones have none, by its checksum, in which its own eight bytes count as
// spaces.
func isHeader(head []byte) bool {
	if len(head) < headerSize {
		return false
	}
	if string(head[257:262]) == "ustar" {
		return true
	}
	sum, err := strconv.ParseUint(strings.Trim(string(head[148:156]), " \x00"), 8, 32)
	for i, c := range head[:headerSize] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum -= uint64(c)
	}
	return err == nil && sum == 0
}

// walk walks a tar file; taken says how many bytes of the container were read.
func walk(w *container.Walk, r io.Reader, taken func() int64) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath): // names are escaped
			return container.Fault(err)
		}
		if err := w.Entry(); err != nil {
			return err
		}
		m := container.Member{Modified: h.ModTime}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		default:
			m.Problem = fmt.Errorf("%w but a link or a device", container.ErrNoFile)
		}
		if err := w.File(m, h.Name, taken, func() (io.ReadCloser, error) { return io.NopCloser(t), nil }); err != nil {
			return err
		}
	}
}

func walkCompressed(w *container.Walk, f container.File) error {
	z, err := gzipfile.NewReader(io.NewSectionReader(f, 0, f.Size))
	if err != nil {
		return container.Fault(err)
	}
	return walk(w, &grown{z: z}, z.Taken)
}

// grown ends with ErrLimit when too much comes out of too little: also of what
// no member holds, as the padding between them.
type grown struct {
	z   *gzipfile.Reader
	out int64
}

func (g *grown) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	g.out += int64(n)
	if above := container.Grown(g.out, g.z.Taken(), container.ErrLimit); above != nil {
		return 0, above
	}
	return n, err
}
