// Package child runs text recognition inside sandbox children: an engine that
// hangs, crashes or eats memory costs a child and one try of one page, never
// the service. Pictures are decoded, and pages of PDF files drawn, in the child
// too.
package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"strings"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/fake"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
	"github.com/colophon-dev/colophon/pkg/ocr/reading"
	"github.com/colophon-dev/colophon/pkg/ocr/tesseract"
	"github.com/colophon-dev/colophon/pkg/pdfium"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

// RoleName is the name of the role in the map that a main gives to
// sandbox.Child.
const RoleName = "ocr"

type setup struct {
	Engine         string `json:"engine"`
	DataDir        string `json:"data_dir"`
	CacheDir       string `json:"cache_dir"`
	DocumentMemory int64  `json:"document_memory"`
}

// The operations of a request.
const (
	opEngine  = "engine"
	opMeasure = "measure"
	opRead    = "read"
)

type request struct {
	Op       string             `json:"op"`
	Path     string             `json:"path,omitempty"`
	Kind     model.SnapshotKind `json:"kind,omitempty"`
	Document string             `json:"document,omitempty"` // content_hash
	Request  ocr.Request        `json:"request"`
}

type response struct {
	Engine  *ocr.Engine     `json:"engine,omitempty"`
	Pixels  int             `json:"pixels,omitempty"` // that will be read, about
	Result  json.RawMessage `json:"result,omitempty"`
	Reason  fault.Reason    `json:"reason,omitempty"`
	Message string          `json:"message,omitempty"`
}

// Role is the sandbox role that reads pages. The engines are started when they
// are first needed.
func Role(raw []byte) (sandbox.Handler, error) {
	var h handler
	if err := json.Unmarshal(raw, &h.setup); err != nil {
		return nil, fmt.Errorf("setup of the OCR child: %w", err)
	}
	return h.handle, nil
}

// handler keeps the engines and the bytes of the last document.
type handler struct {
	setup  setup
	reader ocr.Reader
	pdf    *pdfium.Runtime
	path   string
	raw    []byte
}

func (h *handler) handle(ctx context.Context, raw []byte) ([]byte, error) {
	var req request
	if err := json.Unmarshal(raw, &req); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	resp, err := h.answer(ctx, req)
	var bad *picture.Error
	switch {
	case errors.As(err, &bad):
		resp = response{Reason: bad.Reason, Message: bad.Message}
	case errors.Is(err, tesseract.ErrNone):
		resp = response{Reason: fault.OCRFailed, Message: err.Error()}
	case reasonOf(err) != "":
		resp = response{Reason: reasonOf(err), Message: err.Error()}
	case err != nil:
		return nil, err
	}
	return json.Marshal(resp)
}

// reasonOf is the reason of an error that is the PDF document's.
func reasonOf(err error) fault.Reason {
	switch {
	case errors.Is(err, pdfium.ErrPassword):
		return fault.Encrypted
	case errors.Is(err, pdfium.ErrLimit):
		return fault.LimitExceeded
	case errors.Is(err, pdfium.ErrFormat):
		return fault.Malformed
	case errors.Is(err, pdfium.ErrEngine):
		return fault.ParserCrashed
	}
	return ""
}

func (h *handler) answer(ctx context.Context, req request) (response, error) {
	if req.Op == opEngine {
		if err := h.start(); err != nil {
			return response{}, err
		}
		engine := h.reader.Engine()
		return response{Engine: &engine}, nil
	}
	source, done, err := h.open(ctx, req)
	if err != nil {
		return response{}, err
	}
	defer done()
	if req.Op == opMeasure {
		return response{Pixels: source.pixels(req.Request.DPI)}, nil
	}
	if err := h.start(); err != nil {
		return response{}, err
	}
	if f, ok := h.reader.(*fake.Reader); ok {
		if err := f.Begin(req.Document, req.Request.Page); err != nil {
			return response{}, err
		}
	}
	result, err := reading.Read(h.reader, source, req.Request)
	if err != nil {
		return response{}, err
	}
	result.Mirrored, result.Rotation = source.mirrored, (result.Rotation+source.turned)%360
	data, err := ocr.Encode(result)
	return response{Result: data}, err
}

// start starts the engine.
func (h *handler) start() (err error) {
	if h.reader != nil {
		return nil
	}
	if mode, ok := strings.CutPrefix(h.setup.Engine, fake.Prefix); ok {
		h.reader, err = fake.Open(mode, h.setup.DataDir)
		return err
	}
	h.reader, err = tesseract.Open(h.setup.DataDir)
	return err
}

// open returns the source of a request's page; done closes it.
func (h *handler) open(ctx context.Context, req request) (s *source, done func(), err error) {
	if req.Path != h.path {
		h.path, h.raw = "", nil
		raw, err := os.ReadFile(req.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("opening the document: %w", err)
		}
		h.path, h.raw = req.Path, raw
	}
	s = &source{page: req.Request.Page, region: req.Request.Region}
	if s.region == (model.BBox{}) {
		s.region = model.BBox{W: 1, H: 1}
	}
	switch req.Kind {
	case model.KindImageScan:
		s.raw, s.render = h.raw, func(file []byte) (image.Image, error) { return h.render(ctx, file) }
		return s, func() {}, s.probe()
	case model.KindPDF:
		document, err := h.load(ctx, h.raw)
		if err != nil {
			return nil, nil, err
		}
		s.document = document
		if s.width, s.height, err = document.UprightSize(s.page - 1); err != nil {
			document.Close()
			return nil, nil, err
		}
		return s, document.Close, nil
	default:
		return nil, nil, &picture.Error{Reason: fault.UnsupportedType, Message: "only pictures and PDF files are read by OCR, and this is " + string(req.Kind)}
	}
}

// load opens a PDF file, whose engine is started when it is first needed.
func (h *handler) load(ctx context.Context, file []byte) (_ *pdfium.Document, err error) {
	if h.pdf == nil {
		if h.pdf, err = pdfium.Open(ctx, pdfium.Config{CacheDir: h.setup.CacheDir, MemoryLimitBytes: h.setup.DocumentMemory}); err != nil {
			return nil, fmt.Errorf("starting the PDF engine: %w", err)
		}
	}
	return h.pdf.Load(file, "")
}

// render is a picture.Render.
func (h *handler) render(ctx context.Context, file []byte) (image.Image, error) {
	document, err := h.load(ctx, file)
	if err != nil {
		return nil, err
	}
	defer document.Close()
	return document.Picture(0)
}

// source is a page of a picture or a PDF file.
type source struct {
	page       int
	region     model.BBox
	width      float64 // as drawn: points of a PDF, pixels of a picture
	height     float64
	raw        []byte // of a picture
	render     picture.Render
	decoded    *image.Gray // of a picture, by the first Draw
	decodedDPI int
	document   *pdfium.Document

	mirrored bool // by the picture's orientation, which Draw undoes
	turned   int
}

// probe takes the size of a picture from its header.
func (s *source) probe() error {
	info, err := picture.Probe(s.raw)
	if err != nil {
		return err
	}
	if s.page < 1 || s.page > len(info.Pages) {
		return &picture.Error{Reason: fault.Malformed, Message: fmt.Sprintf("page %d: the picture has %d", s.page, len(info.Pages))}
	}
	p := info.Pages[s.page-1]
	s.width, s.height = float64(p.Width), float64(p.Height)
	if s.mirrored, s.turned = p.Turn(); s.turned%180 != 0 {
		s.width, s.height = s.height, s.width
	}
	return nil
}

// maxInches is how large a page is drawn at the resolution that is asked for;
// larger ones are drawn as if they were that large.
const maxInches = 24

// drawWidth is how many pixels wide the region of a PDF page is drawn, and the
// resolution that this is.
func (s *source) drawWidth(dpi int) (width, has int) {
	inches := math.Max(s.width, s.height) / 72
	has = int(math.Max(math.Min(float64(dpi), float64(dpi)*maxInches/inches), 1))
	return max(int(math.Round(float64(s.region.W*s.width/72*float64(has)))), 1), has
}

// pixels is how many are read at a resolution.
func (s *source) pixels(dpi int) int {
	if s.document == nil {
		return int(s.width * s.height)
	}
	if dpi == 0 {
		dpi = ocr.DefaultDPI
	}
	w, _ := s.drawWidth(dpi)
	return int(math.Min(float64(w)*float64(w)*(s.region.H*s.height)/(s.region.W*s.width), math.MaxInt32))
}

// Size implements reading.Source.
func (s *source) Size() (width, height float64) { return s.width, s.height }

// Draw implements reading.Source.
func (s *source) Draw(dpi int) (*image.Gray, int, error) {
	if s.document == nil {
		return s.decode()
	}
	width, has := s.drawWidth(dpi)
	m, err := s.document.Render(s.page-1, pdfium.Box(s.region), width)
	if err != nil {
		return nil, 0, err
	}
	return picture.Gray(m), has, nil
}

// decode decodes the picture, once.
func (s *source) decode() (*image.Gray, int, error) {
	if s.decoded == nil {
		g, p, err := picture.Decode(s.raw, s.page, s.render)
		if err != nil {
			return nil, 0, err
		}
		s.decoded, s.decodedDPI = cut(g, s.region), p.DPI
	}
	return s.decoded, s.decodedDPI, nil
}

// cut returns a region of a picture.
func cut(g *image.Gray, region model.BBox) *image.Gray {
	if region == (model.BBox{W: 1, H: 1}) {
		return g
	}
	w, h := float64(g.Rect.Dx()), float64(g.Rect.Dy())
	left, top := int(region.X*w), int(region.Y*h)
	r := image.Rect(left, top, max(int(math.Round((region.X+region.W)*w)), left+1), max(int(math.Round((region.Y+region.H)*h)), top+1))
	return picture.Gray(g.SubImage(r))
}
