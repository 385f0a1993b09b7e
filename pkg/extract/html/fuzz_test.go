package html

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/andybalholm/cascadia"
	xhtml "golang.org/x/net/html"
	"pgregory.net/rapid"

	_ "github.com/colophon-dev/colophon/pkg/devtest/fixedseed"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
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
		if !hiddenBlock(&b) {
			visible += coverage.Characters(b.Text)
		}
	}
	if page.Visible != visible {
		t.Fatalf("%d visible characters, blocks hold %d: %q", page.Visible, visible, raw)
	}
}

// addPages adds small pages of all kinds, and those of the golden files and the
// example documents.
func addPages(f *testing.F, add func(raw []byte)) {
	f.Helper()
	for _, seed := range []string{
		"<p>a</p>", "<table><tr><td rowspan=0>a<td>b</table>c", "\xFF\xFE<\x00p\x00>\x00a\x00", "<svg><style/></svg><p>x",
		"<meta charset=gb18030><p>\x81\x30\x81\x30", "<select><option>a</select>", "<a><div>b</a>c", "<ol reversed start=-5 type=I><li>x", "<title>a<p>b", "<plaintext>x",
		"<p>a<!---->b<![CDATA[c]]>", "<math><annotation-xml encoding='text/html'><p>a", "<frameset><frame></frameset>x", "&#x10FFFD;0&#x10FFFD;",
		"<p>a<p>b<div>c", "<table>x<tr><td>a</table>b", "<a href=x><div>a</a>b", "<b><p>a</b>b</p>c", "<ul><li>a<ul><li>b</ul>c",
		"<svg><foreignObject><p>a</svg>b", "<select><option>a<option>b", "<template><p>a</template><p hidden>b", "<frameset><noframes>a", "<body><p>a<body class=b><p>c",
		"<p>a<br><br>b<h1>c</h1>", "<iframe srcdoc='<p>a'>x</iframe>b", "<form><form><button>a", "<dl><dt>a<dd>b<x-y>c</x-y>", "</p>a</br>b",
		"<table><caption>a<caption>b", "<math><title><noframes><img><p>a", "<math><annotation-xml encoding=text/html><noframes>a</noframes>b", "<svg><font><title><style>a</style></title><font color=b><style>c</style>d",
		"a<r< srcdoc=p></r>b", "<button><iframe srcdoc='<p>a'></iframe></button>", "<p><span>b<iframe srcdoc='<p>a'></iframe></span>", "<table><tr><td>c<iframe srcdoc='<p>a'></iframe><td>d<tr><td>e<td>f</table>",
		"<meta charset=iso-2022-jp><p>\x1b$B\x24\x22\x1b(B</p>", "<p>a&amp;b&notit;&#0;&#x80;", "<script type=application/ld+json>{\"a\":1}</script><p>x",
		"<x-a><template shadowrootmode=open><p>a<slot>s</slot></template>b</x-a><template shadowrootmode=x>c", "<p popover>a<div hidden=until-found>b<img data-src=x srcset=y>",
	} {
		add([]byte(seed))
	}
	for _, folder := range []string{"testdata", "../../../test/documents"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.html"))
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %d pages, %v", folder, len(files), err)
		}
		for _, name := range files {
			raw, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			add(raw[:min(len(raw), 4<<10)])
		}
	}
}

// FuzzExtract: whatever the bytes, a page fails with a reason or all that it
// shows is in its blocks, and a second reading says the same.
func FuzzExtract(f *testing.F) {
	addPages(f, func(raw []byte) { f.Add(raw, "") })
	f.Add([]byte("<p>\x82\xA0</p>"), "shift_jis")
	f.Add([]byte("~{<:Ky~}<p>a"), "hz-gb-2312")
	f.Fuzz(func(t *testing.T, raw []byte, encoding string) {
		in := input(string(raw))
		in.Snapshot.Encoding = encoding
		page, err := Extractor{}.Page(context.Background(), in, 1)
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
		if again, err := (Extractor{}).Page(context.Background(), in, 1); err != nil || !reflect.DeepEqual(page, again) {
			t.Fatalf("two runs differ, %v", err)
		}
	})
}

// FuzzLocators: each selector and each XPath selects the same one element, or
// those of a record, in a fresh parse of the bytes by the parser alone, and the
// block is in it; each span holds the block's html.
func FuzzLocators(f *testing.F) {
	addPages(f, func(raw []byte) { f.Add(string(raw)) })
	f.Fuzz(func(t *testing.T, raw string) { located(t, input(raw)) })
}

// FuzzMarkup is FuzzLocators on pages of whole tags, texts and references, one
// for each byte: what a page is made of is then all that can go wrong.
func FuzzMarkup(f *testing.F) {
	f.Add([]byte("nesting of anything in anything, at random"), byte(0))
	for first := range 256 / 16 {
		var data []byte
		for i := range 16 {
			data = append(data, byte(16*first+i), 'A')
		}
		f.Add(data, byte(0))
		f.Add(data, byte(first))
	}
	rules := []*model.EntryRule{
		nil, nil, nil, {Select: "li", Fields: []model.EntryField{{Name: "a"}, {Name: "b", Select: "b"}}},
		{Select: "dt", Through: "dd", Fields: []model.EntryField{{Name: "a", Select: "i", Parts: []model.EntryPart{{Name: "x", Select: "em"}}}}},
		{Select: "div, tr", Except: ":has(table)", RecordID: &model.EntryField{Attr: "id"}, Fields: []model.EntryField{{Name: "a", Select: "*", Attr: "class"}}},
		{Select: "h2", Through: "*", Fields: []model.EntryField{{Name: "a"}}},
	}
	f.Fuzz(func(t *testing.T, data []byte, rule byte) {
		raw := markup(data[:min(len(data), 1000)])
		in := input(raw)
		in.Snapshot.SourceEntry = rules[int(rule)%len(rules)]
		page, err := Extractor{}.Page(context.Background(), in, 1)
		if err == nil {
			sound(t, raw, page)
		}
		located(t, in)
	})
}

// markupNames are the elements of markup: all that the parser or the extractor
// treats in a way of its own.
var markupNames = strings.Fields("p div ul ol li table tr td th tbody thead tfoot caption colgroup col b i a em code h1 h2 h6 span pre dl dt dd section article main nav aside " +
	"header footer blockquote q svg title desc foreignObject math mi mtext annotation-xml select option optgroup textarea button label input fieldset legend form font " +
	"template noscript figure figcaption html head body br hr img picture style script iframe object details summary sup sub ruby rt rp x-y nobr marquee applet " +
	"frameset frame noframes plaintext xmp listing base meta link address dialog center")

// markup makes a page of bytes: the lower values open elements, those above
// close most of them, and the rest are texts, references, attributes of all kinds.
func markup(data []byte) string {
	const closed = 75 // of the elements
	rest := []string{
		"word ", "two words", " ", "\n", "é", "日本", "&amp;", "&#32;", "&nbsp;", "&notit;", "&#0;", "<!-- c -->", "<", ">", "<![CDATA[x]]>", "]]>", "\x00", "<?x?>", "</", "1. ", "• ",
		"<p hidden>", "<td colspan=2>", "<td rowspan=3 colspan=0>", "<th scope=row>", "<ol start=5 type=a>", "<li value=-3>", "<a href='../x?a=1&amp;b'>", "<img src=x alt='a picture'>",
		"<div style='display:none'>", "<div class='sidebar related'>", "<div id=x>", "<div role=navigation>", "<iframe srcdoc='<p>in&lt;b>'>", "<input value='typed'>", "<div/>",
		"<p id=x id=y class=\"a\nb\">", "<math><mi>", "<svg><desc>", "<annotation-xml encoding=text/html>", "</p>", "</table>", "</a>", "</b>", "</br>", "</body>", "</html>", "</svg>",
		"</template>", "</form>", "</script>", "</style>", "</noscript>", "</iframe>", "</object>", "</figure>", "</frameset>", "</ruby>",
		"<p>" + strings.Repeat("The council has decided, after a long debate, that the weir is to be rebuilt. ", 5), "<h1>A headline of some words</h1>", "<title>A headline of some words - Site</title>",
		"<h2>Related articles</h2>", "<a href='/news/a-headline'>Another headline of some words</a>", "<li><a href='/'>Home</a>", "<div class='comments'>", "<div class='share social'>",
		"<ul class='menu'>", "<div role=complementary>", "<p class=byline>By A. Writer, 3 June 2024", "<time datetime=2024-06-03>", "<ol type=I>", "<a href='#n1'>1</a>", "<a href='#'>Read more</a>",
		"<div class='cookie-banner'>We use cookies.", "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"A\",\"datePublished\":\"2024-06-03\"}</script>", "<br><br>", "<section class='main content'>",
		"<tr><td>Name<td>1,5<tr><td>Other<td>2", "<footer>© 2024</footer>",
		"<html lang=fr>", "<base href='/b/'>", "<meta name=description content=c>", "<h1 id=a>", "<pre>\n\n  x\n", "<div aria-hidden=true>",
	}
	var b strings.Builder
	for _, c := range data {
		n := int(c)
		switch {
		case n < len(markupNames):
			b.WriteString("<" + markupNames[n] + ">")
		case n < len(markupNames)+closed:
			b.WriteString("</" + markupNames[n-len(markupNames)] + ">")
		default:
			b.WriteString(rest[(n-len(markupNames)-closed)%len(rest)])
		}
	}
	return b.String()
}

func located(t *testing.T, in block.Input) {
	t.Helper()
	raw := string(in.Raw)
	declared := charset.Declared{Document: charset.InDocument([]byte(raw))}
	if charset.Choose([]byte(raw), declared).Name != "utf-8" || !utf8.ValidString(raw) || strings.HasPrefix(raw, "\uFEFF") || strings.ContainsRune(raw, 0) {
		return
	}
	page, err := Extractor{}.Page(context.Background(), in, 1)
	if err != nil || len(page.Flags) > 0 {
		return // no page, or read in another encoding, or flat
	}
	root, err := xhtml.ParseWithOptions(strings.NewReader(raw), xhtml.ParseOptionEnableScripting(false))
	if err != nil {
		return
	}
	for i := 0; i < len(page.Blocks); i += 1 + len(page.Blocks)/100 { // to select goes through the page for each
		b := &page.Blocks[i]
		e := b.Evidence[0]
		if raw[e.ByteSpan.Start:e.ByteSpan.End] != b.HTML {
			t.Fatalf("the span of %q holds %q, its html is %q", b.Text, raw[e.ByteSpan.Start:e.ByteSpan.End], b.HTML)
		}
		if e.CSSSelector == "" {
			continue
		}
		var byXPath []*xhtml.Node
		var held string
		for path := range strings.SplitSeq(e.XPath, " | ") { // of a record, one for each element
			found := evaluate(root, path)
			if len(found) != 1 {
				t.Fatalf("%q: %d by %s in %q", b.Text, len(found), path, raw)
			}
			byXPath, held = append(byXPath, found[0]), held+everything(found[0])
		}
		if byCSS := cascadia.QueryAll(root, cascadia.MustCompile(e.CSSSelector)); !slices.Equal(byCSS, byXPath) {
			t.Fatalf("%q: %d by %s, %d by %s in %q", b.Text, len(byCSS), e.CSSSelector, len(byXPath), e.XPath, raw)
		}
		for _, r := range squeeze(b.Text) {
			var found bool
			if _, held, found = strings.Cut(held, string(r)); !found {
				t.Fatalf("%q of %q is not in what %s selects in %q", r, b.Text, e.CSSSelector, raw)
			}
		}
	}
}

// TestTagsOfOneElement: the parser makes one element of all tags of html, and of
// body, and goes through what the earlier ones say with each of them.
func TestTagsOfOneElement(t *testing.T) {
	for _, tag := range []string{"<html>", "<body>", "<body a>", "</html><i></i><html>"} {
		page := extract(t, strings.Repeat(tag, 50)+"<p>text")
		if len(page.Flags) > 0 || page.Blocks[0].Evidence[0].CSSSelector == "" {
			t.Errorf("some %s: %v", tag, page.Flags)
		}
		page = extract(t, strings.Repeat(tag, 50_000)+"<p>text")
		if lines(page.Blocks) != "paragraph: text\n" || !slices.Equal(page.Flags, []string{FlagFlattened}) {
			t.Errorf("many %s: %v %s", tag, page.Flags, lines(page.Blocks))
		}
	}
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
			if a.Key == "srcdoc" && n.Data == "iframe" || a.Key == "value" && n.Data == "input" {
				b.WriteString(xhtml.UnescapeString(a.Val))
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return b.String()
}
