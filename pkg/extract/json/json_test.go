package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
)

func page(raw string) (block.Page, error) {
	return Page(decoded.Open(block.Input{Raw: []byte(raw)}))
}

func TestBlocks(t *testing.T) {
	long := strings.Repeat("x", large)
	for _, tt := range []struct{ name, raw, want string }{
		{"object", `{"title": "Note", "n": 1.50, "ok": true, "none": null}`,
			"/title title: Note\n/n n: 1.50\n/ok ok: true\n/none none: null"},
		{"array of objects", ` [ {"a": 1, "b": ["x", "y"]}, {"a": {"c": "d"}}, [], 7 ]`, "/0 a: 1⏎b:⏎  x⏎  y\n/1 a:⏎  c: d\n/3 7"},
		{"escapes", `{"a/b~": "caf\u00e9 \"x\"\n\\", "": ""}`, "/a~1b~0 a/b~: café \"x\"⏎\\\n/ :"},
		{"same name twice", `{"a":1,"a":2}`, "/a a: 1\n/a a: 2"},
		{"scalar", `"one"`, "the whole JSON value one"},
		{"large", `{"head": 1, "items": [{"a": "` + long + `"}, 2]}`, "/head head: 1\n/items items:\n/items/0/a a: " + long + "\n/items/1 2"},
		{"series", `{"x": [1, 2.5, "a", {"b": 3}, true, "` + long + `", null]}` + strings.Repeat(" ", 9), "/x x:\n/x/0 to 2 1⏎2.5⏎a\n/x/3 b: 3\n/x/4 true\n/x/5 " + long + "\n/x/6 null"},
		{"lines", "{\"a\":1}\n\n[2,3]\r\n", "/0 a: 1\n/1 2⏎3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := page(tt.raw)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, b := range p.Blocks {
				out = append(out, fmt.Sprintf("%s %s", strings.TrimPrefix(b.Notes, "JSON pointer "), strings.ReplaceAll(b.Text, "\n", "⏎")))
			}
			if got := strings.Join(out, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			sound(t, len(tt.raw), p)
		})
	}
}

// The evidence of a member is its name and its value.
func TestSpans(t *testing.T) {
	raw := "\uFEFF{ \"a\" : [1, 2] , \"b\":\"x\" }"
	p, err := page(raw)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`"a" : [1, 2]`, `"b":"x"`} {
		if e := p.Blocks[i].Evidence[0].ByteSpan; raw[e.Start:e.End] != want {
			t.Errorf("%q, want %q", raw[e.Start:e.End], want)
		}
	}
}

func TestNotJSON(t *testing.T) {
	for _, raw := range []string{"", "{", "{'a': 1}", "words of a text", "{\"a\":1}\nwords\n"} {
		if p, err := page(raw); err == nil {
			t.Errorf("%q: %+v", raw, p.Blocks)
		}
	}
}

// Nesting costs no stack, and no more time than its size.
func TestDeep(t *testing.T) {
	raw := strings.Repeat(`{"a":[`, 4000) + "1" + strings.Repeat("]}", 4000)
	p, err := page(raw)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, len(raw), p)
}

func sound(t testing.TB, size int, p block.Page) {
	t.Helper()
	covered := 0
	last := int64(0)
	for _, b := range p.Blocks {
		if !utf8.ValidString(b.Text) {
			t.Fatalf("not UTF-8: %q", b.Text)
		}
		covered += coverage.Characters(b.Text)
		e := b.Evidence[0].ByteSpan
		if e.Start < last || e.End <= e.Start || e.End > int64(size) {
			t.Fatalf("span %+v after %d of %d bytes", e, last, size)
		}
		last = e.End
	}
	if covered != p.Visible {
		t.Errorf("%d of %d visible characters are in blocks", covered, p.Visible)
	}
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":"c\u00e9"}],"":""}`, `[[],{},"\\\"",-1e5,null]`, "{\"a\":1}\n[2]\n", `"\ud800"`, "\xFF\xFE[\x001\x00]\x00", `{"a":{"b":{"c":"` + strings.Repeat("y", large) + `"}}}`,
		`{"a":[{"b":{"c":[true,false,null,{"d":"x\ny"}]}}],"e":[[[[[[[[[[["deep"]]]]]]]]]]]}`, "{\"a\":\"\\n\\t \"}\n\n\"b\"\n3\n", `{":":":",",":",","{":"}","\\":"\\\\"}`,
	} {
		f.Add([]byte(seed), 0)
		f.Add([]byte(seed), 300)
	}
	f.Fuzz(func(t *testing.T, raw []byte, times int) {
		if times > 1 { // of a size that is divided
			raw = []byte("[" + strings.Repeat(string(raw[:min(len(raw), 500)])+",", min(times, 400)) + "{\"a\":0}]")
		}
		p, err := page(string(raw))
		if err != nil {
			return
		}
		sound(t, len(raw), p)
		if again, err := page(string(raw)); err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("two runs differ, %v", err)
		}
		var got strings.Builder
		for _, b := range p.Blocks {
			got.WriteString(b.Text)
		}
		if got, want := strings.Join(strings.Fields(got.String()), ""), strings.Join(strings.Fields(written(t, raw)), ""); got != want {
			t.Fatalf("%q, the library reads %q", got, want)
		}
	})
}

// written is what the names, with their colons, and the values of a file say, by
// the library's decoder.
func written(t *testing.T, raw []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(decoded.Open(block.Input{Raw: raw}).Bytes))
	d.UseNumber()
	var out strings.Builder
	token := func() any {
		v, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var value func()
	value = func() {
		switch v := token(); v {
		case json.Delim('{'):
			for d.More() {
				fmt.Fprintf(&out, "%v:", token())
				value()
			}
			token()
		case json.Delim('['):
			for d.More() {
				value()
			}
			token()
		case nil:
			out.WriteString("null")
		default:
			fmt.Fprint(&out, v)
		}
	}
	for d.More() {
		value()
	}
	return out.String()
}

// A name of any length is said once, not with each value below it.
func TestLongNames(t *testing.T) {
	p, err := page(`{"` + strings.Repeat("n", 5000) + `":[` + strings.Repeat(`{"b":1},`, large) + `{"a":2}]}`)
	if err != nil || len(p.Blocks) != large+2 {
		t.Fatalf("%d blocks, %v", len(p.Blocks), err)
	}
	if got, want := p.Blocks[large+1].Notes, "JSON pointer /…/2000"; got != want {
		t.Errorf("%.100q, want %q", got, want)
	}
}
