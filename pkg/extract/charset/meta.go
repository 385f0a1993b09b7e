package charset

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// maxPrescan is how many bytes are looked at for a meta element that names the
// encoding. The standard asks for the first 1,024; real pages have it later.
const maxPrescan = 64 << 10

var charsetForm = regexp.MustCompile(`(?i)charset\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

// InDocument returns the encoding that a document's own meta elements or XML
// declaration name within its first 64 KiB, "" when there is none.
func InDocument(raw []byte) string {
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
