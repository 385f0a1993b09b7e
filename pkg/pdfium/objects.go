package pdfium

import (
	"bytes"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// Limits of Graphics.
const (
	maxObjects   = 200_000   // page objects looked at, with those inside forms
	maxPoints    = 1_000_000 // path points
	maxFormDepth = 8         // form XObjects inside each other
)

// Limits of ImageStream.
const (
	maxStream = 8 << 20  // bytes
	maxDrawn  = 64 << 20 // pixels of the picture
)

// PointKind says how a path reaches a point.
type PointKind int

// The kinds of point; the three points of a curve follow each other.
const (
	MoveTo PointKind = iota
	LineTo
	CurveTo
)

// PathPoint is one point of a path, in user space.
type PathPoint struct {
	Point
	Kind PointKind
	// Close: a line goes from here back to the last MoveTo.
	Close bool
}

// Path is a drawn path: a line, a rectangle, a shape. Clipping is not applied.
type Path struct {
	Points []PathPoint
	// Box is around all points, without the width of the stroke.
	Box          Rect
	Stroke, Fill bool
	// StrokeWidth is in points after all transformations; 0 is the thinnest
	// line that can be drawn.
	StrokeWidth float64
	// StrokeColor and FillColor are 0xRRGGBBAA.
	StrokeColor, FillColor uint32
	// Order is its place among all objects of the page, in drawing order.
	Order int
}

// Image is a picture placed on the page.
type Image struct {
	Box Rect
	// Width and Height are those of the picture itself, in pixels.
	Width, Height int
	// Bilevel: it is packed in a way that knows black and white alone.
	Bilevel bool
	// Mark is the marked-content id that Structure names, -1 for none.
	Mark int
	// Order is its place among all objects of the page, in drawing order.
	Order int

	object uint64
}

// Graphics is what is drawn on a page besides text, in drawing order.
type Graphics struct {
	Paths  []Path
	Images []Image
	// Truncated: there is more than the limits allow.
	Truncated bool
}

// ImageStream returns the bytes of a picture of this page's Graphics as the file packs
// them: with its Width and Height they say what it shows. It returns nil where there are
// none, and of a picture of more than maxStream bytes or maxDrawn pixels.
func (p *Page) ImageStream(i Image) ([]byte, error) {
	const name = "FPDFImageObj_GetImageDataRaw"
	e := p.document.engine
	if i.object == 0 || i.Width*i.Height > maxDrawn {
		return nil, nil
	}
	size := uint32(e.call(name, i.object, 0, 0))
	if size == 0 || size > maxStream {
		return nil, p.failed()
	}
	e.reserve(size)
	e.call(name, i.object, e.at(0), uint64(size)) // into a larger buffer it copies nothing
	return bytes.Clone(e.bytes(size)), p.failed()
}

// textObject is a text object of a page, and its place among all objects.
type textObject struct {
	object uint64
	order  int
}

// Graphics returns paths and images, also those inside form XObjects.
func (p *Page) Graphics() (Graphics, error) {
	r := newObjectReader(p)
	r.readPage(p)
	p.texts = r.texts
	return r.graphics, p.failed()
}

type objectReader struct {
	document *Document
	engine   *engine
	graphics Graphics
	objects  int
	points   int
	segments trust // in what the engine's memory holds of a path
	texts    []textObject
	textOnly bool // paths and images are counted and not read

	object, kind, segment api.Function
}

func newObjectReader(p *Page) *objectReader {
	e := p.document.engine
	return &objectReader{
		document: p.document, engine: e,
		object: e.function("FPDFPage_GetObject"), kind: e.function("FPDFPageObj_GetType"), segment: e.function("FPDFPath_GetPathSegment"),
	}
}

func (r *objectReader) readPage(p *Page) {
	count := r.engine.callInt("FPDFPage_CountObjects", p.handle)
	for i := 0; i < count && r.next(); i++ {
		r.read(r.engine.invoke(r.object, p.handle, uint64(i)), matrix{a: 1, d: 1}, 0)
	}
}

// next counts an object, and says whether it may still be looked at.
func (r *objectReader) next() bool {
	if r.objects >= maxObjects || r.points >= maxPoints {
		r.graphics.Truncated = true
	}
	r.objects++
	return r.engine.err == nil && !r.graphics.Truncated
}

// Types of page object (fpdf_edit.h, FPDF_PAGEOBJ_*).
const (
	objectText  = 1
	objectPath  = 2
	objectImage = 3
	objectForm  = 5
)

func (r *objectReader) read(object uint64, parent matrix, depth int) {
	e := r.engine
	kind := int(int32(e.invoke(r.kind, object)))
	switch {
	case kind == objectText:
		r.texts = append(r.texts, textObject{object, r.objects})
		return
	case kind != objectForm && (r.textOnly || kind != objectPath && kind != objectImage):
		return
	}
	if e.call("FPDFPageObj_GetMatrix", object, e.at(0)) == 0 {
		return
	}
	m := e.matrixAt(0).then(parent)
	switch kind {
	case objectPath:
		r.path(object, m)
	case objectImage:
		r.image(object, m)
	case objectForm:
		if depth == maxFormDepth {
			r.graphics.Truncated = true
			return
		}
		count := e.callInt("FPDFFormObj_CountObjects", object)
		for i := 0; i < count && r.next(); i++ {
			r.read(e.call("FPDFFormObj_GetObject", object, uint64(i)), m, depth+1)
		}
	}
}

// image places the unit square, which is what an image fills before its matrix.
func (r *objectReader) image(object uint64, m matrix) {
	e := r.engine
	img := Image{object: object, Order: r.objects, Box: boxAround(m.apply(Point{0, 0}), m.apply(Point{1, 0}), m.apply(Point{0, 1}), m.apply(Point{1, 1}))}
	if e.call("FPDFImageObj_GetImagePixelSize", object, e.at(0), e.at(4)) != 0 {
		img.Width, img.Height = int(e.uint32At(0)), int(e.uint32At(4))
	}
	if n := e.callInt("FPDFImageObj_GetImageFilterCount", object); n > 0 {
		filter := e.ascii("FPDFImageObj_GetImageFilter", object, uint64(n-1))
		img.Bilevel = filter == "CCITTFaxDecode" || filter == "JBIG2Decode"
	}
	img.Mark = r.document.mark(object)
	r.graphics.Images = append(r.graphics.Images, img)
}

func (r *objectReader) path(object uint64, m matrix) {
	e := r.engine
	path := Path{Order: r.objects}
	if e.call("FPDFPath_GetDrawMode", object, e.at(0), e.at(4)) != 0 {
		path.Fill, path.Stroke = e.uint32At(0) != 0, e.uint32At(4) != 0
	}
	if !path.Fill && !path.Stroke {
		return // a clip path, drawn by nobody
	}
	path.Points = r.pathPoints(object, m)
	if len(path.Points) == 0 {
		return
	}
	path.Box = boxAround(path.Points[0].Point)
	for _, p := range path.Points[1:] {
		path.Box = path.Box.Union(boxAround(p.Point))
	}
	if path.Stroke {
		if e.call("FPDFPageObj_GetStrokeWidth", object, e.at(0)) != 0 {
			path.StrokeWidth = e.float32At(0) * m.scale()
		}
		if e.call("FPDFPageObj_GetStrokeColor", object, e.at(0), e.at(4), e.at(8), e.at(12)) != 0 {
			path.StrokeColor = e.colorAt(0)
		}
	}
	if path.Fill && e.call("FPDFPageObj_GetFillColor", object, e.at(0), e.at(4), e.at(8), e.at(12)) != 0 {
		path.FillColor = e.colorAt(0)
	}
	r.graphics.Paths = append(r.graphics.Paths, path)
}

// Types of path segment (fpdf_edit.h, FPDF_SEGMENT_*).
const (
	segmentLine  = 0
	segmentCurve = 1
	segmentMove  = 2
)

func (r *objectReader) pathPoints(object uint64, m matrix) []PathPoint {
	e := r.engine
	count := e.callInt("FPDFPath_CountSegments", object)
	if left := maxPoints - r.points; count > left {
		r.graphics.Truncated, count = true, left
	}
	if count <= 0 || e.err != nil {
		return nil
	}
	r.points += count
	points := make([]PathPoint, 0, count)
	list := r.segmentsOf(object, count)
	for i := range count {
		var s segment
		ok := true
		if list != nil {
			s = segmentAt(list[i*segmentSize:])
		} else {
			s, ok = r.askSegment(e.invoke(r.segment, object, uint64(i)))
		}
		if !ok {
			continue
		}
		point := PathPoint{Point: m.apply(s.point), Close: s.closes}
		switch s.kind {
		case segmentMove:
			point.Kind = MoveTo
		case segmentLine:
			point.Kind = LineTo
		case segmentCurve:
			point.Kind = CurveTo
		}
		points = append(points, point)
	}
	return points
}

func boxAround(points ...Point) Rect {
	box := Rect{Left: points[0].X, Right: points[0].X, Bottom: points[0].Y, Top: points[0].Y}
	for _, p := range points[1:] {
		box.Left, box.Right = math.Min(box.Left, p.X), math.Max(box.Right, p.X)
		box.Bottom, box.Top = math.Min(box.Bottom, p.Y), math.Max(box.Top, p.Y)
	}
	return box
}
