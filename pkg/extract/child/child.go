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

// Role is the sandbox role: it serves split, probe and pages of the kinds of the
// table. What a kind needs is opened when its first document comes, and the document
// of the last request stays open for the next range.
func (k Kinds) Role(raw []byte) (sandbox.Handler, error) {
	h, err := newHandler(k, raw)
	if err != nil {
		return nil, fmt.Errorf("setup of the extraction child: %w", err)
	}
	if h.setup.Warm {
		if err := h.warm(context.Background()); err != nil {
			return nil, fmt.Errorf("warming the extraction child: %w", err)
		}
	}
	return h.handle, nil
}

type handler struct {
	setup  setup
	kinds  Kinds
	engine pdfium.Starter
	opened extract.Extractors
	path   string // of the document that is mapped
	raw    []byte

	encoder segment.Encoder
	words   language.Memory
}

func newHandler(kinds Kinds, raw []byte) (*handler, error) {
	h := &handler{kinds: kinds, opened: make(extract.Extractors)}
	if err := json.Unmarshal(raw, &h.setup); err != nil {
		return nil, err
	}
	h.engine.Config = pdfium.Config{CacheDir: h.setup.CacheDir, MemoryLimitBytes: h.setup.DocumentMemory}
	return h, nil
}

// warm makes what is made once: the first page takes several times as long as
// those after it.
func (h *handler) warm(ctx context.Context) error {
	for name, kind := range h.kinds {
		if kind.Warm == "" {
			continue
		}
		if err := h.prepare(ctx, name); err != nil {
			return err
		}
		frame, err := h.opened.Extract(ctx, block.Input{
			Raw: []byte(kind.Warm), Snapshot: model.Snapshot{SnapshotKind: name, FinalType: kind.Type},
		}, 1)
		if err == nil {
			_, err = encode(&h.encoder, frame)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the extractor of a kind that the table has, once.
func (h *handler) prepare(ctx context.Context, name model.SnapshotKind) error {
	kind, known := h.kinds[name]
	if !known || h.opened[name] != nil {
		return nil
	}
	e, err := kind.Open(ctx, &h.engine)
	if err != nil {
		return err
	}
	h.opened[name] = e
	return nil
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
	if req.RunReason == "" {
		if err := h.prepare(ctx, req.Snapshot.SnapshotKind); err != nil {
			return err
		}
	}
	if req.Path != "" && req.Path == h.path {
		return nil
	}
	for _, e := range h.opened {
		if r, keeps := e.(Releaser); keeps {
			r.Release()
		}
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
	pages, reason, message, err := h.opened.Pages(ctx, in)
	if err != nil {
		return response{}, err
	}
	resp := response{PageCount: pages, Reason: reason, Message: message}
	if learner, has := h.opened[in.Snapshot.SnapshotKind].(Learner); has && reason == "" && pages >= least {
		facts, err := learner.Facts(ctx, in)
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
		frame, err := h.opened.Extract(ctx, in, no)
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
