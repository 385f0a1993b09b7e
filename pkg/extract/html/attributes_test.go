package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/charset"
)

// sameTree expects the elements with the attributes that the parser alone finds, in
// its order; attributes of one element in any order.
func sameTree(t *testing.T, raw string) {
	t.Helper()
	root, marks, err := parse(charset.Open([]byte(raw), charset.Choose([]byte(raw), charset.Declared{HTTP: "utf-8"})), true)
	if err != nil || marks.flat {
		return
	}
	plain, err := xhtml.ParseWithOptions(strings.NewReader(raw), xhtml.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	var ours func(n *node, depth int)
	ours = func(n *node, depth int) {
		for _, k := range n.kids {
			if k.Type == xhtml.ElementNode {
				got = append(got, tagOf(k.Node, depth))
				ours(k, depth+1)
			}
		}
	}
	var theirs func(n *xhtml.Node, depth int)
	theirs = func(n *xhtml.Node, depth int) {
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			if k.Type == xhtml.ElementNode {
				want = append(want, tagOf(k, depth))
				theirs(k, depth+1)
			}
		}
	}
	ours(root, 0)
	theirs(plain, 0)
	if !slices.Equal(got, want) {
		t.Fatalf("%q: the tree is %q, the parser's %q", raw, got, want)
	}
}

func tagOf(n *xhtml.Node, depth int) string {
	list := slices.Clone(n.Attr)
	slices.SortFunc(list, func(a, b xhtml.Attribute) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Key, b.Key))
	})
	return fmt.Sprintf("%d %s %s %q", depth, n.Namespace, n.Data, list)
}

func TestAttributes(t *testing.T) {
	for _, raw := range []string{
		"<p id=a CLASS='b c' id=d x>one<p title=\"&lt;&amp;&#0;\r\n\" y=''>two<br class=z/><hr a b=/>",
		"<a href=x title=y><b class=c><p>one</a>two</b>three", "<b a=1><b a='1'><b a=1><b a=1><p>x</b></b></b></b>y<p>z", "<i b=2 a=1><p><i a=1 b=2>x</i>y",
		"<svg viewbox='0 0 1 1' xlink:href=#a><lineargradient gradientunits=b xlink:href=c></svg><math definitionurl=d><mi a=b>x",
		"<svg><foreignObject a=b><div class=c xlink:href=d><font color=e>f", "<math><annotation-xml encoding='text/html'><p id=a>b", "<table><input type=HIDDEN name=a><input type=text><td rowspan=2>c",
		"<html lang=a><body class=b>c<body class=d id=e><html lang=f dir=g>", "<select name=a><option value=b selected>c<input type=x>", "<image src=a alt=b><frameset cols=c>",
		"<div =a ==b 'c' \"d\" <e f/g='h'>i</div><template shadowrootmode=open><p id=a>b", "<font size=1>a<p>b</font>c", "<nobr class=a>b<nobr class=a>c", "<p a=\x00b c\x00=d>e", "<svg =a><input  =b><font\n= c><p =d>",
	} {
		sameTree(t, raw)
	}
}

// FuzzTree holds the tree to that of the parser, on pages of whole tags and of bytes.
func FuzzTree(f *testing.F) {
	addPages(f, func(raw []byte) { f.Add(raw) })
	f.Add([]byte("any tags with attributes, in any order"))
	parts := strings.Fields("<a <b <i <p <div <svg <math <table <td <input <font <select <option <image <script <title <body <html <mi <nobr <br <template <foreignObject <desc </a> </b> </p> </svg> </table> </i>")
	parts = append(parts, " class=a", " class='a b'", " href=\"&amp;x\"", " id", " xlink:href=y", " type=hidden", " color=red", " a=1", " A='1'", " b=2", "/", ">", ">", ">", ">", "text", " ", "&#0;", "'", "=", "é", " encoding=text/html")
	f.Fuzz(func(t *testing.T, data []byte) {
		var b strings.Builder
		for _, c := range data[:min(len(data), 200)] {
			b.WriteString(parts[int(c)%len(parts)])
		}
		sameTree(t, b.String())
		sameTree(t, strings.ReplaceAll(strings.ToValidUTF8(string(data), ""), "\x00", ""))
	})
}
