// Package container walks the members of containers. Which kinds of containers there are
// says package kinds; each kind is a package of its own, which knows how its members lie
// in a file. What all kinds have in common is here: Each, the bounds, and the names.
//
// Nothing of a container is believed: what comes out of it is counted, not what
// it says of itself; its names are never names of files of ours; and a member
// that cannot be read is reported while the walk goes on.
package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// File is a container.
type File struct {
	io.ReaderAt
	Size int64           // bytes
	Type model.FinalType // what typing has made of it
	Name string          // its file name, of which that of a single file within gzip is made
}

// Kind is a kind of container.
type Kind struct {
	Type model.FinalType // of its files: kinds that share one are told apart by Begins
	// Begins reports whether a file begins as one of this kind; an error is the file's own.
	Begins func(File) (bool, error)
	// Walk hands the members of a file to the Walk, in the file's order. Its error is one
	// of those below, the Walk's own, or the *scratch.Error of the file.
	Walk func(*Walk, File) error
}

// Kinds are kinds of containers, in the order in which they are asked.
type Kinds []Kind

// Limits bound what a container may make us do. Containers that share Spent share
// the bounds of entries and bytes: those within each other must, since each could
// hold as many as the first.
type Limits struct {
	Entries int    // members, also those that are folders
	Total   int64  // bytes of all members
	Member  int64  // bytes of one file of an archive; a record is bounded by who reads it
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
	if n > l.Total-l.Spent.Bytes { // a record may say any length
		l.Spent.Bytes = max(l.Spent.Bytes, l.Total+1)
		return fmt.Errorf("%w: more than %d bytes in all", ErrLimit, l.Total)
	}
	l.Spent.Bytes += n
	return nil
}

// The errors of a member, and of a whole container.
var (
	ErrLimit     = errors.New("above the limit")                                // entries, bytes, ratio, or members that share bytes
	ErrBomb      = errors.New("what it decompresses to grows beyond the limit") // a record
	ErrEncrypted = errors.New("it is encrypted")                                // a member that needs a password
	ErrDamaged   = errors.New("it cannot be read")                              // torn or inconsistent
	ErrMethod    = errors.New("its method is not known")                        // of compression
	ErrNoFile    = errors.New("it is no file")                                  // a link or a device
	ErrElsewhere = errors.New("its payload is not in the archive")              // a record that only refers to another one
)

// Known reports whether an error is one of those above: the container's, not this machine's.
func Known(err error) bool {
	for _, known := range []error{ErrLimit, ErrBomb, ErrEncrypted, ErrDamaged, ErrMethod, ErrNoFile, ErrElsewhere} {
		if errors.Is(err, known) {
			return !scratch.Failed(err)
		}
	}
	return false
}

// Member is one document of a container: a file, or what a crawler has recorded.
type Member struct {
	Path     string    // no other member of the container has it: see Escape; of a record "@" and its place
	Name     string    // its name to be shown: valid UTF-8, of a very long one the end
	Modified time.Time // of a file; zero when the container does not say
	Record   *Record   // nil for a file
	Problem  error     // why it cannot be read; nil when Open may be called

	open   func() (io.ReadCloser, error)
	taken  func() int64 // bytes of the container that a file takes, as far as read; nil for a record
	limits Limits
}

// Record is what a web archive says of the capture of a document.
type Record struct {
	URL         string      // as the archive has it: not always one that can be fetched
	ID          string      // without angle brackets; "" when it has none
	At          time.Time   // zero when it does not say
	Status      int         // of the HTTP response; 0 without one
	Header      http.Header // of the HTTP response
	ContentType string      // of a document that is no HTTP response
	Truncated   bool        // the archive ends the document early, and says so
}

// Open returns the member's bytes, until the next member is visited. Reading ends with
// ErrLimit or ErrBomb when too much comes out, and with ErrDamaged when what comes out is
// wrong.
func (m Member) Open() (io.ReadCloser, error) {
	if m.Problem != nil {
		return nil, m.Problem
	}
	r, err := m.open()
	if err != nil {
		return nil, Fault(err)
	}
	return &bounded{ReadCloser: r, limits: m.limits, taken: m.taken}, nil
}

// Rest says what a container holds beside its members.
type Rest struct {
	Passed  int    // records that are no documents
	Damaged int    // places that cannot be read
	First   string // of them
}

// Each calls visit for each member of a container, in the container's order, folders left
// out. An error of visit ends the walk and comes back as it is, as the context's cause
// does: the same file walked again has the same members under the same paths. Any other
// error is one of the errors above, or the *scratch.Error of the file.
func (k Kinds) Each(ctx context.Context, f File, limits Limits, visit func(Member) error) (Rest, error) {
	kind, err := k.of(f)
	if err != nil {
		return Rest{}, err
	}
	if limits.Spent == nil {
		limits.Spent = new(Spent)
	}
	w := &Walk{Limits: limits, ctx: ctx, visit: visit, seen: make(map[string]int)}
	err = kind.Walk(w, f)
	return w.rest, err
}

// of returns the kind of a file. Where there is one of its type only, that kind says
// itself what is wrong with a file that does not begin as it should.
func (k Kinds) of(f File) (Kind, error) {
	var typed Kinds
	for _, kind := range k {
		if kind.Type == f.Type {
			typed = append(typed, kind)
		}
	}
	if len(typed) == 1 {
		return typed[0], nil
	}
	for _, kind := range typed {
		if begins, err := kind.Begins(f); begins || err != nil {
			return kind, err
		}
	}
	return Kind{}, fmt.Errorf("%w: it does not begin as a container does", ErrDamaged)
}
