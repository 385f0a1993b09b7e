package app

import (
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

// Made is what the chunkers make of a document.
type Made struct {
	Chunks []model.Chunk
	Meta   model.ManifestMeta // the chunker that was chosen and why; empty for the general one
}

// Maker makes chunks of documents as the service does, without a catalog: for who measures
// chunkers. It is safe for concurrent use.
type Maker struct{ count func(string) (int, error) }

// NewMaker returns a maker.
func NewMaker() *Maker { return &Maker{count: split.O200k()} }

// Make makes chunks of a document's pages. generalOnly leaves all domains out.
func (m *Maker) Make(s model.Snapshot, run model.Run, pages []segment.Frame, generalOnly bool) (Made, error) {
	table := chunkers()
	if generalOnly {
		table.Domains = nil
	}
	var made Made
	choice, err := stage.Make(table, m.count, s, run, func(each func(segment.Frame) error) error {
		for _, f := range pages {
			if err := each(f); err != nil {
				return err
			}
		}
		return nil
	}, func(c model.Chunk) error {
		made.Chunks = append(made.Chunks, c)
		return nil
	})
	made.Meta = model.ManifestMeta{Chunker: choice.Name, ChunkerWhy: choice.Why}
	return made, err
}
