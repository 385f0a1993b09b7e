package pdfium

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
)

// darkest returns the place of the dark pixels around which everything is
// white, as shares of the picture.
func darkest(picture *image.RGBA) (box Box, dark int) {
	around := image.Rectangle{}
	bounds := picture.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			if color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y < 128 {
				around = around.Union(image.Rect(x, y, x+1, y+1))
				dark++
			}
		}
	}
	w, h := float64(bounds.Dx()), float64(bounds.Dy())
	return Box{float64(around.Min.X) / w, float64(around.Min.Y) / h, float64(around.Dx()) / w, float64(around.Dy()) / h}, dark
}

// A black rectangle is where Upright says that it is, on pages that are turned
// and cropped, of the whole page and of a part of it.
func TestRender(t *testing.T) {
	for _, entries := range []string{
		"/MediaBox [0 0 200 400]", "/MediaBox [0 0 200 400] /Rotate 90", "/MediaBox [0 0 200 400] /Rotate 180",
		"/MediaBox [0 0 200 400] /Rotate 270", "/MediaBox [-50 -20 150 380] /CropBox [0 100 100 300]",
	} {
		w := &writer{}
		w.page(entries, "20 120 60 40 re f")
		raw := w.bytes()
		d := load(t, raw)
		p := page(t, d, 0)
		want := p.Upright(Rect{Left: 20, Bottom: 120, Right: 80, Top: 160})
		p.Close()
		whole, err := d.Render(0, Box{W: 1, H: 1}, 400)
		if err != nil {
			t.Fatal(err)
		}
		got, dark := darkest(whole)
		if !near(got.X, want.X, 0.01) || !near(got.Y, want.Y, 0.01) || !near(got.W, want.W, 0.01) || !near(got.H, want.H, 0.01) {
			t.Errorf("%s: the rectangle is at %+v, want %+v", entries, got, want)
		}
		part, err := d.Render(0, want, 100)
		if err != nil {
			t.Fatal(err)
		}
		if _, all := darkest(part); all < part.Bounds().Dx()*part.Bounds().Dy()*95/100 {
			t.Errorf("%s: %d of the part's pixels are dark", entries, all)
		}
		again := load(t, raw)
		other, err := again.Render(0, Box{W: 1, H: 1}, 400)
		if err != nil || dark == 0 || !bytes.Equal(whole.Pix, other.Pix) {
			t.Errorf("%s: drawn twice it is not the same: %v", entries, err)
		}
	}
}

func TestRenderLimits(t *testing.T) {
	w := &writer{}
	w.page("/MediaBox [0 0 10 1000000]", "")
	d := load(t, w.bytes())
	for name, draw := range map[string]func() error{
		"too many pixels": func() error { _, err := d.Render(0, Box{W: 1, H: 1}, 1000); return err },
	} {
		if err := draw(); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Render(0, Box{}, 100); !errors.Is(err, ErrFormat) {
		t.Errorf("a picture of nothing: %v", err)
	}
	if _, err := d.Render(1, Box{W: 1, H: 1}, 100); err == nil {
		t.Error("a page that is not there was drawn")
	}
	if _, err := d.Render(0, Box{W: 1, H: 0.0001}, 10); err != nil {
		t.Errorf("after refusals it draws: %v", err)
	}
}

// TestPicture: what is drawn is a pixel for each point, on white; a page without a
// picture, one that cannot be decoded and one that is too large are refused.
func TestPicture(t *testing.T) {
	shown := func(w, h int, entries, data string) *Document {
		f := &writer{}
		f.page(fmt.Sprintf("/MediaBox [0 0 %d %d] /Resources << /XObject << /P 3 0 R >> >>", w, h), fmt.Sprintf("%d 0 0 %d 0 0 cm /P Do", w, h))
		f.objects = append([]string{fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width 2 /Height 2 %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data)},
			f.objects...)
		f.objects[2] = strings.Replace(f.objects[2], "/Contents 3 0 R", "/Contents 4 0 R", 1)
		f.pages[0]++
		return load(t, f.bytes())
	}
	const grey = "/BitsPerComponent 8 /ColorSpace /DeviceGray"
	m, err := shown(2, 2, grey, "\x00\xFF\xFF\x40").Picture(0)
	if err != nil || m.Rect != image.Rect(0, 0, 2, 2) || m.RGBAAt(0, 0) != (color.RGBA{A: 255}) || m.RGBAAt(1, 0).R != 255 || m.RGBAAt(1, 1).R != 0x40 {
		t.Errorf("%+v, %v", m, err)
	}
	for name, c := range map[string]struct {
		d    *Document
		want error
	}{
		"no picture": {load(t, simple("text")), ErrFormat}, "no JPEG 2000": {shown(2, 2, "/Filter /JPXDecode", "nothing"), ErrFormat},
		"too large": {shown(6000, 6000, grey, "\x00\xFF\xFF\x40"), ErrLimit},
	} {
		if _, err := c.d.Picture(0); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := load(t, simple("text")).Picture(1); !errors.Is(err, ErrFormat) {
		t.Errorf("no such page: %v", err)
	}
}
