package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Change is a change of a chunk, with the state that the chunk has at Rev.
type Change struct {
	Type        string // event.TypeChunkCreated and so on: colophon.chunk.created.v1, …superseded.v1, …removed.v1
	ChunkRef    string
	Rev         int64
	Cause       string // of Rev, as docs/schema lists them
	SourceID    string
	SnapshotID  string
	Chunk       *Chunk // of created only
	Layer       string // hot, summary or archive; "" of removed
	Since       string // earliest date of the chain of repeats, YYYY-MM-DD; "" when no date is known
	Repeats     string // the chunk of the version before that says the same, or ""
	DuplicateOf string // the chunk that stands for the same text in another document, or ""
	ReplacedBy  string // of superseded: the chunk or the snapshot that stands in its place, if there is one

	Current Current // which chunks of its document are current; without a DocumentID of one that is removed

	// Epoch is the copy of the catalog that says so, of which the highest counts: a restored
	// catalog begins a higher one, and what only lower ones have told is void ([Restored]).
	Epoch string

	// Partial says that the event is one from before the state was in it, and that no
	// gateway is configured that could be asked: Current is not known, of older ones Since is
	// not, and of these, when superseded, neither Repeats nor DuplicateOf is. The next
	// change of the chunk has them.
	Partial bool

	Position Position
}

// Stands reports whether the chunk is current and no other chunk is named that says the
// same: of all chunks of all sources these are the ones that have a vector. A chunk that
// stands for the same text of another source may be of a source that is disabled or that
// you do not follow: who leaves any source out asks StandsInSource. Of a Partial change
// it says what is known.
func (ch Change) Stands() bool { return ch.StandsInSource() && ch.DuplicateOf == "" }

// StandsInSource reports whether the chunk is current and repeats no chunk of an earlier
// version of its document. It is what stands in each source by itself: also what another
// document says in the same words. To have each content once, group what stands by
// Chunk.ContentTextHash. Of a Partial change it says what is known.
func (ch Change) StandsInSource() bool {
	current := ch.Layer == string(model.LayerHot) || ch.Layer == string(model.LayerSummary)
	return ch.Type != event.TypeChunkRemoved && current && ch.Repeats == ""
}

// InCurrent reports whether the chunk is one of its document's current version, as far as
// this change knows: a later one of another chunk of the document may say that another
// version is. [State] keeps count of it. Such chunks together are what the document says
// now, in the order of ChunkIndex, also those that repeat what earlier versions have said.
func (ch Change) InCurrent() bool {
	return ch.Type != event.TypeChunkRemoved && ch.Current.Has(setOf(ch.ChunkRef))
}

// setOf returns the doc_hash and the generation that a chunk_ref names (contracts#chunk-id).
func setOf(ref string) (docHash string, generation int) {
	docHash, id, _ := strings.Cut(ref, ":")
	_, counted, later := strings.Cut(id, "@")
	if !later {
		return docHash, 1
	}
	generation, err := strconv.Atoi(counted)
	if err != nil {
		return docHash, 0 // of no version
	}
	return docHash, generation
}

// After returns what to keep of a chunk of which kept was kept until this change came:
// the state of the higher Rev, with the text of whichever has it, at this change's
// Position. A zero kept is that of a chunk that is new. Neither is changed. Keep what is
// returned also when the chunk is removed or stands no more: after a restart, and from a
// bus that got an older copy of its stream back, old changes come again, and Rev says
// that they are old.
//
// A kept of a lower Epoch counts for nothing.
func (ch Change) After(kept Change) Change {
	if kept.Epoch < ch.Epoch {
		kept = Change{}
	}
	if kept.Epoch > ch.Epoch {
		kept.Position = ch.Position
		return kept
	}
	newest, other := ch, kept
	if kept.Rev > ch.Rev || kept.Rev == ch.Rev && ch.Partial && !kept.Partial {
		newest, other = kept, ch
	}
	newest.Position = ch.Position
	if other.Current.Rev > newest.Current.Rev {
		newest.Current = other.Current
	}
	if newest.Chunk == nil && newest.Type != event.TypeChunkRemoved {
		newest.Chunk = other.Chunk
	}
	if newest.Chunk != nil && string(newest.Chunk.Layer) != newest.Layer {
		text := *newest.Chunk
		text.Layer = model.Layer(newest.Layer)
		newest.Chunk = &text
	}
	return newest
}

// changeOf decodes the data of a chunk event.
func changeOf(kind string, data []byte) (Change, error) {
	var written struct {
		Since   *string  `json:"since"`   // always there, but in events from before the state was in them
		Current *Current `json:"current"` // likewise
	}
	if err := json.Unmarshal(data, &written); err != nil {
		return Change{}, err
	}
	partial := written.Since == nil || written.Current == nil
	switch kind {
	case event.TypeChunkCreated:
		var d event.ChunkCreated
		if err := json.Unmarshal(data, &d); err != nil {
			return Change{}, err
		}
		return Change{
			Type: kind, ChunkRef: d.Chunk.ChunkRef, Rev: d.Rev, Cause: d.Cause, SourceID: d.Chunk.SourceID,
			SnapshotID: d.Chunk.SnapshotID, Layer: string(cmp.Or(d.Layer, d.Chunk.Layer)), Since: d.Since, Repeats: d.Repeats,
			DuplicateOf: d.DuplicateOf, Chunk: &d.Chunk, Current: d.Current, Epoch: d.Epoch, Partial: partial,
		}, nil
	case event.TypeChunkSuperseded, event.TypeChunkRemoved:
		var d event.ChunkChange
		if err := json.Unmarshal(data, &d); err != nil {
			return Change{}, err
		}
		return Change{
			Type: kind, ChunkRef: d.ChunkRef, Rev: d.Rev, Cause: d.Cause, SourceID: d.SourceID, SnapshotID: d.SnapshotID,
			Layer: string(d.Layer), Since: d.Since, Repeats: d.Repeats, DuplicateOf: d.DuplicateOf, ReplacedBy: d.ReplacedBy,
			Current: d.Current, Epoch: d.Epoch, Partial: partial && kind != event.TypeChunkRemoved,
		}, nil
	default:
		return Change{}, fmt.Errorf("%q is no change of a chunk", kind)
	}
}

// completed asks the gateway for the state that an event from before does not have.
// The state may be newer than the event: the event that says it comes, or has come,
// with its own rev. Of a chunk that is gone the change stays as it is.
func (c *Client) completed(ctx context.Context, ch Change) (Change, error) {
	if !ch.Partial || c.cfg.Gateway == "" {
		return ch, nil
	}
	var answer struct {
		State   model.ChunkState `json:"state"`
		Current Current          `json:"current"`
	}
	switch err := c.get(ctx, "/v1/chunks/"+url.PathEscape(ch.ChunkRef), &answer); {
	case errors.Is(err, errNotThere):
		return ch, nil
	case err != nil:
		return ch, err
	}
	ch.Current = answer.Current
	ch.Layer, ch.Since = string(answer.State.Layer), answer.State.Since
	ch.Repeats, ch.DuplicateOf, ch.Partial = answer.State.Repeats, answer.State.DuplicateOf, false
	if ch.Chunk != nil {
		ch.Chunk.Layer = answer.State.Layer
	}
	return ch, nil
}
