package html

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/andybalholm/cascadia"
	xhtml "golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/colophon-dev/colophon/pkg/extract/block"
)

// piece generates markup, well formed or not, of what real pages are made of.
func piece() *rapid.Generator[string] {
	names := rapid.SampledFrom([]string{"p", "div", "ul", "li", "table", "tr", "td", "th", "b", "i", "a", "h2", "span", "pre", "dl", "dt", "dd",
		"section", "blockquote", "svg", "title", "select", "option", "textarea", "form", "font", "caption", "template", "noscript", "figure", "math", "mi", "body", "br", "img"})
	return rapid.OneOf(
		rapid.Map(names, func(n string) string { return "<" + n + ">" }),
		rapid.Map(names, func(n string) string { return "</" + n + ">" }),
		rapid.SampledFrom([]string{"text", " ", "two words", "é", "&amp;", "&#32;", "&nbsp;", "\n", "<!-- c -->", "<", ">", "<![CDATA[x]]>", "]]>", "<a href=x>", "<td colspan=2>", "<p hidden>", "\x00", "<?x?>", "</"}),
	)
}

func document(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(piece(), 1, 40).Draw(t, "pieces"), "")
}

// Whatever a page is made of, all that is visible is in some block, selectors
// select, and the same bytes give the same blocks.
func TestGeneratedPages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		raw := document(rt)
		page, err := Extractor{}.Page(context.Background(), input(raw), 1)
		var failure *block.Failure
		if errors.As(err, &failure) {
			return
		}
		if err != nil {
			rt.Fatalf("%v: %q", err, raw)
		}
		again := extract(t, raw)
		if lines(page.Blocks) != lines(again.Blocks) {
			rt.Fatalf("two runs differ: %q", raw)
		}
		sound(rt, raw, page)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

func sound(t failer, raw string, page block.Page) {
	visible := 0
	for _, b := range page.Blocks {
		e := b.Evidence[0].ByteSpan
		if e.Start < 0 || e.End < e.Start || e.End > int64(len(raw)) {
			t.Fatalf("span %d–%d of %d bytes: %q", e.Start, e.End, len(raw), raw)
		}
		if !utf8.ValidString(b.Text) || !utf8.ValidString(b.HTML) || !utf8.ValidString(b.Markdown) {
			t.Fatalf("not UTF-8: %q", b.Text)
		}
		visible += len(squeeze(b.Text))
	}
	if page.Visible > visible { // visible counts characters, never more than bytes
		t.Fatalf("%d visible characters, blocks hold %d bytes: %q", page.Visible, visible, raw)
	}
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{"<p>a</p>", "<table><tr><td rowspan=0>a<td>b</table>c", "\xFF\xFE<\x00p\x00>\x00a\x00", "<svg><style/></svg><p>x",
		"<meta charset=gb18030><p>\x81\x30\x81\x30", "<select><option>a</select>", "<a><div>b</a>c", "<ol reversed start=-5 type=I><li>x", "<title>a<p>b", "<plaintext>x",
		"<p>a<!---->b<![CDATA[c]]>", "<math><annotation-xml encoding='text/html'><p>a", "<frameset><frame></frameset>x", "&#x10FFFD;0&#x10FFFD;"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		page, err := Extractor{}.Page(context.Background(), input(string(raw)), 1)
		var failure *block.Failure
		if errors.As(err, &failure) {
			if !failure.Reason.Valid() {
				t.Fatalf("reason %q", failure.Reason)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		sound(t, string(raw), page)
	})
}

// FuzzLocators: each selector and each XPath selects one element, the same, in
// a fresh parse of the bytes by the parser alone, and the block is in it; each
// span holds the block's html.
func FuzzLocators(f *testing.F) {
	for _, seed := range []string{"<p>a<p>b<div>c", "<table>x<tr><td>a</table>b", "<a href=x><div>a</a>b", "<b><p>a</b>b</p>c", "<ul><li>a<ul><li>b</ul>c",
		"<svg><foreignObject><p>a</svg>b", "<select><option>a<option>b", "<template><p>a</template><p hidden>b", "<frameset><noframes>a", "<body><p>a<body class=b><p>c",
		"<p>a<br><br>b<h1>c</h1>", "<iframe srcdoc='<p>a'>x</iframe>b", "<form><form><button>a", "<dl><dt>a<dd>b<x-y>c</x-y>", "</p>a</br>b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !utf8.ValidString(raw) || strings.HasPrefix(raw, "\uFEFF") || strings.ContainsRune(raw, 0) {
			return
		}
		page, err := Extractor{}.Page(context.Background(), input(raw), 1)
		if err != nil || len(page.Flags) > 0 {
			return // no page, or read in another encoding, or flat
		}
		root, err := xhtml.ParseWithOptions(strings.NewReader(raw), xhtml.ParseOptionEnableScripting(false))
		if err != nil {
			return
		}
		for _, b := range page.Blocks {
			e := b.Evidence[0]
			if raw[e.ByteSpan.Start:e.ByteSpan.End] != b.HTML {
				t.Fatalf("the span of %q holds %q, its html is %q", b.Text, raw[e.ByteSpan.Start:e.ByteSpan.End], b.HTML)
			}
			if e.CSSSelector == "" {
				continue
			}
			byCSS, byXPath := cascadia.QueryAll(root, cascadia.MustCompile(e.CSSSelector)), evaluate(root, e.XPath)
			if len(byCSS) != 1 || len(byXPath) != 1 || byCSS[0] != byXPath[0] {
				t.Fatalf("%q: %d by %s, %d by %s in %q", b.Text, len(byCSS), e.CSSSelector, len(byXPath), e.XPath, raw)
			}
			if !hiddenBlock(&b) && !strings.Contains(everything(byCSS[0]), firstWord(b.Text)) {
				t.Fatalf("%q is not in what %s selects: %q in %q", b.Text, e.CSSSelector, everything(byCSS[0]), raw)
			}
		}
	})
}

// everything is all text in an element, also what a page does not show, without
// the elements that hold none: blocks leave things out of it.
func everything(n *xhtml.Node) string {
	var b strings.Builder
	var walk func(n *xhtml.Node)
	walk = func(n *xhtml.Node) {
		if n.Type == xhtml.TextNode {
			b.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "srcdoc" || a.Key == "value" {
				b.WriteString(a.Val)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

// firstWord returns the first run of ASCII letters and digits in s.
func firstWord(s string) string {
	word := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }
	start := strings.IndexFunc(s, word)
	if start < 0 {
		return ""
	}
	s = s[start:]
	if end := strings.IndexFunc(s, func(r rune) bool { return !word(r) }); end > 0 {
		return s[:end]
	}
	return s
}
