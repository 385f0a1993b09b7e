// Package child runs text recognition inside sandbox children: an engine that
// hangs, crashes or eats memory costs a child and one try of one page, never
// the service. Pages are decoded and drawn in the child too, by what the table of
// kinds of files says of each.
package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Role returns the sandbox role that reads pages of the kinds of files that have an
// opener. The engines are started when they are first needed.
func Role(openers reading.Openers) sandbox.Role {
	return func(raw []byte) (sandbox.Handler, error) {
		h := handler{openers: openers}
		if err := json.Unmarshal(raw, &h.setup); err != nil {
			return nil, fmt.Errorf("setup of the OCR child: %w", err)
		}
		h.pdf.Config = pdfium.Config{CacheDir: h.setup.CacheDir, MemoryLimitBytes: h.setup.DocumentMemory}
		return h.handle, nil
	}
}

// handler keeps the engines and the bytes of the last document.
type handler struct {
	setup   setup
	openers reading.Openers
	reader  ocr.Reader
	pdf     pdfium.Starter
	path    string
	raw     []byte
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
	case pdfium.Reason(err) != "":
		resp = response{Reason: pdfium.Reason(err), Message: err.Error()}
	case err != nil:
		return nil, err
	}
	return json.Marshal(resp)
}

func (h *handler) answer(ctx context.Context, req request) (response, error) {
	if req.Op == opEngine {
		if err := h.start(); err != nil {
			return response{}, err
		}
		engine := h.reader.Engine()
		return response{Engine: &engine}, nil
	}
	page, err := h.open(ctx, req)
	if err != nil {
		return response{}, err
	}
	defer page.Close()
	if req.Op == opMeasure {
		return response{Pixels: page.Pixels(req.Request.DPI)}, nil
	}
	if err := h.start(); err != nil {
		return response{}, err
	}
	if f, ok := h.reader.(*fake.Reader); ok {
		if err := f.Begin(req.Document, req.Request.Page); err != nil {
			return response{}, err
		}
	}
	result, err := reading.Read(h.reader, page, req.Request)
	if err != nil {
		return response{}, err
	}
	mirrored, turned := page.Undone()
	result.Mirrored, result.Rotation = mirrored, (result.Rotation+turned)%360
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

// open returns the page that a request names.
func (h *handler) open(ctx context.Context, req request) (reading.Page, error) {
	if req.Path != h.path {
		h.path, h.raw = "", nil
		raw, err := os.ReadFile(req.Path)
		if err != nil {
			return nil, fmt.Errorf("opening the document: %w", err)
		}
		h.path, h.raw = req.Path, raw
	}
	open := h.openers[req.Kind]
	if open == nil {
		return nil, &picture.Error{Reason: fault.UnsupportedType, Message: "OCR does not read files of this kind: " + string(req.Kind)}
	}
	return open(ctx, &h.pdf, h.raw, req.Request)
}
