package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// objects are the stage's objects in the object store.
type objects struct {
	store *blobstore.Store
}

// PutRaw keeps captured bytes under their hash. No header decides how they are
// labelled: they are bytes.
func (o objects) PutRaw(ctx context.Context, sourceID string, c *spool.Content) error {
	key, err := blobstore.RawKey(sourceID, c.Hash)
	if err != nil {
		return err
	}
	const contentType = "application/octet-stream"
	if data, ok := c.InMemory(); ok {
		_, err = o.store.PutOnce(ctx, blobstore.Raw, key, data, contentType)
	} else {
		_, err = o.store.PutOnceFile(ctx, blobstore.Raw, key, c.Open(), c.Size, contentType)
	}
	if err != nil {
		return fmt.Errorf("storing captured bytes: %w", err)
	}
	return nil
}

// Raw reads captured bytes that are stored.
func (o objects) Raw(ctx context.Context, sourceID, contentHash string, limit int64) (*spool.Content, error) {
	key, err := blobstore.RawKey(sourceID, contentHash)
	if err != nil {
		return nil, err
	}
	return o.get(ctx, blobstore.Raw, key, contentHash, limit)
}

// Inbox reads what a crawler has put below its source's own prefix.
func (o objects) Inbox(ctx context.Context, sourceID, key string, limit int64) (*spool.Content, error) {
	if blobstore.CheckInboxKey(sourceID, key) != nil {
		return nil, obtain.ErrForeignKey
	}
	return o.get(ctx, blobstore.Inbox, key, "", limit)
}

func (o objects) get(ctx context.Context, b blobstore.Bucket, key, want string, limit int64) (*spool.Content, error) {
	f, err := o.store.GetFile(ctx, b, key, want, limit)
	switch {
	case errors.Is(err, blobstore.ErrNotFound), errors.Is(err, blobstore.ErrDenied) && b == blobstore.Inbox:
		return nil, fmt.Errorf("%w: %w", obtain.ErrNoObject, err)
	case errors.Is(err, blobstore.ErrTooLarge):
		return nil, spool.ErrTooLarge
	case err != nil:
		return nil, fmt.Errorf("reading handed over bytes: %w", err)
	}
	return spool.Opened(f, f.Size, "sha256:"+f.SHA256), nil
}
