package event

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// OfChange returns the event that says an entry of the chunk log, given the
// chunk and its newest state, which may be ahead of the entry: an event is a
// hint (contracts 2). Of a chunk that is gone only ChunkRemoved can be said.
func OfChange(e model.LogEntry, c model.Chunk, s model.ChunkState) Data {
	if e.Change == model.ChangeCreated {
		c.Layer = s.Layer
		return ChunkCreated{Rev: e.Rev, Cause: e.Cause, Repeats: s.Repeats, DuplicateOf: s.DuplicateOf, Chunk: c}
	}
	docHash, _, _ := strings.Cut(e.ChunkRef, ":")
	change := ChunkChange{
		Rev: e.Rev, Cause: e.Cause, ChunkRef: e.ChunkRef, DocHash: docHash, SourceID: c.SourceID,
		SnapshotID: c.SnapshotID, Layer: s.Layer, ReplacedBy: e.ReplacedBy,
	}
	if e.Change == model.ChangeRemoved {
		return ChunkRemoved{ChunkChange: change}
	}
	return ChunkSuperseded{ChunkChange: change}
}
