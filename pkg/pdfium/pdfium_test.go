package pdfium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
)

// engines is the compiled engine that all tests share.
var engines *Runtime

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	cache, err := os.MkdirTemp("", "pdfium-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(cache)
	engines, err = Open(context.Background(), Config{CacheDir: cache})
	if err != nil {
		panic(err)
	}
	defer engines.Close(context.Background())
	return m.Run()
}

func load(t testing.TB, raw []byte) *Document {
	t.Helper()
	d, err := engines.Load(raw, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func page(t testing.TB, d *Document, index int) *Page {
	t.Helper()
	p, err := d.Page(index)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func chars(t testing.TB, p *Page) ([]Char, []Font) {
	t.Helper()
	list, fonts, err := p.Chars()
	if err != nil {
		t.Fatal(err)
	}
	return list, fonts
}

func runes(list []Char) string {
	var out strings.Builder
	for _, c := range list {
		out.WriteRune(c.Rune)
	}
	return out.String()
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestText(t *testing.T) {
	p := page(t, load(t, simple("first", "Hello world\nsecond line")), 1)
	list, fonts := chars(t, p)
	if got := runes(list); got != "Hello world\r\nsecond line" {
		t.Fatalf("got %q", got)
	}
	if len(fonts) != 1 || fonts[0].Name != "Helvetica" {
		t.Errorf("fonts %+v", fonts)
	}
	for i, c := range list {
		if c.Index != i {
			t.Errorf("character %d has index %d", i, c.Index)
		}
		lineEnd := c.Rune == '\r' || c.Rune == '\n'
		if c.Generated != lineEnd {
			t.Errorf("character %d %q: generated %v", i, c.Rune, c.Generated)
		}
		if lineEnd {
			continue
		}
		if c.FontSize != 12 || c.Font != 0 || c.RenderMode != 0 || c.Angle != 0 || c.Fill != 0x000000ff {
			t.Errorf("character %d: %+v", i, c)
		}
	}
	h, s := list[0], list[13]
	if h.Origin != (Point{72, 720}) || s.Origin != (Point{72, 706}) {
		t.Errorf("origins %v, %v", h.Origin, s.Origin)
	}
	if !near(h.Box.Left, 72, 1) || !near(h.Box.Width(), 8.67, 0.1) || h.Box.Bottom > 720 || h.Box.Top < 728 || h.Box.Height() > 16 {
		t.Errorf("box of H: %+v", h.Box)
	}
	text, err := p.Text(6, 5)
	if err != nil || text != "world" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestTextRanges(t *testing.T) {
	p := page(t, load(t, simple("Hello")), 0)
	for _, r := range [][2]int{{-1, 1}, {0, -1}, {0, 6}, {6, 0}, {3, math.MaxInt}} {
		if text, err := p.Text(r[0], r[1]); err == nil {
			t.Errorf("characters %v: got %q", r, text)
		}
	}
	for _, r := range []struct {
		start, count int
		want         string
	}{{0, 0, ""}, {5, 0, ""}, {0, 5, "Hello"}, {4, 1, "o"}} {
		if text, err := p.Text(r.start, r.count); err != nil || text != r.want {
			t.Errorf("characters %+v: got %q, %v", r, text, err)
		}
	}
	if _, err := p.document.Page(1); err == nil {
		t.Error("page 2 of 1 loaded")
	}
}

func TestStyle(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		check   func(Char) bool
	}{
		"text matrix":     {"BT /F 1 Tf 12 0 0 12 72 700 Tm (x) Tj ET", func(c Char) bool { return c.FontSize == 12 }},
		"page matrix":     {"2 0 0 2 0 0 cm BT /F 9 Tf 36 350 Td (x) Tj ET", func(c Char) bool { return c.FontSize == 18 && c.Origin == Point{72, 700} }},
		"invisible":       {"BT 3 Tr /F 12 Tf 72 700 Td (x) Tj ET", func(c Char) bool { return c.RenderMode == 3 }},
		"colour":          {"1 0 0 rg BT /F 12 Tf 72 700 Td (x) Tj ET", func(c Char) bool { return c.Fill == 0xff0000ff }},
		"upwards":         {"BT /F 12 Tf 0 1 -1 0 72 700 Tm (x) Tj ET", func(c Char) bool { return near(c.Angle, math.Pi/2, 1e-3) && c.FontSize == 12 }},
		"upside down":     {"BT /F 12 Tf -1 0 0 -1 72 700 Tm (x) Tj ET", func(c Char) bool { return near(c.Angle, math.Pi, 1e-3) }},
		"slanted":         {"BT /F 12 Tf 1 0 0.25 1 72 700 Tm (x) Tj ET", func(c Char) bool { return c.Angle == 0 && c.FontSize == 12 }},
		"slanted upwards": {"BT /F 12 Tf 0 1 -1 0.25 72 700 Tm (x) Tj ET", func(c Char) bool { return near(c.Angle, math.Pi/2, 1e-3) && near(c.FontSize, 12, 1e-3) }},
		"not rotated":     {"BT /F 12 Tf 72 700 Td (x) Tj ET", func(c Char) bool { return c.Angle == 0 }},
		"form XObject":    {"q 2 0 0 2 0 0 cm /X Do Q", func(c Char) bool { return c.FontSize == 20 && c.Origin == Point{72, 700} }},
	} {
		t.Run(name, func(t *testing.T) {
			var w writer
			form := w.stream("/Type /XObject /Subtype /Form /BBox [0 0 500 500] "+helvetica, "BT /F 10 Tf 36 350 Td (x) Tj ET")
			resources := fmt.Sprintf("/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> /XObject << /X %d 0 R >> >>", form)
			w.page("/MediaBox [0 0 612 792] "+resources, test.content)
			list, _ := chars(t, page(t, load(t, w.bytes()), 0))
			if len(list) != 1 || !test.check(list[0]) {
				t.Errorf("got %+v", list)
			}
		})
	}
}

// A word broken at the end of a line, a ligature, a character beyond the basic
// plane, and a glyph without Unicode.
func TestUnicode(t *testing.T) {
	var w writer
	w.page("/MediaBox [0 0 612 792] "+helvetica, show("a bro-\nken word"))
	cmap := w.stream("", `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /T def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
3 beginbfchar <41> <D83DDE00> <42> <006600660069> <43> <0043> endbfchar
endcmap end end`)
	w.page(fmt.Sprintf("/MediaBox [0 0 612 792] /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode %d 0 R >> >> >>", cmap), show("CABC"))
	d := load(t, w.bytes())
	p := page(t, d, 0)
	list, _ := chars(t, p)
	if got := runes(list); got != "a bro\x02ken word" {
		t.Errorf("got %q", got)
	}
	for i, c := range list {
		if c.Hyphen != (i == 5) {
			t.Errorf("character %d %q: hyphen %v", i, c.Rune, c.Hyphen)
		}
	}
	if text, err := p.Text(0, len(list)); err != nil || text != "a bro\uFFFEken word" {
		t.Errorf("got %q, %v", text, err)
	}
	p = page(t, d, 1)
	list, _ = chars(t, p)
	text, err := p.Text(0, len(list))
	if err != nil || text != "C\U0001F600ffiC" {
		t.Errorf("got %q, %v (%q)", text, err, runes(list))
	}
	if got := runes(list); got != "C\U0001F600\x00ffiC" {
		t.Errorf("got %q", got)
	}
}

func TestJoinPairs(t *testing.T) {
	list := make([]Char, 6)
	for i, r := range []rune{0xD83D, 0xD83D, 0xDE00, 'a', 0xDE00, 0xD83D} {
		list[i].Rune = r
	}
	joinPairs(list)
	if got := runes(list); got != "\uFFFD\U0001F600\x00a\uFFFD\uFFFD" {
		t.Errorf("got %q", got)
	}
}

// The same text on the same paper, turned four ways, cropped, and with the
// boxes on the page or inherited.
func TestRotationAndCropBox(t *testing.T) {
	media, crop := Rect{Left: 10, Bottom: 20, Right: 310, Top: 420}, Rect{Left: 60, Bottom: 70, Right: 260, Top: 370}
	const content = "BT /F 20 Tf 85 320 Td (Hx) Tj ET 0 0 30 40 re f"
	for _, inherited := range []bool{false, true} {
		for _, rotation := range []int{0, 90, 180, 270, -90, 450} {
			var w writer
			boxes := fmt.Sprintf("/MediaBox [10 20 310 420] /CropBox [60 70 260 370] /Rotate %d ", rotation)
			if inherited {
				w.tree = boxes + helvetica
				w.page("", content)
			} else {
				w.page(boxes+helvetica, content)
			}
			p := page(t, load(t, w.bytes()), 0)
			name := fmt.Sprintf("rotation %d, inherited %v", rotation, inherited)
			if want := (rotation + 360) % 360; p.Rotation != want {
				t.Errorf("%s: got rotation %d", name, p.Rotation)
			}
			if p.MediaBox != media || p.CropBox != crop {
				t.Errorf("%s: MediaBox %v, CropBox %v", name, p.MediaBox, p.CropBox)
			}
			list, _ := chars(t, p)
			if runes(list) != "Hx" || list[0].Origin != (Point{85, 320}) {
				t.Fatalf("%s: %+v", name, list)
			}
			// The baseline of H starts a quarter from the left and a quarter from the top.
			at := p.Upright(Rect{Left: 85, Right: 85, Bottom: 320, Top: 320})
			want := map[int]Box{
				0: {X: 0.25, Y: 0.25}, 90: {X: 0.75, Y: 0.25}, 180: {X: 0.75, Y: 0.75}, 270: {X: 0.25, Y: 0.75},
			}[p.Rotation]
			if at != want {
				t.Errorf("%s: baseline at %+v, want %+v", name, at, want)
			}
			// Letters follow each other in the direction of reading.
			h, x := p.Upright(list[0].Box), p.Upright(list[1].Box)
			var forward bool
			switch p.Rotation {
			case 0:
				forward = x.X > h.X && h.H > h.W
			case 90:
				forward = x.Y > h.Y && h.W > 0.03
			case 180:
				forward = x.X < h.X
			case 270:
				forward = x.Y < h.Y
			}
			if !forward {
				t.Errorf("%s: H at %+v, x at %+v", name, h, x)
			}
			g, err := p.Graphics()
			if err != nil || len(g.Paths) != 1 || g.Paths[0].Box != (Rect{0, 0, 30, 40}) {
				t.Errorf("%s: %+v, %v", name, g, err)
			}
		}
	}
}

func TestPageWithoutBoxes(t *testing.T) {
	var w writer
	w.page(helvetica, show("x"))
	w.page("/MediaBox [0 0 0 0] "+helvetica, show("x"))
	w.page("/MediaBox [300 400 0 0] /CropBox [-50 -50 900 900] "+helvetica, show("x"))
	w.page("/MediaBox [0 0 100000000 100000000] "+helvetica, show("x"))
	d := load(t, w.bytes())
	for i, want := range []Rect{{0, 0, 612, 792}, {0, 0, 612, 792}, {0, 0, 300, 400}} {
		if p := page(t, d, i); p.MediaBox != want || p.CropBox != want {
			t.Errorf("page %d: MediaBox %v, CropBox %v", i+1, p.MediaBox, p.CropBox)
		}
	}
	if p := page(t, d, 3); p.MediaBox.Width() <= 0 || p.CropBox.Width() <= 0 {
		t.Errorf("huge page: MediaBox %v, CropBox %v", p.MediaBox, p.CropBox)
	}
}

func TestUpright(t *testing.T) {
	media := Rect{Left: 0, Bottom: 0, Right: 200, Top: 100}
	r := Rect{Left: 20, Bottom: 70, Right: 60, Top: 90}
	for rotation, want := range map[int]Box{
		0:   {X: 0.1, Y: 0.1, W: 0.2, H: 0.2},
		90:  {X: 0.7, Y: 0.1, W: 0.2, H: 0.2},
		180: {X: 0.7, Y: 0.7, W: 0.2, H: 0.2},
		270: {X: 0.1, Y: 0.7, W: 0.2, H: 0.2},
	} {
		if got := Upright(media, rotation, r); got != want {
			t.Errorf("rotation %d: got %+v, want %+v", rotation, got, want)
		}
	}
	if got := Upright(media, 0, Rect{-50, -50, 500, 500}); got != (Box{W: 1, H: 1}) {
		t.Errorf("box larger than the page: %+v", got)
	}
	if got := Upright(Rect{}, 0, r); got != (Box{}) {
		t.Errorf("page without area: %+v", got)
	}
}

func FuzzUpright(f *testing.F) {
	f.Add(0.0, 0.0, 612.0, 792.0, 1, 10.0, 10.0, 20.0, 20.0)
	f.Add(math.NaN(), 0.0, math.Inf(1), 1.0, 3, 1e300, -1e300, math.NaN(), 0.0)
	f.Fuzz(func(t *testing.T, l, b, r, top float64, turns int, left, bottom, right, up float64) {
		box := Upright(Rect{l, b, r, top}.normal(), turns%4*90, Rect{left, bottom, right, up}.normal())
		for _, v := range []float64{box.X, box.Y, box.W, box.H, box.X + box.W, box.Y + box.H} {
			if !(v >= 0 && v <= 1+1e-6) {
				t.Fatalf("%+v", box)
			}
		}
	})
}

func TestGraphics(t *testing.T) {
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 4 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray", "12345678")
	inner := w.stream("/Type /XObject /Subtype /Form /BBox [0 0 500 500] /Matrix [1 0 0 1 5 7]", "2 w 0 0 1 RG 0 0 m 100 0 l S")
	outer := w.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 500 500] /Resources << /XObject << /I %d 0 R >> >>", inner),
		"q 1 0 0 1 10 0 cm /I Do Q")
	w.page(fmt.Sprintf("/MediaBox [0 0 612 792] /Resources << /XObject << /P %d 0 R /O %d 0 R >> >>", image, outer),
		`3 w 1 0 0 RG 50 60 m 150 60 l S
0 1 0 rg 10 20 30 40 re f
q 2 0 0 2 100 200 cm /O Do Q
q 80 0 0 40 300 400 cm /P Do Q
10 10 m 20 30 40 30 50 10 c h S
10 10 m 90 10 l 90 90 l n`)
	drawn := page(t, load(t, w.bytes()), 0)
	g, err := drawn.Graphics()
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Paths) != 4 || len(g.Images) != 1 || g.Truncated {
		t.Fatalf("got %+v", g)
	}
	line := Path{
		Points: []PathPoint{{Point: Point{50, 60}}, {Point: Point{150, 60}, Kind: LineTo}},
		Box:    Rect{50, 60, 150, 60}, Stroke: true, StrokeWidth: 3, StrokeColor: 0xff0000ff, Order: 1,
	}
	if !reflect.DeepEqual(g.Paths[0], line) {
		t.Errorf("line: %+v", g.Paths[0])
	}
	if r := g.Paths[1]; r.Box != (Rect{10, 20, 40, 60}) || !r.Fill || r.Stroke || r.FillColor != 0x00ff00ff || !r.Points[len(r.Points)-1].Close {
		t.Errorf("rectangle: %+v", r)
	}
	// (0,0) to (100,0), moved by (5,7) and (10,0), doubled, moved by (100,200).
	if l := g.Paths[2]; l.Box != (Rect{130, 214, 330, 214}) || l.StrokeWidth != 4 || l.StrokeColor != 0x0000ffff {
		t.Errorf("line in two forms: %+v", l)
	}
	if c := g.Paths[3]; len(c.Points) < 4 || c.Points[1].Kind != CurveTo {
		t.Errorf("curve: %+v", c)
	}
	picture := g.Images[0]
	if stream, err := drawn.ImageStream(picture); err != nil || string(stream) != "12345678" {
		t.Errorf("the picture's bytes: %q, %v", stream, err)
	}
	if picture.object = 0; picture != (Image{Box: Rect{300, 400, 380, 440}, Width: 4, Height: 2, Mark: -1, Order: 6}) {
		t.Errorf("image: %+v", picture)
	}
}

func TestAnnotations(t *testing.T) {
	var w writer
	first := w.page("/MediaBox [0 0 612 792] "+helvetica, show("first"))
	uri := w.add("<< /Type /Annot /Subtype /Link /Rect [10 20 110 40] /A << /S /URI /URI (https://example.org/a?b=c) >> >>")
	inside := w.add(fmt.Sprintf("<< /Type /Annot /Subtype /Link /Rect [10 50 110 70] /Dest [%d 0 R /Fit] >>", first))
	launch := w.add("<< /Type /Annot /Subtype /Link /Rect [10 80 110 90] /A << /S /Launch /F (/bin/sh) >> >>")
	note := w.add("<< /Type /Annot /Subtype /Text /Rect [200 20 220 40] /F 2 /Contents <FEFF0061002000E9> >>")
	popup := w.add(fmt.Sprintf("<< /Type /Annot /Subtype /Popup /Rect [200 20 220 40] /Parent %d 0 R >>", note))
	field := w.add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /TU (Your name) /V (Ada) /Rect [300 20 400 40] >>")
	look := w.stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", "")
	check := w.add(fmt.Sprintf("<< /Type /Annot /Subtype /Widget /FT /Btn /T (agree) /V /Yes /AS /Yes /Rect [300 50 310 60] /AP << /N << /Yes %d 0 R /Off %d 0 R >> >> >>", look, look))
	w.page(fmt.Sprintf("/MediaBox [0 0 612 792] /Annots [%d 0 R %d 0 R %d 0 R %d 0 R %d 0 R %d 0 R %d 0 R] %s",
		uri, inside, launch, note, popup, field, check, helvetica), show("second"))
	w.catalog = fmt.Sprintf("/AcroForm << /Fields [%d 0 R %d 0 R] >>", field, check)
	d := load(t, w.bytes())
	list, err := page(t, d, 1).Annotations()
	if err != nil {
		t.Fatal(err)
	}
	want := []Annotation{
		{Subtype: "Link", Rect: Rect{10, 20, 110, 40}, URI: "https://example.org/a?b=c", Page: -1},
		{Subtype: "Link", Rect: Rect{10, 50, 110, 70}, Page: 0},
		{Subtype: "Link", Rect: Rect{10, 80, 110, 90}, Page: -1},
		{Subtype: "Text", Rect: Rect{200, 20, 220, 40}, Page: -1, Contents: "a é", Hidden: true},
		{Subtype: "Widget", Rect: Rect{300, 20, 400, 40}, Page: -1, Field: &Field{Name: "name", Label: "Your name", Type: "text", Value: "Ada"}},
		{Subtype: "Widget", Rect: Rect{300, 50, 310, 60}, Page: -1, Field: &Field{Name: "agree", Type: "checkbox", Value: "Yes", Checked: true}},
	}
	if !reflect.DeepEqual(list, want) {
		for _, a := range list {
			t.Errorf("got %+v %+v", a, a.Field)
		}
	}
}

func TestDocumentFacts(t *testing.T) {
	var w writer
	for range 5 {
		w.page("/MediaBox [0 0 612 792] "+helvetica, show("x"))
	}
	info := w.add("<< /Title <FEFF00C9006C0065007600E9> /Author (Ada) /ModDate (D:20260102030405Z) >>")
	w.trailer = fmt.Sprintf("/Info %d 0 R", info)
	w.catalog = "/MarkInfo << /Marked true >> /PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (A-) >>] >>"
	d := load(t, w.bytes())
	for tag, want := range map[string]string{"Title": "Élevé", "Author": "Ada", "ModDate": "D:20260102030405Z", "Producer": ""} {
		if got, err := d.Metadata(tag); err != nil || got != want {
			t.Errorf("%s: got %q, %v", tag, got, err)
		}
	}
	for i, want := range []string{"i", "ii", "A-1", "A-2", "A-3"} {
		if got, err := d.PageLabel(i); err != nil || got != want {
			t.Errorf("label %d: got %q, %v", i, got, err)
		}
	}
	if d.PageCount() != 5 || d.junk != 0 {
		t.Errorf("%d pages, junk %d", d.PageCount(), d.junk)
	}
}

func TestOutline(t *testing.T) {
	var w writer
	first := w.page("/MediaBox [0 0 612 792] "+helvetica, show("x"))
	second := w.page("/MediaBox [0 0 612 792] "+helvetica, show("x"))
	root := w.add("<< /Type /Outlines /First 8 0 R /Last 10 0 R >>")
	w.add(fmt.Sprintf("<< /Title (One) /Parent 7 0 R /Next 10 0 R /First 9 0 R /Dest [%d 0 R /Fit] >>", first))
	w.add(fmt.Sprintf("<< /Title (One point one) /Parent 8 0 R /First 8 0 R /A << /S /GoTo /D [%d 0 R /Fit] >> >>", second))
	w.add("<< /Title (Two) /Parent 7 0 R /Next 8 0 R >>") // and round again
	if root != 7 {
		t.Fatalf("outline is object %d", root)
	}
	w.catalog = "/Outlines 7 0 R"
	got, err := load(t, w.bytes()).Outline()
	want := []OutlineEntry{{"One", 1, 0}, {"One point one", 2, 1}, {"Two", 1, -1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOutlineBounds(t *testing.T) {
	var w writer
	w.page("/MediaBox [0 0 612 792]", "")
	const root = 5
	if n := w.add("<< /Type /Outlines /First 6 0 R >>"); n != root {
		t.Fatalf("outline is object %d", n)
	}
	for i := range 12 { // one inside the other
		w.add(fmt.Sprintf("<< /Title (%d) /First %d 0 R /Next 18 0 R >>", i, root+2+i))
	}
	for i := range maxOutlineEntries + 10 {
		w.add(fmt.Sprintf("<< /Title (%d) /Next %d 0 R >>", i, 19+i))
	}
	w.catalog = "/Outlines 5 0 R"
	entries, err := load(t, w.bytes()).Outline()
	if err != nil || len(entries) != maxOutlineEntries {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	for _, e := range entries {
		if e.Level > maxOutlineDepth {
			t.Fatalf("level %d", e.Level)
		}
	}
}

func TestPassword(t *testing.T) {
	var w writer
	w.page("/MediaBox [0 0 612 792]", "")
	w.encrypt("open sesame", "owner")
	raw := w.bytes()
	for _, password := range []string{"", "wrong", strings.Repeat("x", 100)} {
		if _, err := engines.Load(raw, password); !errors.Is(err, ErrPassword) {
			t.Errorf("password %q: got %v", password, err)
		}
	}
	d, err := engines.Load(raw, "open sesame")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var unknown writer
	unknown.page("/MediaBox [0 0 612 792]", "")
	unknown.trailer = "/Encrypt << /Filter /Unheard /V 9 >>"
	if _, err := engines.Load(unknown.bytes(), ""); !errors.Is(err, ErrPassword) {
		t.Errorf("unknown encryption: got %v", err)
	}
}

func TestUnreadable(t *testing.T) {
	whole := simple("Hello")
	for name, raw := range map[string][]byte{
		"empty":                   nil,
		"html":                    []byte("<!doctype html><p>Hello"),
		"header only":             []byte("%PDF-1.7\n"),
		"cut in the first object": whole[:30],
		"header too late":         append(bytes.Repeat([]byte("x"), 1030), whole...),
	} {
		if _, err := engines.Load(raw, ""); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRepaired(t *testing.T) {
	whole := simple("Hello")
	for name, test := range map[string]struct {
		raw  []byte
		junk int64
	}{
		"junk before the header": {append([]byte("HTTP/1.1 200 OK\r\n\r\n"), whole...), 19},
		"no trailer":             {whole[:bytes.LastIndex(whole, []byte("startxref"))], 0},
		"junk at the end":        {append(bytes.Clone(whole), "PK\x03\x04"...), 0},
	} {
		d := load(t, test.raw)
		list, _ := chars(t, page(t, d, 0))
		if runes(list) != "Hello" || d.junk != test.junk {
			t.Errorf("%s: %q, junk %d", name, runes(list), d.junk)
		}
	}
}

// A disk that fails must not pass for a damaged document.
func TestReadError(t *testing.T) {
	raw := simple("Hello", "world")
	broken := errors.New("disk is broken")
	for _, reads := range []int{0, 1, 5} {
		disk := &failingReader{Reader: bytes.NewReader(raw), left: reads, err: broken}
		d, err := engines.LoadReader(disk, int64(len(raw)), "")
		if err == nil {
			_, err = d.Page(0)
			d.Close()
		}
		if !errors.Is(err, broken) || errors.Is(err, ErrFormat) {
			t.Errorf("after %d reads: got %v", reads, err)
		}
	}
}

type failingReader struct {
	*bytes.Reader
	left int // reads until it fails
	err  error
}

func (r *failingReader) ReadAt(b []byte, at int64) (int, error) {
	if r.left == 0 {
		return 0, r.err
	}
	r.left--
	return r.Reader.ReadAt(b, at)
}

func TestPageThatIsMissing(t *testing.T) {
	raw := bytes.Replace(simple("Hello"), []byte("/Count 1 "), []byte("/Count 9 "), 1)
	d := load(t, raw)
	for i := 1; i < d.PageCount(); i++ {
		if _, err := d.Page(i); !errors.Is(err, ErrFormat) {
			t.Errorf("page %d: got %v", i+1, err)
		}
	}
	if list, _ := chars(t, page(t, d, 0)); runes(list) != "Hello" {
		t.Errorf("got %q", runes(list))
	}
}

func TestMemoryLimit(t *testing.T) {
	small, err := Open(t.Context(), Config{MemoryLimitBytes: 48 << 20, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close(context.WithoutCancel(t.Context()))
	var w writer
	bomb := deflate(bytes.Repeat([]byte(" "), 100<<20))
	contents := w.stream("/Filter /FlateDecode", bomb)
	w.pages = append(w.pages, w.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R >>", contents)))
	d, err := small.Load(w.bytes(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for range 2 { // the document stays unusable
		if _, err := d.Page(0); !errors.Is(err, ErrLimit) {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := d.Outline(); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v", err)
	}
	for _, limit := range []int64{-1, 1 << 20, 1 << 40} {
		if _, err := Open(t.Context(), Config{MemoryLimitBytes: limit}); err == nil {
			t.Errorf("memory limit of %d accepted", limit)
		}
	}
}

// What a page gives must not depend on what was read before it.
func TestDeterminism(t *testing.T) {
	raw := report(t, 6)
	read := func(d *Document, index int) any {
		p, err := d.Page(index)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		list, fonts := chars(t, p)
		g, err := p.Graphics()
		if err != nil {
			t.Fatal(err)
		}
		notes, err := p.Annotations()
		if err != nil {
			t.Fatal(err)
		}
		return []any{list, fonts, g, notes, p.MediaBox}
	}
	forward, backward := load(t, raw), load(t, raw)
	want := map[int]any{}
	for i := range 6 {
		want[i] = read(forward, i)
	}
	for i := 5; i >= 0; i-- {
		if !reflect.DeepEqual(read(backward, i), want[i]) {
			t.Errorf("page %d differs when read backwards", i+1)
		}
		if !reflect.DeepEqual(read(load(t, raw), i), want[i]) {
			t.Errorf("page %d differs when read alone", i+1)
		}
	}
}

// report is a document of n pages of 3,000 characters in two fonts, with a ruled
// table and a form field.
func report(t testing.TB, n int) []byte {
	t.Helper()
	var w writer
	var content strings.Builder
	content.WriteString("BT 13 TL 50 760 Td\n")
	for i := range 45 {
		fmt.Fprintf(&content, "/F%d 10 Tf (%s) Tj T*\n", i%2, "The quick brown fox jumps over the lazy dog and reads page labels.")
	}
	content.WriteString("ET\n")
	for i := range 20 {
		fmt.Fprintf(&content, "50 %d m 400 %d l S %d 20 m %d 160 l S\n", 20+7*i, 20+7*i, 50+17*i, 50+17*i)
	}
	field := w.add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [300 20 400 40] >>")
	w.catalog = fmt.Sprintf("/AcroForm << /Fields [%d 0 R] >>", field)
	w.tree = "/MediaBox [0 0 612 792] /Resources << /Font << /F0 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /F1 << /Type /Font /Subtype /Type1 /BaseFont /Times-Italic >> >> >>"
	for range n {
		w.page(fmt.Sprintf("/Annots [%d 0 R]", field), content.String())
	}
	return w.bytes()
}

func FuzzLoad(f *testing.F) {
	f.Add(simple("Hello"))
	f.Add(report(f, 1))
	f.Add([]byte("%PDF-1.4\n1 0 obj"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		known := func(err error) {
			if err == nil {
				return
			}
			for _, kind := range []error{ErrPassword, ErrFormat, ErrLimit, ErrEngine} {
				if errors.Is(err, kind) {
					return
				}
			}
			t.Fatalf("unknown kind of error: %v", err)
		}
		d, err := engines.Load(raw, "")
		if err != nil {
			known(err)
			return
		}
		defer d.Close()
		_, err = d.Outline()
		known(err)
		for i := range min(d.PageCount(), 3) {
			p, err := d.Page(i)
			if err != nil {
				known(err)
				continue
			}
			_, _, err = p.Chars()
			known(err)
			_, err = p.Graphics()
			known(err)
			_, err = p.Annotations()
			known(err)
			p.Close()
		}
	})
}

// The target is 5 ms of CPU a page.
func BenchmarkPage(b *testing.B) {
	d := load(b, report(b, 3))
	i := 0
	for b.Loop() {
		p, err := d.Page(i % 3)
		if err != nil {
			b.Fatal(err)
		}
		i++
		list, _ := chars(b, p)
		p.Close()
		b.ReportMetric(float64(len(list)), "chars/page")
	}
}

func BenchmarkLoad(b *testing.B) {
	raw := simple("Hello")
	for b.Loop() {
		d, err := engines.Load(raw, "")
		if err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}
