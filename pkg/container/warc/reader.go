// Package warc reads and writes web archives: WARC 1.0 and 1.1 (ISO 28500:2017),
// plain or compressed with gzip by the record.
//
// A Reader takes nothing on trust. Every length is held against what is there,
// names and values are bounded, and a record that is damaged is reported with
// its place while reading goes on behind it.
package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// The bounds of a record's header, in bytes and in fields; real ones have some
// hundred bytes and a dozen fields.
const (
	maxHeader = 64 << 10
	maxFields = 500
)

// The bounds of what a hostile file can make us do: damaged places that are
// reported, and beginnings of gzip members that are tried in search of the next
// record.
const (
	maxDamages = 1000
	maxTries   = 10_000
)

// The types of records (ISO 28500, 6).
const (
	TypeInfo       = "warcinfo"
	TypeResponse   = "response"
	TypeResource   = "resource"
	TypeMetadata   = "metadata"
	TypeRevisit    = "revisit"
	TypeConversion = "conversion"
)

// Record is one record of an archive.
type Record struct {
	Place   Place
	Version string // "1.0", "1.1"
	Fields  Fields
	Length  int64     // of the block, in bytes
	Block   io.Reader // valid until the next call of Next; an early end is io.ErrUnexpectedEOF
}

// Type returns the kind of record, in lower case.
func (r *Record) Type() string { return strings.ToLower(r.Fields.Get("WARC-Type")) }

// ID returns the record's id without angle brackets.
func (r *Record) ID() string { return unbracket(r.Fields.Get("WARC-Record-ID")) }

// Target returns the URI that was captured; some writers of WARC 1.0 put angle
// brackets around it.
func (r *Record) Target() string { return unbracket(r.Fields.Get("WARC-Target-URI")) }

// Date returns when the record was captured, in UTC; the zero time when the
// field is missing or no W3C date-time.
func (r *Record) Date() time.Time { return date(r.Fields.Get("WARC-Date")) }

// Truncated reports whether the archive says that it holds only the beginning.
func (r *Record) Truncated() bool { return r.Fields.Get("WARC-Truncated") != "" }

// RefersTo returns what a revisit record refers to: the id of a record, and the
// URI and date of one, where given.
func (r *Record) RefersTo() (id, target string, at time.Time) {
	return unbracket(r.Fields.Get("WARC-Refers-To")), unbracket(r.Fields.Get("WARC-Refers-To-Target-URI")), date(r.Fields.Get("WARC-Refers-To-Date"))
}

// date reads a W3C date-time, of which WARC 1.1 also takes the beginning.
func date(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

func unbracket(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		return s[1 : len(s)-1]
	}
	return s
}

// Place says where a record begins: at a byte of the file, and, in a file of
// which one gzip member holds several records, at a byte of what that member
// decompresses to.
type Place struct {
	Offset int64 // of the file
	Inner  int64 // within the gzip member that begins there; 0 for its first record
}

// String returns "812", or "812+4096" for a later record of a gzip member.
func (p Place) String() string {
	if p.Inner == 0 {
		return strconv.FormatInt(p.Offset, 10)
	}
	return fmt.Sprintf("%d+%d", p.Offset, p.Inner)
}

// recordDamage is an error that is no reason to stop reading: Next goes on behind it.
type recordDamage struct {
	Place Place
	Err   error
}

// Error names the place.
func (d *recordDamage) Error() string { return fmt.Sprintf("record at byte %s: %v", d.Place, d.Err) }

// Unwrap returns what is wrong there.
func (d *recordDamage) Unwrap() error { return d.Err }

var (
	// ErrNoArchive says that a file does not begin as a WARC file does.
	ErrNoArchive = errors.New("this is no WARC file")
	// ErrDamaged says that so much of a file is damaged that the rest is not read.
	ErrDamaged = fmt.Errorf("more than %d places are damaged", maxDamages)
)

// Reader reads the records of a file one after the other.
type Reader struct {
	file   io.ReaderAt
	size   int64
	next   int64   // where the next record or gzip member begins
	member *member // the gzip member that is being read
	record *Record // the last one, of which the block may not have been read
	block  *io.LimitedReader

	damages, tries int
}

// NewReader returns a reader of a file of size bytes. Anything that begins
// neither with a WARC version nor with a gzip member is ErrNoArchive.
func NewReader(file io.ReaderAt, size int64) (*Reader, error) {
	head := make([]byte, min(size, 16))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	if !bytes.HasPrefix(head, magic) && !bytes.HasPrefix(head, gzipMagic) {
		return nil, ErrNoArchive
	}
	return &Reader{file: file, size: size}, nil
}

var (
	magic     = []byte("WARC/")
	gzipMagic = []byte{0x1f, 0x8b, 0x08}
)

// Next returns the next record, io.EOF after the last one, and a *recordDamage for
// what cannot be read; then Next may be called again. Any other error is the
// file's own, or ErrDamaged, and final.
func (r *Reader) Next() (*Record, error) {
	if r.record != nil {
		at := r.record.Place
		r.record = nil
		if err := r.finish(); err != nil {
			return nil, r.skip(at, err)
		}
	}
	for {
		if r.member != nil {
			if record, err := r.inMember(); record != nil || err != nil {
				return record, err
			}
		}
		if r.next >= r.size {
			return nil, io.EOF
		}
		at := Place{Offset: r.next}
		head := make([]byte, min(r.size-r.next, 4<<10))
		if _, err := r.file.ReadAt(head, r.next); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading the archive: %w", err)
		}
		lines := len(head) - len(bytes.TrimLeft(head, "\r\n"))
		switch {
		case lines > 0: // more line ends than there should be
			r.next += int64(lines)
		case bytes.HasPrefix(head, gzipMagic):
			m, err := openMember(io.NewSectionReader(r.file, r.next, r.size-r.next), r.next)
			if err != nil {
				return nil, r.skip(at, err)
			}
			r.member = m
		case bytes.HasPrefix(head, magic):
			return r.plain(at)
		default:
			return nil, r.skip(at, errors.New("neither a record nor a gzip member begins here"))
		}
	}
}

// readRecordAt returns the record at a place. A place at which none begins is an error.
func readRecordAt(file io.ReaderAt, size int64, place Place) (*Record, error) {
	if place.Offset < 0 || place.Offset >= size {
		return nil, fmt.Errorf("no record begins at byte %s of %d", place, size)
	}
	r := &Reader{file: file, size: size, next: place.Offset}
	for {
		record, err := r.Next()
		switch {
		case err != nil:
			return nil, fmt.Errorf("the record at byte %s: %w", place, err)
		case record.Place == place:
			return record, nil
		case record.Place.Offset > place.Offset || record.Place.Inner > place.Inner:
			return nil, fmt.Errorf("no record begins at byte %s", place)
		}
	}
}

// plain reads a record that is not compressed. Its length is checked before it
// is believed: two line ends, or the end of the file, must follow.
func (r *Reader) plain(at Place) (*Record, error) {
	from := bufio.NewReader(io.NewSectionReader(r.file, at.Offset, r.size-at.Offset))
	record, size, err := readHeader(from)
	if err != nil {
		return nil, r.skip(at, err)
	}
	start := at.Offset + size
	if record.Length > r.size-start {
		return nil, r.skip(at, fmt.Errorf("it claims %d bytes, and %d follow", record.Length, r.size-start))
	}
	end := start + record.Length
	after := make([]byte, min(r.size-end, 4))
	if _, err := r.file.ReadAt(after, end); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	separator, ok := separatorOf(after)
	if !ok {
		return nil, r.skip(at, fmt.Errorf("its %d bytes do not end where they should", record.Length))
	}
	record.Place, r.next = at, end+separator
	r.block = &io.LimitedReader{R: io.NewSectionReader(r.file, start, record.Length), N: record.Length}
	record.Block, r.record = r.block, record
	return record, nil
}

// separatorOf returns the length of the line ends behind a record, of which
// some writers leave the carriage returns or one of the two out.
func separatorOf(after []byte) (int64, bool) {
	for _, sep := range []string{"\r\n\r\n", "\n\n", "\r\n", "\n"} {
		if bytes.HasPrefix(after, []byte(sep)) {
			return int64(len(sep)), true
		}
	}
	return 0, len(after) == 0
}

// finish goes to the end of the last record's block, if it is in a gzip member.
func (r *Reader) finish() error {
	if r.member == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, r.block); err != nil {
		return err
	}
	if r.block.N > 0 {
		return fmt.Errorf("%d bytes of it are missing: %w", r.block.N, io.ErrUnexpectedEOF)
	}
	return nil
}

// inMember reads the next record of a gzip member; it returns neither a record
// nor an error at the member's end.
func (r *Reader) inMember() (*Record, error) {
	m := r.member
	if err := m.skipLines(); err != nil {
		r.member = nil
		if errors.Is(err, io.EOF) {
			r.next = m.start + m.in.read
			return nil, nil
		}
		return nil, r.skip(m.place(), err)
	}
	at := m.place()
	record, _, err := readHeader(m.out)
	if err != nil {
		return nil, r.skip(at, err)
	}
	record.Place = at
	r.block = &io.LimitedReader{R: m.out, N: record.Length}
	record.Block, r.record = whole{r.block}, record
	return record, nil
}

// whole is a block whose early end is an error.
type whole struct{ block *io.LimitedReader }

func (w whole) Read(p []byte) (int, error) {
	n, err := w.block.Read(p)
	if errors.Is(err, io.EOF) && w.block.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// skip finds where reading goes on after damage.
func (r *Reader) skip(at Place, problem error) error {
	r.member = nil
	if scratch.Failed(problem) {
		return fmt.Errorf("reading the archive: %w", problem)
	}
	if r.damages++; r.damages > maxDamages || r.tries > maxTries {
		return fmt.Errorf("%w, the last at byte %s: %w", ErrDamaged, at, problem)
	}
	found, err := r.seek(at.Offset + 1)
	if err != nil {
		return err
	}
	r.next = found
	return &recordDamage{Place: at, Err: problem}
}

// seek returns where the next record or gzip member begins, from some byte on,
// or the end of the file. A gzip member counts only when it decompresses to the
// beginning of a record: its three magic bytes are found in any data.
func (r *Reader) seek(from int64) (int64, error) {
	const step = 256 << 10
	buf := make([]byte, step+len(magic))
	for from < r.size {
		n, err := r.file.ReadAt(buf[:min(int64(len(buf)), r.size-from)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("reading the archive: %w", err)
		}
		for i := range n {
			rest := buf[i:n]
			if bytes.HasPrefix(rest, magic) && r.lineBegins(from+int64(i)) || bytes.HasPrefix(rest, gzipMagic) && r.memberBegins(from+int64(i)) {
				return from + int64(i), nil
			}
		}
		if from += int64(n) - int64(len(magic)) + 1; n < len(buf) {
			break
		}
	}
	return r.size, nil
}

func (r *Reader) lineBegins(at int64) bool {
	before := make([]byte, 1)
	_, err := r.file.ReadAt(before, at-1)
	return err == nil && before[0] == '\n'
}

func (r *Reader) memberBegins(at int64) bool {
	if r.tries++; r.tries > maxTries {
		return true // Next then ends with ErrDamaged
	}
	m, err := openMember(io.NewSectionReader(r.file, at, r.size-at), at)
	if err != nil {
		return false
	}
	head := make([]byte, len(magic))
	_, err = io.ReadFull(m.out, head)
	return err == nil && bytes.Equal(head, magic)
}

// member is one gzip member of a file.
type member struct {
	start int64
	in    *counted
	out   *bufio.Reader
	done  *counter // of what was decompressed, read ahead included
}

func openMember(r io.Reader, start int64) (*member, error) {
	in := &counted{r: bufio.NewReader(r)}
	gz, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("its gzip header: %w", err)
	}
	gz.Multistream(false)
	done := &counter{r: gz, in: in}
	return &member{start: start, in: in, out: bufio.NewReader(done), done: done}, nil
}

func (m *member) place() Place {
	return Place{Offset: m.start, Inner: m.done.n - int64(m.out.Buffered())}
}

// skipLines goes over the line ends between records; io.EOF is the member's end.
func (m *member) skipLines() error {
	for {
		c, err := m.out.ReadByte()
		if err != nil {
			return err
		}
		if c != '\r' && c != '\n' {
			return m.out.UnreadByte()
		}
	}
}

// counted counts the bytes that are taken from a buffered reader: gzip takes
// none beyond its member, since it can read byte by byte.
type counted struct {
	r    *bufio.Reader
	read int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.read += int64(n)
	return n, err
}

// ReadByte makes gzip stop at the end of its member.
func (c *counted) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.read++
	}
	return b, err
}

// counter counts what comes out of a member, and ends a bomb.
type counter struct {
	r  io.Reader
	in *counted
	n  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if above := container.Grown(c.n, c.in.read, container.ErrBomb); above != nil {
		return n, above
	}
	return n, err
}
