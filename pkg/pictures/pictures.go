// Package pictures keeps pictures of pages and figures in the object store
// (contracts#pictures): drawn when they are first asked for, never on the way of the
// text. Pages of PDF files and of scans have pictures; other kinds have none.
package pictures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const mediaType = "image/png"

// Widths returns how wide pictures of pages can be, in pixels, ascending: a few
// sizes, so that no one fills the store with all of them.
func Widths() []int { return []int{160, 320, 640, 1280} }

// Objects keeps pictures.
type Objects interface {
	Get(ctx context.Context, b blobstore.Bucket, key, want string) ([]byte, error)
	PutOnce(ctx context.Context, b blobstore.Bucket, key string, data []byte, contentType string) (created bool, err error)
}

// Drawer draws pages of PDF files and of scans.
type Drawer interface {
	Draw(ctx context.Context, s model.Snapshot, p child.Picture) ([]byte, error)
	Draws(s model.Snapshot) bool // by its kind, without a look
}

// Pictures draws and keeps pictures. It is safe for concurrent use.
type Pictures struct {
	Drawer  Drawer
	Objects Objects
}

// Page returns the picture of a page as PNG, width pixels wide, one of Widths.
// A picture that was damaged in the store is drawn again. A permanent fault says
// that there can be none (Drawer).
func (p Pictures) Page(ctx context.Context, s model.Snapshot, page model.Page, width int) ([]byte, error) {
	if !slices.Contains(Widths(), width) {
		return nil, fault.Permanent(fault.Malformed, fmt.Errorf("a picture %d pixels wide: one of %v", width, Widths()))
	}
	key := blobstore.ThumbKey(s.SourceID, s.SnapshotID, page.PageNo, width)
	data, err := p.Objects.Get(ctx, blobstore.Derived, key, "") // a PNG has checksums of its own
	if err == nil {
		if _, err := png.Decode(bytes.NewReader(data)); err == nil {
			return data, nil
		}
	} else if !errors.Is(err, blobstore.ErrNotFound) {
		return nil, err
	}
	if data, err = p.Drawer.Draw(ctx, s, child.Picture{Page: page.PageNo, Width: width, Rotation: &page.Rotation}); err != nil {
		return nil, err
	}
	_, err = p.Objects.PutOnce(ctx, blobstore.Derived, key, data, mediaType)
	return data, err
}

// How figures are cut out.
const (
	figureDPI   = 150
	figureWidth = 4000 // pixels at most
)

// Figure cuts a figure out of its page as PNG, at 150 dots per inch, and keeps it under its
// digest. A figure that stands in several places is cut out as one, with what is between.
func (p Pictures) Figure(ctx context.Context, s model.Snapshot, page model.Page, u model.Unit) ([]byte, error) {
	region, ok := regionOf(u)
	if !ok {
		return nil, fault.Document(fault.UnsupportedType, fmt.Errorf("figure %s of page %d has no place on its page", u.FieldsRaw.BlockID, page.PageNo))
	}
	width := int(math.Round(region.W * page.Width / 72 * figureDPI))
	data, err := p.Drawer.Draw(ctx, s, child.Picture{Page: page.PageNo, Width: min(max(width, 1), figureWidth), Region: region, Rotation: &page.Rotation})
	if err != nil {
		return nil, err
	}
	_, err = p.Objects.PutOnce(ctx, blobstore.Derived, blobstore.FigureKey(s.SourceID, digest.Hex(data)), data, mediaType)
	return data, err
}

// regionOf returns the box around all of a unit's places.
func regionOf(u model.Unit) (model.BBox, bool) {
	left, top, right, bottom := 1.0, 1.0, 0.0, 0.0
	for _, e := range u.Evidence {
		if b := e.BBox; b != nil {
			left, top = math.Min(left, b.X), math.Min(top, b.Y)
			right, bottom = math.Max(right, b.X+b.W), math.Max(bottom, b.Y+b.H)
		}
	}
	return model.BBox{X: left, Y: top, W: right - left, H: bottom - top}, right > left && bottom > top
}

// FigureAddresses returns where the figures of a page are that have no address of their own,
// by id: below a folder, such as "figures/fig-3-1.png". There are none of a document that
// is not drawn.
func (p Pictures) FigureAddresses(s model.Snapshot, pageNo int, units []model.Unit, folder string) map[string]string {
	addresses := make(map[string]string)
	if !p.Drawer.Draws(s) {
		return addresses
	}
	ids, figures := Figures(pageNo, units)
	for i, id := range ids {
		elsewhere := slices.ContainsFunc(figures[i].FieldsRaw.Images, func(image model.Image) bool { return image.URL != "" })
		if _, placed := regionOf(figures[i]); placed && !elsewhere {
			addresses[id] = folder + "figures/" + id + ".png"
		}
	}
	return addresses
}

// Figures returns the figures of a page by their ids (contracts#part-id), in order.
func Figures(pageNo int, units []model.Unit) (ids []string, figures []model.Unit) {
	for _, u := range units {
		if u.Type == model.UnitFigure {
			figures = append(figures, u)
			ids = append(ids, digest.FigureID(pageNo, len(figures)))
		}
	}
	return ids, figures
}
