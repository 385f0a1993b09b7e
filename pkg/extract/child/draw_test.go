package child_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/overlay"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

func drawerOf(t *testing.T, l *library, c child.Config) *child.Drawer {
	t.Helper()
	c.Workers, c.CacheDir, c.TempDir = 1, filepath.Join(os.TempDir(), "colophon-test-pdfium"), t.TempDir()
	d, err := child.NewDrawer(c, l.fetch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func TestDraw(t *testing.T) {
	_, l := start(t, child.Config{})
	d := drawerOf(t, l, child.Config{})
	s := l.add(devtest.PDF(3, ""), model.KindPDF)
	first, err := d.Draw(t.Context(), s, child.Picture{Page: 2, Width: 300})
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(first))
	if err != nil || picture.Bounds().Dx() != 300 || picture.Bounds().Dy() != 400 {
		t.Fatalf("a picture of %v: %v", picture.Bounds(), err)
	}
	if _, err := d.Draw(t.Context(), s, child.Picture{Page: 1, Width: 999}); err != nil {
		t.Fatal(err)
	}
	again, err := d.Draw(t.Context(), s, child.Picture{Page: 2, Width: 300})
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("after another picture it is not the same: %v", err)
	}
	marked, err := d.Draw(t.Context(), s, child.Picture{Page: 2, Width: 300, Marks: []overlay.Mark{{Label: "1", Box: model.BBox{X: .1, Y: .1, W: .5, H: .5}}}})
	if err != nil || bytes.Equal(first, marked) {
		t.Errorf("marks are not drawn: %v", err)
	}
	for _, turn := range []int{0, 90, 180} {
		turned, err := d.Draw(t.Context(), s, child.Picture{Page: 2, Width: 300, Rotation: &turn})
		if err != nil {
			t.Fatal(err)
		}
		high := map[int]int{0: 400, 90: 225, 180: 400}[turn]
		if upright, err := png.Decode(bytes.NewReader(turned)); err != nil || upright.Bounds().Dy() != high || bytes.Equal(first, turned) != (turn == 0) {
			t.Errorf("upright by %d degrees: %v: %v", turn, upright.Bounds(), err)
		}
	}
	part, err := d.Draw(t.Context(), s, child.Picture{Page: 2, Width: 80, Region: model.BBox{X: .1, Y: .2, W: .4, H: .1}})
	if err != nil {
		t.Fatal(err)
	}
	if cut, err := png.Decode(bytes.NewReader(part)); err != nil || cut.Bounds().Dx() != 80 || cut.Bounds().Dy() != 27 {
		t.Errorf("a region of %v: %v", cut.Bounds(), err)
	}
}

// TestDrawAScan: upright by the page's record, a region of it alone.
func TestDrawAScan(t *testing.T) {
	_, l := start(t, child.Config{})
	d := drawerOf(t, l, child.Config{})
	sheet := image.NewGray(image.Rect(0, 0, 60, 40)) // black but for its left upper quarter
	for y := range 20 {
		for x := range 30 {
			sheet.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	var raw bytes.Buffer
	if err := png.Encode(&raw, sheet); err != nil {
		t.Fatal(err)
	}
	s := l.add(raw.String(), model.KindImageScan)
	for _, c := range []struct {
		turn, w, h, x, y int // of the picture, and where it is white
	}{{0, 60, 40, 15, 10}, {90, 40, 60, 30, 15}, {180, 60, 40, 45, 30}, {270, 40, 60, 10, 45}} {
		drawn, err := d.Draw(t.Context(), s, child.Picture{Page: 1, Width: c.w, Rotation: &c.turn})
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(drawn))
		if err != nil || picture.Bounds().Dx() != c.w || picture.Bounds().Dy() != c.h {
			t.Fatalf("%d degrees: %v, %v", c.turn, picture.Bounds(), err)
		}
		for _, at := range []image.Point{{c.w / 4, c.h / 4}, {c.w * 3 / 4, c.h / 4}, {c.w / 4, c.h * 3 / 4}, {c.w * 3 / 4, c.h * 3 / 4}} {
			shade, _, _, _ := picture.At(at.X, at.Y).RGBA()
			if white := shade > 0x8000; white != (at == image.Pt(c.x, c.y)) {
				t.Errorf("%d degrees: white at %v: %v", c.turn, at, white)
			}
		}
	}
	part, err := d.Draw(t.Context(), s, child.Picture{Page: 1, Width: 10, Region: model.BBox{X: .5, Y: .5, W: .25, H: .5}})
	if err != nil {
		t.Fatal(err)
	}
	if cut, err := png.Decode(bytes.NewReader(part)); err != nil || cut.Bounds().Dx() != 10 || cut.Bounds().Dy() != 13 {
		t.Errorf("a region of %v: %v", cut.Bounds(), err)
	}
	if _, err := d.Draw(t.Context(), s, child.Picture{Page: 2, Width: 10}); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("page 2: %v", err)
	}
	packed, err := os.ReadFile(filepath.Join("..", "..", "ocr", "picture", "testdata", "rgb.jp2")) // dark in its left upper corner
	if err != nil {
		t.Fatal(err)
	}
	around := 270
	drawn, err := d.Draw(t.Context(), l.add(string(packed), model.KindImageScan), child.Picture{Page: 1, Width: 32, Rotation: &around})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := png.Decode(bytes.NewReader(drawn)); err != nil || got.Bounds().Dy() != 64 || !dark(got, 2, 60) || dark(got, 2, 2) || dark(got, 30, 60) {
		t.Errorf("JPEG 2000: %v", err)
	}
	quantised := bytes.Index(packed, []byte{0xFF, 0x52})
	copy(packed[quantised+5:], "\xFF\xFF\xFF\xFF")
	if _, err := d.Draw(t.Context(), l.add(string(packed), model.KindImageScan), child.Picture{Page: 1, Width: 32}); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("JPEG 2000 that cannot be decoded: %v", err)
	}
}

func dark(m image.Image, x, y int) bool {
	return color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y < 128
}

func TestDrawRefuses(t *testing.T) {
	_, l := start(t, child.Config{})
	d := drawerOf(t, l, child.Config{})
	good := l.add(devtest.PDF(1, ""), model.KindPDF)
	for _, c := range []struct {
		name   string
		s      model.Snapshot
		p      child.Picture
		reason fault.Reason
	}{
		{"HTML", l.add(page, model.KindHTML), child.Picture{Page: 1, Width: 100}, fault.UnsupportedType},
		{"no PDF", l.add("%PDF-1.7 and nothing else", model.KindPDF), child.Picture{Page: 1, Width: 100}, fault.Malformed},
		{"no such page", good, child.Picture{Page: 2, Width: 100}, fault.Malformed},
		{"page 0", good, child.Picture{Width: 100}, fault.Malformed},
		{"too many pixels", good, child.Picture{Page: 1, Width: 100_000}, fault.LimitExceeded},
	} {
		_, err := d.Draw(t.Context(), c.s, c.p)
		if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != c.reason {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := d.Draw(t.Context(), good, child.Picture{Page: 1, Width: 100}); err != nil {
		t.Errorf("after refusals it draws: %v", err)
	}
	bad := l.add(strings.Replace(devtest.PDF(1, "HANG 1"), "%PDF-1.7", "%PDF-1.6", 1), model.KindPDF)
	if _, err := drawerOf(t, l, child.Config{PageTimeout: 2e9}).Draw(t.Context(), bad, child.Picture{Page: 1, Width: 100}); fault.ReasonOf(err) != fault.Timeout {
		t.Errorf("a page that hangs: %v", err)
	}
}
