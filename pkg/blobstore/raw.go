package blobstore

import (
	"context"
	"io"
	"os"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// FetchRaw writes the captured bytes of a snapshot to a new file at path,
// verified: with anything but nil there is no such file. Bytes that are lost or
// damaged are an error of [Lost]. A file that cannot be written, as on a full disk, is Unavailable: it is the
// machine's, and no document's, fault.
func (s *Store) FetchRaw(ctx context.Context, snap model.Snapshot, path string) error {
	key, err := RawKey(snap.SourceID, snap.ContentHash)
	if err != nil {
		return fault.Permanent(fault.Internal, err)
	}
	if err := s.download(ctx, Raw, key, snap.ContentHash, path); err != nil {
		_ = os.Remove(path) // it may not exist
		err = rawError(snap, err)
		if scratch.Failed(err) {
			err = fault.Unavailable(err)
		}
		return err
	}
	return nil
}

// ReadRaw is FetchRaw into memory, for small documents.
func (s *Store) ReadRaw(ctx context.Context, snap model.Snapshot) ([]byte, error) {
	key, err := RawKey(snap.SourceID, snap.ContentHash)
	if err != nil {
		return nil, fault.Permanent(fault.Internal, err)
	}
	data, err := s.Get(ctx, Raw, key, snap.ContentHash)
	if err != nil {
		return nil, rawError(snap, err)
	}
	return data, nil
}

// rawError says whose bytes cannot be read.
func rawError(snap model.Snapshot, err error) error {
	return Lost(err, "the captured bytes of "+snap.SnapshotID)
}

func (s *Store) download(ctx context.Context, b Bucket, key, want, path string) error {
	f, err := s.getFile(ctx, b, key, want, 0, func() (*scratch.File, error) { return scratch.CreateAt(path) })
	if err != nil {
		return err
	}
	return f.Close()
}

// Copy writes an object's bytes to w and returns their sha256 as hex digits and
// their number. It verifies nothing: for verify, which compares by itself.
func (s *Store) Copy(ctx context.Context, b Bucket, key string, w io.Writer) (sum string, n int64, err error) {
	f, err := s.GetFile(ctx, b, key, "", 0)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	n, err = io.Copy(w, f)
	return f.SHA256, n, err
}

// PutFacts stores the packed facts of a document once, under the digest of their
// bytes, and returns key and digest.
func (s *Store) PutFacts(ctx context.Context, snap model.Snapshot, extractionID string, packed []byte) (key, sum string, err error) {
	sum = digest.Hex(packed)
	key = FactsKey(snap.SourceID, extractionID, snap.SnapshotID, sum)
	_, err = s.PutOnce(ctx, Derived, key, packed, "application/zstd")
	return key, sum, err
}

// PutOCR stores an OCR result once under the digest of what was asked for, and
// returns its key and the hex sha256 of the object that is there then: of
// several that were read at once, the first.
func (s *Store) PutOCR(ctx context.Context, sourceID, engine, version, sum string, packed []byte) (key, stored string, err error) {
	key = OCRKey(sourceID, engine, version, sum)
	created, err := s.PutOnce(ctx, Derived, key, packed, "application/zstd")
	if err != nil || created {
		return key, digest.Hex(packed), err
	}
	there, err := s.Get(ctx, Derived, key, "")
	return key, digest.Hex(there), err
}

// PutLLM stores what a model said once under the digest of what it was asked, and returns its key,
// the object that is there then, of several the first, and its hex sha256.
func (s *Store) PutLLM(ctx context.Context, sourceID, modelName, promptVersion, sum string, said []byte) (key string, there []byte, stored string, err error) {
	key = LLMKey(sourceID, modelName, promptVersion, sum)
	created, err := s.PutOnce(ctx, Derived, key, said, "application/json")
	if err != nil || created {
		return key, said, digest.Hex(said), err
	}
	there, err = s.Get(ctx, Derived, key, "")
	return key, there, digest.Hex(there), err
}

// GetOCR returns the stored OCR result that a page names.
func (s *Store) GetOCR(ctx context.Context, sourceID string, read model.PageOCR) ([]byte, error) {
	return s.Get(ctx, Derived, OCRKey(sourceID, read.Engine, read.Version, read.Key), read.Digest)
}

// KeyOfSegment returns the key under which PutSegment stores.
func (s *Store) KeyOfSegment(row model.SegmentRow, sourceID string) string {
	return SegmentKey(sourceID, row.ExtractionID, row.SnapshotID, row.From, row.To, row.Digest)
}

// PutSegment stores an IR segment once and returns its key.
func (s *Store) PutSegment(ctx context.Context, row model.SegmentRow, sourceID string, data []byte) (string, error) {
	key := s.KeyOfSegment(row, sourceID)
	_, err := s.PutOnce(ctx, Derived, key, data, "application/zstd")
	return key, err
}
