package search

import "github.com/colophon-dev/colophon/pkg/catalog"

// How many chunks are looked at that have a block of one chunk: a notice that ten thousand pages
// carry must not make a search slow. A hit looks at fewer than who asks for one chunk.
const (
	HolderChunksOfHit = 200
	HolderChunksOfOne = 5000
)

// BlockSource is a source whose current chunks hold a block that a chunk has too, however they
// are cut.
type BlockSource struct {
	SourceID   string `json:"source_id"`
	Source     string `json:"source"`    // display name of the source
	Blocks     int    `json:"blocks"`    // how many of the chunk's blocks it has
	ChunkRef   string `json:"chunk_ref"` // of its chunks that which has most of them
	DocumentID string `json:"document_id"`
	URL        string `json:"url"`
	Title      string `json:"title"`
	Page       int    `json:"page"` // page, from 1; 0 when there is none
}

// BlockSourcesOf copies what the catalog has found; never nil.
func BlockSourcesOf(found catalog.BlockHolders) []BlockSource {
	all := make([]BlockSource, len(found.Sources))
	for i, h := range found.Sources {
		all[i] = BlockSource{
			SourceID: h.SourceID, Source: h.Source, Blocks: h.Blocks, ChunkRef: h.ChunkRef, DocumentID: h.DocumentID,
			URL: h.URL, Title: h.Title, Page: h.Page,
		}
	}
	return all
}
