// Package stage is the indexer's stage: events about chunks come in, the
// collections of vectors are made equal to the catalog for the chunks that they
// name, and vector.indexed and vector.removed go out. An event is a hint: what
// is done is what the catalog says, in whatever order events come.
package stage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// busyDelay is how long a chunk in another worker's hands is left to it.
const busyDelay = 200 * time.Millisecond

// Catalog holds chunks while they are pushed and records what was.
type Catalog interface {
	PushVectors(ctx context.Context, alias string, refs []string,
		push func(context.Context, []model.Collection, []model.IndexItem) ([]model.VectorRow, error)) (busy []string, err error)
	FailVectors(ctx context.Context, alias, ref, sentence string) error
}

// Vectors makes collections, and what is in them equal to the catalog's chunks.
type Vectors interface {
	Push(ctx context.Context, collections []model.Collection, items []model.IndexItem) ([]model.VectorRow, error)
	// Setup makes collections that are missing.
	Setup(ctx context.Context) error
}

// Stage holds the indexer's parts.
type Stage struct {
	Catalog Catalog
	Vectors Vectors
	Alias   string
}

// named is a chunk as an event names it.
type named struct {
	ref, docHash, sourceID, snapshotID string
	rev                                int64
}

// HandleBatch pushes the chunks that the events name. Events of one chunk share
// its result. Repeated, it publishes again what it published before: its publish
// may be what was lost.
func (s *Stage) HandleBatch(ctx context.Context, events []event.Event, emit stream.Emit) []error {
	results := make([]error, len(events))
	chunks := make(map[string]named, len(events))
	refs := make([]string, len(events)) // of each event; "" when it is malformed
	about := make(map[string]event.Event, len(events))
	for i, e := range events {
		chunk, err := chunkOf(e)
		if err != nil {
			results[i] = err
			continue
		}
		refs[i], about[chunk.snapshotID] = chunk.ref, e
		if known, ok := chunks[chunk.ref]; !ok || known.rev < chunk.rev {
			chunks[chunk.ref] = chunk
		}
	}
	byRef := s.handle(ctx, chunks, continued(emit, about))
	for i, ref := range refs {
		if ref != "" {
			results[i] = byRef[ref]
		}
	}
	return results
}

// continued publishes what is said of a snapshot's chunks within the trace of an event
// that named one of them.
func continued(emit stream.Emit, bySnapshot map[string]event.Event) stream.Emit {
	return func(ctx context.Context, data event.Data) error {
		var snapshot string
		switch d := data.(type) {
		case event.VectorIndexed:
			snapshot = d.SnapshotID
		case event.VectorRemoved:
			snapshot = d.SnapshotID
		}
		return emit(stream.Continue(ctx, bySnapshot[snapshot]), data)
	}
}

// Fail records that a chunk's vector cannot be made. What was no event about a
// chunk leaves nothing to record.
func (s *Stage) Fail(ctx context.Context, e event.Event, _ fault.Reason, sentence string, _ stream.Emit) error {
	chunk, err := chunkOf(e)
	if err != nil {
		return nil
	}
	if err := s.Catalog.FailVectors(ctx, s.Alias, chunk.ref, sentence); err != nil && !errors.Is(err, fault.ErrNoCollection) {
		return err
	}
	return nil
}

// createdChunk is what matters here of chunk.created: which chunk it names. What
// the chunk says is read from the catalog.
type createdChunk struct {
	Rev   int64 `json:"rev"`
	Chunk struct {
		ChunkRef   string `json:"chunk_ref"`
		DocHash    string `json:"doc_hash"`
		SourceID   string `json:"source_id"`
		SnapshotID string `json:"snapshot_id"`
	} `json:"chunk"`
}

// Type implements event.Data.
func (createdChunk) Type() string { return event.TypeChunkCreated }

// Source implements event.Data.
func (c createdChunk) Source() string { return c.Chunk.SourceID }

// About implements event.Data.
func (c createdChunk) About() string { return fmt.Sprintf("%s/%d", c.Chunk.ChunkRef, c.Rev) }

// chunkOf reads which chunk an event names.
func chunkOf(e event.Event) (named, error) {
	var (
		change event.ChunkChange
		err    error
	)
	switch e.Type {
	case event.TypeChunkCreated:
		var created createdChunk
		created, err = event.As[createdChunk](e)
		c := created.Chunk
		change = event.ChunkChange{ChunkRef: c.ChunkRef, DocHash: c.DocHash, SourceID: c.SourceID,
			SnapshotID: c.SnapshotID, Rev: created.Rev}
	case event.TypeChunkSuperseded:
		var superseded event.ChunkSuperseded
		superseded, err = event.As[event.ChunkSuperseded](e)
		change = superseded.ChunkChange
	case event.TypeChunkRemoved:
		var removed event.ChunkRemoved
		removed, err = event.As[event.ChunkRemoved](e)
		change = removed.ChunkChange
	default:
		err = fault.Permanent(fault.Malformed, fmt.Errorf("event of type %q where chunks are indexed", e.Type))
	}
	if err == nil && change.ChunkRef == "" {
		err = fault.Permanent(fault.Malformed, errors.New("the event names no chunk"))
	}
	return named{change.ChunkRef, change.DocHash, change.SourceID, change.SnapshotID, change.Rev}, err
}

// handle pushes chunks and returns a result for each. When several fail
// together each is handled alone, so that none fails for another. A store that
// fails by itself, however long, is no chunk's failure.
func (s *Stage) handle(ctx context.Context, chunks map[string]named, emit stream.Emit) map[string]error {
	if len(chunks) == 0 {
		return nil
	}
	results := make(map[string]error, len(chunks))
	busy, err := s.push(ctx, chunks, emit)
	kind := fault.KindOf(err)
	if len(chunks) > 1 && (kind == fault.KindPermanent || kind == fault.KindTransient) {
		for _, ref := range slices.Sorted(maps.Keys(chunks)) {
			results[ref] = s.handle(ctx, map[string]named{ref: chunks[ref]}, emit)[ref]
		}
		return results
	}
	if errors.Is(err, fault.ErrVectorStore) {
		err = fault.Defer(0, err)
	}
	for ref := range chunks {
		results[ref] = err
	}
	for _, ref := range busy {
		results[ref] = fault.Defer(busyDelay, fmt.Errorf("another worker pushes chunk %s", ref))
	}
	return results
}

// push does steps 2 and 3 of the order of writes: points and rows, then events.
// A collection that is missing is made again, once.
func (s *Stage) push(ctx context.Context, chunks map[string]named, emit stream.Emit) (busy []string, err error) {
	refs := slices.Sorted(maps.Keys(chunks))
	var told announcement
	attempt := func() error {
		busy, err = s.Catalog.PushVectors(ctx, s.Alias, refs,
			func(ctx context.Context, collections []model.Collection, items []model.IndexItem) ([]model.VectorRow, error) {
				told = announce(collections, items, chunks)
				return s.Vectors.Push(ctx, collections, items)
			})
		return err
	}
	// What the store refuses it may refuse for its collection's sake.
	if err = attempt(); err != nil && (errors.Is(err, fault.ErrNoCollection) || fault.KindOf(err) == fault.KindPermanent) {
		if err = s.Vectors.Setup(ctx); err != nil {
			return nil, err
		}
		err = attempt()
	}
	if err != nil {
		return nil, err
	}
	faultpoint.Reach("index.rows.recorded")
	return busy, told.publish(ctx, emit)
}
