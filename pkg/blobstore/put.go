package blobstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"
)

// What a store does with the condition of a PUT.
const (
	unknown int32 = iota
	obeyed
	ignored
)

// askFirst is the size in bytes from which a question costs less than sending
// what may be refused.
const askFirst = 256 << 10

// ownPrefix holds what the store keeps for itself, which is probeKey alone: List leaves
// that out, and nothing else.
const (
	ownPrefix = ".colophon/"
	probeKey  = ownPrefix + "probe"
)

// Probe finds out whether the store obeys If-None-Match: *, by putting one small
// object into the bucket twice; the object stays, so that no permission to
// delete is needed. Callers log the result at start. Without it the first
// PutOnce asks.
func (s *Store) Probe(ctx context.Context, b Bucket) (conditional bool, err error) {
	if err := s.probe(ctx, b); err != nil {
		return false, fmt.Errorf("probing bucket %s: %w", s.name(b), classify(ctx, b, err))
	}
	return s.conditional.Load() == obeyed, nil
}

// probe returns errors of the driver as they are.
func (s *Store) probe(ctx context.Context, b Bucket) error {
	const key, text = probeKey, "colophon\n"
	for range 2 { // the first may make the object, the second meets it
		_, err := s.client.Client.PutObject(ctx, s.name(b), key, strings.NewReader(text), int64(len(text)), putOptions("text/plain", true))
		switch {
		case is(err, http.StatusPreconditionFailed):
			s.conditional.Store(obeyed)
			return nil
		case is(err, http.StatusNotImplemented): // refuses the header altogether
			s.conditional.Store(ignored)
			return nil
		case err != nil:
			return err
		}
	}
	s.conditional.Store(ignored)
	return nil
}

// PutOnce stores data under the key unless an object is there, which then stays
// as it is. created tells whether this call stored it; it may be false for the
// one that did when an answer was lost on the way, and several callers may be
// told true by a store that ignores conditions: nothing may depend on it but
// statistics. When PutOnce returns nil an object is under the key. Repeating it
// is harmless.
func (s *Store) PutOnce(ctx context.Context, b Bucket, key string, data []byte, contentType string) (created bool, err error) {
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	return s.putOnce(ctx, limited, b, key, bytes.NewReader(data), int64(len(data)), contentType)
}

// PutOnceFile is PutOnce for the first size bytes of an open file, read as they
// are sent. The file is not closed. From 5 GiB on it goes in parts, and two
// callers at once may both store it.
func (s *Store) PutOnceFile(ctx context.Context, b Bucket, key string, file io.ReaderAt, size int64, contentType string) (created bool, err error) {
	return s.putOnce(ctx, ctx, b, key, io.NewSectionReader(file, 0, size), size, contentType)
}

// putOnce puts body within the time of limited. What it finds in its place it
// adopts.
func (s *Store) putOnce(ctx, limited context.Context, b Bucket, key string, body io.ReadSeeker, size int64, contentType string) (created bool, err error) {
	created, err = s.put(limited, b, key, body, size, contentType)
	if err == nil && !created && s.config.Adopt != nil {
		var orphan bool
		if orphan, err = s.config.Adopt(limited, b, key); err != nil {
			return false, fmt.Errorf("putting %s/%s: %w", b, key, err)
		}
		if orphan {
			created, err = s.putIfGone(limited, b, key, body, size, contentType)
		}
	}
	if err != nil {
		return false, fmt.Errorf("putting %s/%s: %w", b, key, classify(ctx, b, s.explain(limited, b, key, err)))
	}
	return created, nil
}

// putIfGone returns errors of the driver as they are.
func (s *Store) putIfGone(ctx context.Context, b Bucket, key string, body io.ReadSeeker, size int64, contentType string) (bool, error) {
	if there, err := s.exists(ctx, b, key); there || err != nil {
		return false, err
	}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	return s.put(ctx, b, key, body, size, contentType)
}

// put returns errors of the driver as they are.
func (s *Store) put(ctx context.Context, b Bucket, key string, body io.Reader, size int64, contentType string) (bool, error) {
	if s.config.WriteOnly {
		opts := putOptions(contentType, false)
		opts.DisableMultipart = size < singlePutLimit
		_, err := s.client.Client.PutObject(ctx, s.name(b), key, body, size, opts)
		return err == nil, err
	}
	if s.conditional.Load() == unknown {
		if err := s.probe(ctx, b); err != nil {
			return false, err
		}
	}
	conditional := s.conditional.Load() == obeyed && size < singlePutLimit
	if !conditional || size > askFirst {
		if there, err := s.exists(ctx, b, key); there || err != nil {
			return false, err
		}
	}
	opts := putOptions(contentType, conditional)
	opts.DisableMultipart = size < singlePutLimit
	_, err := s.client.Client.PutObject(ctx, s.name(b), key, body, size, opts)
	var answer minio.ErrorResponse
	switch {
	case err == nil:
		return true, nil
	case is(err, http.StatusPreconditionFailed):
		return false, nil
	case conditional && !errors.As(err, &answer) && ctx.Err() == nil:
		// A store that refuses before it has read everything may cut the
		// connection, and its answer is lost.
		if there, _ := s.exists(ctx, b, key); there {
			return false, nil
		}
	}
	return false, err
}

// exists returns errors of the driver as they are.
func (s *Store) exists(ctx context.Context, b Bucket, key string) (bool, error) {
	_, err := s.client.StatObject(ctx, s.name(b), key, minio.StatObjectOptions{})
	if is(err, http.StatusNotFound) {
		return false, nil
	}
	return err == nil, err
}

// putOptions sends the payload unsigned with a checksum behind it: signing would
// read it twice, and some stores fail on signed chunks.
func putOptions(contentType string, conditional bool) minio.PutObjectOptions {
	opts := minio.PutObjectOptions{ContentType: contentType, DisableContentSha256: true, PartSize: partSize}
	if conditional {
		opts.SetMatchETagExcept("*")
	}
	return opts
}
