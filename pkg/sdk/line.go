package sdk

import (
	"encoding/json"
	"errors"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// Line returns the chunk as the line that `colophon dump --current` has of it, without the
// line's end: canonical JSON, without what depends on the way there (chunk_ref, chunk_id,
// generation, point_id), in the layer that it is in now (contracts#dump). The lines of all
// chunks that are current, sorted by bytes, are the chunk lines of the dump. A change
// without its text has none.
func (ch Change) Line() ([]byte, error) {
	if ch.Chunk == nil {
		return nil, errors.New("chunk " + ch.ChunkRef + ": its text was not told")
	}
	raw, err := json.Marshal(ch.Chunk)
	if err != nil {
		return nil, err
	}
	var row map[string]json.RawMessage
	if err := json.Unmarshal(raw, &row); err != nil {
		return nil, err
	}
	for _, name := range []string{"chunk_ref", "chunk_id", "generation", "point_id"} {
		delete(row, name)
	}
	if row["layer"], err = json.Marshal(ch.Layer); err != nil {
		return nil, err
	}
	return digest.JCS(map[string]any{"is": "chunk", "row": row})
}
