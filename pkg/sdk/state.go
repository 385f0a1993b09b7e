package sdk

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/colophon-dev/colophon/pkg/event"
)

// State is all that is known of chunks, each in its newest state, by document: a log
// of changes, compacted. It holds the texts in memory, those in the archive too; a
// consumer with more of them than memory keeps the same in a store (docs/consumers.md).
// It is not safe for concurrent use.
type State struct {
	Position Position // of the last change that was applied: go on from there

	chunks     map[string]Change
	documents  map[string]Current
	byDocument map[string]map[string]bool // chunk_refs
}

// NewState returns a state in which nothing is known.
func NewState() *State {
	return &State{chunks: make(map[string]Change), documents: make(map[string]Current), byDocument: make(map[string]map[string]bool)}
}

// State reads the gateway's log to its end, of one source or of all where source is
// empty, and returns what it says now. To keep it so, apply what
// Chunks(ctx, From{Position: state.Position, Source: source}) yields: after Restored that is
// everything. The errors are
// ErrNoGateway, a gateway that does not answer, and ctx's.
func (c *Client) State(ctx context.Context, source string) (*State, error) {
	if c.cfg.Gateway == "" {
		return nil, ErrNoGateway
	}
	s := NewState()
	f := newFollower(c, From{Source: source})
	err := f.eachEpoch(func(Change, error) bool { // while it was read
		*s = *NewState()
		return true
	}, func() error {
		return f.readLog(ctx, func(ch Change) bool {
			s.Apply(ch)
			return true
		})
	})
	s.Position = Position{Log: f.log, Epoch: f.epoch}
	return s, err
}

// Apply takes a change in, whatever the order, and however often it comes. With the first one
// of a higher epoch it forgets all else; one of a lower epoch counts for nothing.
func (s *State) Apply(ch Change) {
	switch {
	case ch.Epoch < s.Position.Epoch:
		return
	case ch.Epoch > s.Position.Epoch && len(s.chunks) > 0:
		*s = *NewState()
	}
	kept, known := s.chunks[ch.ChunkRef]
	next := ch.After(kept)
	s.chunks[ch.ChunkRef], s.Position = next, ch.Position
	s.Position.Epoch = ch.Epoch
	if current := ch.Current; current.DocumentID != "" {
		if was, heard := s.documents[current.DocumentID]; !heard || current.Rev > was.Rev {
			s.documents[current.DocumentID] = current
		}
	}
	document := cmp.Or(next.Current.DocumentID, kept.Current.DocumentID)
	if document == "" || known && s.byDocument[document][ch.ChunkRef] {
		return
	}
	if s.byDocument[document] == nil {
		s.byDocument[document] = make(map[string]bool)
	}
	s.byDocument[document][ch.ChunkRef] = true
}

// Chunk returns what is known of a chunk: also of one that is in the archive, or removed.
func (s *State) Chunk(ref string) (Change, bool) {
	ch, known := s.chunks[ref]
	return ch, known
}

// Documents yields the documents of which a version is current, ordered by document_id.
func (s *State) Documents() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, id := range slices.Sorted(maps.Keys(s.documents)) {
			if s.documents[id].DocHash != "" && !yield(id) {
				return
			}
		}
	}
}

// Document returns what a document says now: the chunks of its current version in their
// order, those that repeat earlier ones too. Of one whose text was not told yet Chunk is nil.
func (s *State) Document(id string) []Change {
	current := s.documents[id]
	var chunks []Change
	for ref := range s.byDocument[id] {
		ch := s.chunks[ref]
		if ch.Type != event.TypeChunkRemoved && current.Has(setOf(ref)) {
			ch.Current = current
			chunks = append(chunks, ch)
		}
	}
	slices.SortFunc(chunks, func(a, b Change) int {
		return cmp.Or(cmp.Compare(len(a.ChunkRef), len(b.ChunkRef)), cmp.Compare(a.ChunkRef, b.ChunkRef)) // as their index
	})
	return chunks
}
