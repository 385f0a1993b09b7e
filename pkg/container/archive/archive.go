// Package archive walks the members of containers: ZIP, tar, tar with gzip, and
// gzip of a single file.
//
// Nothing of a container is believed: what comes out of it is counted, not what
// it says of itself; its names are never names of files of ours; and a member
// that cannot be read is reported while the walk goes on.
package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// Kind is a kind of container.
type Kind string

// The kinds that can be walked. TarGzip is a tar within gzip, Gzip any other
// single file.
const (
	Zip     Kind = "zip"
	Tar     Kind = "tar"
	TarGzip Kind = "tar.gz"
	Gzip    Kind = "gzip"
)

// Limits bound what a container may make us do. Containers that share Spent share
// the bounds of entries and bytes: those within each other must, since each could
// hold as many as the first.
type Limits struct {
	Entries int    // members, also those that are folders
	Total   int64  // bytes of all members
	Member  int64  // bytes of one member
	Spent   *Spent // what was taken before; nil when the container shares with none
}

// Spent is what was taken of the bounds.
type Spent struct {
	Entries int
	Bytes   int64
}

// Count takes one entry; ErrLimit when there are too many.
func (l Limits) Count() error {
	if l.Spent.Entries++; l.Spent.Entries > l.Entries {
		return fmt.Errorf("%w: more than %d entries", ErrLimit, l.Entries)
	}
	return nil
}

// Take takes n bytes; ErrLimit when there are too many.
func (l Limits) Take(n int64) error {
	if l.Spent.Bytes += n; l.Spent.Bytes > l.Total {
		return fmt.Errorf("%w: more than %d bytes in all", ErrLimit, l.Total)
	}
	return nil
}

// The ratio of bytes out to bytes in that is refused once freeBytes have come
// out of a member: no document that was written to be read has it.
const (
	maxRatio  = 200
	freeBytes = 4 << 20
)

// The errors of a member, and of a whole container.
var (
	ErrLimit     = errors.New("above the limit")         // entries, bytes, ratio, or members that share bytes
	ErrEncrypted = errors.New("it is encrypted")         // a member that needs a password
	ErrDamaged   = errors.New("it cannot be read")       // torn or inconsistent
	ErrMethod    = errors.New("its method is not known") // of compression
	ErrNoFile    = errors.New("it is no file")           // a link or a device
)

// Member is one file of a container.
type Member struct {
	Path     string    // the bytes of its name, percent-encoded where they could mislead: see Escape
	Name     string    // its name to be shown: valid UTF-8, of a very long one the end
	Modified time.Time // zero when the container does not say
	Problem  error     // why it cannot be read: one of the errors above; nil when Open may be called

	open func() (io.ReadCloser, error)
	in   func() int64 // bytes of the container that it takes, as far as read
}

// Open returns the member's bytes. Reading ends with ErrLimit when too much
// comes out, and with ErrDamaged when what comes out is wrong.
func (m Member) Open() (io.ReadCloser, error) {
	if m.Problem != nil {
		return nil, m.Problem
	}
	r, err := m.open()
	if err != nil {
		return nil, problem(err)
	}
	return r, nil
}

// Sniff tells the kind of a container by its first bytes, and by those of what
// it holds where that is gzip; "" when it is none. A web archive is none: see
// package warc.
func Sniff(file io.ReaderAt, size int64) (Kind, error) {
	head := make([]byte, min(size, tarHeader))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the first bytes: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Zip, nil
	case isTar(head):
		return Tar, nil
	case bytes.HasPrefix(head, gzipMagic()):
		inner, err := gzipHead(io.NewSectionReader(file, 0, size))
		switch {
		case err == nil && isTar(inner):
			return TarGzip, nil
		case err == nil && bytes.HasPrefix(inner, []byte("WARC/")):
			return "", nil
		default:
			return Gzip, nil
		}
	}
	return "", nil
}

// tarHeader is the length of a tar header (POSIX.1-1988).
const tarHeader = 512

// isTar reports whether bytes begin with a tar header: by its magic, or, since
// old ones have none, by its checksum, in which its own eight bytes count as
// spaces.
func isTar(head []byte) bool {
	if len(head) < tarHeader {
		return false
	}
	if string(head[257:262]) == "ustar" {
		return true
	}
	sum, err := strconv.ParseUint(strings.Trim(string(head[148:156]), " \x00"), 8, 32)
	for i, c := range head[:tarHeader] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum -= uint64(c)
	}
	return err == nil && sum == 0
}

// Walk calls visit for each member of a container, in the container's order,
// folders left out. name is the container's own
// file name, of which that of a single file within gzip is made. An error of
// visit ends the walk and comes back as it is; any other is one of the errors
// above, or the *scratch.Error of the file.
func Walk(kind Kind, file io.ReaderAt, size int64, name string, limits Limits, visit func(Member) error) error {
	if limits.Spent == nil {
		limits.Spent = new(Spent)
	}
	w := &walker{limits: limits, visit: visit, seen: make(map[string]int)}
	switch kind {
	case Zip:
		return w.zip(file, size)
	case Tar:
		return w.tar(io.NewSectionReader(file, 0, size), func() int64 { return size })
	case TarGzip:
		return w.tarGzip(io.NewSectionReader(file, 0, size))
	case Gzip:
		return w.gzip(io.NewSectionReader(file, 0, size), name)
	default:
		return fmt.Errorf("%q is no kind of container", kind)
	}
}

type walker struct {
	limits Limits
	visit  func(Member) error
	seen   map[string]int // paths, with how often they came
}

// member hands one member over. A path that came before gets a number, so that
// no two members have the same one.
func (w *walker) member(m Member, name string) error {
	m.Path, m.Name = Escape(name), Show(end(name))
	w.seen[m.Path]++
	if n := w.seen[m.Path]; n > 1 {
		m.Path = fmt.Sprintf("%s~%d", m.Path, n)
	}
	open := m.open
	m.open = func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			return nil, err
		}
		return &bounded{w: w, r: r, in: m.in}, nil
	}
	if err := w.visit(m); err != nil {
		return err
	}
	return w.limits.Take(0)
}

// bounded ends with ErrLimit when more comes out than may.
type bounded struct {
	w   *walker
	r   io.ReadCloser
	in  func() int64
	out int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.out += int64(n)
	spent := b.w.limits.Take(int64(n))
	switch {
	case b.out > b.w.limits.Member:
		return 0, fmt.Errorf("%w: more than %d bytes", ErrLimit, b.w.limits.Member)
	case spent != nil:
		return 0, spent
	case b.out > freeBytes && b.out/maxRatio > b.in():
		return 0, fmt.Errorf("%w: %d bytes from %d", ErrLimit, b.out, b.in())
	case err != nil && !errors.Is(err, io.EOF):
		return n, problem(err)
	}
	return n, err
}

func (b *bounded) Close() error { return b.r.Close() }

// maxPath bounds a path: it is part of a request_id.
const maxPath = 600

// Escape makes a member's path of the bytes of its name, so that they mislead
// nobody: letters, digits, "-", ".", "_" and "/" stand for themselves, all else
// is percent-encoded, also a "/" at the beginning or behind another, and the
// dots of "." and "..". What is longer than 600 bytes is cut, and "~" with the
// first 26 characters of its sha256 in base32 stand for the rest.
func Escape(name string) string {
	path := escape(name)
	if len(path) <= maxPath {
		return path
	}
	return path[:maxPath] + "~" + digest.Base32(sha256.Sum256([]byte(path)))
}

func escape(name string) string {
	segments := strings.Split(name, "/")
	var b strings.Builder
	for i, s := range segments {
		if i > 0 {
			if segments[i-1] == "" {
				b.WriteString("%2F")
			} else {
				b.WriteByte('/')
			}
		}
		if s == "." || s == ".." {
			b.WriteString(strings.Repeat("%2E", len(s)))
			continue
		}
		for _, c := range []byte(s) {
			if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	return b.String()
}

// end returns the last bytes of a name: it is part of messages.
func end(name string) string {
	if len(name) <= maxPath {
		return name
	}
	return "…" + strings.TrimLeft(strings.ToValidUTF8(name[len(name)-maxPath:], " "), " ")
}

// Show makes a name fit to be shown: valid UTF-8 without control characters.
func Show(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(name, "\ufffd"))
}
