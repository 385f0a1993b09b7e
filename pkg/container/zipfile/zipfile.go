// Package zipfile walks the members of ZIP files (APPNOTE.TXT 6.3).
package zipfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Kind is that of ZIP files.
func Kind() container.Kind { return container.Kind{Type: model.TypeZIP, Begins: begins, Walk: walk} }

// The first bytes of a file's header, and of the directory of a file without members.
const (
	magicFile = "PK\x03\x04"
	magicEnd  = "PK\x05\x06"
)

func begins(f container.File) (bool, error) {
	head := make([]byte, len(magicFile))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("reading the first bytes: %w", err)
	}
	return string(head) == magicFile || string(head) == magicEnd, nil
}

// encrypted is bit 0 of a member's general purpose flags, and the method of
// strong encryption (APPNOTE.TXT, 4.4.4 and 4.4.5).
const (
	flagEncrypted = 1
	methodAES     = 99
)

func walk(w *container.Walk, file container.File) error {
	directory := &budget{
		ReaderAt: file, left: int64(w.Entries)*directoryBytes + 1<<20, entries: 2*int64(w.Entries) + 4096,
	}
	z, err := zip.NewReader(directory, file.Size)
	directory.ended = true
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are escaped
		return container.Fault(err)
	}
	if len(z.File) == 0 {
		return hidden(file)
	}
	if len(z.File) > w.Entries-w.Spent.Entries {
		return fmt.Errorf("%w: %d entries, at most %d", container.ErrLimit, len(z.File), w.Entries)
	}
	if err := apart(z.File, file.Size); err != nil {
		return err
	}
	for _, f := range z.File {
		if err := w.Entry(); err != nil {
			return err
		}
		mode := f.FileInfo().Mode()
		if mode.IsDir() {
			continue
		}
		m := container.Member{Modified: modified(f)}
		switch {
		case !mode.IsRegular():
			m.Problem = fmt.Errorf("%w but a link or a device", container.ErrNoFile)
		case f.Flags&flagEncrypted != 0 || f.Method == methodAES:
			m.Problem = container.ErrEncrypted
		case f.Method != zip.Store && f.Method != zip.Deflate:
			m.Problem = fmt.Errorf("%w: method %d of ZIP", container.ErrMethod, f.Method)
		}
		taken := func() int64 { return int64(min(f.CompressedSize64, uint64(file.Size))) }
		if err := w.File(m, f.Name, taken, f.Open); err != nil {
			return err
		}
	}
	return nil
}

// hidden fails when a file whose directory names no members begins with one: a
// second directory, in the comment of the first, stands before it.
func hidden(file container.File) error {
	head := make([]byte, len(magicFile))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return container.Fault(err)
	}
	if string(head) == magicFile {
		return fmt.Errorf("%w: it holds members, and its directory names none", container.ErrDamaged)
	}
	return nil
}

// modified returns a member's date. The first moment that a date of DOS can say
// stands for none, as does one without a day.
func modified(f *zip.File) time.Time {
	if f.Modified.Before(time.Date(1980, 1, 1, 0, 0, 1, 0, time.UTC)) {
		return time.Time{}
	}
	return f.Modified
}

// directoryBytes is what an entry of the directory may take in the mean, its
// name and comment included.
const directoryBytes = 1 << 10

// budget bounds how much of a file is read for its directory, and how many
// entries that may be: the library keeps all of them in memory, whatever number
// the end of the directory claims.
type budget struct {
	io.ReaderAt
	left    int64
	entries int64 // generous: what is read twice, or only looks like an entry, counts too
	ended   bool
}

func (b *budget) ReadAt(p []byte, at int64) (int, error) {
	if b.ended {
		return b.ReaderAt.ReadAt(p, at)
	}
	n, err := b.ReaderAt.ReadAt(p, at)
	b.left -= int64(n)
	b.entries -= int64(bytes.Count(p[:n], []byte("PK\x01\x02")))
	if b.left < 0 || b.entries < 0 {
		return 0, fmt.Errorf("%w: the directory is too large", container.ErrLimit)
	}
	return n, err
}

// apart fails when members share bytes of the file: the way to make an archive
// that holds more than any ratio betrays.
func apart(files []*zip.File, size int64) error {
	type span struct {
		from, to int64
		name     string
	}
	var spans []span
	for _, f := range files {
		from, err := f.DataOffset()
		if err != nil {
			continue // opening it says so again
		}
		if f.CompressedSize64 > uint64(size) || from > size-int64(f.CompressedSize64) {
			return fmt.Errorf("%w: %s is said to lie beyond the end", container.ErrDamaged, container.Show(f.Name))
		}
		if f.CompressedSize64 > 0 {
			spans = append(spans, span{from, from + int64(f.CompressedSize64), f.Name})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return int(min(max(a.from-b.from, -1), 1)) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return fmt.Errorf("%w: %s and %s share bytes", container.ErrLimit, container.Show(spans[i-1].name), container.Show(spans[i].name))
		}
	}
	return nil
}
