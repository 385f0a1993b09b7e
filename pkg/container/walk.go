package container

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/colophon-dev/colophon/pkg/scratch"
)

// The ratio of bytes out to bytes in that is refused once freeBytes have come
// out: no document that was written to be read has it.
const (
	maxRatio  = 200
	freeBytes = 4 << 20
)

// Grown returns an error that is above when no document has as many bytes out of so few.
func Grown(out, in int64, above error) error {
	if out > freeBytes && out/maxRatio > in {
		return fmt.Errorf("%w: %d bytes from %d", above, out, in)
	}
	return nil
}

// Walk is one walk over a container, as its kind sees it.
type Walk struct {
	Limits

	ctx   context.Context
	visit func(Member) error
	seen  map[string]int // paths of files, with how often they came
	rest  Rest
}

// Ended returns why the walk is to end now, if it is: its context has ended.
func (w *Walk) Ended() error { return context.Cause(w.ctx) }

// Entry takes an entry before what it is is known; ErrLimit when there are too many.
func (w *Walk) Entry() error {
	if err := w.Ended(); err != nil {
		return err
	}
	return w.Count()
}

// File hands over a file under its name. A path that came before gets a number, so that
// no two members have the same one. taken says how many bytes of the container the file
// takes, as far as it is read.
func (w *Walk) File(m Member, name string, taken func() int64, open func() (io.ReadCloser, error)) error {
	m.Path, m.Name = escapePath(name), Show(end(name))
	w.seen[m.Path]++
	if n := w.seen[m.Path]; n > 1 {
		m.Path = fmt.Sprintf("%s~%d", m.Path, n)
	}
	m.limits, m.taken, m.open = w.Limits, taken, open
	if err := w.visit(m); err != nil {
		return err
	}
	return w.Take(0)
}

// Record hands over a record, which has its path, and of which its kind bounds the ratio.
func (w *Walk) Record(m Member, open func() (io.ReadCloser, error)) error {
	m.limits, m.open = w.Limits, open
	return w.visit(m)
}

// Pass goes over n bytes that are no document.
func (w *Walk) Pass(n int64) error {
	w.rest.Passed++
	return w.Take(n)
}

// Damage notes a place that cannot be read.
func (w *Walk) Damage(what error) {
	if w.rest.Damaged++; w.rest.Damaged == 1 {
		w.rest.First = what.Error()
	}
}

// bounded takes what is read from the limits.
type bounded struct {
	io.ReadCloser
	limits Limits
	taken  func() int64 // nil for a record
	out    int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.out += int64(n)
	above := b.limits.Take(int64(n))
	if b.taken != nil && b.out > b.limits.Member {
		above = fmt.Errorf("%w: more than %d bytes", ErrLimit, b.limits.Member)
	}
	if above == nil && b.taken != nil {
		above = Grown(b.out, b.taken(), ErrLimit)
	}
	switch {
	case above != nil:
		return 0, above
	case err != nil && !errors.Is(err, io.EOF):
		return n, Fault(err)
	}
	return n, err
}

// Fault calls an error that is none of ours one of ErrDamaged; what is ours already, and
// what is no fault of the container but of the file that holds it, stays.
func Fault(err error) error {
	if Known(err) || scratch.Failed(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
