package search

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// cachedPages is how many bytes of places the pages that were read last may take. A
// page of fifty units takes about 8 KiB.
const cachedPages = 64 << 20

// readPages is how many pages one search reads at once.
const readPages = 8

// PageReader reads where the units of a page stand (package pages).
type PageReader interface {
	Boxes(ctx context.Context, row model.SegmentRow, pageNo int) ([]segment.UnitBoxes, error)
}

// BoxReader finds out where chunks stand on their pages. It keeps the pages that
// were read last: what a generation of chunks was made of never changes. It is safe
// for concurrent use.
type BoxReader struct {
	catalog Catalog
	reader  PageReader
	drawn   []model.FinalType
	most    int // bytes of places that are kept

	mu    sync.Mutex
	pages *simplelru.LRU[catalog.ChunkPage, *places]
	bytes int // of pages
}

// places are the boxes of each unit's evidence on a page, nil when it has none.
type places struct {
	boxes map[string][]*model.BBox
	bytes int
}

// NewBoxReader returns a reader over the segments that the catalog names. Drawn are the
// types of documents whose units have boxes on their pages.
func NewBoxReader(c Catalog, reader PageReader, drawn []model.FinalType) *BoxReader {
	return newBoxReader(c, reader, drawn, cachedPages)
}

func newBoxReader(c Catalog, reader PageReader, drawn []model.FinalType, most int) *BoxReader {
	b := &BoxReader{catalog: c, reader: reader, drawn: drawn, most: most}
	// Its size counts pages; what bounds it are their bytes. A size below 1 is the
	// only error.
	b.pages, _ = simplelru.NewLRU(most/leastPage, func(_ catalog.ChunkPage, p *places) { b.bytes -= p.bytes })
	return b
}

// What a page and a unit's evidence take in memory, about, in bytes.
const (
	leastPage     = 256
	bytesOfUnit   = 96
	bytesOfABBox  = 48
	bytesOfNoBBox = 8
)

func placesOf(units []segment.UnitBoxes) *places {
	p := &places{boxes: make(map[string][]*model.BBox, len(units)), bytes: leastPage}
	for _, u := range units {
		p.boxes[u.IRID] = u.Boxes
		p.bytes += bytesOfUnit + len(u.IRID)
		for _, box := range u.Boxes {
			if p.bytes += bytesOfNoBBox; box != nil {
				p.bytes += bytesOfABBox
			}
		}
	}
	return p
}

func (b *BoxReader) known(page catalog.ChunkPage) (*places, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pages.Get(page)
}

// keep adds a page, in place of those that were not asked for the longest.
func (b *BoxReader) keep(page catalog.ChunkPage, p *places) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pages.Contains(page) || p.bytes > b.most {
		return
	}
	b.bytes += p.bytes
	b.pages.Add(page, p)
	for b.bytes > b.most {
		b.pages.RemoveOldest()
	}
}

// read returns the places of pages. Those that cannot be read are left out; failed
// says why, by page.
func (b *BoxReader) read(ctx context.Context, pages []catalog.ChunkPage) (found map[catalog.ChunkPage]*places, failed map[catalog.ChunkPage]error, err error) {
	found, failed = make(map[catalog.ChunkPage]*places, len(pages)), make(map[catalog.ChunkPage]error)
	var missing []catalog.ChunkPage
	for _, page := range pages {
		if p, ok := b.known(page); ok {
			found[page] = p
		} else {
			missing = append(missing, page)
		}
	}
	if len(missing) == 0 {
		return found, failed, nil
	}
	rows, err := b.catalog.ChunkPageSegments(ctx, missing)
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex // of found and failed
	reading, readCtx := errgroup.WithContext(ctx)
	reading.SetLimit(readPages)
	for _, page := range missing {
		reading.Go(func() error {
			units, err := []segment.UnitBoxes(nil), errNoSegment
			if row, ok := rows[page]; ok {
				units, err = b.reader.Boxes(readCtx, row, page.PageNo)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				found[page] = placesOf(units)
				b.keep(page, found[page])
			case readCtx.Err() != nil, fault.KindOf(err) == fault.KindUnavailable, errors.Is(err, room.ErrFull):
				return err
			default:
				failed[page] = err
			}
			return nil
		})
	}
	return found, failed, reading.Wait()
}

var errNoSegment = errors.New("no segment has the page")

// addBoxes adds to hits where the bytes of their chunks stand on their pages: those
// of their evidence that has a box, in the order of the text. Documents without
// pages have none. A page that is damaged costs its boxes and is logged; a store
// that is away, or no memory in time, is an error. It returns the places of the pages.
func (s *Searcher) addBoxes(ctx context.Context, hits []Hit, of []filled) (map[catalog.ChunkPage]*places, error) {
	var pages []catalog.ChunkPage
	asked := make(map[catalog.ChunkPage]bool)
	for _, f := range of {
		for page := range s.Boxes.proved(f.chunk.Chunk) {
			if !asked[page] {
				asked[page] = true
				pages = append(pages, page)
			}
		}
	}
	if len(pages) == 0 {
		return nil, nil
	}
	found, failed, err := s.Boxes.read(ctx, pages)
	if err != nil {
		return nil, err
	}
	for page, err := range failed {
		s.Log.ErrorContext(ctx, "the evidence of a page cannot be read", slog.String("doc_hash", page.Set.DocHash),
			slog.Int("generation", page.Set.Generation), slog.Int("page", page.PageNo), slog.Any("error", err))
	}
	type place struct {
		page     int
		irID     string
		evidence int
	}
	for i, f := range of {
		seen := make(map[place]bool)
		for page, seg := range s.Boxes.proved(f.chunk.Chunk) {
			at := place{seg.Page, seg.IRID, seg.Evidence}
			if seen[at] || found[page] == nil {
				continue
			}
			seen[at] = true
			if box := boxOf(found[page], seg); box != nil {
				hits[i].Boxes = append(hits[i].Boxes, Box{Page: seg.Page, IRID: seg.IRID, BBox: *box})
			}
		}
	}
	return found, nil
}

// boxOf returns the box of the evidence of a part of a chunk, nil when it has none or the
// places of its page are not known.
func boxOf(page *places, seg model.Segment) *model.BBox {
	if page == nil {
		return nil
	}
	boxes := page.boxes[seg.IRID]
	if seg.Evidence < 0 || seg.Evidence >= len(boxes) {
		return nil
	}
	return boxes[seg.Evidence]
}

// pageOf names the page that a part of a chunk is from.
func pageOf(c model.Chunk, seg model.Segment) catalog.ChunkPage {
	return catalog.ChunkPage{Set: model.ChunkSet{DocHash: c.DocHash, Generation: c.Generation}, PageNo: seg.Page}
}

// proved yields the parts of a chunk that are of a unit, each with its page, when
// the chunk is of a document with pages.
func (b *BoxReader) proved(c model.Chunk) func(yield func(catalog.ChunkPage, model.Segment) bool) {
	return func(yield func(catalog.ChunkPage, model.Segment) bool) {
		if !slices.Contains(b.drawn, model.FinalType(c.DocType)) {
			return
		}
		for _, seg := range c.Provenance.Segments {
			if seg.Synthetic == "" && !yield(pageOf(c, seg), seg) {
				return
			}
		}
	}
}
