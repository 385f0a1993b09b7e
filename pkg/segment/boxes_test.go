package segment

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// pageOf is a page of units with text, of which some have boxes.
func pageOf(units int) Frame {
	f := Frame{Page: model.Page{PageNo: 1, HTML: strings.Repeat("<p>“ir_id”:\n", 50)}}
	for i := range units {
		u := model.Unit{IRID: fmt.Sprintf("ir_%d", i), Type: model.UnitParagraph, FieldsRaw: model.Fields{
			Text: strings.Repeat(`A "text", \ with signs: {"ir_id":"ir_x","evidence":[]} é `, 5),
		}}
		for n := range i % 4 {
			e := model.Evidence{PageNumber: 1, TextQuote: "bbox"}
			if n != 1 {
				e.BBox = &model.BBox{X: float64(i) / 400, Y: 1e-7, W: 0.25, H: float64(n) / 3}
			}
			u.Evidence = append(u.Evidence, e)
		}
		f.Units = append(f.Units, u)
	}
	return f
}

// boxesOf is what Boxes should find in a frame.
func boxesOf(f Frame) []UnitBoxes {
	all := []UnitBoxes{}
	for _, u := range f.Units {
		b := UnitBoxes{IRID: u.IRID}
		for _, e := range u.Evidence {
			b.Boxes = append(b.Boxes, e.BBox)
		}
		all = append(all, b)
	}
	return all
}

func TestBoxesAreThoseOfTheFrame(t *testing.T) {
	for _, units := range []int{0, 1, 300} {
		want := pageOf(units)
		frame, err := EncodeFrame(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeBoxes(frame)
		if err != nil || !reflect.DeepEqual(got, boxesOf(want)) {
			t.Errorf("%d units: %v\n%+v", units, err, got)
		}
	}
	for _, broken := range []string{"", "{}", "{}\n{", "{}\n[]\n", `{}` + "\n" + `{"evidence":{}}`, `{}` + "\n" + `{"evidence":[{"bbox":[]}]}`, "{}\n{}x"} {
		frame, err := Compress([]byte(broken))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeBoxes(frame); err == nil {
			t.Errorf("%q has the boxes %+v", broken, got)
		}
	}
}

// FuzzDecodeBoxes: whatever the lines of a frame are, they are read or refused; and
// those of a page that can be read at all are the boxes of its units.
func FuzzDecodeBoxes(f *testing.F) {
	f.Add([]byte(`{"page_no":1}` + "\n" + `{"ir_id":"a","evidence":[{"bbox":{"x":0.5,"y":0,"w":1,"h":1}},{}]}` + "\n"))
	f.Add([]byte("{}\n{\"evidence\":null}\n{}"))
	f.Add([]byte("{}{}\n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		frame, err := Compress(lines)
		if err != nil {
			t.Skip()
		}
		if _, err := decodeBoxes(frame); err != nil {
			t.Logf("refused: %v", err)
		}
		page, err := DecodeFrame(frame)
		if err != nil {
			return
		}
		if frame, err = EncodeFrame(page); err != nil {
			t.Fatal(err)
		}
		if got, err := decodeBoxes(frame); err != nil || !reflect.DeepEqual(got, boxesOf(page)) {
			t.Errorf("boxes %+v of %+v: %v", got, boxesOf(page), err)
		}
	})
}

func BenchmarkDecodeBoxes(b *testing.B) {
	frame, err := EncodeFrame(pageOf(60))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("boxes", func(b *testing.B) {
		for b.Loop() {
			if _, err := decodeBoxes(frame); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("frame", func(b *testing.B) {
		for b.Loop() {
			if _, err := DecodeFrame(frame); err != nil {
				b.Fatal(err)
			}
		}
	})
}
