package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/container/archive"
	"github.com/colophon-dev/colophon/pkg/container/warc"
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
func (r *Reader) MemberDigest(ctx context.Context, container model.Snapshot, path string) (string, error) {
	m := r.Members
	if m == nil {
		m = new(Members)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if key := container.SourceID + "/" + container.ContentHash; m.of != key {
		hashes, err := r.contents(ctx, container)
		if damage := damageOf(err); damage != nil { // its record may name what is no container
			return "", fmt.Errorf("%w: container %s cannot be read: %w", proof.ErrGone, container.SnapshotID, damage)
		}
		if err != nil {
			return "", fmt.Errorf("reading container %s: %w", container.SnapshotID, err)
		}
		m.of, m.hashes = key, hashes
	}
	hash, ok := m.hashes[path]
	if !ok {
		return "", fmt.Errorf("%w: container %s has no member %s", proof.ErrGone, container.SnapshotID, path)
	}
	return hash, nil
}

// contents reads a container and returns the content hashes of its members by
// path. What cannot be read of it has none.
func (r *Reader) contents(ctx context.Context, container model.Snapshot) (map[string]string, error) {
	key, err := rawKey(container)
	if err != nil {
		return nil, err
	}
	file, err := r.Blobs.GetFile(ctx, blobstore.Raw, key, "", 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	hashes := make(map[string]string)
	if container.FinalType == model.TypeWARC {
		return hashes, recordsOf(file, file.Size, hashes)
	}
	kind, err := archive.Sniff(file, file.Size)
	if err != nil {
		return nil, err
	}
	// What its members may be was decided when it was captured.
	limits := archive.Limits{Entries: math.MaxInt32, Total: maxContents, Member: maxContents}
	err = archive.Walk(kind, file, file.Size, container.Filename, limits, func(m archive.Member) error {
		content, err := m.Open()
		if err != nil {
			return ours(err)
		}
		hash, _, err := hashOf(content)
		if err := ours(err); err != nil {
			return errors.Join(err, content.Close())
		}
		if closed := content.Close(); err == nil && closed == nil {
			hashes[m.Path] = hash
		}
		return nil
	})
	for _, fault := range []error{archive.ErrDamaged, archive.ErrLimit, archive.ErrMethod} {
		if errors.Is(err, fault) {
			err = nil // the container's, as it was at its capture
		}
	}
	return hashes, err
}

// recordsOf adds the payloads of an archive's records. A revisit record has the
// payload of the record that it refers to.
func recordsOf(file io.ReaderAt, size int64, hashes map[string]string) error {
	reader, err := warc.NewReader(file, size)
	if err != nil {
		return fmt.Errorf("%w: %w", proof.ErrGone, err)
	}
	known := make(map[string]string) // hashes by record id, and by target and date
	type revisit struct{ path, key string }
	var revisits []revisit
	for left := int64(maxContents); ; {
		record, err := reader.Next()
		var damage *warc.Damage
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, warc.ErrDamaged), left <= 0:
			for _, v := range revisits {
				if hash, ok := known[v.key]; ok {
					hashes[v.path] = hash
				}
			}
			return nil
		case errors.As(err, &damage):
			continue
		case err != nil:
			return err
		}
		path := "@" + record.Place.String()
		if record.Type() == warc.TypeRevisit {
			id, target, at := record.RefersTo()
			if id == "" {
				id = target + " " + at.String()
			}
			revisits = append(revisits, revisit{path, id})
			continue
		}
		payload := record.Block
		if record.HasResponse() {
			answer, err := record.Response()
			if err := ours(err); err != nil {
				return err
			}
			if err != nil {
				continue
			}
			payload = answer.Body
		}
		hash, n, err := hashOf(payload)
		left -= n
		switch {
		case ours(err) != nil:
			return err
		case err != nil:
			continue
		}
		hashes[path] = hash
		for _, key := range []string{record.ID(), record.Target() + " " + record.Date().String()} {
			if _, first := known[key]; !first && strings.TrimSpace(key) != "" {
				known[key] = hash
			}
		}
	}
}

// ours returns an error that is this machine's, nil for one of the container.
func ours(err error) error {
	if scratch.Failed(err) {
		return err
	}
	return nil
}

// hashOf returns the content hash of what r holds, and how many bytes were read.
func hashOf(r io.Reader) (string, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	return digest.ContentOfSum([sha256.Size]byte(h.Sum(nil))), n, err
}
