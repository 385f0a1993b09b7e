package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"

	"github.com/colophon-dev/colophon/pkg/extract/block"
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

// DrawRole is the sandbox role that draws pages of the kinds of the table.
func (k Kinds) DrawRole(raw []byte) (sandbox.Handler, error) {
	h, err := newHandler(k, raw)
	if err != nil {
		return nil, fmt.Errorf("setup of the drawing child: %w", err)
	}
	return (&drawer{h}).handle, nil
}

// drawer keeps the bytes of the last request's document. Each picture has an
// instance of its own, so that it is the same whatever was drawn before.
type drawer struct{ *handler }

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
	switch reason := refusal(err); {
	case reason != "":
		resp.Reason, resp.Message = reason, err.Error()
	case err != nil:
		return nil, err
	}
	resp.PNG = data
	return encodeResponse(resp)
}

func (d *drawer) draw(ctx context.Context, kind model.SnapshotKind, p Picture) ([]byte, error) {
	line := d.kinds[kind]
	if line.Draw == nil {
		return nil, &picture.Error{Reason: fault.UnsupportedType, Message: "pages of files of this kind are not drawn: " + string(kind)}
	}
	drawn, err := line.Draw(ctx, &d.engine, d.raw, block.View{Page: p.Page, Width: p.Width, Region: p.Region, Rotation: p.Rotation})
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

// refusal is why a document cannot be drawn, "" for an error that is not the
// document's.
func refusal(err error) fault.Reason {
	if bad := (*picture.Error)(nil); errors.As(err, &bad) {
		return bad.Reason
	}
	return pdfium.Reason(err)
}

// Drawer has pages drawn, each document in a child with the limits of extraction. It is safe for concurrent use.
type Drawer struct{ client *Client }

// NewDrawer makes a drawer; children are started when first needed.
func NewDrawer(c Config, fetch sandbox.Fetch) (*Drawer, error) {
	client, err := newClient(c, DrawRoleName, fetch)
	if err != nil {
		return nil, err
	}
	return &Drawer{client: client}, nil
}

// Draws reports whether pages of a document can be drawn: by its kind, without a look.
func (d *Drawer) Draws(s model.Snapshot) bool { return d.client.kinds.drawn(s.SnapshotKind) }

// Close ends the children.
func (d *Drawer) Close() { d.client.Close() }

// Draw returns a picture of a page as PNG: the same bytes for the same document,
// picture and build. A permanent fault says that the document is none that has
// pictures, that the page is not there, or that it cannot be drawn within the
// limits.
func (d *Drawer) Draw(ctx context.Context, s model.Snapshot, p Picture) ([]byte, error) {
	what := fmt.Sprintf("the picture of page %d", p.Page)
	if !d.Draws(s) {
		return nil, fault.Document(fault.UnsupportedType, fmt.Errorf("%s: only files of type %s are drawn, and this is %s", what, d.client.kinds.drawnNames(), s.FinalType))
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
