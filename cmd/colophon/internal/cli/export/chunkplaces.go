package export

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Chunk is a line of an export of chunks.
type Chunk struct {
	Chunk     model.Chunk      `json:"chunk"`      // the chunk as it was created
	State     model.ChunkState `json:"state"`      // what changes about it
	SourceRef model.SourceRef  `json:"source_ref"` // where it stands, in words that people cite by (contracts#source-ref)
}

// chunkPlaces says where chunks stand. Chunks come by generation and index, so that one
// generation's pages are all that it keeps.
type chunkPlaces struct {
	exporter   *exporter
	docHash    string
	generation int
	snapshot   model.Snapshot
	pages      *segmentPages
}

// of returns where a chunk stands. Where the pages that it was made of are gone or
// damaged it says so without them, and tells.
func (p *chunkPlaces) of(ctx context.Context, c *model.Chunk) (model.SourceRef, error) {
	if c.DocHash != p.docHash || c.Generation != p.generation {
		if err := p.open(ctx, c); err != nil {
			return model.SourceRef{}, err
		}
	}
	units := make(map[model.UnitPlace]model.Unit)
	for _, at := range c.Places() {
		page, err := p.pages.units(ctx, at.Page)
		if mayComeBack(ctx, err) {
			return model.SourceRef{}, err
		} else if err != nil {
			fmt.Fprintf(p.exporter.cli.Err, "chunk %s: its source_ref lacks what its pages say: %v\n", c.ChunkRef, err)
			return p.snapshot.ChunkRef(c, nil), nil
		}
		if u, there := page[at.IRID]; there {
			units[at] = u
		}
	}
	return p.snapshot.ChunkRef(c, units), nil
}

// open asks what the chunks of a generation were made of.
func (p *chunkPlaces) open(ctx context.Context, c *model.Chunk) error {
	db := p.exporter.db
	m, err := db.Manifest(ctx, c.DocHash, c.Generation)
	if err != nil && !errors.Is(err, fault.ErrNoRow) { // without a manifest it is a chunk all the same
		return err
	}
	next := chunkPlaces{exporter: p.exporter, docHash: c.DocHash, generation: c.Generation}
	if next.snapshot, err = db.Snapshot(ctx, c.SnapshotID); err != nil {
		return err
	}
	var rows []model.SegmentRow
	if m.DocHash != "" { // else its pages are in no segment, which is told
		if rows, err = db.SegmentsAt(ctx, c.SnapshotID, c.ExtractionID, m.Redo); err != nil {
			return err
		}
	}
	next.pages = newSegmentPages(p.exporter.blobs, rows)
	*p = next
	return nil
}
