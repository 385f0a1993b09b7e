package html

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

func ledgerOf(t *testing.T, raw []byte, s model.Snapshot) (model.Ledger, []block.Block) {
	t.Helper()
	s.SnapshotKind, s.URL = model.KindHTML, "https://town.example/a"
	page, err := Extractor{}.Page(context.Background(), block.Input{Raw: raw, Snapshot: s}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if page.Ledger == nil {
		t.Fatal("no ledger")
	}
	return *page.Ledger, page.Blocks
}

// Each text of a web page is in one class, by where it stands.
func TestEachTextIsInOneClass(t *testing.T) {
	const main = `<main><h1>Council</h1><p>The weirs are shut at night, and nobody opens them before the morning.</p></main>`
	letters := coverage.Characters("CouncilTheweirsareshutatnight,andnobodyopensthembeforethemorning.")
	for name, tt := range map[string]struct {
		more    string
		placed  int
		skipped []model.Skipped
		failed  int
	}{
		"nothing else":      {"", 0, nil, 0},
		"the head":          {"<title>abc</title>", 0, []model.Skipped{{Reason: "head", Count: 3}}, 0},
		"a script":          {"<script>a = 1</script>", 0, []model.Skipped{{Reason: "script", Count: 3}}, 0},
		"data":              {`<script type="application/ld+json">{"a": 1}</script>`, 0, []model.Skipped{{Reason: "script", Count: 7}}, 0},
		"a style sheet":     {"<style>p {}</style>", 0, []model.Skipped{{Reason: "style", Count: 3}}, 0},
		"a template":        {"<template><p>a<b>b</b></p></template>", 0, []model.Skipped{{Reason: "template", Count: 2}}, 0},
		"code in one":       {"<template><p>a</p><style>bc</style></template>", 0, []model.Skipped{{Reason: "style", Count: 2}, {Reason: "template", Count: 1}}, 0},
		"hidden":            {"<p hidden>ab</p><p style='display: none'>c<template>d</template></p>", 0, []model.Skipped{{Reason: "hidden", Count: 4}}, 0},
		"hidden in a line":  {"<p>ab<span hidden>cde</span></p>", 2, []model.Skipped{{Reason: "hidden", Count: 3}}, 0},
		"a drawing's name":  {"<p>ab<svg><title>cde</title><text>f</text></svg></p>", 3, []model.Skipped{{Reason: "hidden", Count: 3}}, 0},
		"in place of film":  {"<video>abc</video><iframe src=x>de</iframe>", 0, []model.Skipped{{Reason: "alternative", Count: 5}}, 0},
		"navigation":        {"<nav><a href=/>Home</a> <a href=/b>News</a></nav>", 0, []model.Skipped{{Reason: "furniture", Count: 8}}, 0},
		"a foot":            {"<footer><p>Imprint</p></footer>", 0, []model.Skipped{{Reason: "furniture", Count: 7}}, 0},
		"a table":           {"<table><caption>Fees</caption><tr><th>a<th>b<tr><td>1<td>2<span hidden>3</span></table>", 8, []model.Skipped{{Reason: "hidden", Count: 1}}, 0},
		"references":        {"<p>a &amp; b&nbsp;&eacute;</p>", 4, nil, 0},
		"a comment":         {"<!-- abc --><p>d</p>", 1, nil, 0},
		"a button's value":  {"<form><p>a</p><input type=submit value=Send></form>", 1, nil, 0},
		"a frame's page":    {`<iframe srcdoc="<p>inner</p>">abc</iframe>`, 0, []model.Skipped{{Reason: "alternative", Count: 3}}, 0},
		"dropped by parser": {"<table><colgroup> </colgroup><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>", 4, nil, 0},
		"in a form":         {"<form><label>ab</label><select><option>c<option>d</select><textarea>e</textarea></form>", 5, nil, 0},
	} {
		l, _ := ledgerOf(t, []byte("<!doctype html><html><body>"+main+tt.more), model.Snapshot{})
		got := l.Characters
		if got.Placed-letters != tt.placed || !slices.Equal(got.Skipped, tt.skipped) || got.Failed != tt.failed {
			t.Errorf("%s: %d placed, %v skipped, %d failed", name, got.Placed-letters, got.Skipped, got.Failed)
		}
	}
	frames, _ := ledgerOf(t, []byte("<p>"+main+"<p><img src=a.png alt=a><img src=b.png hidden></p><nav><img src=c.png> <a href=/>Home</a></nav>"), model.Snapshot{})
	want := model.Account{Found: 3, Placed: 1, Skipped: []model.Skipped{{Reason: "furniture", Count: 1}, {Reason: "hidden", Count: 1}}}
	if got := frames.Pictures; got.Found != want.Found || got.Placed != want.Placed || !slices.Equal(got.Skipped, want.Skipped) {
		t.Errorf("pictures: %+v", got)
	}
}

// textTokens counts the characters of all texts between the tags of a page, without a tree.
func textTokens(t *testing.T, raw []byte) int {
	t.Helper()
	doc := charset.Open(raw, charset.Choose(raw, charset.Declared{Document: charset.InDocument(raw)}))
	z := html.NewTokenizer(bytes.NewReader(doc.Decode(0, len(doc.Bytes))))
	n := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return n
		case html.TextToken:
			n += coverage.Characters(string(z.Text()))
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "noscript" {
				z.NextIsNotRawText()
			}
		}
	}
}

// The classes of a page have all of its text between them: as many characters as its
// tokens have, read without a tree.
func TestClassesSumToTheWhole(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.html")
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob("testdata/*.html")
	documents, _ := filepath.Glob("../../../test/documents/*.html")
	if files = slices.Concat(files, more, documents); len(files) < 10 {
		t.Fatalf("%d pages", len(files))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, blocks := ledgerOf(t, raw, model.Snapshot{})
		a := l.Characters
		sum := a.Placed + a.Failed
		for _, s := range a.Skipped {
			sum += s.Count
		}
		if want := textTokens(t, raw); a.Found != want || sum != a.Found {
			t.Errorf("%s: found %d, in classes %d, the page has %d: %+v", file, a.Found, sum, want, a)
		}
		if a.Failed != 0 {
			t.Errorf("%s: %d characters are in no unit", file, a.Failed)
		}
		placed := 0
		for i := range blocks {
			if blocks[i].Type != model.UnitFurniture {
				placed += coverage.Characters(blocks[i].Text)
			}
		}
		if placed < a.Placed {
			t.Errorf("%s: %d characters are placed, its units have %d", file, a.Placed, placed)
		}
	}
}
