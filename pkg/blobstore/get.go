package blobstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/colophon-dev/colophon/pkg/scratch"
)

// Object is what the store knows of an object.
type Object struct {
	Key      string
	Size     int64 // bytes
	Modified time.Time
}

// reads is how often an object is read before other bytes than those of its digest
// count as its own: some may have been spoilt on the way.
const reads = 3

// Get returns an object's bytes. want is their sha256 as 64 hex digits, with or
// without sha256: in front; other bytes are ErrDamaged. want is empty only for
// what has no recorded digest yet: a stored result that waits for its row.
// Large objects go through GetFile.
func (s *Store) Get(ctx context.Context, b Bucket, key, want string) ([]byte, error) {
	for range reads {
		data, err := s.get(ctx, b, key, minio.GetObjectOptions{})
		if err != nil {
			return nil, fmt.Errorf("reading %s/%s: %w", b, key, err)
		}
		sum := sha256.Sum256(data)
		if matches(hex.EncodeToString(sum[:]), want) {
			return data, nil
		}
	}
	return nil, fmt.Errorf("reading %s/%s: %w", b, key, ErrDamaged)
}

// GetRange returns the n bytes of an object from offset off on. They cannot be
// verified here: the caller knows the digest of the part, if any. An object
// that ends before off+n is io.ErrUnexpectedEOF.
func (s *Store) GetRange(ctx context.Context, b Bucket, key string, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 {
		return nil, fmt.Errorf("reading %s/%s: range of %d bytes at %d", b, key, n, off)
	}
	if n == 0 {
		return nil, nil
	}
	var opts minio.GetObjectOptions
	if err := opts.SetRange(off, off+n-1); err != nil {
		return nil, fmt.Errorf("reading %s/%s: %w", b, key, err)
	}
	data, err := s.get(ctx, b, key, opts)
	switch {
	case is(err, http.StatusRequestedRangeNotSatisfiable) || (err == nil && int64(len(data)) < n):
		err = io.ErrUnexpectedEOF
	case err == nil && int64(len(data)) > n:
		err = errors.New("the object store ignores ranges")
	}
	if err != nil {
		return nil, fmt.Errorf("reading %d bytes at %d of %s/%s: %w", n, off, b, key, err)
	}
	return data, nil
}

// get reads a whole answer into memory.
func (s *Store) get(ctx context.Context, b Bucket, key string, opts minio.GetObjectOptions) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	body, info, _, err := s.client.GetObject(limited, s.name(b), key, opts)
	if err != nil {
		return nil, classify(ctx, b, err)
	}
	defer func() { _ = body.Close() }()
	var data bytes.Buffer
	if info.Size > 0 && info.Size < math.MaxInt32 {
		data.Grow(int(info.Size) + bytes.MinRead) // so that it never grows again
	}
	if _, err := data.ReadFrom(body); err != nil {
		return nil, classify(ctx, b, err)
	}
	return data.Bytes(), nil
}

// File is a temporary file with an object's bytes. Its offset is at the start.
// Close ends it.
type File struct {
	*scratch.File
	Size   int64  // bytes
	SHA256 string // 64 hex digits
}

// fill reads r to its end into a temporary file and hashes it on the way. More than limit
// bytes are ErrTooLarge; a limit of 0 is none. With an error the file is closed, and
// nothing of it is left. Errors of r come back wrapped, those of the file are a *scratch.Error.
func fill(into *scratch.File, r io.Reader, limit int64) (*File, error) {
	file := &File{File: into}
	if limit > 0 && limit < math.MaxInt64 {
		r = io.LimitReader(r, limit+1)
	}
	hash := sha256.New()
	var err error
	file.Size, err = io.Copy(io.MultiWriter(into, hash), r)
	if err == nil && limit > 0 && file.Size > limit {
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	if err == nil {
		_, err = into.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("filling a temporary file: %w", err)
	}
	file.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return file, nil
}

// GetFile reads an object through a temporary file, which the caller closes.
// want is as in Get, and empty also for what a crawler handed over. More than
// limit bytes are ErrTooLarge, when the size is known before anything is read;
// a limit of 0 is none.
func (s *Store) GetFile(ctx context.Context, b Bucket, key, want string, limit int64) (*File, error) {
	return s.getFile(ctx, b, key, want, limit, func() (*scratch.File, error) { return scratch.Create(s.config.TempDir) })
}

// getFile is GetFile into a file that create makes.
func (s *Store) getFile(ctx context.Context, b Bucket, key, want string, limit int64, create func() (*scratch.File, error)) (*File, error) {
	for range reads {
		file, err := s.fill(ctx, b, key, limit, create)
		if err != nil {
			return nil, fmt.Errorf("reading %s/%s: %w", b, key, err)
		}
		if matches(file.SHA256, want) {
			return file, nil
		}
		_ = file.Close()
	}
	return nil, fmt.Errorf("reading %s/%s: %w", b, key, ErrDamaged)
}

func (s *Store) fill(ctx context.Context, b Bucket, key string, limit int64, create func() (*scratch.File, error)) (*File, error) {
	body, info, _, err := s.client.GetObject(ctx, s.name(b), key, minio.GetObjectOptions{})
	if err != nil {
		return nil, classify(ctx, b, err)
	}
	defer func() { _ = body.Close() }()
	if limit > 0 && info.Size > limit {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, info.Size, limit)
	}
	into, err := create()
	if err != nil {
		return nil, err
	}
	return fill(into, &classifying{ctx: ctx, bucket: b, body: body}, limit)
}

// classifying marks the errors of a body, so that they differ from those of the
// file that it is copied to.
type classifying struct {
	ctx    context.Context
	bucket Bucket
	body   io.Reader
}

func (c *classifying) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = classify(c.ctx, c.bucket, err)
	}
	return n, err
}

// matches reports whether a sha256 is the one that was asked for, if one was.
func matches(sum, want string) bool {
	return want == "" || strings.TrimPrefix(want, "sha256:") == sum
}

// ReaderAt reads parts of one object, each with a request of its own. It is safe
// for concurrent use.
type ReaderAt struct {
	ctx    context.Context
	store  *Store
	bucket Bucket
	key    string
	size   int64
}

// ReaderAt returns a reader of an object's parts; ctx ends all of its reads.
func (s *Store) ReaderAt(ctx context.Context, b Bucket, key string) (*ReaderAt, error) {
	object, err := s.Stat(ctx, b, key)
	if err != nil {
		return nil, err
	}
	return &ReaderAt{ctx: ctx, store: s, bucket: b, key: key, size: object.Size}, nil
}

// Size returns the object's size in bytes.
func (r *ReaderAt) Size() int64 { return r.size }

// ReadAt is io.ReaderAt.
func (r *ReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("reading %s/%s: offset %d", r.bucket, r.key, off)
	}
	n := min(int64(len(p)), max(r.size-off, 0))
	data, err := r.store.GetRange(r.ctx, r.bucket, r.key, off, n)
	if err == nil && n < int64(len(p)) {
		err = io.EOF
	}
	return copy(p, data), err
}

// Stat returns what the store knows of an object.
func (s *Store) Stat(ctx context.Context, b Bucket, key string) (Object, error) {
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	info, err := s.client.StatObject(limited, s.name(b), key, minio.StatObjectOptions{})
	if err != nil {
		return Object{}, fmt.Errorf("asking for %s/%s: %w", b, key, classify(ctx, b, s.explain(limited, b, key, err)))
	}
	return Object{Key: key, Size: info.Size, Modified: info.LastModified}, nil
}

// List yields the objects whose key starts with prefix, by key. After an error,
// which comes with an empty object, it ends.
func (s *Store) List(ctx context.Context, b Bucket, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for info := range s.client.ListObjectsIter(ctx, s.name(b), minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
			if info.Err != nil {
				yield(Object{}, fmt.Errorf("listing %s/%s: %w", b, prefix, classify(ctx, b, info.Err)))
				return
			}
			if info.Key == probeKey {
				continue
			}
			if !yield(Object{Key: info.Key, Size: info.Size, Modified: info.LastModified}, nil) {
				return
			}
		}
		if ctx.Err() != nil { // the driver ends without a word
			yield(Object{}, fmt.Errorf("listing %s/%s: %w", b, prefix, ctx.Err()))
		}
	}
}

// Delete removes an object; one that is not there is no error. For takedowns
// and orphans only.
func (s *Store) Delete(ctx context.Context, b Bucket, key string) error {
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	err := s.client.RemoveObject(limited, s.name(b), key, minio.RemoveObjectOptions{})
	if err != nil && !is(err, http.StatusNotFound) {
		return fmt.Errorf("deleting %s/%s: %w", b, key, classify(ctx, b, err))
	}
	return nil
}
