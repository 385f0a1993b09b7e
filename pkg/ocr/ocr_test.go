package ocr

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func sample() Result {
	return Result{
		Engine: "tesseract", Version: "5.3.0", Languages: []string{"fra"}, DPI: 200, Preprocessing: "1", Page: 3,
		Width: 595, Height: 842, Rotation: 90, Skew: -1.25, Confidence: 0.91,
		Words: []Word{{Text: "Communauté", Box: model.BBox{X: 0.1, Y: 0.25, W: 1.0 / 3, H: 0.02}, Confidence: 0.9123456, Block: 1, Paragraph: 1, Line: 1}},
		Rules: []Rule{{Box: model.BBox{X: 0.1, Y: 0.5, W: 0.8}}},
	}
}

func TestStoredForm(t *testing.T) {
	data, err := Encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), `"box":{"h":0.02,"w":0.333333,"x":0.1,"y":0.25},"confidence":0.912`) {
		t.Errorf("not canonical, or not rounded: %s", data)
	}
	back, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Encode(back)
	if err != nil || string(again) != string(data) {
		t.Errorf("%s, then %s, %v", data, again, err)
	}
}

func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*Result){
		"no engine":      func(r *Result) { r.Engine = "" },
		"no page":        func(r *Result) { r.Page = 0 },
		"no size":        func(r *Result) { r.Height = 0 },
		"endless":        func(r *Result) { r.Width = math.Inf(1) },
		"rotation":       func(r *Result) { r.Rotation = 45 },
		"off the page":   func(r *Result) { r.Words[0].Box.X = 0.9 },
		"not a number":   func(r *Result) { r.Words[0].Box.Y = math.NaN() },
		"two words":      func(r *Result) { r.Words[0].Text = "a b" },
		"no text":        func(r *Result) { r.Words[0].Text = "" },
		"too confident":  func(r *Result) { r.Words[0].Confidence = 1.5 },
		"no line":        func(r *Result) { r.Words[0].Line = 0 },
		"rule":           func(r *Result) { r.Rules[0].Box.W = 2 },
		"invalid UTF-8":  func(r *Result) { r.Words[0].Text = "\xff" },
		"region outside": func(r *Result) { r.Region = model.BBox{X: 0.5, W: 0.6, H: 0.1} },
	} {
		r := sample()
		change(&r)
		if _, err := Encode(r); err == nil {
			t.Errorf("%s: encoded", name)
		}
	}
}

func TestKeyNamesWhatMatters(t *testing.T) {
	e := Engine{Name: "tesseract", Version: "5.3.0", Languages: []string{"eng"}}
	base := Request{Page: 1, Languages: []string{"fr"}}
	keys := map[string]string{"base": base.Key("sha256:aa", e)}
	for name, r := range map[string]Request{
		"page": {Page: 2, Languages: []string{"fr"}}, "language": {Page: 1, Languages: []string{"pt"}}, "dpi": {Page: 1, Languages: []string{"fr"}, DPI: 300},
		"region": {Page: 1, Languages: []string{"fr"}, Region: model.BBox{X: 0.1, W: 0.5, H: 0.5}},
	} {
		keys[name] = r.Key("sha256:aa", e)
	}
	keys["document"] = base.Key("sha256:bb", e)
	e.Version = "5.4.0"
	keys["version"] = base.Key("sha256:aa", e)
	seen := map[string]string{}
	for name, key := range keys {
		if other := seen[key]; other != "" {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[key] = name
	}
	e.Version, e.Languages = "5.3.0", []string{"eng", "fra"}
	if base.Key("sha256:aa", e) != keys["base"] {
		t.Error("trained data that are not used change the key")
	}
}

// A mark in the top left corner of the page as shown comes back to it from every
// upright form.
func TestAsShown(t *testing.T) {
	want := model.BBox{X: 0.1, Y: 0.2, W: 0.25, H: 0.125}
	for rotation, upright := range map[int]model.BBox{
		0: want, 90: {X: 0.675, Y: 0.1, W: 0.125, H: 0.25}, 180: {X: 0.65, Y: 0.675, W: 0.25, H: 0.125}, 270: {X: 0.2, Y: 0.65, W: 0.125, H: 0.25},
	} {
		r := Result{Rotation: rotation}
		if got := r.AsShown(upright); math.Abs(got.X-want.X)+math.Abs(got.Y-want.Y)+math.Abs(got.W-want.W)+math.Abs(got.H-want.H) > 1e-9 {
			t.Errorf("%d degrees: %v", rotation, got)
		}
	}
	r := Result{Mirrored: true}
	if got := r.AsShown(model.BBox{X: 0.75, Y: 0.5, W: 0.25, H: 0.5}); got.X != 0 {
		t.Errorf("mirrored: %v", got)
	}
}

func FuzzDecode(f *testing.F) {
	data, err := Encode(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"engine":"x","version":"1","page":1,"width":1,"height":1,"words":[{"text":"a","block":1,"paragraph":1,"line":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			return
		}
		once, err := Encode(r)
		if err != nil {
			t.Skip() // a number that rounding puts off the page
		}
		back, err := Decode(once)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := Encode(back); err != nil || !reflect.DeepEqual(once, twice) {
			t.Errorf("%s, then %s, %v", once, twice, err)
		}
	})
}
