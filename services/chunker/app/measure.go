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

// Make makes chunks of a document's pages as the service does, without a catalog: for who
// measures chunkers. generalOnly leaves all domains out.
func Make(s model.Snapshot, run model.Run, pages []segment.Frame, generalOnly bool) (Made, error) {
	table := chunkers()
	if generalOnly {
		table.Domains = nil
	}
	return makeBy(table, s, run, pages)
}

func makeBy(table split.Table, s model.Snapshot, run model.Run, pages []segment.Frame) (Made, error) {
	var made Made
	choice, err := stage.Make(table, s, run, func(each func(segment.Frame) error) error {
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
