package sdk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/event"
)

// posted is a change as `colophon sink --to webhook` posts it (docs/consumers.md).
type posted struct {
	Type        string  `json:"type"` // colophon.chunk.created.v1, …superseded.v1, …removed.v1
	ChunkRef    string  `json:"chunk_ref"`
	Rev         int64   `json:"rev"`
	Cause       string  `json:"cause,omitempty"`
	SourceID    string  `json:"source_id"`
	SnapshotID  string  `json:"snapshot_id"`
	Layer       string  `json:"layer"` // "" of one that is removed
	Since       string  `json:"since"`
	Repeats     string  `json:"repeats"`
	DuplicateOf string  `json:"duplicate_of"`
	ReplacedBy  string  `json:"replaced_by,omitempty"`
	Current     Current `json:"current"`
	Chunk       *Chunk  `json:"chunk,omitempty"` // of created
	Epoch       string  `json:"epoch,omitempty"`
}

// postedRestored is the type of what is posted where the catalog was restored.
const postedRestored = "colophon.catalog.restored.v1"

// Posted returns what a webhook is posted where the catalog was restored: ReadPosted says
// it as the error that it is.
func (r *Restored) Posted() ([]byte, error) {
	return json.Marshal(map[string]string{"type": postedRestored, "epoch": r.Position.Epoch})
}

// ErrPosted says that a body is no change of a chunk.
var ErrPosted = errors.New("it is no change of a chunk")

// Posted returns the change as a webhook is posted it: JSON, without its Position.
func (ch Change) Posted() ([]byte, error) {
	return json.Marshal(posted{
		Type: ch.Type, ChunkRef: ch.ChunkRef, Rev: ch.Rev, Cause: ch.Cause, SourceID: ch.SourceID, SnapshotID: ch.SnapshotID, Layer: ch.Layer,
		Since: ch.Since, Repeats: ch.Repeats, DuplicateOf: ch.DuplicateOf, ReplacedBy: ch.ReplacedBy, Current: ch.Current, Chunk: ch.Chunk,
		Epoch: ch.Epoch,
	})
}

// ReadPosted reads what a webhook was posted; the signature is to be compared before, with
// SignPosted and hmac.Equal. Fields that are not known are passed over. Its error is
// ErrPosted, or Restored: then what was posted before is void, and all is posted again.
func ReadPosted(body []byte) (Change, error) {
	var p posted
	if err := json.Unmarshal(body, &p); err != nil {
		return Change{}, fmt.Errorf("%w: %w", ErrPosted, err)
	}
	if p.Type == postedRestored {
		return Change{}, &Restored{Position{Epoch: p.Epoch}}
	}
	known := p.Type == event.TypeChunkCreated || p.Type == event.TypeChunkSuperseded || p.Type == event.TypeChunkRemoved
	if !known || p.ChunkRef == "" || p.Rev < 1 || (p.Type == event.TypeChunkCreated) != (p.Chunk != nil) {
		return Change{}, fmt.Errorf("%w: type %q, chunk_ref %q, rev %d", ErrPosted, p.Type, p.ChunkRef, p.Rev)
	}
	return Change{
		Type: p.Type, ChunkRef: p.ChunkRef, Rev: p.Rev, Cause: p.Cause, SourceID: p.SourceID, SnapshotID: p.SnapshotID, Chunk: p.Chunk, Layer: p.Layer,
		Since: p.Since, Repeats: p.Repeats, DuplicateOf: p.DuplicateOf, ReplacedBy: p.ReplacedBy, Current: p.Current,
		Epoch: p.Epoch,
	}, nil
}

// SignPosted is the signature of a body in the form of Standard Webhooks: "v1,", and in base64
// the HMAC-SHA256 under the secret of the headers webhook-id and webhook-timestamp and the
// body, joined by full stops.
func SignPosted(secret []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
