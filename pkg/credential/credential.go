// Package credential holds what a process proves itself with to its stores, and the
// stores to it: passwords, keys and certificates in files that may change at any
// moment, as those of mounted Kubernetes Secrets do.
//
// What is made of files is kept as it was made. When the files change it is made
// again; files that are missing, half-written or wrong leave what there was in use,
// and the log says so once. Files are compared by their bytes, since a mounted Secret
// is changed by turning a symbolic link, under which times and sizes may be equal.
// No error and no log line holds what a file holds.
package credential

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// checkEvery is how often files are looked at: often beside the minute that a
// platform takes to bring a changed Secret to its mounts, and so rarely that reading a
// dozen small files costs nothing.
const checkEvery = 5 * time.Second

const (
	// fileLimit bounds a file, in bytes. A bundle of all public authorities has 250 KB.
	fileLimit = 4 << 20
	// readings is how often files are read that change meanwhile, before they are left for
	// the next look.
	readings = 3
)

// ErrFile is every error about what a file should hold: it is missing, cannot be read,
// or holds something else. A later look may find it well.
var ErrFile = errors.New("credentials cannot be used")

// errNotRead is for who asks what is in use before anybody has read it.
var errNotRead = fmt.Errorf("%w: they were not read yet", ErrFile)

// Read returns what a file holds. Its errors are ErrFile.
type Read = func(path string) ([]byte, error)

// Options of Watch.
type Options struct {
	Store string        // whose credentials these are, for the log
	Every time.Duration // between two looks at the files; 0 means checkEvery
	Log   *slog.Logger  // nil: quiet
}

// Watched is a value that is made of files, and made again when they change. It is safe
// for concurrent use.
type Watched[T any] struct {
	options Options
	build   func(read Read) (T, error)
	kicked  chan struct{} // holds one when Keep is to look at once

	mu        sync.Mutex
	used      *reading[T] // nil: the files could not be read yet
	why       error       // what is wrong with the files as they were looked at last
	looked    time.Time
	complaint string // what the log says of the files as they are
}

// reading is a value and the digests of the files that it was made of.
type reading[T any] struct {
	value T
	files map[string][sha256.Size]byte
}

// Watch returns a value that build makes. It reads files through read alone, and may
// read others each time. Nothing is read yet.
func Watch[T any](o Options, build func(read Read) (T, error)) *Watched[T] {
	if o.Every <= 0 {
		o.Every = checkEvery
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Watched[T]{options: o, build: build, kicked: make(chan struct{}, 1), why: errNotRead}
}

// Now returns the value of the files as they were at most Options.Every ago. Where they
// are not well it is the value from when they were; an error, which is Unavailable, says
// that they never were.
func (w *Watched[T]) Now() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.used != nil && (len(w.used.files) == 0 || time.Since(w.looked) < w.options.Every) {
		return w.used.value, nil
	}
	return w.latest()
}

// Latest is Now of the files as they are at this moment.
func (w *Watched[T]) Latest() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.latest()
}

func (w *Watched[T]) latest() (T, error) {
	if found, changed := w.look(); changed {
		w.use(found)
	}
	return w.inUse()
}

// Used returns the value in use, without a look at the files. Errors are those of Now.
func (w *Watched[T]) Used() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inUse()
}

// inUse is Used. w.mu is held.
func (w *Watched[T]) inUse() (T, error) {
	if w.used == nil {
		var none T
		return none, fault.Unavailable(fmt.Errorf("%s: %w", w.options.Store, w.why))
	}
	return w.used.value, nil
}

// OfFiles reports whether there are files to look at, or may be, where nothing could be
// read yet.
func (w *Watched[T]) OfFiles() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.used == nil || len(w.used.files) > 0
}

// Doubt lets the next Now look at the files, however short ago they were looked at: the
// store does not take what they held.
func (w *Watched[T]) Doubt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = time.Time{}
}

// Kick lets Keep look at the files at once.
func (w *Watched[T]) Kick() {
	select {
	case w.kicked <- struct{}{}:
	default:
	}
}

// Keep looks at the files every Options.Every until ctx ends. A changed value is tried,
// and when try returns nil it is the one in use, and begin is told of it; where there is
// none in use yet it is not tried before. What try does not take is tried again at each
// look, and the log says so once.
func (w *Watched[T]) Keep(ctx context.Context, try func(ctx context.Context, value T) error, begin func(value T)) {
	ticker := time.NewTicker(w.options.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.kicked:
		case <-ticker.C:
		}
		w.mu.Lock()
		found, changed := w.look()
		first := w.used == nil
		w.mu.Unlock()
		if !changed {
			continue
		}
		var err error
		if !first {
			err = try(ctx, found.value)
		}
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		if err != nil {
			w.complain(fmt.Sprintf("not taken: %x", found.files), err)
			w.mu.Unlock()
			continue
		}
		w.use(found)
		w.mu.Unlock()
		begin(found.value)
	}
}

// use takes what was found. w.mu is held.
func (w *Watched[T]) use(found *reading[T]) {
	if w.used != nil {
		w.options.Log.Info("credentials have changed", slog.String("store", w.options.Store))
	}
	w.used, w.complaint = found, ""
}

// look makes the value anew when the files are not those of the value in use. changed
// is false where they are not well. w.mu is held.
func (w *Watched[T]) look() (found *reading[T], changed bool) {
	w.looked = time.Now()
	if w.used != nil && w.used.stands() {
		w.complaint = ""
		return w.used, false
	}
	if found, w.why = w.read(); w.why != nil {
		w.complain(w.why.Error(), w.why)
		return nil, false
	}
	return found, true
}

// read makes a value of files that do not change while they are read: a key of before
// goes with no certificate of now.
func (w *Watched[T]) read() (*reading[T], error) {
	for range readings {
		found := &reading[T]{files: make(map[string][sha256.Size]byte)}
		var err error
		found.value, err = w.build(func(path string) ([]byte, error) {
			data, err := readFile(path)
			if err == nil {
				found.files[path] = sha256.Sum256(data)
			}
			return data, err
		})
		if err != nil {
			return nil, err
		}
		if found.stands() {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%w: the files change while they are read", ErrFile)
}

// stands reports whether all files are as they were read.
func (r *reading[T]) stands() bool {
	for path, sum := range r.files {
		data, err := readFile(path)
		if err != nil || sha256.Sum256(data) != sum {
			return false
		}
	}
	return true
}

// complain logs once why the files are not used as they are. w.mu is held.
func (w *Watched[T]) complain(key string, err error) {
	if w.complaint == key {
		return
	}
	w.complaint = key
	text := "changed credentials are not used, those of before are"
	if w.used == nil {
		text = "there are no credentials yet"
	}
	w.options.Log.Warn(text, slog.String("store", w.options.Store), slog.Any("error", err)) //nolint:sloglint // one of two constants
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, fileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if len(data) > fileLimit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", ErrFile, path, fileLimit)
	}
	return data, nil
}

// Text returns value, or, when path is not empty, what that file holds, without line
// breaks at its end. A file that holds nothing is ErrFile.
func Text(read Read, value, path string) (string, error) {
	if path == "" {
		return value, nil
	}
	data, err := read(path)
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(data), "\r\n")
	if text == "" {
		return "", fmt.Errorf("%w: %s is empty", ErrFile, path)
	}
	return text, nil
}
