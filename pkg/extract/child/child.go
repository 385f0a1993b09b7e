// Package child runs the craft of extraction inside sandbox children: a
// document that hangs, crashes or eats memory costs a child and a page, never
// the service. Splitter, extractor and verify use it alike.
package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// RoleName is the name of the role in the map that a main gives to
// sandbox.Child.
const RoleName = "extract"

type setup struct {
	CacheDir       string `json:"cache_dir"`
	DocumentMemory int64  `json:"document_memory"`
	Warm           bool   `json:"warm"`
}

// What a child is asked for.
const (
	opSplit = "split" // the number of pages, and the facts of a document of several ranges
	opProbe = "probe" // the number of pages and the facts
	opPages = "pages" // pages
)

type request struct {
	Op           string          `json:"op"`             // of a drawing child: draw
	Path         string          `json:"path,omitempty"` // of the document; empty: it stands behind the request
	Snapshot     model.Snapshot  `json:"snapshot"`
	ExtractionID string          `json:"extraction_id,omitempty"`
	Facts        json.RawMessage `json:"facts,omitempty"`
	RunReason    string          `json:"run_reason,omitempty"`
	RunMessage   string          `json:"run_message,omitempty"`
	From         int             `json:"from,omitempty"`
	To           int             `json:"to,omitempty"`
	Picture      *Picture        `json:"picture,omitempty"`
	OCR          []block.OCR     `json:"ocr,omitempty"`
}

type response struct {
	PageCount int             `json:"page_count,omitempty"`
	Facts     json.RawMessage `json:"facts,omitempty"`
	Reason    fault.Reason    `json:"reason,omitempty"`
	Message   string          `json:"message,omitempty"`
	Pages     []Result        `json:"pages,omitempty"`
	Lengths   []int           `json:"lengths,omitempty"` // of the pages' frames, which stand behind the response
	PNG       []byte          `json:"png,omitempty"`
}

// Result is one extracted page: its record without HTML, and its encoded frame.
type Result struct {
	Page  model.Page `json:"page"`
	Frame []byte     `json:"-"`
}

// Role is the sandbox role: it serves split, probe and pages. The PDF engine is
// started when the first PDF comes, and the document of the last request stays
// open for the next range.
func Role(raw []byte) (sandbox.Handler, error) {
	var s setup
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("setup of the extraction child: %w", err)
	}
	h := &handler{setup: s, kinds: extract.Builtin()}
	if s.Warm {
		if err := h.warm(context.Background()); err != nil {
			return nil, fmt.Errorf("warming the extraction child: %w", err)
		}
	}
	return h.handle, nil
}

// warmPage is long enough for its language to be asked for.
const warmPage = "<title>Page</title><h1>Page</h1><p>This is the page that a child reads before any document comes, " +
	"so that what is made once for all documents is there when the first of them does.</p>"

// warm makes what is made once: the first page takes several times as long as
// those after it.
func (h *handler) warm(ctx context.Context) error {
	frame, err := h.kinds.Extract(ctx, block.Input{
		Raw: []byte(warmPage), Snapshot: model.Snapshot{SnapshotKind: model.KindHTML, FinalType: model.TypeHTML},
	}, 1)
	if err == nil {
		_, err = encode(&h.encoder, frame)
	}
	return err
}

type handler struct {
	setup setup
	kinds extract.Kinds
	pdf   *pdf.Extractor
	path  string // of the document that is mapped
	raw   []byte

	encoder segment.Encoder
	words   language.Memory
}

func (h *handler) handle(ctx context.Context, raw []byte) ([]byte, error) {
	req, document, err := decodeRequest(raw)
	if err != nil {
		return nil, err
	}
	if err := h.open(ctx, req, document); err != nil {
		return nil, err
	}
	in := block.Input{
		Raw: h.raw, Snapshot: req.Snapshot, ExtractionID: req.ExtractionID, Facts: req.Facts,
		RunReason: req.RunReason, RunMessage: req.RunMessage, OCR: req.OCR, Words: &h.words,
	}
	var resp response
	switch req.Op {
	case opSplit:
		resp, err = h.probe(ctx, in, model.RangeSize+1)
	case opProbe:
		resp, err = h.probe(ctx, in, 1)
	default:
		resp.Pages, err = h.pages(ctx, in, req.From, req.To)
	}
	if err != nil {
		return nil, err
	}
	return encodeResponse(resp)
}

// open takes the request's document in place of the one before it.
func (h *handler) open(ctx context.Context, req request, document []byte) error {
	if req.Snapshot.SnapshotKind == model.KindPDF && req.RunReason == "" && h.pdf == nil {
		engine, err := pdfium.Open(ctx, pdfium.Config{CacheDir: h.setup.CacheDir, MemoryLimitBytes: h.setup.DocumentMemory})
		if err != nil {
			return fmt.Errorf("starting the PDF engine: %w", err)
		}
		h.pdf = pdf.New(engine)
		h.kinds = h.kinds.With(model.KindPDF, h.pdf)
	}
	if req.Path != "" && req.Path == h.path {
		return nil
	}
	if h.pdf != nil {
		h.pdf.Release()
	}
	return h.replace(req.Path, document)
}

// replace maps the file at path, or takes the bytes of a document without one, and
// unmaps the file before it.
func (h *handler) replace(path string, document []byte) error {
	if h.path != "" && len(h.raw) > 0 {
		if err := syscall.Munmap(h.raw); err != nil {
			return fmt.Errorf("unmapping the document before: %w", err)
		}
	}
	h.path, h.raw = "", document
	if path == "" {
		return nil
	}
	data, err := mapFile(path)
	if err != nil {
		return fmt.Errorf("opening the document: %w", err)
	}
	h.path, h.raw = path, data
	return nil
}

func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
}

// probe counts the pages, and learns the facts of a document of so many.
func (h *handler) probe(ctx context.Context, in block.Input, least int) (response, error) {
	pages, reason, message, err := h.kinds.Pages(ctx, in)
	if err != nil {
		return response{}, err
	}
	resp := response{PageCount: pages, Reason: reason, Message: message}
	if reason == "" && in.Snapshot.SnapshotKind == model.KindPDF && pages >= least {
		facts, err := h.pdf.Facts(ctx, in)
		if f := (*block.Failure)(nil); errors.As(err, &f) {
			return response{PageCount: 1, Reason: f.Reason, Message: f.Message}, nil
		}
		if err != nil {
			return response{}, err
		}
		resp.Facts = facts
	}
	return resp, nil
}

func (h *handler) pages(ctx context.Context, in block.Input, from, to int) ([]Result, error) {
	results := make([]Result, 0, to-from+1)
	for no := from; no <= to; no++ {
		if in.RunReason == "" {
			faultpoint.ReachFor("extract.page", fmt.Sprintf("%s/%d", in.Snapshot.SnapshotID, no))
		}
		frame, err := h.kinds.Extract(ctx, in, no)
		if err != nil {
			return nil, err
		}
		r, err := encode(&h.encoder, frame)
		if fault.KindOf(err) == fault.KindPermanent { // too large to be read again
			if frame, err = extract.ErrorFrame(in, no, fault.ReasonOf(err), err.Error()); err == nil {
				r, err = encode(&h.encoder, frame)
			}
		}
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

func encode(e *segment.Encoder, f segment.Frame) (Result, error) {
	raw, err := e.Frame(f)
	if err != nil {
		return Result{}, err
	}
	f.Page.HTML = ""
	return Result{Page: f.Page, Frame: raw}, nil
}
