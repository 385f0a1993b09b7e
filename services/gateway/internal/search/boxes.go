package search

import (
	"context"
	"slices"
	"sync"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
)

// documents are those whose pages were opened for one answer.
type documents struct {
	reader  pages.Reader
	catalog Catalog

	mu   sync.Mutex
	open map[model.ChunkSet]*pages.Document
}

// of returns the document that a chunk was made of, as it was then.
func (d *documents) of(ctx context.Context, c model.Chunk) (*pages.Document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := model.ChunkSet{DocHash: c.DocHash, Generation: c.Generation}
	if doc, ok := d.open[key]; ok {
		return doc, nil
	}
	manifest, err := d.catalog.Manifest(ctx, c.DocHash, c.Generation)
	if err != nil {
		return nil, err
	}
	doc, err := d.reader.Open(ctx, c.SnapshotID, c.ExtractionID, manifest.Redo)
	if err != nil {
		return nil, err
	}
	if d.open == nil {
		d.open = make(map[model.ChunkSet]*pages.Document)
	}
	d.open[key] = doc
	return doc, nil
}

// boxes returns where on their pages the bytes of a chunk stand: those of its
// evidence that has a box, in the order of the text. Documents without pages
// have none.
func (d *documents) boxes(ctx context.Context, c model.Chunk) ([]Box, error) {
	boxes := []Box{}
	if t := model.FinalType(c.DocType); t != model.TypePDF && t != model.TypeImage {
		return boxes, nil
	}
	doc, err := d.of(ctx, c)
	if err != nil {
		return boxes, err
	}
	type place struct {
		irID     string
		evidence int
	}
	seen := make(map[place]bool)
	for _, s := range c.Provenance.Segments {
		at := place{s.IRID, s.Evidence}
		if s.Synthetic != "" || seen[at] {
			continue
		}
		seen[at] = true
		frame, err := doc.Frame(ctx, s.Page)
		if err != nil {
			return boxes, err
		}
		i := slices.IndexFunc(frame.Units, func(u model.Unit) bool { return u.IRID == s.IRID })
		if i < 0 || s.Evidence < 0 || s.Evidence >= len(frame.Units[i].Evidence) {
			continue
		}
		if box := frame.Units[i].Evidence[s.Evidence].BBox; box != nil {
			boxes = append(boxes, Box{Page: s.Page, IRID: s.IRID, BBox: *box})
		}
	}
	return boxes, nil
}
