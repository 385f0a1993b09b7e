package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func engine(t *testing.T) Render {
	t.Helper()
	r, err := pdfium.Open(t.Context(), pdfium.Config{CacheDir: filepath.Join(os.TempDir(), "colophon-test-pdfium")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(t.Context()) })
	return func(file []byte) (image.Image, error) {
		d, err := r.Load(file, "")
		if err != nil {
			return nil, err
		}
		defer d.Close()
		return d.Picture(0)
	}
}

func box(kind string, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(out, kind...), body...)
}

// boxed is a code stream of 64 by 32 pixels of one component in a file of boxes,
// with more of them in its header.
func boxed(stream []byte, more ...[]byte) []byte {
	return slices.Concat([]byte(boxesMagic), box("ftyp", []byte("jp2 \x00\x00\x00\x00jp2 ")),
		box("jp2h", append([][]byte{
			box("ihdr", []byte("\x00\x00\x00\x20\x00\x00\x00\x40\x00\x01\x07\x07\x00\x00")), box("colr", []byte("\x01\x00\x00\x00\x00\x00\x11")),
		}, more...)...), box("jp2c", stream))
}

// resolution is the body of a resolution box: dots per inch, as tenths of what a
// metre has.
func resolution(dpi int) []byte {
	var out []byte
	for range 2 {
		out = binary.BigEndian.AppendUint16(out, uint16((dpi*10000+127)/254/10))
		out = binary.BigEndian.AppendUint16(out, 1)
	}
	return append(out, 1, 1)
}

// Grey, colour, colour with opacity, 16 bit, inks, in tiles, in boxes and bare:
// the mark is top left, the rest white.
func TestJPEG2000(t *testing.T) {
	render := engine(t)
	grey := testdata(t, "grey.j2k")
	pictures := map[string][]byte{
		"boxes around a bare stream":  boxed(grey),
		"the stream's box has no end": slices.Concat(boxed(nil)[:len(boxed(nil))-8], []byte("\x00\x00\x00\x00jp2c"), grey),
	}
	for _, name := range []string{"grey.j2k", "rgb.jp2", "rgba.jp2", "i16.jp2", "cmyk.jp2", "tiles.j2k"} {
		pictures[name] = testdata(t, name)
	}
	for name, raw := range pictures {
		g, p, err := Decode(raw, 1, render)
		if err != nil || g.Rect != image.Rect(0, 0, 64, 32) || p.Width != 64 || p.Height != 32 {
			t.Errorf("%s: %+v, %v", name, p, err)
			continue
		}
		if !dark(g, 3, 3) || !dark(g, 15, 7) || dark(g, 16, 8) || dark(g, 60, 3) || dark(g, 3, 28) || dark(g, 60, 28) {
			t.Errorf("%s: decoded as another picture", name)
		}
	}
	palette := slices.Concat([]byte("\x01\x00\x03\x07\x07\x07"), bytes.Repeat([]byte{255, 255, 255}, 255), []byte{0, 0, 0})
	mapped := boxed(grey, box("pclr", palette), box("cmap", []byte("\x00\x00\x01\x00\x00\x00\x01\x01\x00\x00\x01\x02")))
	mapped[bytes.Index(mapped, []byte("colr"))+10] = 16 // red, green and blue
	g, _, err := Decode(mapped, 1, render)
	if err != nil || dark(g, 3, 3) || !dark(g, 60, 28) {
		t.Errorf("a palette that makes black of white: %v", err)
	}
}

func TestJPEG2000Resolution(t *testing.T) {
	grey := testdata(t, "grey.j2k")
	for _, c := range []struct {
		name string
		box  []byte
		want int
	}{
		{"captured", box("res ", box("resc", resolution(300))), 300}, {"shown", box("res ", box("resd", resolution(200))), 200},
		{"both", box("res ", box("resc", resolution(400)), box("resd", resolution(72))), 400},
		{"divided by nothing", box("res ", box("resc", make([]byte, 10))), 0}, {"cut", box("res ", box("resc", []byte{1})), 0},
		{"none", nil, 0},
	} {
		info, err := Probe(boxed(grey, c.box))
		if err != nil || info.Pages[0].DPI != c.want {
			t.Errorf("%s: %+v, %v", c.name, info, err)
		}
	}
}

// What is large is drawn smaller, by halves, and its resolution with it.
func TestJPEG2000Large(t *testing.T) {
	large := slices.Clone(testdata(t, "grey.j2k"))
	binary.BigEndian.PutUint32(large[8:], 5001)
	binary.BigEndian.PutUint32(large[12:], 7000)
	var file string
	g, p, err := Decode(boxed(large, box("res ", box("resc", resolution(600)))), 1, func(pdf []byte) (image.Image, error) {
		file = string(pdf)
		return image.NewGray(image.Rect(0, 0, 2500, 3500)), nil
	})
	if err != nil || !strings.Contains(file, "/MediaBox [0 0 2500 3500]") || !strings.Contains(file, "/Width 5001 /Height 7000") {
		t.Errorf("%v: %.400s", err, file)
	}
	if err == nil && (g.Rect.Dx() != 2500 || p.DPI != 300) {
		t.Errorf("%v at %d dpi", g.Rect, p.DPI)
	}
}

func TestJPEG2000Refused(t *testing.T) {
	render := engine(t)
	refused := func(name string, raw []byte, want fault.Reason) {
		t.Helper()
		var e *Error
		if _, _, err := Decode(raw, 1, render); !errors.As(err, &e) || e.Reason != want || e.Message == "" {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	grey, rgb := testdata(t, "grey.j2k"), testdata(t, "rgb.jp2")
	with := func(at int, values ...byte) []byte {
		out := slices.Clone(grey)
		copy(out[at:], values)
		return out
	}
	refused("4 gigapixels", with(8, 0, 1, 0, 0, 0, 1, 0, 0), fault.LimitExceeded)
	refused("4 gigapixels in boxes that say 64 by 32", boxed(with(8, 0, 1, 0, 0, 0, 1, 0, 0)), fault.LimitExceeded)
	refused("less than nothing", with(16, 0, 1, 0, 0), fault.Malformed)
	refused("five components", with(40, 0, 5), fault.UnsupportedType)
	refused("grey with opacity", testdata(t, "la.jp2"), fault.UnsupportedType)
	refused("a film", slices.Concat([]byte(boxesMagic), box("ftyp", []byte("mjp2\x00\x00\x00\x00mjp2")), box("moov")), fault.UnsupportedType)
	refused("no stream", boxed(nil), fault.Malformed)
	refused("nothing behind the header", boxed(grey)[:80], fault.Malformed)
	for _, n := range []int{len(rgb) / 4, len(rgb) / 2, len(rgb) - 20} {
		refused("a part", rgb[:n], fault.Malformed)
	}
	refused("more boxes than anyone needs", slices.Concat([]byte(boxesMagic), bytes.Repeat(box("free"), 2*maxBoxes)), fault.Malformed)

	quantised := bytes.Index(grey, []byte{0xFF, 0x52}) // the coding style, without levels that can be
	broken := slices.Clone(grey)
	copy(broken[quantised+5:], "\xFF\xFF\xFF\xFF")
	if _, _, err := Decode(broken, 1, render); !errors.Is(err, pdfium.ErrFormat) || !strings.Contains(err.Error(), "cannot decode") {
		t.Errorf("what the engine cannot decode: %v", err)
	}
}
