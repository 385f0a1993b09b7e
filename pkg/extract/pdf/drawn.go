package pdf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// maxDigested bounds what is digested of the figures of a page, in bytes of pictures and of
// points: a file may put thousands of pictures on each other.
const maxDigested = 64 << 20

// pointBytes is what a point of a path counts of maxDigested.
const pointBytes = 12

// drawnDigest returns the digest of what is drawn in the box of a figure
// (contracts#picture-digest), "" where the engine does not give the bytes of a picture, and
// for all figures of a page behind maxDigested.
func (r *reader) drawnDigest(box layout.Rect, g pdfium.Graphics) (string, error) {
	if r.digested > maxDigested {
		return "", nil
	}
	images, paths := r.drawnIn(box, g)
	r.digested += len(g.Images) + len(g.Paths) // which were looked at
	d := drawnHash{sheet: r.sheet, sum: sha256.New(), left: box.Left, top: box.Top}
	for _, image := range images {
		stream, err := r.page.ImageStream(image)
		if r.digested += len(stream); err != nil || len(stream) == 0 || r.digested > maxDigested {
			return "", err
		}
		d.addImage(image, stream, len(images)+len(paths) == 1)
	}
	for _, p := range paths {
		if r.digested += pointBytes * len(p.Points); r.digested > maxDigested {
			return "", nil
		}
		d.addPath(p)
	}
	if len(images)+len(paths) == 0 {
		return "", nil
	}
	return hex.EncodeToString(d.sum.Sum(nil)), nil
}

// drawnIn returns the pictures that have their middle in the box, and the paths that lie in
// it, each in drawing order.
func (r *reader) drawnIn(box layout.Rect, g pdfium.Graphics) (images []pdfium.Image, paths []*pdfium.Path) {
	around := wider(box, 1)
	for _, image := range g.Images {
		at := r.sheet.shown(r.sheet.rect(image.Box))
		if at.Width()*at.Height() > 0 && box.Holds((at.Left+at.Right)/2, (at.Top+at.Bottom)/2) {
			images = append(images, image)
		}
	}
	for i := range g.Paths {
		if at := r.sheet.rect(g.Paths[i].Box); around.Holds(at.Left, at.Top) && around.Holds(at.Right, at.Bottom) {
			paths = append(paths, &g.Paths[i])
		}
	}
	return images, paths
}

// drawnHash digests what is drawn, by its place from the upper left corner of its figure,
// in whole points: the same picture lies elsewhere on another page.
type drawnHash struct {
	sheet     sheet
	sum       hash.Hash
	left, top float64
	buffer    []byte
}

// addImage adds a picture. Of one that is alone its place and size on the page say nothing
// of what it shows.
func (d *drawnHash) addImage(image pdfium.Image, stream []byte, alone bool) {
	packed := sha256.Sum256(stream)
	_, _ = d.sum.Write(packed[:])
	d.add(int32(image.Width), int32(image.Height))
	if !alone {
		at := d.sheet.rect(image.Box)
		d.addPoint(at.Left, at.Top)
		d.addPoint(at.Right, at.Bottom)
	}
	d.flush()
}

func (d *drawnHash) addPath(p *pdfium.Path) {
	fill, stroke := int32(0), int32(0)
	if p.Fill {
		fill = int32(p.FillColor)
	}
	if p.Stroke {
		stroke = int32(p.StrokeColor)
	}
	d.add(int32(len(p.Points)), fill, stroke, int32(math.Round(p.StrokeWidth)))
	for i := range p.Points {
		d.add(int32(p.Points[i].Kind))
		d.addPoint(d.sheet.point(p.Points[i].X, p.Points[i].Y))
	}
	d.flush()
}

func (d *drawnHash) addPoint(x, y float64) {
	d.add(int32(math.Round(x-d.left)), int32(math.Round(y-d.top)))
}

func (d *drawnHash) add(values ...int32) {
	for _, v := range values {
		d.buffer = binary.BigEndian.AppendUint32(d.buffer, uint32(v))
	}
}

func (d *drawnHash) flush() {
	_, _ = d.sum.Write(d.buffer)
	d.buffer = d.buffer[:0]
}
