package html

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/language"
)

// maxPrescan is how many bytes are looked at for a meta element that names the
// encoding. The standard asks for the first 1,024; real pages have it later.
const maxPrescan = 64 << 10

var charsetForm = regexp.MustCompile(`(?i)charset\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

// metaCharset returns the encoding that a document's own meta elements or XML
// declaration name, "".
func metaCharset(raw []byte) string {
	head := raw[:min(len(raw), maxPrescan)]
	if bytes.HasPrefix(head, []byte("<?xml")) {
		if end := bytes.IndexByte(head, '>'); end > 0 {
			if m := xmlEncoding.FindSubmatch(head[:end]); m != nil {
				return string(m[1])
			}
		}
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "body" {
				return ""
			}
			if string(name) == "meta" && more {
				if c := charsetOfMeta(z); c != "" {
					return c
				}
			}
		}
	}
}

var xmlEncoding = regexp.MustCompile(`encoding\s*=\s*["']([A-Za-z0-9_.-]+)["']`)

func charsetOfMeta(z *html.Tokenizer) string {
	var pragma bool
	var direct, content string
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			direct = string(value)
		case "http-equiv":
			pragma = strings.EqualFold(string(value), "content-type")
		case "content":
			if m := charsetForm.FindSubmatch(value); m != nil {
				content = string(m[1])
			}
		}
	}
	if direct == "" && pragma {
		return content
	}
	return direct
}

// about is what a page says about itself.
type about struct {
	title, canonical, base string
	lang, metaLang         string
	dates                  []string // "date: name = value", as found
}

// language returns the code that the page declares, "".
func (a about) language() string {
	if code := language.Code(a.lang); code != "" {
		return code
	}
	return language.Code(a.metaLang)
}

// dateNames are the meta elements that date a page, as they are written.
var dateNames = set("last-modified", "date", "dc.date", "dc.date.modified", "dcterms.modified", "dcterms.created", "dcterms.issued",
	"article:published_time", "article:modified_time", "og:updated_time", "datepublished", "datemodified", "pubdate", "revised")

// readMeta collects what the page says about itself; of several the first
// counts.
func readMeta(root *node) about {
	var a about
	var walk func(n *node)
	walk = func(n *node) {
		if n.Type == html.ElementNode && n.Namespace == "" {
			a.element(n)
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(root)
	return a
}

func (a *about) element(n *node) {
	first := func(s *string, value string) {
		if value = strings.Join(strings.Fields(value), " "); *s == "" {
			*s = value
		}
	}
	switch n.Data {
	case "html":
		first(&a.lang, n.attr("lang"))
		first(&a.lang, n.attr("xml:lang"))
	case "title":
		if len(n.kids) > 0 {
			first(&a.title, n.kids[0].Data)
		}
	case "base":
		first(&a.base, n.attr("href"))
	case "link":
		for _, rel := range strings.Fields(strings.ToLower(n.attr("rel"))) {
			if rel == "canonical" {
				first(&a.canonical, n.attr("href"))
			}
		}
	case "meta":
		name := strings.ToLower(n.attr("name") + n.attr("property") + n.attr("http-equiv") + n.attr("itemprop"))
		switch {
		case name == "content-language":
			first(&a.metaLang, n.attr("content"))
		case name == "dc.language" || name == "og:locale" || name == "language":
			first(&a.metaLang, strings.ReplaceAll(n.attr("content"), "_", "-"))
		case dateNames[name] && n.attr("content") != "":
			a.dates = append(a.dates, fmt.Sprintf("date: %s = %s", name, n.attr("content")))
		}
	}
}
