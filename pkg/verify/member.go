package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// maxContents bounds what is read out of one container, in bytes: far more than a
// capture takes of one, and far less than one that is made to hurt can hold. What
// lies behind has no hash.
const maxContents = 64 << 30

// Members remembers what lies in the container that was read last: its members
// are verified one after the other. Its zero value is ready for use.
type Members struct {
	mu     sync.Mutex
	of     string            // content_hash of the container
	hashes map[string]string // by path
}

// MemberDigest implements proof.Reader.
func (r *Reader) MemberDigest(ctx context.Context, parent model.Snapshot, path string) (string, error) {
	m := r.Members
	if m == nil {
		m = new(Members)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if key := parent.SourceID + "/" + parent.ContentHash; m.of != key {
		hashes, err := r.contents(ctx, parent)
		if damage := damageOf(err); damage != nil { // its record may name what is no container
			return "", fmt.Errorf("%w: container %s cannot be read: %w", proof.ErrGone, parent.SnapshotID, damage)
		}
		if err != nil {
			return "", fmt.Errorf("reading container %s: %w", parent.SnapshotID, err)
		}
		m.of, m.hashes = key, hashes
	}
	hash, ok := m.hashes[path]
	if !ok {
		return "", fmt.Errorf("%w: container %s has no member %s", proof.ErrGone, parent.SnapshotID, path)
	}
	return hash, nil
}

// contents reads a container and returns the content hashes of its members by
// path. What cannot be read of it has none.
func (r *Reader) contents(ctx context.Context, parent model.Snapshot) (map[string]string, error) {
	key, err := rawKey(parent)
	if err != nil {
		return nil, err
	}
	raw, err := r.Blobs.GetFile(ctx, blobstore.Raw, key, "", 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = raw.Close() }()
	file := container.File{ReaderAt: raw, Size: raw.Size, Type: parent.FinalType, Name: parent.Filename}
	return hashesOf(ctx, r.Containers, file, maxContents)
}

// hashesOf returns the content hashes of the members of a container by path, up to where
// more than most bytes have come out of it: what lies behind is not read.
func hashesOf(ctx context.Context, kinds container.Kinds, file container.File, most int64) (map[string]string, error) {
	hashes := make(map[string]string)
	// What its members may be was decided when it was captured.
	limits := container.Limits{Entries: math.MaxInt32, Total: most, Member: most, Spent: new(container.Spent)}
	_, err := kinds.Each(ctx, file, limits, func(m container.Member) error {
		hash, err := hashOf(m)
		switch {
		case scratch.Failed(err):
			return err
		case errors.Is(err, container.ErrLimit) && limits.Spent.Bytes > most: // each record after this one would be decompressed, too
			return err
		case err == nil:
			hashes[m.Path] = hash
		}
		return nil
	})
	if container.Known(err) { // the container's, as it was at its capture
		err = nil
	}
	return hashes, err
}

// hashOf returns the content hash of a member.
func hashOf(m container.Member) (string, error) {
	r, err := m.Open()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, r)
	return digest.ContentOfSum([sha256.Size]byte(h.Sum(nil))), errors.Join(err, r.Close())
}
