package pictures_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"maps"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pictures"
)

// desk draws white pictures and keeps objects in memory.
type desk struct {
	drawn   []child.Picture
	objects map[string][]byte
}

func (d *desk) Draw(_ context.Context, _ model.Snapshot, p child.Picture) ([]byte, error) {
	d.drawn = append(d.drawn, p)
	var out bytes.Buffer
	err := png.Encode(&out, image.NewGray(image.Rect(0, 0, p.Width, 10)))
	return out.Bytes(), err
}

func (d *desk) Get(_ context.Context, _ blobstore.Bucket, key, _ string) ([]byte, error) {
	if data, ok := d.objects[key]; ok {
		return data, nil
	}
	return nil, blobstore.ErrNotFound
}

func (d *desk) PutOnce(_ context.Context, _ blobstore.Bucket, key string, data []byte, _ string) (bool, error) {
	if _, there := d.objects[key]; !there {
		d.objects[key] = data
	}
	return true, nil
}

// Draws implements pictures.Drawer.
func (d *desk) Draws(s model.Snapshot) bool { return s.SnapshotKind == model.KindPDF }

var snapshot = model.Snapshot{SourceID: "town", SnapshotID: "snap_x", SnapshotKind: model.KindPDF}

func TestPage(t *testing.T) {
	d := &desk{objects: map[string][]byte{}}
	p := pictures.Pictures{Drawer: d, Objects: d}
	first, err := p.Page(t.Context(), snapshot, model.Page{PageNo: 3}, 320)
	if err != nil || !bytes.Equal(first, d.objects["town/thumbs/snap_x/3-320.png"]) {
		t.Fatalf("not kept: %v", err)
	}
	if again, err := p.Page(t.Context(), snapshot, model.Page{PageNo: 3}, 320); err != nil || !bytes.Equal(first, again) || len(d.drawn) != 1 {
		t.Errorf("drawn %d times: %v", len(d.drawn), err)
	}
	d.objects["town/thumbs/snap_x/3-320.png"][40] ^= 1
	if again, err := p.Page(t.Context(), snapshot, model.Page{PageNo: 3}, 320); err != nil || bytes.Equal(again, d.objects["town/thumbs/snap_x/3-320.png"]) || len(d.drawn) != 2 {
		t.Errorf("a damaged picture is served: %v", err)
	}
	if _, err := p.Page(t.Context(), snapshot, model.Page{PageNo: 3}, 321); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("any width: %v", err)
	}
}

func TestFigure(t *testing.T) {
	d := &desk{objects: map[string][]byte{}}
	p := pictures.Pictures{Drawer: d, Objects: d}
	page := model.Page{PageNo: 2, Width: 720}
	unit := func(boxes ...model.BBox) model.Unit {
		u := model.Unit{Type: model.UnitFigure}
		for i := range boxes {
			u.Evidence = append(u.Evidence, model.Evidence{BBox: &boxes[i]})
		}
		return u
	}
	data, err := p.Figure(t.Context(), snapshot, page, unit(model.BBox{X: .25, Y: .25, W: .25, H: .25}, model.BBox{X: .5, Y: .5, W: .25, H: .125}))
	if err != nil || !bytes.Equal(d.objects["town/figures/"+digest.Hex(data)+".png"], data) {
		t.Fatalf("not kept: %v", err)
	}
	if got, want := d.drawn[0], (model.BBox{X: .25, Y: .25, W: .5, H: .375}); got.Region != want || got.Width != 750 || got.Page != 2 {
		t.Errorf("drawn %+v", got)
	}
	if _, err := p.Figure(t.Context(), snapshot, page, unit()); fault.ReasonOf(err) != fault.UnsupportedType {
		t.Errorf("a figure without place: %v", err)
	}
	ids, figures := pictures.Figures(2, []model.Unit{{Type: model.UnitParagraph}, unit(), {Type: model.UnitTable}, unit()})
	if len(figures) != 2 || ids[0] != "fig-2-1" || ids[1] != "fig-2-2" {
		t.Errorf("ids %q", ids)
	}
}

// A figure that is cut out of its page has its address there, also with an alternative text
// and a digest; one that is elsewhere, has no place or is of a page that is not drawn has
// none.
func TestFigureAddresses(t *testing.T) {
	p := pictures.Pictures{Drawer: &desk{}}
	placed := []model.Evidence{{BBox: &model.BBox{W: .5, H: .5}}}
	units := []model.Unit{
		{Type: model.UnitFigure, Evidence: placed},
		{Type: model.UnitFigure, Evidence: placed, FieldsRaw: model.Fields{Images: []model.Image{{Alt: "a map", SHA256: "ab"}}}},
		{Type: model.UnitFigure, Evidence: placed, FieldsRaw: model.Fields{Images: []model.Image{{URL: "https://a.example/a.png"}}}},
		{Type: model.UnitFigure},
	}
	want := map[string]string{"fig-2-1": "2/figures/fig-2-1.png", "fig-2-2": "2/figures/fig-2-2.png"}
	if got := p.FigureAddresses(snapshot, 2, units, "2/"); !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := p.FigureAddresses(model.Snapshot{SnapshotKind: model.KindHTML}, 2, units, ""); len(got) != 0 {
		t.Errorf("of a text %v", got)
	}
}
