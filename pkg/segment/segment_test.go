package segment_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

func frame(page, units int) segment.Frame {
	f := segment.Frame{Page: model.Page{PageNo: page, Status: model.PageProcessed, UnitCount: units, Coverage: 1, HTML: "<p>à & é</p>"}}
	for i := range units {
		f.Units = append(f.Units, model.Unit{
			IRID: fmt.Sprintf("ir_%d_%d", page, i), Type: model.UnitParagraph,
			RetrievedAt:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Evidence:      []model.Evidence{{FragmentHash: "sha256:00", BBox: &model.BBox{X: 0.1, Y: 0.2, W: 0.3, H: 0.25}}},
			FieldsRaw:     model.Fields{Text: "texte < à >", Verbatim: true, Confidence: 0.5},
			ParseWarnings: []string{},
		})
	}
	return f
}

func build(t testing.TB, pages int) []byte {
	t.Helper()
	var w segment.Writer
	for p := 1; p <= pages; p++ {
		raw, err := segment.EncodeFrame(frame(p, p%4))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(p, raw); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSize(t *testing.T) {
	data := build(t, 16)
	r, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Index() {
		raw, err := r.Raw(i)
		if err != nil {
			t.Fatal(err)
		}
		page, err := segment.Decompress(raw)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(len(page))
		if want < 256 { // so little is not said by its frame
			want = segment.MaxFrame
		}
		if size, err := r.Size(i); err != nil || size != want {
			t.Errorf("page %d has %d bytes, want %d: %v", i+1, size, want, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	data := build(t, 16)
	if again := build(t, 16); !bytes.Equal(data, again) {
		t.Fatal("the same frames gave other bytes")
	}
	r, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Index()) != 16 {
		t.Fatalf("%d pages in the index", len(r.Index()))
	}
	for i := range r.Index() {
		got, err := r.Frame(i)
		if err != nil {
			t.Fatal(err)
		}
		if want := frame(i+1, (i+1)%4); !reflect.DeepEqual(got, want) {
			t.Errorf("page %d:\n got %+v\nwant %+v", i+1, got, want)
		}
	}
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	data := build(t, 3)
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x20
		if readAll(damaged) == nil && !sameMeaning(data, damaged) {
			t.Errorf("a flip at byte %d of %d was not found", i, len(data))
		}
	}
}

// sameMeaning: a flip that leaves index and frames equal as decoded, such as in
// the unused bits of the index frame's header, is not damage.
func sameMeaning(a, b []byte) bool {
	ra, errA := segment.NewReader(bytes.NewReader(a), int64(len(a)))
	rb, errB := segment.NewReader(bytes.NewReader(b), int64(len(b)))
	return errA == nil && errB == nil && reflect.DeepEqual(ra.Index(), rb.Index())
}

func readAll(data []byte) error {
	r, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for i := range r.Index() {
		if _, err := r.Frame(i); err != nil {
			return err
		}
	}
	return nil
}

func TestOrderIsHeld(t *testing.T) {
	var w segment.Writer
	if err := w.Add(2, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(2, []byte("x")); err == nil {
		t.Error("the same page twice was accepted")
	}
}

func FuzzReader(f *testing.F) {
	f.Add(build(f, 2))
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, data []byte) { _ = readAll(data) })
}

// TestEncoderForgets checks that what an encoder made before does not show.
func TestEncoderForgets(t *testing.T) {
	var kept segment.Encoder
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		f := frame(i+1, random.IntN(40))
		for k := range f.Units {
			text := make([]byte, random.IntN(3000))
			for j := range text {
				text[j] = "etaoin shrdlu"[random.IntN(1+i%13)]
			}
			f.Units[k].FieldsRaw.Text = string(text)
		}
		want, err := segment.EncodeFrame(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := kept.Frame(f)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("frame %d is another one after those before it", i)
		}
	}
}
