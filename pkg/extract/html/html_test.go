package html

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/cascadia"
	xhtml "golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

func input(raw string) block.Input {
	return block.Input{Raw: []byte(raw), Snapshot: model.Snapshot{
		SnapshotID: "snap_test", SourceID: "test", SnapshotKind: model.KindHTML, URL: "https://example.org/dir/page.html",
	}}
}

func extract(t testing.TB, raw string) block.Page {
	t.Helper()
	page, err := Extractor{}.Page(context.Background(), input(raw), 1)
	if err != nil {
		t.Fatalf("%v\n%.500s", err, raw)
	}
	return page
}

// lines writes blocks as "type[role][level/depth][marker]: text".
func lines(blocks []block.Block) string {
	var b strings.Builder
	for _, u := range blocks {
		b.WriteString(string(u.Type))
		if u.Role != "" {
			b.WriteString(" " + u.Role)
		}
		if n := u.Level + u.Depth; n > 0 {
			fmt.Fprintf(&b, " %d", n)
		}
		if u.Marker != "" {
			b.WriteString(" " + u.Marker)
		}
		if len(u.Flags) > 0 {
			fmt.Fprintf(&b, " %v", u.Flags)
		}
		fmt.Fprintf(&b, ": %s\n", strings.NewReplacer("\n", "⏎", "\t", "⇥").Replace(u.Text))
	}
	return b.String()
}

func TestBlocks(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{"paragraphs", `<p>One</p><p>Two  and
			more</p>`, "paragraph: One\nparagraph: Two and more\n"},
		{"headings", `<h1>A <em>b</em></h1><h3>C</h3>`, "heading 1: A b\nheading 3: C\n"},
		{"bare text", `<div>one<p>two</p>three <b>four</b><div>five</div></div>`,
			"paragraph: one\nparagraph: two\nparagraph: three four\nparagraph: five\n"},
		{"breaks", `<p>a<br>b<br><br>c</p>`, "paragraph: a⏎b\nparagraph: c\n"},
		{"tools at headings", `<h2><a href="#a">¶</a> A <b>b</b> <a href="#a">#</a></h2><h3>C<span class="mw-editsection">[<a href=e>edit</a>]</span> </h3><h4>D <a href="#d">§</a> e</h4>`,
			"furniture navigation: ¶\nheading 2: A b\nfurniture navigation: #\nheading 3: C\nfurniture navigation: [edit]\nheading 4: D § e\n"},
		{"lists", `<ul><li>a<ul><li>b</ul><li>c</ul><ol start=3 type=a><li>d<li value=9>e</ol>`,
			"list_item 1 •: a\nlist_item 2 •: b\nlist_item 1 •: c\nlist_item 1 c.: d\nlist_item 1 i.: e\n"},
		{"list item of paragraphs", `<ol reversed><li><p>a</p><p>b</p></li><li>c</ol>`,
			"list_item 1 2.: a\nlist_item 1: b\nlist_item 1 1.: c\n"},
		{"definitions", `<dl><dt>term<dd>what it is</dl>`, "definition 1: term\ndefinition 2: what it is\n"},
		{"quote and code", "<blockquote><p>said</p></blockquote><pre>\n a\n  b</pre>", "quote: said\ncode:  a⏎  b\n"},
		{"figure", `<figure><img src="x.png" alt="A map"><figcaption>Map of it</figcaption></figure>`, "figure: \ncaption: Map of it\n"},
		{"hidden", `<p>a</p><p hidden>b</p><p style="display: none">c</p><script>d</script><template><p>e</p></template><style>f</style>`,
			"paragraph: a\nfurniture [hidden]: b\nfurniture [hidden]: c\nfurniture [hidden]: e\n"},
		{"hidden until it is found", `<p>a</p><div hidden="until-found">b</div><div popover>c</div><dialog>d</dialog><dialog open>e</dialog>`,
			"paragraph: a\nparagraph: b\nfurniture [hidden]: c\nfurniture [hidden]: d\nparagraph: e\n"},
		{"declarative shadow root", `<x-card><template shadowrootmode="open"><p>a</p><slot></slot></template><p>b</p></x-card><template><p>c</p></template>`,
			"paragraph: a\nparagraph: b\nfurniture [hidden]: c\n"},
		{"hidden in a run", `<p>a <span style="visibility:hidden">b</span> c<b>d<i hidden>e</i></b></p>`,
			"paragraph: a cd\nfurniture [hidden]: b\nfurniture [hidden]: e\n"},
		{"hidden in a table", `<table><tr><td>a<td>b<tr><td>c<td>d<span hidden>e</span></table>`, "table: a⇥b⏎c⇥d\nfurniture [hidden]: e\n"},
		{"hidden from screen readers", `<p>a</p><div aria-hidden=true><p>b</p></div>`, "paragraph: a\nfurniture banner [aria_hidden]: b\n"},
		{"iframe with a document", `<p>a</p><iframe srcdoc="&lt;p&gt;b&lt;/p&gt;&lt;p hidden&gt;c&lt;/p&gt;d">e</iframe><iframe src=x>f</iframe>`,
			"paragraph: a\nparagraph [srcdoc]: b⏎d\n"},
		{"buttons", `<p>a</p><button>More</button><form><p>b <input type=submit value=" Send  it "><input value=c><button>No</button></form>`,
			"paragraph: a\nfurniture navigation: More\nform_field: b Send it No\n"},
		{"details", `<details><summary>a</summary><p>b</p></details>`, "paragraph: a\nparagraph: b\n"},
		{"footnotes", `<p>a<sup><a href="#fn1">1</a></sup></p><ol class="footnotes"><li id=fn1>b</ol><div role=doc-footnote>c</div>`,
			"paragraph: a1\nfootnote 1.: b\nfootnote: c\n"},
		{"form", `<form><label>Name <input name=n></label><select><option>one<option>two</select><textarea>free</textarea></form>`,
			"form_field: Name\nform_field: one⏎two\nform_field: free\n"},
		{"entities", `<p>caf&eacute; &lt;b&gt; &amp; 1&nbsp;000</p>`, "paragraph: café <b> & 1 000\n"},
		{"link around blocks", `<a href="/x"><div>a</div><div>b</div></a>`, "paragraph: a\nparagraph: b\n"},
		{"misnested", `<p>a <b>b <i>c</b> d</i> e</p>`, "paragraph: a b c d e\n"},
		{"foster parented", `<table>lost<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>`, "paragraph: lost\ntable: a⇥b⏎c⇥d\n"},
		{"svg", `<p>a <svg><title>no</title><style>x</style><text>b</text></svg> c</p>`, "paragraph: a b c\n"},
		{"self-closing in svg", `<svg><style/></svg><p>seen</p>`, "paragraph: seen\n"},
		{"cdata", `<svg><text><![CDATA[ a<p>b ]]></text></svg>`, "paragraph: a<p>b\n"},
		{"noscript", `<p>a</p><noscript><p>b</p></noscript>`, "paragraph: a\nfurniture banner [noscript]: b\n"},
		{"furniture", `<nav><a href=a>A</a></nav><header><p>Site</p></header><p>Text</p><footer>Foot</footer>`,
			"furniture navigation: A\nfurniture banner: Site\nparagraph: Text\nfurniture footer: Foot\n"},
		{"heading of the document stays", `<header><h1>Title</h1></header><p>Text</p>`, "heading 1: Title\nparagraph: Text\n"},
		{"words in classes", `<div class="site-nav">a</div><div class="navigator">b</div><div id="cookieConsent">c</div>`,
			"furniture navigation: a\nparagraph: b\nfurniture cookie: c\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lines(extract(t, tt.html).Blocks); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			check(t, tt.html)
		})
	}
}

func TestTables(t *testing.T) {
	page := extract(t, `<table><caption>Rates</caption><thead><tr><th rowspan=2>Kind<th colspan=2>Share</tr><tr><th>PME<th>GE</tr></thead>
		<tbody><tr><td>Soft<td>60 %<td><a href="d.pdf">page 3</a></tr><tr><td>Hard<td>1 500,50 €<td>31 décembre 2024</tr></tbody></table>`)
	want := "caption: Rates\ntable: Kind⇥Share⇥⏎⇥PME⇥GE⏎Soft⇥60 %⇥page 3⏎Hard⇥1 500,50 €⇥31 décembre 2024\n"
	if got := lines(page.Blocks); got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	table := page.Blocks[1].Table
	if got := strings.Join(table.Columns, "|"); got != "Kind|Share / PME|Share / GE" {
		t.Errorf("columns %s", got)
	}
	if table.HeaderRows != 2 || len(table.Spans) != 2 || table.Caption != "Rates" || table.Source != "html" {
		t.Errorf("table %+v", table)
	}
	if c := table.Rows[0][1]; c.Type != "percent" || c.Value != "60" || c.Formatted != "60 %" {
		t.Errorf("percent %+v", c)
	}
	if c := table.Rows[0][2]; c.Type != "link" || c.URL != "https://example.org/dir/d.pdf" {
		t.Errorf("link %+v", c)
	}
	if c := table.Rows[1][1]; c.Type != "money" || c.Value != "1500.50" {
		t.Errorf("money %+v", c)
	}
	if c := table.Rows[1][2]; c.Type != "date" || c.Value != "2024-12-31" {
		t.Errorf("date %+v", c)
	}
	if want := "Kind,Share,\r\n,PME,GE\r\nSoft,60 %,page 3\r\nHard,\"1 500,50 €\",31 décembre 2024\r\n"; table.CSV != want {
		t.Errorf("csv %q", table.CSV)
	}
}

func TestLayoutTableIsNoTable(t *testing.T) {
	got := lines(extract(t, `<table role=presentation><tr><td><p>a</p><td><p>b</p></tr></table><table><tr><td><h2>c</h2><p>d</p><td>e</tr></table>`).Blocks)
	if want := "paragraph: a\nparagraph: b\nheading 2: c\nparagraph: d\nparagraph: e\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A table that cannot be made is an error unit with its raw fragment and its
// text; what its cells hold is there all the same, and said to be in part.
func TestATableThatCannotBeMade(t *testing.T) {
	doc := "<p>before</p><table>" + strings.Repeat("<tr><td colspan=1000>a<td colspan=1000>b</tr>", 120) + "</table><p>after</p>"
	blocks := extract(t, doc).Blocks
	failed := blocks[1]
	if failed.Type != model.UnitError || failed.Failed == nil || failed.Failed.Reason != "limit_exceeded" || !strings.HasPrefix(failed.Failed.FallbackText, "a b a b") ||
		!strings.HasPrefix(failed.HTML, "<table><tr>") {
		t.Fatalf("%+v", failed.Failed)
	}
	cell := blocks[2]
	if cell.Text != "a" || cell.Confidence != partial || fmt.Sprint(cell.Flags) != "[incomplete]" || cell.Notes == "" {
		t.Errorf("%+v", cell)
	}
	if last := blocks[len(blocks)-1]; last.Text != "after" || last.Confidence != 1 {
		t.Errorf("%+v", last)
	}
	check(t, doc)
}

func TestLinksAndImagesAreAbsolute(t *testing.T) {
	page := extract(t, `<base href="/other/"><p>See <a href="x?b=2&amp;a=1">this</a>, <a href="HTTP://A.org/Z">that</a> and <a href="javascript:go()">no</a> <img src="i.png" alt="an  image"></p>`)
	b := page.Blocks[0]
	want := []model.Link{{URL: "https://example.org/other/x?b=2&a=1", Text: "this"}, {URL: "HTTP://A.org/Z", Text: "that"}}
	if fmt.Sprint(b.Links) != fmt.Sprint(want) {
		t.Errorf("links %v", b.Links)
	}
	if fmt.Sprint(b.Images) != fmt.Sprint([]model.Image{{URL: "https://example.org/other/i.png", Alt: "an image"}}) {
		t.Errorf("images %v", b.Images)
	}
	if !strings.Contains(b.Markdown, "[this](https://example.org/other/x?b=2&a=1)") {
		t.Errorf("markdown %s", b.Markdown)
	}
	if !strings.HasPrefix(b.HTML, `<p>See <a href="x?b=2&amp;a=1">`) {
		t.Errorf("html is not as captured: %s", b.HTML)
	}
}

// Pictures that a script is to load, and those in several sizes, have their address
// elsewhere than in src; line breaks are no part of an address.
func TestAddressesElsewhere(t *testing.T) {
	for _, tt := range []struct{ img, want string }{
		{`src="a.png"`, "a.png"}, {`data-src="b.png" src="data:image/gif;base64,R0lGOD"`, "b.png"}, {`src="wait.gif" data-lazy-src="c.png"`, "c.png"},
		{`srcset="d.png 1x, e.png 2x"`, "d.png"}, {`src="data:image/png;base64,iVBOR" data-srcset="f.png, g.png 2x"`, "f.png"}, {`src="data:image/png;base64,iVBOR"`, ""},
		{"src=\" h\n.p\tng \"", "h.png"},
	} {
		b := extract(t, "<p>See <img alt=x "+tt.img+"> there</p>").Blocks[0]
		want := ""
		if tt.want != "" {
			want = "https://example.org/dir/" + tt.want
		}
		if len(b.Images) != 1 || b.Images[0].URL != want || strings.Contains(b.Markdown, "data:") || !strings.Contains(b.Markdown, want) {
			t.Errorf("%s: %v, %s", tt.img, b.Images, b.Markdown)
		}
	}
	b := extract(t, "<p>To <a href=\"/a\n  b\tc\">it</a> or <a href=\"java\nscript:go()\">not</a></p>").Blocks[0]
	if len(b.Links) != 1 || b.Links[0].URL != "https://example.org/a%20%20bc" {
		t.Errorf("%v", b.Links)
	}
}

func TestPageFields(t *testing.T) {
	page := extract(t, `<html lang="fr-FR"><head><title> Le
		titre </title><link rel="canonical" href="https://example.org/c"><meta name="dcterms.modified" content="2024-02-03">
		<meta http-equiv="Content-Language" content="en"><meta name="description" property="og:description" content="About it"></head><body><p>a</p></body></html>`)
	if page.Title != "Le titre" || page.Canonical != "https://example.org/c" || page.Languages.HTMLLang != "fr-FR" || page.Languages.MetaLang != "en" {
		t.Errorf("%+v", page)
	}
	if got := fmt.Sprint(page.Facts); got != "[{meta dcterms.modified 2024-02-03} {meta content-language en} {meta description About it} {meta og:description About it}]" {
		t.Errorf("facts %s", got)
	}
}

func TestEncodings(t *testing.T) {
	utf16 := func(s string) string {
		var b strings.Builder
		b.WriteString("\xFE\xFF")
		for _, r := range s {
			b.WriteByte(byte(r >> 8))
			b.WriteByte(byte(r))
		}
		return b.String()
	}
	for _, tt := range []struct{ name, raw, want string }{
		{"utf-8", "<meta charset=utf-8><p>déjà</p>", "déjà"},
		{"windows-1252", "<meta charset=iso-8859-1><p>d\xE9j\xE0 \x80</p>", "déjà €"},
		{"wrongly utf-8", "<meta charset=utf-8><p>d\xE9j\xE0 vu</p>", "déjà vu"},
		{"shift_jis", "<meta charset=shift_jis><p>\x83\x65\x83\x58\x83\x67\x81\x5C</p>", "テスト―"},
		{"gb18030", "<meta charset=gb18030><p>\xC4\xE3\xBA\xC3</p>", "你好"},
		{"iso-2022-jp", "<meta charset=iso-2022-jp><p>\x1b$B$F$9$H\x1b(B</p>", "てすと"},
		{"utf-16", utf16("<p>déjà &lt; vu</p>"), "déjà < vu"},
		{"xml declaration", "<?xml version='1.0' encoding='windows-1252'?><html><p>\xE9</p>", "é"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := extract(t, tt.raw)
			if len(page.Blocks) != 1 || page.Blocks[0].Text != tt.want {
				t.Fatalf("%s", lines(page.Blocks))
			}
			if page.Blocks[0].HTML != "<p>"+strings.ReplaceAll(tt.want, "<", "&lt;")+"</p>" {
				t.Errorf("html %q", page.Blocks[0].HTML)
			}
			span := page.Blocks[0].Evidence[0].ByteSpan
			slice := strings.ReplaceAll(tt.raw[span.Start:span.End], "\x00", "")
			if !strings.HasPrefix(slice, "<p>") || !strings.HasSuffix(slice, "</p>") {
				t.Errorf("span %d–%d is %q", span.Start, span.End, slice)
			}
		})
	}
}

func TestReplacedBytesAreNoted(t *testing.T) {
	page := extract(t, "<meta charset=utf-8><p>ééé\xFF</p><p>b</p>")
	if w := page.Blocks[0].Warnings; len(w) != 1 || w[0] != "bytes 29–30 have no meaning in utf-8 and stand as U+FFFD" {
		t.Errorf("warnings %q", w)
	}
	if len(page.Blocks[1].Warnings) != 0 {
		t.Errorf("warnings of the next block %q", page.Blocks[1].Warnings)
	}
}

// A page cannot forge the marks that lead from the tree to the tokens.
func TestMarksCannotBeForged(t *testing.T) {
	top := string(rune(lastPrivate))
	for _, forged := range []string{top + "0" + top, "&#x10FFFD;0&#x10FFFD;", "&#1114109;1&#1114109"} {
		doc := "<p " + top + "0" + top + ">one " + forged + "</p><p>two</p>"
		page := extract(t, doc)
		if len(page.Blocks) != 2 || !strings.HasPrefix(page.Blocks[0].Text, "one "+top) {
			t.Errorf("%q: %s", forged, lines(page.Blocks))
		}
		check(t, doc)
	}
}

// Hostile pages must take time and memory in proportion to their size.
func TestHostilePages(t *testing.T) {
	for _, tt := range []struct{ name, html, last string }{
		{"deep", strings.Repeat("<div>", 100_000) + "end", "end"},
		{"deep and closed", strings.Repeat("<div>a", 20_000) + strings.Repeat("</div>", 20_000) + "<p>end", "end"},
		{"formatting", manyFonts(400) + strings.Repeat("<p>x", 20_000) + "<p>end", "end"},
		{"formatting left open", strings.Repeat("<p><b id=a><i>x</p>", 5_000) + "<p>end", "end"},
		{"long attribute", `<p title="` + strings.Repeat("x", 4<<20) + `">end</p>`, "end"},
		{"many attributes", `<p ` + attributes(100_000) + `>end</p>`, "end"},
		{"nested lists", strings.Repeat("<ul><li>a", 300) + "end", "aend"},
		{"nested tables", strings.Repeat("<table><tr><td>a", 150) + "end", "aend"},
		{"wide spans", "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=60000>a<td>b", 50) + "</table><p>end", "end"},
		{"comments", strings.Repeat("<!-->", 100_000) + "<p>end", "end"},
		{"unclosed comment", "<p>end<!-- " + strings.Repeat("x", 1<<20), "end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := extract(t, tt.html)
			last := page.Blocks[len(page.Blocks)-1]
			if !strings.HasSuffix(last.Text, tt.last) && !strings.Contains(last.Text, "end") {
				t.Errorf("the last block is %.100q", last.Text)
			}
			covered(t, page)
		})
	}
}

func manyFonts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<font size=%d>", i)
	}
	return b.String()
}

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d=%d ", i, i)
	}
	return b.String()
}

func covered(t testing.TB, page block.Page) {
	t.Helper()
	n := 0
	for _, b := range page.Blocks {
		if !hiddenBlock(&b) {
			n += coverage.Characters(b.Text)
		}
	}
	if n != page.Visible {
		t.Errorf("%d of %d visible characters are in blocks", n, page.Visible)
	}
}

// check holds a page against what every page must keep: spans in the bytes and
// in order, slices that are the block again, selectors that select it.
func check(t testing.TB, raw string) {
	t.Helper()
	page := extract(t, raw)
	covered(t, page)
	root, err := xhtml.ParseWithOptions(strings.NewReader(raw), xhtml.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range page.Blocks {
		e := b.Evidence[0]
		slice := raw[e.ByteSpan.Start:e.ByteSpan.End]
		if b.HTML != slice {
			t.Errorf("html is %q, the slice %q", b.HTML, slice)
		}
		if e.CSSSelector == "" {
			t.Errorf("%q has no selector", b.Text)
			continue
		}
		byCSS := cascadia.QueryAll(root, cascadia.MustCompile(e.CSSSelector))
		byXPath := evaluate(root, e.XPath)
		if len(byCSS) != 1 || len(byXPath) != 1 || byCSS[0] != byXPath[0] {
			t.Errorf("%q: %d by %s, %d by %s", b.Text, len(byCSS), e.CSSSelector, len(byXPath), e.XPath)
			continue
		}
		if !strings.Contains(squeeze(textOf(byCSS[0])), squeeze(b.Text)) {
			t.Errorf("%q is not in what %s selects: %q", b.Text, e.CSSSelector, textOf(byCSS[0]))
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// textOf is what an element shows, by rules of the test's own.
func textOf(n *xhtml.Node) string {
	if n.Type == xhtml.TextNode {
		return n.Data
	}
	attr := func(key string) (string, bool) {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val, true
			}
		}
		return "", false
	}
	if n.Type == xhtml.ElementNode {
		switch kind, _ := attr("type"); {
		case n.Data == "script" || n.Data == "style" || n.Data == "title" && n.Namespace != "":
			return ""
		case n.Data == "input" && (kind == "submit" || kind == "reset" || kind == "button"):
			value, _ := attr("value")
			return value
		case n.Data == "iframe":
			value, _ := attr("srcdoc")
			inner, err := xhtml.Parse(strings.NewReader(value))
			if err != nil {
				return ""
			}
			return textOf(inner)
		}
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !concealed(c) {
			b.WriteString(textOf(c))
		}
	}
	return b.String()
}

func concealed(n *xhtml.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "style" && (strings.Contains(a.Val, "none") || strings.Contains(a.Val, "hidden")) {
			return true
		}
	}
	return false
}

// evaluate selects by an XPath of child steps with positions.
func evaluate(root *xhtml.Node, path string) []*xhtml.Node {
	at := []*xhtml.Node{root}
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		name, rest, _ := strings.Cut(step, "[")
		place := 0
		_, _ = fmt.Sscanf(rest, "%d]", &place)
		var next []*xhtml.Node
		for _, n := range at {
			count := 0
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				if c.Type == xhtml.ElementNode && (name == "*" || c.Data == name && c.Namespace == "") {
					if count++; count == place {
						next = append(next, c)
					}
				}
			}
		}
		at = next
	}
	return at
}

// Each slice must hold the text of its block again, when it is read alone.
func TestSlicesReadAlone(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(t, string(raw))
		for _, b := range extract(t, string(raw)).Blocks {
			if b.Text == "" {
				continue
			}
			var alone []string
			blocks := extract(t, b.HTML).Blocks
			if b.Table != nil { // its caption is a block of its own
				blocks = blocks[len(blocks)-1:]
			}
			for _, a := range blocks {
				alone = append(alone, a.Text)
			}
			if got := strings.Join(alone, "\n"); squeeze(got) != squeeze(b.Text) {
				t.Errorf("%s: %q alone is %q, on the page %q", file, b.HTML, got, b.Text)
			}
		}
	}
}

// What is not given to the Markdown library must be what it would have made.
func TestMarkdownShortcuts(t *testing.T) {
	for _, markup := range []string{
		`<p>A plain sentence. With 3.5 % - and so on: yes!</p>`, `<p><a href="/a/b?c=d&amp;e=f#g">The link</a></p>`,
		`<p><a href="x">1. Not a list</a></p>`, `<p><span>In</span> <time>spans</time> only = here + there</p>`,
		`<p><a href="mailto:a@b.c">Write: to us</a></p>`, `<p>Q&amp;A</p>`, `<p><a href=x>a - b # c</a></p>`,
		`<p>See <a href=x>one </a>or<a href="y"> two</a>, then <a href=z><span>three</span></a>.</p>`, `<p>Go!<a href=x>there</a></p>`,
		`<p><a href=x>one</a><a href=y>two</a> more&nbsp;of <a href=z>it</a></p>`, `<p>Now <button>go</button> <a href=x>on</a></p>`,
	} {
		root, marks, err := parse(charset.Open([]byte(markup), charset.Choose([]byte(markup), charset.Declared{})), false)
		if err != nil {
			t.Fatal(err)
		}
		mark(root, false, false, false)
		b := &builder{x: marks, base: baseURL(model.Snapshot{URL: "https://example.org/d/"}, ""), markdown: sync.OnceValue(newConverter)}
		p := find(root, "p")
		text := b.read(p.kids, false).text
		if got, want := b.inlineMarkdown(p.kids, text), b.converted(p.kids, text); got != want {
			t.Errorf("%s: %q, the library makes %q", markup, got, want)
		}
	}
}
