package digest

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// everyKind has a field of each kind that Canonical looks at.
type everyKind struct {
	Text    string            `json:"text"`
	Named   named             `json:"a_named,omitempty"`
	Yes     bool              `json:"yes,omitempty"`
	Count   int               `json:"count"`
	Wide    int64             `json:"wide,omitempty"`
	Share   float64           `json:"share"`
	Maybe   float64           `json:"maybe,omitempty"`
	Box     *BBox             `json:"box,omitempty"`
	None    *BBox             `json:"none"`
	List    []string          `json:"list"`
	Few     []BBox            `json:"few,omitempty"`
	Pair    [2]int            `json:"pair"`
	Map     map[string]string `json:"map,omitempty"`
	When    time.Time         `json:"when"`
	Own     json.RawMessage   `json:"own,omitempty"`
	Bytes   []byte            `json:"bytes,omitempty"`
	Any     any               `json:"any,omitempty"`
	Child   *everyKind        `json:"child,omitempty"`
	Inside  inside            `json:"inside"`
	Left    string            `json:"-"`
	Unnamed int
	hidden  int
}

type named string

type inside struct {
	B int    `json:"b,string"`
	A string `json:"a"`
}

// direct has only what Canonical writes itself.
type direct struct {
	Text  string              `json:"text"`
	Named named               `json:"a_named,omitempty"`
	Yes   bool                `json:"yes,omitempty"`
	Count int                 `json:"count"`
	Share float64             `json:"share"`
	Box   *BBox               `json:"box,omitempty"`
	List  []string            `json:"list"`
	Pair  [2]int              `json:"pair"`
	Map   map[string][]string `json:"map,omitempty"`
	When  time.Time           `json:"when"`
	Left  string              `json:"-"`
}

// checkCanonical expects what JCS writes, after what stands there already.
func checkCanonical(t *testing.T, c *Canonical, v any) {
	t.Helper()
	want, wantErr := JCS(v)
	got, err := c.Append([]byte("before"), v)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%+v: error %v, JCS has %v", v, err, wantErr)
	}
	if err == nil && string(got) != "before"+string(want) {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestCanonical(t *testing.T) {
	var c Canonical
	for _, v := range []any{
		nil, 1, "x", true, 2.5, []int(nil), map[string]int{}, (*BBox)(nil), struct{}{}, []any{1, "a", nil},
		map[string]int{"b": 1, "a": 2, "é": 3}, map[string]int{"b\\": 1, "a\"\n": 2}, map[int]string{2: "x", 1: "y"},
		everyKind{}, &everyKind{Child: &everyKind{Text: "inner"}, hidden: 1, Left: "x"},
		direct{}, &direct{List: []string{"\u2028<&>\x7f", "\xff\x00\t\"\\\U0001F600"}, Map: map[string][]string{"b": nil, "a": {"x"}}},
		1e15, -1e14, int64(1) << 53, int64(1)<<53 + 1, -0.0, math.Copysign(0, -1), 1e-6, 9.99e-7, 1e21, 123456789012345680000.0,
		math.NaN(), math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 1.0 / 3,
		struct{ direct }{}, time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC), float32(0.1), uint8(7),
	} {
		checkCanonical(t, &c, v)
		checkCanonical(t, &c, []any{v})
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("text", "named", 12, 0.25, -1.5, "key", "value", int64(1764000000), `{"b":1,"a":[2]}`)
	f.Add("\u2028\xff\x01", "", -1, math.Inf(1), math.Copysign(0, -1), "\u00e9\\", "\"", int64(-1), "1e400")
	f.Fuzz(func(t *testing.T, text, other string, n int, x, y float64, key, value string, at int64, own string) {
		var c Canonical
		d := direct{
			Text: text, Named: named(other), Yes: n&1 == 1, Count: n, Share: x, Box: &BBox{X: x, Y: y, W: float64(n)},
			List: strings.Split(value, key), Pair: [2]int{n, -n}, Map: map[string][]string{key: {value}, other: nil},
			When: time.Unix(at, int64(n)).UTC(), Left: text,
		}
		checkCanonical(t, &c, d)
		checkCanonical(t, &c, []*direct{&d, nil})
		checkCanonical(t, &c, everyKind{
			Text: text, Wide: at, Share: x, Maybe: y, Few: []BBox{{X: y}}, Map: map[string]string{key: value},
			Own: json.RawMessage(own), Bytes: []byte(value), Any: own, Inside: inside{n, key}, Unnamed: n,
		})
	})
}

func BenchmarkCanonical(b *testing.B) {
	d := direct{Text: accentUnit, Named: "x", Box: &BBox{0.1, 0.25, 0.8, 0.1}, List: []string{asciiUnit}, Share: 0.98}
	b.Run("Append", func(b *testing.B) {
		var c Canonical
		var buf []byte
		for b.Loop() {
			buf, _ = c.Append(buf[:0], &d)
		}
	})
	b.Run("JCS", func(b *testing.B) {
		for b.Loop() {
			_, _ = JCS(&d)
		}
	})
}

// TestFragmentLocatorForm holds the hash to the object that contracts#fragment-hash names.
func TestFragmentLocatorForm(t *testing.T) {
	page := 3
	for _, l := range []Locator{
		{SourceID: "s", SnapshotID: "snap", PageNumber: &page, BBox: BBox{0.1, 0.2, 0.30000000004, 0.4}},
		{SourceID: "s\"", SnapshotID: "é", PageIndex: &page, RotationDegrees: 90, PDFTextQuote: "a\nb\xff", OCRTextQuote: "\u2028"},
	} {
		object := map[string]any{
			"source_id": l.SourceID, "snapshot_id": l.SnapshotID, "rotation_degrees": l.RotationDegrees,
			"bbox": RoundBBox(l.BBox), "fragment_representation_kind": LocatorKind,
		}
		for name, quote := range map[string]string{"pdf_text_quote": l.PDFTextQuote, "ocr_text_quote": l.OCRTextQuote} {
			if quote != "" {
				object[name] = quote
			}
		}
		if l.PageNumber != nil {
			object["page_number"] = *l.PageNumber
		} else {
			object["page_index"] = *l.PageIndex
		}
		want, err := JCS(object)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := l.appendJCS(nil)
		if !ok || !bytes.Equal(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if _, err := FragmentLocator(Locator{PageNumber: &page, BBox: BBox{X: math.NaN()}}); err == nil {
		t.Error("a box that is not made of numbers has a hash")
	}
}
