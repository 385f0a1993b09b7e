package pdf

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
)

// anyContent makes the content of a page by bytes, three for each step: words of
// many kinds one after another, new lines and columns, fonts, sizes, spacing,
// directions, invisible text, lines, areas, marked content.
func anyContent(data []byte) string {
	words := []string{
		"of", "rivers and", "Weirs", "the", "ends.", "self-help", "commu-", "nity", "Figure 1.", "Table 2:", "1.", "(a)", "Art. 1", "12", "3", "1,500.00", "45%", "........", "THE COUNCIL", "page 7",
		"A", "B", "C", "D E", "FGH", "I", "AA", "\\\\", "\\(", "\\255", "\\200", "\\001", "\\267", " ", "  ",
	}
	var c strings.Builder
	font, size, x, y, turn, left := "R", 10.0, 72.0, 700.0, 0.0, 72.0
	for ; len(data) >= 3 && c.Len() < 20_000; data = data[3:] {
		a, b := int(data[1]), int(data[2])
		switch data[0] % 16 {
		case 0:
			x, y = left+float64(b%4)*size, y-size*(1+float64(a%8)/8)
		case 1:
			left = 30 * float64(a%24)
			x, y = left, 4*float64(b%200)
		case 2:
			font, size = []string{"R", "B", "I", "C", "M", "M"}[a%6], []float64{10, 10, 8, 6, 12, 20, 40, 1}[b%8]
		case 3:
			turn = []float64{0, 0, 90, 180, 270, 30}[a%6]
		case 4:
			fmt.Fprintf(&c, "%d Tc %d Tw %d Ts\n", a%8-1, b%8-1, a/8%9-4)
		case 5:
			fmt.Fprintf(&c, "%d Tr %d Tz\n", []int{0, 3, 0, 7}[a%4], []int{100, 100, 50, 150}[b%4])
		case 6:
			fmt.Fprintf(&c, "%g %g m %g %g l S\n", x, y-3, x+4*float64(a)*float64(data[0]/16%2), y-3-4*float64(b)*float64(1-data[0]/16%2))
		case 7:
			fmt.Fprintf(&c, "%g %g %d %d re %s\n", x, y, 2*a, b, []string{"S", "f", "W n", "B"}[data[0]/16%4])
		case 8:
			fmt.Fprintf(&c, "%s BDC\n", []string{"/Artifact << >>", "/Span << /ActualText (fi) >>", "/P << /MCID 0 >>", "/Span << /ActualText () >>"}[a%4])
		case 9:
			c.WriteString("EMC\n")
		case 10:
			c.WriteString([]string{"q\n", "Q\n", "q 2 0 0 2 -72 -700 cm\n", "q 1 0 0 -1 0 792 cm\n"}[a%4])
		default:
			sin, cos := math.Sincos(turn * math.Pi / 180)
			word := words[a%len(words)]
			fmt.Fprintf(&c, "BT /%s %g Tf %.4f %.4f %.4f %.4f %.2f %.2f Tm [(%s) %d (%s)] TJ ET\n", font, size, cos, sin, -sin, cos, x, y, word, 20*(b%16)-100, words[b/16])
			width := 0.5 * size * float64(len(word)+len(words[b/16])+1)
			x, y = x+cos*width, y+sin*width
		}
	}
	return c.String()
}

// FuzzContent: whatever is drawn on a page, its blocks prove what they say, and a
// second reading says the same.
func FuzzContent(f *testing.F) {
	var prose, rows []byte
	for i := range 60 {
		prose = append(prose, 11, byte(i*7), byte(i*5))
		rows = append(rows, 12, byte(13+i%4), 0)
		if i%7 == 6 {
			prose = append(prose, 0, 2, 0)
		}
		if i%4 == 3 {
			rows = append(rows, 22, 90, 0, 0, 4, 0)
		}
	}
	for kind := range 8 {
		f.Add(prose, byte(kind))
		f.Add(append([]byte{2, byte(kind), 0, 3, byte(kind), 0, 5, byte(kind), byte(kind)}, rows...), byte(kind))
		f.Add([]byte{}, byte(kind)) // nothing at all
		f.Add(append([]byte{8, byte(kind), 0, 10, byte(kind), 0, 4, byte(kind * 9), byte(kind)}, prose...), byte(kind))
	}
	entries := []string{letter, letter, letter + " /Rotate 90", letter + " /CropBox [100 100 400 600]", "/MediaBox [-50 -50 300 900] /Rotate 180", letter + " /UserUnit 2", "/MediaBox [0 0 1 1]", letter + " /Rotate 270 /CropBox [50 50 700 500]"}
	f.Fuzz(func(t *testing.T, data []byte, kind byte) {
		var w writer
		w.mapped("ש", "ל", "\u0301", "ffi", "\uE001", "\u00AD", "é", "\uFFFD", "م")
		w.page(entries[int(kind)%len(entries)], anyContent(data[:min(len(data), 900)]))
		raw := w.bytes()
		first, err := readingOf(t, raw)
		if err == nil {
			proved(t, "drawn", raw)
		}
		again, same := readingOf(t, raw)
		if !reflect.DeepEqual(first, again) || fmt.Sprint(err) != fmt.Sprint(same) {
			t.Fatalf("two readings differ: %v, %v", err, same)
		}
	})
}

// reading is the first page, or why there is nothing to read on it.
func readingOf(t *testing.T, raw []byte) (block.Page, error) {
	t.Helper()
	x := New(engine)
	defer x.Release()
	page, err := x.Page(t.Context(), inputOf(t, raw), 1)
	if f := (*block.Failure)(nil); err != nil && !errors.As(err, &f) {
		t.Fatal(err)
	}
	return page, err
}
