package child

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"

	"github.com/colophon-dev/colophon/pkg/extract/overlay"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
	"github.com/colophon-dev/colophon/pkg/pdfium"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

// DrawRoleName is the name of the drawing role in the map that a main gives to
// sandbox.Child. It is a role of its own: an instance of the engine that has
// drawn a page gives other glyph boxes than one that has not.
const DrawRoleName = "draw"

// Picture says what to draw of a page.
type Picture struct {
	Page   int        `json:"page"`   // from 1
	Width  int        `json:"width"`  // of the picture, in pixels
	Region model.BBox `json:"region"` // of the full upright page; empty: all of it
	// Rotation is what the page's record says: the clockwise turn that makes it
	// upright, which OCR may have found. Nil: as its file says.
	Rotation *int           `json:"rotation,omitempty"`
	Marks    []overlay.Mark `json:"marks,omitempty"` // drawn over a picture of all of it
	Words    []overlay.Word `json:"words,omitempty"` // and below them
}

// DrawRole is the sandbox role that draws pages of PDF files and of scans.
func DrawRole(raw []byte) (sandbox.Handler, error) {
	var s setup
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("setup of the drawing child: %w", err)
	}
	d := &drawer{handler: handler{setup: s}}
	return d.handle, nil
}

// drawer keeps the bytes of the last request's document. Each picture has an
// instance of its own, so that it is the same whatever was drawn before.
type drawer struct {
	handler
	engine *pdfium.Runtime
}

func (d *drawer) handle(ctx context.Context, raw []byte) ([]byte, error) {
	req, _, err := decodeRequest(raw)
	if err != nil {
		return nil, err
	}
	if req.Picture == nil {
		return nil, errors.New("request: no picture")
	}
	if req.Path != d.path {
		if err := d.replace(req.Path, nil); err != nil {
			return nil, err
		}
	}
	var resp response
	data, err := d.draw(ctx, req.Snapshot.SnapshotKind, *req.Picture)
	switch {
	case refused(err):
		resp.Reason, resp.Message = reasonOf(err), err.Error()
	case err != nil:
		return nil, err
	}
	resp.PNG = data
	return encodeResponse(resp)
}

// load opens a PDF file, whose engine is started when it is first needed.
func (d *drawer) load(ctx context.Context, file []byte) (*pdfium.Document, error) {
	if d.engine == nil {
		engine, err := pdfium.Open(ctx, pdfium.Config{CacheDir: d.setup.CacheDir, MemoryLimitBytes: d.setup.DocumentMemory})
		if err != nil {
			return nil, fmt.Errorf("starting the PDF engine: %w", err)
		}
		d.engine = engine
	}
	return d.engine.Load(file, "")
}

func (d *drawer) draw(ctx context.Context, kind model.SnapshotKind, p Picture) ([]byte, error) {
	drawn, err := d.page(ctx, kind, p)
	if err != nil {
		return nil, err
	}
	overlay.Draw(drawn, p.Marks, p.Words)
	var out bytes.Buffer
	if err := png.Encode(&out, drawn); err != nil {
		return nil, fmt.Errorf("page %d: %w", p.Page, err)
	}
	return out.Bytes(), nil
}

func (d *drawer) page(ctx context.Context, kind model.SnapshotKind, p Picture) (*image.RGBA, error) {
	if kind == model.KindImageScan {
		return drawScan(d.raw, p, func(file []byte) (image.Image, error) {
			document, err := d.load(ctx, file)
			if err != nil {
				return nil, err
			}
			defer document.Close()
			return document.Picture(0)
		})
	}
	document, err := d.load(ctx, d.raw)
	if err != nil {
		return nil, err
	}
	defer document.Close()
	region := pdfium.Box(p.Region)
	if region == (pdfium.Box{}) {
		region = pdfium.Box{W: 1, H: 1}
	}
	if p.Rotation != nil {
		return document.RenderTurned(p.Page-1, region, p.Width, *p.Rotation)
	}
	return document.Render(p.Page-1, region, p.Width)
}

// refused reports whether an error is the document's.
func refused(err error) bool {
	var bad *picture.Error
	return errors.As(err, &bad) || errors.Is(err, pdfium.ErrFormat) || errors.Is(err, pdfium.ErrLimit) || errors.Is(err, pdfium.ErrPassword) || errors.Is(err, pdfium.ErrEngine)
}

func reasonOf(err error) fault.Reason {
	var bad *picture.Error
	switch {
	case errors.As(err, &bad):
		return bad.Reason
	case errors.Is(err, pdfium.ErrPassword):
		return fault.Encrypted
	case errors.Is(err, pdfium.ErrLimit):
		return fault.LimitExceeded
	case errors.Is(err, pdfium.ErrFormat):
		return fault.Malformed
	default:
		return fault.ParserCrashed
	}
}

// Drawer has pages of PDF files and of scans drawn, each document in a child with the limits
// of extraction. It is safe for concurrent use.
type Drawer struct{ client *Client }

// NewDrawer makes a drawer; children are started when first needed.
func NewDrawer(c Config, fetch sandbox.Fetch) (*Drawer, error) {
	client, err := newClient(c, DrawRoleName, fetch)
	if err != nil {
		return nil, err
	}
	return &Drawer{client: client}, nil
}

// Close ends the children.
func (d *Drawer) Close() { d.client.Close() }

// Draw returns a picture of a page as PNG: the same bytes for the same document,
// picture and build. A permanent fault says that the document is none that has
// pictures, that the page is not there, or that it cannot be drawn within the
// limits.
func (d *Drawer) Draw(ctx context.Context, s model.Snapshot, p Picture) ([]byte, error) {
	what := fmt.Sprintf("the picture of page %d", p.Page)
	if s.SnapshotKind != model.KindPDF && s.SnapshotKind != model.KindImageScan {
		return nil, fault.Document(fault.UnsupportedType, fmt.Errorf("%s: only PDF files and scans are drawn, and this is %s", what, s.FinalType))
	}
	if p.Page < 1 || p.Width < 1 {
		return nil, fault.Permanent(fault.Malformed, fmt.Errorf("%s, %d pixels wide: both count from 1", what, p.Width))
	}
	resp, err := d.client.call(ctx, request{Op: "draw", Snapshot: s, Picture: &p}, d.client.perPage)
	switch {
	case ended(err):
		return nil, fault.Document(endReason(err), errors.New(endSentence(err, what, d.client.perPage)))
	case err != nil:
		return nil, err
	case resp.Reason != "":
		return nil, fault.Document(resp.Reason, errors.New(resp.Message))
	}
	return resp.PNG, nil
}
