package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// corner is a white picture with a black mark in its top left corner.
func corner(w, h int) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, w, h))
	for i := range g.Pix {
		g.Pix[i] = 255
	}
	for y := range h / 4 {
		for x := range w / 4 {
			g.SetGray(x, y, color.Gray{})
		}
	}
	return g
}

// encoded is the picture in each format that can be written here.
func encoded(t testing.TB, m image.Image) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for format, encode := range map[string]func(b *bytes.Buffer) error{
		PNG:  func(b *bytes.Buffer) error { return png.Encode(b, m) },
		JPEG: func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 95}) },
		GIF:  func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) },
		BMP:  func(b *bytes.Buffer) error { return bmp.Encode(b, m) },
		TIFF: func(b *bytes.Buffer) error {
			return tiff.Encode(b, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		},
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		out[format] = b.Bytes()
	}
	return out
}

// blank is a Render of nothing.
func blank([]byte) (image.Image, error) { return image.NewGray(image.Rect(0, 0, 1, 1)), nil }

func dark(g *image.Gray, x, y int) bool { return g.GrayAt(x, y).Y < 128 }

func TestFormats(t *testing.T) {
	for format, raw := range encoded(t, corner(64, 32)) {
		info, err := Probe(raw)
		if err != nil || info.Format != format || len(info.Pages) != 1 || info.Pages[0].Width != 64 || info.Pages[0].Height != 32 {
			t.Errorf("%s: %+v, %v", format, info, err)
			continue
		}
		g, _, err := Decode(raw, 1, nil)
		if err != nil || g.Rect != image.Rect(0, 0, 64, 32) || !dark(g, 3, 3) || dark(g, 60, 3) || dark(g, 3, 30) {
			t.Errorf("%s: decoded as another picture, %v", format, err)
		}
		if _, _, err := Decode(raw, 2, nil); err == nil {
			t.Errorf("%s: has a second page", format)
		}
	}
}

// tiffOfJPEG is a TIFF file of strips of so many rows, each a JPEG picture whose
// tables stand apart, as TIFF Technical Note 2 has it.
func tiffOfJPEG(t testing.TB, m image.Image, rows int) []byte {
	t.Helper()
	box := m.Bounds()
	var strips [][]byte
	var tables []byte
	for y := 0; y < box.Dy(); y += rows {
		part := image.NewGray(image.Rect(0, 0, box.Dx(), min(rows, box.Dy()-y)))
		draw.Draw(part, part.Rect, m, image.Pt(0, y), draw.Src)
		var b bytes.Buffer
		if err := jpeg.Encode(&b, part, &jpeg.Options{Quality: 95}); err != nil {
			t.Fatal(err)
		}
		whole := b.Bytes()
		frame, scan := bytes.Index(whole, []byte{0xFF, 0xC0}), bytes.Index(whole, []byte{0xFF, 0xDA})
		huffman := bytes.Index(whole, []byte{0xFF, 0xC4}) // tables before and behind the frame
		tables = slices.Concat(whole[:frame], whole[huffman:scan], []byte{0xFF, 0xD9})
		strips = append(strips, slices.Concat([]byte{0xFF, 0xD8}, whole[frame:huffman], whole[scan:]))
	}
	le := binary.LittleEndian
	out := append([]byte("II*\x00"), 0, 0, 0, 0)
	var offsets, counts []byte
	for _, s := range strips {
		offsets, counts = le.AppendUint32(offsets, uint32(len(out))), le.AppendUint32(counts, uint32(len(s)))
		out = append(out, s...)
	}
	place := func(data []byte) uint32 {
		out = append(out, data...)
		return uint32(len(out) - len(data))
	}
	atOffsets, atCounts, atTables := place(offsets), place(counts), place(tables)
	le.PutUint32(out[4:], uint32(len(out)))
	entries := [][4]uint32{
		{tagWidth, typeLong, 1, uint32(box.Dx())}, {tagHeight, typeLong, 1, uint32(box.Dy())}, {tagCompression, typeShort, 1, compressionJPEG},
		{tagPhotometric, typeShort, 1, 1}, {tagStripOffsets, typeLong, uint32(len(strips)), atOffsets}, {tagRowsPerStrip, typeLong, 1, uint32(rows)},
		{tagStripCounts, typeLong, uint32(len(strips)), atCounts}, {tagTables, typeUndefined, uint32(len(tables)), atTables},
	}
	out = le.AppendUint16(out, uint16(len(entries)))
	for _, e := range entries {
		out = le.AppendUint16(le.AppendUint16(out, uint16(e[0])), uint16(e[1]))
		out = le.AppendUint32(le.AppendUint32(out, e[2]), e[3])
	}
	return append(out, 0, 0, 0, 0)
}

func TestJPEGInTIFF(t *testing.T) {
	raw := tiffOfJPEG(t, corner(64, 40), 16)
	info, err := Probe(raw)
	if err != nil || len(info.Pages) != 1 {
		t.Fatalf("%+v, %v", info, err)
	}
	g, _, err := Decode(raw, 1, nil)
	if err != nil || g.Rect != image.Rect(0, 0, 64, 40) || !dark(g, 3, 3) || dark(g, 60, 3) || dark(g, 3, 38) || dark(g, 3, 17) {
		t.Errorf("decoded as another picture, %v", err)
	}
	cut := bytes.Clone(raw)
	at := bytes.Index(cut, []byte{0xFF, 0xC0})
	binary.BigEndian.PutUint16(cut[at+5:], 60000) // a strip that claims more rows than a strip has
	if _, _, err := Decode(cut, 1, nil); err == nil {
		t.Error("a strip larger than its place is decoded")
	}
	bomb := tiffOfJPEG(t, corner(64, 40), 20)
	binary.BigEndian.PutUint32(bomb[bytes.Index(bomb, []byte{0xFF, 0xC0})+5:], 0xFFFFFFFF)
	asTile(bomb, 0xFFFF)
	reason(t, "a tile of 4 gigapixels on a small page", bomb, fault.LimitExceeded)
}

// asTile makes a TIFF of one strip one of a tile that is so many pixels wide and
// high.
func asTile(raw []byte, side uint32) {
	le := binary.LittleEndian
	at := le.Uint32(raw[4:])
	for i := range uint32(le.Uint16(raw[at:])) {
		switch entry := raw[at+2+12*i:]; le.Uint16(entry) {
		case tagStripOffsets:
			le.PutUint16(entry, tagTileOffsets)
		case tagStripCounts:
			le.PutUint16(entry, tagTileCounts)
		case tagRowsPerStrip:
			le.PutUint16(entry, tagTileHeight)
			le.PutUint32(entry[8:], side)
		case tagPhotometric:
			le.PutUint16(entry, tagTileWidth)
			le.PutUint16(entry[2:], typeLong)
			le.PutUint32(entry[8:], side)
		}
	}
}

// FuzzDecode: what is small by its header is decoded or refused, and nothing
// else happens.
func FuzzDecode(f *testing.F) {
	for _, raw := range encoded(f, corner(24, 16)) {
		f.Add(raw)
	}
	f.Add(tiffOfJPEG(f, corner(24, 16), 8))
	f.Add(testdata(f, "tiles.j2k"))
	f.Add(testdata(f, "fax.tif"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		info, err := Probe(raw)
		if err != nil || info.Pages[0].Width*info.Pages[0].Height > 1<<16 {
			return
		}
		drawn := false
		g, p, err := Decode(raw, 1, func(file []byte) (image.Image, error) {
			drawn = true
			return blank(file)
		})
		if bad := (*Error)(nil); err != nil && !errors.As(err, &bad) {
			t.Fatalf("%v", err)
		}
		if err == nil && g.Rect.Dx()*g.Rect.Dy() != p.Width*p.Height && !drawn {
			t.Errorf("%v of a page of %d x %d", g.Rect, p.Width, p.Height)
		}
	})
}

func TestDepths(t *testing.T) {
	deep := image.NewGray16(image.Rect(0, 0, 8, 8))
	deep.SetGray16(1, 1, color.Gray16{Y: 0xFFFF})
	clear := image.NewNRGBA(image.Rect(0, 0, 8, 130))
	clear.SetNRGBA(1, 129, color.NRGBA{A: 255})
	for _, c := range []struct {
		m       image.Image
		x, y    int
		special bool
	}{{deep, 1, 1, false}, {clear, 1, 129, true}} {
		for _, format := range []string{PNG, TIFF} {
			g, _, err := Decode(encoded(t, c.m)[format], 1, nil)
			if err != nil || dark(g, c.x, c.y) != c.special || dark(g, 0, 0) == c.special {
				t.Errorf("%s of %T: %v", format, c.m, err)
			}
		}
	}
}

// exif is the segment of a JPEG that gives the orientation.
func exif(orientation byte) []byte {
	body := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00")
	body = append(body, orientation, 0, 0, 0, 0, 0, 0, 0)
	return append([]byte{0xFF, 0xE1, 0, byte(len(body) + 2)}, body...)
}

// The mark of a picture whose file says how it lies comes out top left.
func TestOrientation(t *testing.T) {
	upright := corner(64, 32)
	for orientation := byte(1); orientation <= 8; orientation++ {
		stored := upright
		mirrored, degrees := Page{Orientation: int(orientation)}.Turn()
		stored = Turn(stored, (360-degrees)%360)
		if mirrored {
			stored = Gray(clone(stored))
			mirror(stored)
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, stored, &jpeg.Options{Quality: 95}); err != nil {
			t.Fatal(err)
		}
		raw := append(append([]byte("\xFF\xD8"), exif(orientation)...), b.Bytes()[2:]...)
		g, page, err := Decode(raw, 1, nil)
		if err != nil || page.Orientation != int(orientation) || g.Rect.Dx() != 64 || !dark(g, 3, 3) || dark(g, 60, 3) || dark(g, 3, 28) || dark(g, 60, 28) {
			t.Errorf("orientation %d: %+v, %v", orientation, page, err)
		}
	}
}

func clone(g *image.Gray) *image.Gray {
	return &image.Gray{Pix: bytes.Clone(g.Pix), Stride: g.Stride, Rect: g.Rect}
}

// pages puts TIFF files of one page each behind each other.
func pages(t testing.TB, files ...[]byte) []byte {
	t.Helper()
	out := bytes.Clone(files[0])
	next := func(at uint32) uint32 { return at + 2 + 12*uint32(binary.LittleEndian.Uint16(out[at:])) }
	link := next(binary.LittleEndian.Uint32(out[4:]))
	for _, f := range files[1:] {
		shift := uint32(len(out))
		first := binary.LittleEndian.Uint32(f[4:])
		f = bytes.Clone(f)
		for at := first + 2; at < first+2+12*uint32(binary.LittleEndian.Uint16(f[first:])); at += 12 {
			tag, n := binary.LittleEndian.Uint16(f[at:]), binary.LittleEndian.Uint32(f[at+4:])
			size := n * map[uint16]uint32{1: 1, 2: 1, typeShort: 2, typeLong: 4, typeRational: 8}[binary.LittleEndian.Uint16(f[at+2:])]
			if size > 4 || tag == 273 {
				binary.LittleEndian.PutUint32(f[at+8:], binary.LittleEndian.Uint32(f[at+8:])+shift)
			}
		}
		out = append(out, f...)
		binary.LittleEndian.PutUint32(out[link:], first+shift)
		link = next(first + shift)
	}
	return out
}

func TestPagesOfTIFF(t *testing.T) {
	raw := pages(t, encoded(t, corner(40, 20))[TIFF], encoded(t, corner(60, 30))[TIFF], encoded(t, corner(80, 40))[TIFF])
	info, err := Probe(raw)
	if err != nil || len(info.Pages) != 3 {
		t.Fatalf("%+v, %v", info, err)
	}
	for i, width := range []int{40, 60, 80} {
		g, _, err := Decode(raw, i+1, nil)
		if err != nil || g.Rect.Dx() != width || !dark(g, 2, 2) {
			t.Errorf("page %d: %v", i+1, err)
		}
	}
	loop := bytes.Clone(raw)
	first := binary.LittleEndian.Uint32(loop[4:])
	binary.LittleEndian.PutUint32(loop[first+2+12*uint32(binary.LittleEndian.Uint16(loop[first:])):], first)
	reason(t, "a loop", loop, fault.Malformed)
}

func reason(t *testing.T, name string, raw []byte, want fault.Reason) {
	t.Helper()
	_, _, err := Decode(raw, 1, nil)
	var e *Error
	if !errors.As(err, &e) || e.Reason != want || e.Message == "" {
		t.Errorf("%s: %v, want %s", name, err, want)
	}
}

// header is a PNG that ends after its header.
func header(w, h uint32) []byte {
	chunk := []byte("IHDR\x00\x00\x00\x00\x00\x00\x00\x00\x08\x06\x00\x00\x00")
	binary.BigEndian.PutUint32(chunk[4:], w)
	binary.BigEndian.PutUint32(chunk[8:], h)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

func TestRefused(t *testing.T) {
	if bomb := header(100_000, 100_000); len(bomb) != 33 {
		t.Fatalf("%d bytes", len(bomb))
	}
	reason(t, "37 GiB in 33 bytes", header(100_000, 100_000), fault.LimitExceeded)
	reason(t, "nothing of it", header(0, 10), fault.Malformed)
	reason(t, "no pixels", header(10, 10), fault.Malformed)
	reason(t, "text", []byte("a page of text"), fault.UnsupportedType)
	reason(t, "nothing", nil, fault.UnsupportedType)
	for format, raw := range encoded(t, corner(640, 480)) {
		reason(t, "half a "+format, raw[:len(raw)/2], fault.Malformed)
		reason(t, "a quarter of a "+format, raw[:len(raw)/4], fault.Malformed)
	}
}

// What is no damage but a kind that is not read says so.
func TestOtherKinds(t *testing.T) {
	raw := bytes.Clone(encoded(t, corner(16, 16))[JPEG])
	raw[bytes.Index(raw, []byte{0xFF, 0xC0})+1] = 0xC9
	reason(t, "an arithmetic JPEG", raw, fault.UnsupportedType)
	reason(t, "an animated WebP", []byte("RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x0f\x00\x00\x0f\x00\x00"), fault.UnsupportedType)
	packed := bytes.Clone(encoded(t, corner(16, 16))[BMP])
	packed[30] = 1 // run lengths
	reason(t, "a BMP of run lengths", packed, fault.UnsupportedType)
}

// The first picture of an animation stands at its place on the page.
func TestPartOfAnAnimation(t *testing.T) {
	part := image.NewPaletted(image.Rect(20, 10, 40, 20), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{part}, Delay: []int{0}, Config: image.Config{Width: 64, Height: 32}}); err != nil {
		t.Fatal(err)
	}
	g, _, err := Decode(b.Bytes(), 1, nil)
	if err != nil || g.Rect != image.Rect(0, 0, 64, 32) || !dark(g, 30, 15) || dark(g, 10, 15) || dark(g, 50, 15) || dark(g, 30, 25) {
		t.Errorf("%v, %v", g, err)
	}
}

func TestTooManyPages(t *testing.T) {
	raw := append([]byte("II*\x00"), 8, 0, 0, 0)
	for i := range MaxPages + 1 { // directories of one entry
		raw = append(raw, 1, 0, 0, 1, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0)
		raw = binary.LittleEndian.AppendUint32(raw, uint32(8+18*(i+1)))
	}
	reason(t, "a page too many", raw, fault.LimitExceeded)
}

// What a picture says of its resolution is believed, unless it is what programs
// write that know none, and makes a page of it that nobody prints.
func TestResolution(t *testing.T) {
	for _, c := range []struct{ side, said, want int }{{8, 300, 300}, {8, 72, 72}, {1440, 72, 72}, {1654, 72, 0}, {3000, 96, 0}, {8000, 300, 300}, {8, 7, 0}} {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, c.side))); err != nil {
			t.Fatal(err)
		}
		perMetre := binary.BigEndian.AppendUint32(nil, uint32(c.said*10000/254+1))
		phys := slices.Concat([]byte("pHYs"), perMetre, perMetre, []byte{1})
		raw := bytes.Clone(b.Bytes()[:33])
		raw = binary.BigEndian.AppendUint32(raw, 9)
		raw = append(raw, phys...)
		raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(phys))
		raw = append(raw, b.Bytes()[33:]...)
		info, err := Probe(raw)
		if err != nil || info.Pages[0].DPI != c.want {
			t.Errorf("%d pixels at %d: %+v, %v", c.side, c.said, info, err)
		}
	}
}

func FuzzProbe(f *testing.F) {
	for _, raw := range encoded(f, corner(16, 16)) {
		f.Add(raw)
	}
	f.Add(header(1<<31, 1<<31))
	f.Add(append(append([]byte("\xFF\xD8"), exif(6)...), 0xFF, 0xC0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x0f\xc0\x03\x00\x07\x10\xfd\x8f\xfe\x07\x22\xa2\xff\x01"))
	f.Add(pages(f, encoded(f, corner(8, 8))[TIFF], encoded(f, corner(8, 8))[TIFF]))
	f.Add(testdata(f, "grey.j2k"))
	f.Add(testdata(f, "rgba.jp2"))
	f.Add(boxed(testdata(f, "grey.j2k"), box("res ", box("resd", resolution(300)))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		info, err := Probe(raw)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || !e.Reason.Valid() {
				t.Fatalf("%v is no *Error with a reason", err)
			}
			return
		}
		if len(info.Pages) == 0 || len(info.Pages) > MaxPages {
			t.Fatalf("%d pages", len(info.Pages))
		}
		for i, p := range info.Pages {
			if p.Width < 1 || p.Height < 1 || p.Width > MaxPixels/p.Height || p.Orientation < 1 || p.Orientation > 8 {
				t.Fatalf("page %+v", p)
			}
			if i == 0 && p.Width*p.Height <= 1<<16 { // what is small is decoded, or refused, without a crash
				_, _, _ = Decode(raw, 1, blank)
			}
		}
	})
}
