package segment

import (
	"reflect"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestUnitsOfATypeAreThoseOfTheFrame: the units of a type are found among others whose
// text, and whose fields, look like the sign of that type.
func TestUnitsOfATypeAreThoseOfTheFrame(t *testing.T) {
	f := pageOf(40)
	for i := range f.Units {
		if i%7 == 0 {
			f.Units[i].Type, f.Units[i].FieldsRaw.Level = model.UnitHeading, 2
		}
		if i%5 == 0 {
			f.Units[i].FieldsRaw.Text, f.Units[i].FieldsRaw.Error = `"type":"heading"`, &model.Failure{Type: "heading"}
		}
	}
	frame, err := EncodeFrame(f)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := DecodeFrame(frame)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []model.UnitType{model.UnitHeading, model.UnitParagraph, model.UnitTable} {
		var want []model.Unit
		for _, u := range whole.Units {
			if u.Type == kind {
				want = append(want, u)
			}
		}
		if got, err := decodeOfType(frame, kind); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d units, want %d, %v", kind, len(got), len(want), err)
		}
	}
	for _, broken := range []string{"{}\n{\"type\":\"heading\"", "{}\n[\"type\":\"heading\"]\n"} {
		frame, err := Compress([]byte(broken))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeOfType(frame, model.UnitHeading); err == nil {
			t.Errorf("%q was read", broken)
		}
	}
	if _, err := decodeOfType([]byte("no frame"), model.UnitHeading); err == nil {
		t.Error("what is no frame was read")
	}
}

// FuzzDecodeOfType: what reads the units of a type reads no other than what reads whole
// frames.
func FuzzDecodeOfType(f *testing.F) {
	frame, err := EncodeFrame(pageOf(3))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(frame)
	f.Fuzz(func(t *testing.T, frame []byte) {
		got, err := decodeOfType(frame, model.UnitParagraph)
		if err != nil {
			return
		}
		whole, err := DecodeFrame(frame)
		if err != nil {
			return
		}
		n := 0
		for _, u := range whole.Units {
			if u.Type == model.UnitParagraph {
				n++
			}
		}
		if len(got) > n {
			t.Errorf("%d of %d units", len(got), n)
		}
	})
}
