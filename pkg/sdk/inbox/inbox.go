// Package inbox hands documents above the size of a request over through an S3
// bucket. It is apart from package sdk so that crawlers of small documents link
// no S3 client.
package inbox

import (
	"context"
	"fmt"
	"io"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// Config says where the object store is.
type Config = blobstore.Config

// S3 is an inbox in an object store. It is safe for concurrent use.
type S3 struct{ store *blobstore.Store }

// Open checks the settings; it does not connect. The key needs the right to put below
// the prefix of its source, and no other: a file that is handed over again replaces
// itself, since its name is its digest.
func Open(ctx context.Context, cfg Config) (*S3, error) {
	cfg.WriteOnly = true
	store, err := blobstore.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return Of(store), nil
}

// Of is the inbox of a store that is open already.
func Of(store *blobstore.Store) *S3 { return &S3{store} }

// Put implements sdk.Inbox. The bucket is named as the capturer knows it, without
// the installation's prefix.
func (s *S3) Put(ctx context.Context, sourceID, name string, file io.ReaderAt, size int64) (sdk.Object, error) {
	key := blobstore.InboxKey(sourceID, name)
	if err := blobstore.CheckInboxKey(sourceID, key); err != nil {
		return sdk.Object{}, err
	}
	if _, err := s.store.PutOnceFile(ctx, blobstore.Inbox, key, file, size, "application/octet-stream"); err != nil {
		return sdk.Object{}, fmt.Errorf("handing over %s: %w", name, err)
	}
	return sdk.Object{Bucket: string(blobstore.Inbox), Key: key}, nil
}

var _ sdk.Inbox = (*S3)(nil)
