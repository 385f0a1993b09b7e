// Package html finds the blocks of web pages, each with its span in the
// captured bytes. The captured bytes are tokenized as they are; a copy in
// UTF-8, in which every start tag and every text carries the number of its
// token, is parsed as browsers do it (scripting off); the numbers lead from
// the tree back to the bytes. Everything that a reader of the page can see is
// in some block; what is not the page's own matter is typed as furniture and
// kept.
package html

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/charset"
)

// token is one token of the captured document: its place in charset.Text.Bytes
// and what is asked of it later.
type token struct {
	start, end int32
	kind       html.TokenType
	inline     bool   // a tag of formatting that browsers may move
	blank      bool   // a text of white space only
	name       string // of a tag
}

// instrumented is a document whose tree leads back to its tokens.
type instrumented struct {
	doc    *charset.Text
	tokens []token
	copy   []byte
	mark   rune // stands before and after each number; nowhere else in the document
	flat   bool // tags were left out: the document is nested beyond what browsers do
}

// formatting are the elements that the parser closes and opens again around
// blocks, comparing their attributes: they are not marked.
var formatting = set("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")

// void are the elements that have no end tag.
var void = set("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "frame", "basefont", "bgsound", "keygen")

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}

// instrument tokenizes the document and writes the copy. In a flat copy
// nesting is bounded, see nesting.
func instrument(doc *charset.Text, flat bool) (*instrumented, error) {
	text := doc.Bytes
	if doc.Choice.Name == "gb18030" || doc.Choice.Name == "gbk" { // the only ones that have private characters
		text = charset.Open(doc.Bytes, doc.Choice).Decode(0, len(doc.Bytes))
	}
	mark, err := freeMark(text)
	if err != nil {
		return nil, err
	}
	x := &instrumented{doc: doc, mark: mark, flat: flat}
	tags := bytes.Count(doc.Bytes, []byte{'<'})
	x.copy = make([]byte, 0, len(doc.Bytes)+12*tags)
	x.tokens = make([]token, 0, 2*tags+1)
	var n nesting
	var f foreign
	z := html.NewTokenizer(bytes.NewReader(doc.Bytes))
	at := 0
	for {
		kind := z.Next()
		raw := z.Raw()
		if kind == html.ErrorToken {
			if err := z.Err(); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			x.copy = append(x.copy, doc.Decode(at, len(doc.Bytes))...) // an unfinished tag: no text
			return x, nil
		}
		t := token{start: int32(at), end: int32(at + len(raw)), kind: kind}
		at += len(raw)
		keep := true
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			t.name = intern(name)
			t.inline = formatting[t.name]
			if t.name == "html" || t.name == "body" {
				n.again(len(raw))
			}
			keep = n.start(t.name, kind == html.SelfClosingTagToken, flat)
			if f.start(t.name, kind == html.SelfClosingTagToken, saysHTML(t.name, z)) || t.name == "noscript" {
				z.NextIsNotRawText()
			}
			z.AllowCDATA(f.inside())
		case html.EndTagToken:
			name, _ := z.TagName()
			t.name = intern(name)
			t.inline = formatting[t.name]
			keep = n.end(t.name, flat)
			f.end(t.name)
			z.AllowCDATA(f.inside())
		case html.TextToken:
			n.text()
		}
		x.write(&t, keep)
		x.tokens = append(x.tokens, t)
		if !flat && n.tooCostly() {
			return instrument(doc, true)
		}
	}
}

// write appends one token to the copy. A tag that is left out becomes an empty
// comment, so that the texts around it do not become one tag.
func (x *instrumented) write(t *token, keep bool) {
	if !keep {
		x.copy = append(x.copy, "<!---->"...)
		return
	}
	piece := x.doc.Decode(int(t.start), int(t.end))
	switch {
	case (t.kind == html.StartTagToken || t.kind == html.SelfClosingTagToken) && !t.inline:
		n := 1
		for n < len(piece) && !isSpace(piece[n]) && piece[n] != '/' && piece[n] != '>' {
			n++
		}
		x.copy = append(x.copy, piece[:n]...)
		x.copy = append(x.copy, ' ')
		x.copy = x.appendMark(x.copy)
		x.copy = append(x.copy, piece[n:]...)
	case t.kind == html.TextToken:
		n := 0
		if bytes.HasPrefix(piece, cdata) {
			n = len(cdata)
		}
		for n < len(piece) && isSpace(piece[n]) {
			n++
		}
		if t.blank = n == len(piece) || blankText(piece[n:]); t.blank {
			x.copy = append(x.copy, piece...)
			return
		}
		x.copy = append(x.copy, piece[:n]...)
		x.copy = x.appendMark(x.copy)
		x.copy = append(x.copy, piece[n:]...)
	default:
		x.copy = append(x.copy, piece...)
	}
}

var cdata = []byte("<![CDATA[")

// appendMark appends the number of the token that is being written.
func (x *instrumented) appendMark(b []byte) []byte {
	b = utf8.AppendRune(b, x.mark)
	b = strconv.AppendInt(b, int64(len(x.tokens)), 10)
	return utf8.AppendRune(b, x.mark)
}

// blankText reports whether a text is only white space once its references
// are resolved: such a text is placed by other rules than one with letters.
func blankText(piece []byte) bool {
	if piece[0] != '&' || len(piece) > 64 {
		return false
	}
	for _, r := range html.UnescapeString(string(piece)) {
		if r > ' ' || !isSpace(byte(r)) {
			return false
		}
	}
	return true
}

// isSpace is white space as HTML has it.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }

// intern returns the name of a tag without an allocation for those of HTML.
func intern(name []byte) string {
	if s, ok := known[string(name)]; ok {
		return s
	}
	return string(name)
}

var known = func() map[string]string {
	out := map[string]string{}
	for _, s := range []map[string]bool{formatting, void, blockElements, breakouts} {
		for name := range s {
			out[name] = name
		}
	}
	for _, name := range []string{"span", "abbr", "label", "script", "style", "svg", "path", "g", "button", "cite", "q", "sub", "sup", "time", "mark", "del", "ins"} {
		out[name] = name
	}
	return out
}()
