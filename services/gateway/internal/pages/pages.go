// Package pages reads single pages out of IR segments, by ranges: of a segment
// of sixteen pages only its index and the frame that is asked for.
package pages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// ErrNoPage says that a run has no such page, or has not extracted it yet.
var ErrNoPage = errors.New("the run has no such page")

// Catalog says which segments count.
type Catalog interface {
	SegmentsAt(ctx context.Context, snapshotID, extractionID string, redo int) ([]model.SegmentRow, error)
}

// Objects reads parts of objects.
type Objects interface {
	GetRange(ctx context.Context, b blobstore.Bucket, key string, off, n int64) ([]byte, error)
}

// Reader opens documents.
type Reader struct {
	Catalog Catalog
	Objects Objects
}

// Document is what a run yielded at a redo. It keeps what it has read, and is
// safe for concurrent use.
type Document struct {
	objects Objects
	rows    []model.SegmentRow

	mu     sync.Mutex
	frames map[int]segment.Frame
}

// Open asks which segments counted for a run at a redo.
func (r Reader) Open(ctx context.Context, snapshotID, extractionID string, redo int) (*Document, error) {
	rows, err := r.Catalog.SegmentsAt(ctx, snapshotID, extractionID, redo)
	if err != nil {
		return nil, err
	}
	return &Document{objects: r.Objects, rows: rows, frames: make(map[int]segment.Frame)}, nil
}

// Frame returns a page with its units, verified against its segment's index.
func (d *Document) Frame(ctx context.Context, pageNo int) (segment.Frame, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.frames[pageNo]; ok {
		return f, nil
	}
	i := slices.IndexFunc(d.rows, func(s model.SegmentRow) bool { return s.From <= pageNo && pageNo <= s.To })
	if i < 0 {
		return segment.Frame{}, fmt.Errorf("page %d: %w", pageNo, ErrNoPage)
	}
	row := d.rows[i]
	reader, err := segment.NewReader(object{ctx, d.objects, row.ObjectKey}, row.ByteLength)
	if err != nil {
		return segment.Frame{}, fmt.Errorf("segment of pages %d–%d: %w", row.From, row.To, err)
	}
	at := slices.IndexFunc(reader.Index(), func(e segment.IndexEntry) bool { return e.PageNo == pageNo })
	if at < 0 {
		return segment.Frame{}, fmt.Errorf("page %d: %w", pageNo, ErrNoPage)
	}
	f, err := reader.Frame(at)
	if err != nil {
		return segment.Frame{}, err
	}
	d.frames[pageNo] = f
	return f, nil
}

// object is io.ReaderAt over one object.
type object struct {
	ctx     context.Context
	objects Objects
	key     string
}

func (o object) ReadAt(p []byte, off int64) (int, error) {
	data, err := o.objects.GetRange(o.ctx, blobstore.Derived, o.key, off, int64(len(p)))
	return copy(p, data), err
}
