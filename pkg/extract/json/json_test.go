package json

import (
	"fmt"
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
	for _, seed := range []string{`{"a":[1,{"b":"c\u00e9"}],"":""}`, `[[],{},"\\\"",-1e5,null]`, "{\"a\":1}\n[2]\n", `"\ud800"`, "\xFF\xFE[\x001\x00]\x00", `{"a":{"b":{"c":"` + strings.Repeat("y", large) + `"}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p, err := page(string(raw)); err == nil {
			sound(t, len(raw), p)
		}
	})
}
