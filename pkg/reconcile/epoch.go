package reconcile

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/event"
)

// epoch says where the catalog is an older copy than what was told of it: the newest event of
// a chunk is one that it cannot have told (contracts#epoch). It changes nothing: who restored
// it knows whether that was the last backup to be tried.
func (p *pass) epoch(ctx context.Context) error {
	e, found, err := p.bus.NewestChunk(ctx)
	if err != nil || !found {
		return err
	}
	var told struct {
		ChunkRef string `json:"chunk_ref"`
		Rev      int64  `json:"rev"`
		Epoch    string `json:"epoch"`
		Chunk    struct {
			ChunkRef string `json:"chunk_ref"`
		} `json:"chunk"`
	}
	if json.Unmarshal(e.Payload, &told) != nil {
		return nil // the indexer has its dead letter
	}
	if e.Type == event.TypeChunkCreated {
		told.ChunkRef = told.Chunk.ChunkRef
	}
	known, err := p.catalog.Knows(ctx, told.Epoch, told.ChunkRef, told.Rev)
	if err != nil || known {
		return err
	}
	p.report.Missing = append(p.report.Missing, fmt.Sprintf(
		"the stream of chunks tells of revision %d of chunk %s, which the catalog does not have: if it was restored from a backup, stop the services and run `colophon migrate --restored`",
		told.Rev, told.ChunkRef))
	return nil
}
