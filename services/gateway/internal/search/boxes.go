package search

import (
	"context"
	"strings"
	"sync"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
)

// documents are those whose pages were opened for one answer.
type documents struct {
	reader  pages.Reader
	catalog Catalog

	mu   sync.Mutex
	open map[model.ChunkSet]*document
}

// document keeps of its pages where their evidence stands.
type document struct {
	*pages.Document

	mu     sync.Mutex
	places map[int]map[string][]*model.BBox // by page and unit: of each evidence, nil when it has none
}

// of returns the document that a chunk was made of, as it was then.
func (d *documents) of(ctx context.Context, c model.Chunk) (*document, error) {
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
	opened, err := d.reader.Open(ctx, c.SnapshotID, c.ExtractionID, manifest.Redo)
	if err != nil {
		return nil, err
	}
	if d.open == nil {
		d.open = make(map[model.ChunkSet]*document)
	}
	doc := &document{Document: opened, places: make(map[int]map[string][]*model.BBox)}
	d.open[key] = doc
	return doc, nil
}

// page returns where the evidence of a page's units stands.
func (d *document) page(ctx context.Context, pageNo int) (map[string][]*model.BBox, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.places[pageNo]; ok {
		return known, nil
	}
	found := make(map[string][]*model.BBox)
	err := d.Use(ctx, pageNo, func(f segment.Frame) error {
		for _, u := range f.Units {
			boxes := make([]*model.BBox, len(u.Evidence))
			for i, e := range u.Evidence {
				boxes[i] = e.BBox
			}
			found[strings.Clone(u.IRID)] = boxes
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.places[pageNo] = found
	return found, nil
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
		places, err := doc.page(ctx, s.Page)
		if err != nil {
			return boxes, err
		}
		if s.Evidence < 0 || s.Evidence >= len(places[s.IRID]) {
			continue
		}
		if box := places[s.IRID][s.Evidence]; box != nil {
			boxes = append(boxes, Box{Page: s.Page, IRID: s.IRID, BBox: *box})
		}
	}
	return boxes, nil
}
