package search

import (
	"context"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Evidence says where evidence of units stands on its pages. The zero value knows none.
type Evidence struct {
	found map[catalog.ChunkPage]*places
}

// Evidence reads where the units of chunks stand. A page that is damaged costs its boxes:
// failed says why, by page. A store that is away is an error.
func (b *BoxReader) Evidence(ctx context.Context, chunks []model.Chunk) (e Evidence, failed map[catalog.ChunkPage]error, err error) {
	var pages []catalog.ChunkPage
	asked := make(map[catalog.ChunkPage]bool)
	for _, c := range chunks {
		for page := range b.proved(c) {
			if !asked[page] {
				asked[page] = true
				pages = append(pages, page)
			}
		}
	}
	if len(pages) == 0 {
		return Evidence{}, nil, nil
	}
	e.found, failed, err = b.read(ctx, pages)
	return e, failed, err
}

// Box returns the box of a unit's evidence on a page of a generation of chunks; nil when it
// has none.
func (e Evidence) Box(set model.ChunkSet, page int, irID string, evidence int) *model.BBox {
	places := e.found[catalog.ChunkPage{Set: set, PageNo: page}]
	if places == nil {
		return nil
	}
	boxes := places.boxes[irID]
	if evidence < 0 || evidence >= len(boxes) {
		return nil
	}
	return boxes[evidence]
}
