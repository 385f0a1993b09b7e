// Package pages reads single pages out of IR segments, by ranges: of a segment
// of sixteen pages only its index and the frame that is asked for.
package pages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// weight is how much memory a page takes for each byte of its frame while it is
// decoded and written as JSON: the frame twice, its records, and what the garbage
// collection has not found yet.
const weight = 8

// boxWeight is the same while only the places of its units are read: the frame, and
// what decompression holds beside it.
const boxWeight = 2

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
	Memory  *room.Room // in bytes: what pages may take while they are in use
}

// Document is what a run yielded at a redo. It is safe for concurrent use.
type Document struct {
	reader Reader
	rows   []model.SegmentRow
}

// Open asks which segments counted for a run at a redo.
func (r Reader) Open(ctx context.Context, snapshotID, extractionID string, redo int) (*Document, error) {
	rows, err := r.Catalog.SegmentsAt(ctx, snapshotID, extractionID, redo)
	if err != nil {
		return nil, err
	}
	return &Document{reader: r, rows: rows}, nil
}

// Has reports whether a segment of the run has the page; nothing is read.
func (d *Document) Has(pageNo int) bool {
	return slices.ContainsFunc(d.rows, func(s model.SegmentRow) bool { return s.From <= pageNo && pageNo <= s.To })
}

// Use hands over a page with its units, verified against its segment's index.
// There is memory for it until use returns, which keeps little of it and asks for
// no other page meanwhile. Without memory in time the error is room.ErrFull.
func (d *Document) Use(ctx context.Context, pageNo int, use func(segment.Frame) error) error {
	i := slices.IndexFunc(d.rows, func(s model.SegmentRow) bool { return s.From <= pageNo && pageNo <= s.To })
	if i < 0 {
		return fmt.Errorf("page %d: %w", pageNo, ErrNoPage)
	}
	return d.reader.open(ctx, d.rows[i], pageNo, weight, func(r *segment.Reader, at int) error {
		f, err := r.Frame(at)
		if err != nil {
			return err
		}
		return use(f)
	})
}

// HeadingBefore returns the last heading with a text on the pages before one, nil for
// none, and its page; it looks at no more pages than reach, and passes over those that
// the run has not. Without memory in time the error is room.ErrFull.
func (d *Document) HeadingBefore(ctx context.Context, pageNo, reach int) (heading *model.Unit, page int, err error) {
	least := max(pageNo-reach, 1)
	for _, row := range slices.Backward(d.rows) {
		if row.From >= pageNo || row.To < least {
			continue
		}
		reader, err := segment.NewReader(&object{ctx: ctx, objects: d.reader.Objects, key: row.ObjectKey, size: row.ByteLength}, row.ByteLength)
		if err != nil {
			return nil, 0, fmt.Errorf("segment of pages %d–%d: %w", row.From, row.To, err)
		}
		for i, entry := range slices.Backward(reader.Index()) {
			if entry.PageNo >= pageNo || entry.PageNo < least {
				continue
			}
			if heading, err = d.lastHeading(ctx, reader, i); err != nil {
				return nil, 0, err
			} else if heading != nil {
				return heading, entry.PageNo, nil
			}
		}
	}
	return nil, 0, nil
}

// lastHeading returns the last heading with a text on the i-th page of a segment, nil
// for none.
func (d *Document) lastHeading(ctx context.Context, r *segment.Reader, i int) (*model.Unit, error) {
	size, err := r.Size(i)
	if err != nil {
		return nil, err
	}
	give, err := d.reader.Memory.Take(ctx, boxWeight*size)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", r.Index()[i].PageNo, err)
	}
	defer give()
	found, err := r.OfType(i, model.UnitHeading)
	if err != nil {
		return nil, err
	}
	for _, u := range slices.Backward(found) {
		if strings.TrimSpace(u.FieldsRaw.Text) != "" {
			return &u, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// Boxes returns where the units of a page stand that lies in a segment, verified
// against its index. Without memory in time the error is room.ErrFull.
func (r Reader) Boxes(ctx context.Context, row model.SegmentRow, pageNo int) (boxes []segment.UnitBoxes, err error) {
	err = r.open(ctx, row, pageNo, boxWeight, func(r *segment.Reader, at int) error {
		boxes, err = r.Boxes(at)
		return err
	})
	return boxes, err
}

// open finds a page in its segment, and has use read it while there is memory of
// weight bytes for each byte of its frame.
func (r Reader) open(ctx context.Context, row model.SegmentRow, pageNo int, weight int64, use func(r *segment.Reader, at int) error) error {
	reader, err := segment.NewReader(&object{ctx: ctx, objects: r.Objects, key: row.ObjectKey, size: row.ByteLength}, row.ByteLength)
	if err != nil {
		return fmt.Errorf("segment of pages %d–%d: %w", row.From, row.To, err)
	}
	at := slices.IndexFunc(reader.Index(), func(e segment.IndexEntry) bool { return e.PageNo == pageNo })
	if at < 0 {
		return fmt.Errorf("page %d: %w", pageNo, ErrNoPage)
	}
	size, err := reader.Size(at)
	if err != nil {
		return err
	}
	give, err := r.Memory.Take(ctx, weight*size)
	if err != nil {
		return fmt.Errorf("page %d: %w", pageNo, err)
	}
	defer give()
	return use(reader, at)
}
