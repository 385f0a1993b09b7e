package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// segmentStore reads the objects of segments.
type segmentStore interface {
	Get(ctx context.Context, b blobstore.Bucket, key, want string) ([]byte, error)
	GetRange(ctx context.Context, b blobstore.Bucket, key string, off, n int64) ([]byte, error)
}

// openSegments is how many segments of a run are kept: a chunk may begin in one and end in
// the next.
const openSegments = 2

// segmentPages reads the units of a run's pages, each segment once while chunks come in their
// order. What is gone or damaged is asked for once, and costs the pages that it holds and no
// others.
type segmentPages struct {
	store  segmentStore
	rows   []model.SegmentRow
	open   []*openSegment // the one that was opened last at the end
	broken map[int]error  // why a segment cannot be read, by its first page
}

// openSegment is a segment that is read, and its pages as far as they were asked for.
type openSegment struct {
	from   int
	reader *segment.Reader
	pages  map[int]pageUnits
}

// pageUnits are the units of a page by ir_id, of each type, block_id and evidence alone, or
// why they cannot be read.
type pageUnits struct {
	units map[string]model.Unit
	err   error
}

func newSegmentPages(store segmentStore, rows []model.SegmentRow) *segmentPages {
	return &segmentPages{store: store, rows: rows, broken: make(map[int]error)}
}

// units returns the units of a page. What may be read when it is asked for again is an error
// that mayComeBack knows.
func (s *segmentPages) units(ctx context.Context, page int) (map[string]model.Unit, error) {
	i := slices.IndexFunc(s.rows, func(s model.SegmentRow) bool { return s.From <= page && page <= s.To })
	if i < 0 {
		return nil, fmt.Errorf("page %d is in no segment of its run", page)
	}
	one, err := s.segment(ctx, s.rows[i])
	if err != nil {
		return nil, err
	}
	read, known := one.pages[page]
	if !known {
		read.units, read.err = one.read(page)
		if mayComeBack(ctx, read.err) {
			return nil, read.err
		}
		one.pages[page] = read
	}
	return read.units, read.err
}

// segment returns the open segment of a row.
func (s *segmentPages) segment(ctx context.Context, row model.SegmentRow) (*openSegment, error) {
	if err := s.broken[row.From]; err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(s.open, func(o *openSegment) bool { return o.from == row.From }); i >= 0 {
		return s.open[i], nil
	}
	reader, err := s.read(ctx, row)
	if err != nil {
		err = fmt.Errorf("segment of pages %d–%d: %w", row.From, row.To, err)
		if !mayComeBack(ctx, err) {
			s.broken[row.From] = err
		}
		return nil, err
	}
	one := &openSegment{from: row.From, reader: reader, pages: make(map[int]pageUnits)}
	s.open = append(s.open[max(0, len(s.open)-openSegments+1):], one)
	return one, nil
}

// read reads a segment: as a whole, or, where its digest is another, page by page, since each
// has its own in the index.
func (s *segmentPages) read(ctx context.Context, row model.SegmentRow) (*segment.Reader, error) {
	data, err := s.store.Get(ctx, blobstore.Derived, row.ObjectKey, row.Digest)
	switch {
	case errors.Is(err, blobstore.ErrDamaged):
		return segment.NewReader(&segmentRange{ctx, s.store, row}, row.ByteLength)
	case err != nil:
		return nil, err
	}
	return segment.NewReader(bytes.NewReader(data), int64(len(data)))
}

// read reads a page of the segment.
func (o *openSegment) read(page int) (map[string]model.Unit, error) {
	i := slices.IndexFunc(o.reader.Index(), func(e segment.IndexEntry) bool { return e.PageNo == page })
	if i < 0 {
		return nil, fmt.Errorf("page %d is not in its segment", page)
	}
	f, err := o.reader.Frame(i)
	if err != nil {
		return nil, err
	}
	units := make(map[string]model.Unit, len(f.Units))
	for j := range f.Units {
		u := &f.Units[j]
		units[u.IRID] = model.Unit{IRID: u.IRID, Type: u.Type, Evidence: u.Evidence, FieldsRaw: model.Fields{BlockID: u.FieldsRaw.BlockID}}
	}
	return units, nil
}

// segmentRange reads parts of a segment's object.
type segmentRange struct {
	ctx   context.Context
	store segmentStore
	row   model.SegmentRow
}

// ReadAt is io.ReaderAt.
func (r *segmentRange) ReadAt(p []byte, off int64) (int, error) {
	data, err := r.store.GetRange(r.ctx, blobstore.Derived, r.row.ObjectKey, off, int64(len(p)))
	n := copy(p, data)
	if err == nil && n < len(p) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// mayComeBack reports whether what could not be read may be read when it is asked for
// again; else it is gone or damaged.
func mayComeBack(ctx context.Context, err error) bool {
	kind := fault.KindOf(err)
	return err != nil && (kind == fault.KindUnavailable || kind == fault.KindDeferred || kind == fault.KindContext || ctx.Err() != nil)
}
