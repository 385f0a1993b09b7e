package stage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// refsPerEvent bounds the ids of one event (contracts#event-size).
const refsPerEvent = 1000

// announcement is what there is to say once chunks are pushed.
type announcement struct {
	indexed []event.VectorChange
	removed []event.VectorChange
}

// announce says of each chunk in each collection whether it has a point there,
// in one order whatever the order of the events. It depends on the chunks'
// states alone, so that a repeated handling says the same. A first state without
// a point took none away, and is not worth an event.
func announce(collections []model.Collection, items []model.IndexItem, chunks map[string]named) announcement {
	var a announcement
	for _, c := range collections {
		var indexed, removed []named
		for _, item := range items {
			chunk := chunks[item.ChunkRef]
			if item.Found {
				chunk = named{item.ChunkRef, item.Chunk.DocHash, item.Chunk.SourceID, item.Chunk.SnapshotID, item.State.Rev}
			}
			switch {
			case item.WantsPoint():
				indexed = append(indexed, chunk)
			case !item.Found || chunk.rev > 1:
				removed = append(removed, chunk)
			}
		}
		a.indexed = append(a.indexed, grouped(c, indexed)...)
		a.removed = append(a.removed, grouped(c, removed)...)
	}
	return a
}

// grouped makes events of one doc_hash and snapshot each.
func grouped(c model.Collection, chunks []named) []event.VectorChange {
	slices.SortFunc(chunks, func(a, b named) int {
		return cmp.Or(strings.Compare(a.docHash, b.docHash), strings.Compare(a.snapshotID, b.snapshotID),
			strings.Compare(a.sourceID, b.sourceID), strings.Compare(a.ref, b.ref))
	})
	var changes []event.VectorChange
	for _, chunk := range chunks {
		last := len(changes) - 1
		if last < 0 || changes[last].DocHash != chunk.docHash || changes[last].SnapshotID != chunk.snapshotID ||
			changes[last].SourceID != chunk.sourceID || len(changes[last].Chunks) == refsPerEvent {
			changes = append(changes, event.VectorChange{
				SourceID: chunk.sourceID, DocHash: chunk.docHash, SnapshotID: chunk.snapshotID,
				Collection: c.Name, Model: c.Model, Dimensions: c.Dimensions,
			})
			last++
		}
		changes[last].Chunks = append(changes[last].Chunks, event.VectorRef{ChunkRef: chunk.ref, Rev: chunk.rev})
	}
	return changes
}

func (a announcement) publish(ctx context.Context, emit stream.Emit) error {
	for _, change := range a.indexed {
		if err := emit(ctx, event.VectorIndexed{VectorChange: change}); err != nil {
			return err
		}
		faultpoint.Reach("index.change.published")
	}
	for _, change := range a.removed {
		if err := emit(ctx, event.VectorRemoved{VectorChange: change}); err != nil {
			return err
		}
		faultpoint.Reach("index.removal.published")
	}
	return nil
}
