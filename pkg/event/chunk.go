package event

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// OfChange returns the event that says an entry of the chunk log, given the chunk
// and its newest state, which may be ahead of the entry: its rev is then that of the
// entry, and the event of the newest rev says the same state again. The chunker
// publishes it and the gateway's log answers with it, so both say the same. Of a
// chunk that is gone only ChunkRemoved can be said.
func OfChange(e model.LogEntry, c model.Chunk, s model.ChunkState) Data {
	if e.Change == model.ChangeCreated {
		c.Layer = s.Layer
		return ChunkCreated{
			Rev: e.Rev, Cause: e.Cause, Layer: s.Layer, Since: s.Since, Repeats: s.Repeats, DuplicateOf: s.DuplicateOf, Chunk: c,
			Current: s.Current, Epoch: e.Epoch,
		}
	}
	docHash, _, _ := strings.Cut(e.ChunkRef, ":")
	change := ChunkChange{
		Rev: e.Rev, Cause: e.Cause, ChunkRef: e.ChunkRef, DocHash: docHash, SourceID: c.SourceID, SnapshotID: c.SnapshotID,
		Layer: s.Layer, Since: s.Since, Repeats: s.Repeats, DuplicateOf: s.DuplicateOf, ReplacedBy: e.ReplacedBy,
		Current: s.Current, Epoch: e.Epoch,
	}
	if e.Change == model.ChangeRemoved {
		return ChunkRemoved{ChunkChange: change}
	}
	return ChunkSuperseded{ChunkChange: change}
}
