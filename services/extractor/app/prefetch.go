package app

import (
	"context"
	"sync"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/model"
)

// prefetcher reads captured bytes before they are asked for. It is safe for concurrent
// use.
type prefetcher struct {
	blobs *blobstore.Store

	mu   sync.Mutex
	read map[string]*prefetched // by source and content hash
}

// prefetched is a document that is read ahead.
type prefetched struct {
	done chan struct{}
	data []byte // when done; nil when it could not be read
}

func newPrefetcher(blobs *blobstore.Store) *prefetcher {
	return &prefetcher{blobs: blobs, read: make(map[string]*prefetched)}
}

// startReading reads captured bytes until forget is called or somebody has taken them. What
// goes wrong is told by the reading that finds nothing here.
func (a *prefetcher) startReading(ctx context.Context, sourceID, contentHash string) (forget func()) {
	key := sourceID + "/" + contentHash
	ctx, cancel := context.WithCancel(ctx)
	e := &prefetched{done: make(chan struct{})}
	a.mu.Lock()
	a.read[key] = e // in place of another's, who then reads by itself
	a.mu.Unlock()
	go func() {
		defer close(e.done)
		e.data, _ = a.blobs.ReadRaw(ctx, model.Snapshot{SourceID: sourceID, ContentHash: contentHash})
	}()
	return func() {
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.read[key] == e {
			delete(a.read, key)
		}
	}
}

// ReadRaw is that of the object store, where nothing was read ahead.
func (a *prefetcher) ReadRaw(ctx context.Context, s model.Snapshot) ([]byte, error) {
	key := s.SourceID + "/" + s.ContentHash
	a.mu.Lock()
	e := a.read[key]
	delete(a.read, key)
	a.mu.Unlock()
	if e != nil {
		if <-e.done; e.data != nil {
			return e.data, nil
		}
	}
	return a.blobs.ReadRaw(ctx, s)
}
