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
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

// token is one token of the captured document: its place in charset.Text.Bytes
// and what is asked of it later.
type token struct {
	start, end int32
	kind       html.TokenType
	inline     bool   // a tag of formatting that browsers may move
	blank      bool   // a text of white space only, or that is left out
	code       bool   // the start tag of what is left out
	met        bool   // a text that came into the tree
	name       string // of a tag
	attrs      attrs  // of a start tag, when they are not in the copy
}

// instrumented is a document whose tree leads back to its tokens.
type instrumented struct {
	doc    *charset.Text
	tokens []token
	copy   []byte
	mark   rune // stands before and after each number; nowhere else in the document
	flat   bool // tags were left out: the document is nested beyond what browsers do
	moved  moved
	// scripts and styles are how many characters were left out of the copy, without
	// white space.
	scripts, styles int
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

// instrument tokenizes the document and writes the copy, without style sheets and
// scripts unless withCode. In a flat copy nesting is bounded, see nesting.
func instrument(doc *charset.Text, flat, withCode bool) (*instrumented, error) {
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
			name, hasAttr := z.TagName()
			t.name = intern(name)
			t.inline = formatting[t.name]
			if t.name == "html" || t.name == "body" {
				n.again(len(raw))
			}
			keep = n.start(t.name, kind == html.SelfClosingTagToken, flat)
			inForeign := f.start(t.name, kind == html.SelfClosingTagToken, saysHTML(t.name, z))
			if inForeign || t.name == "noscript" {
				z.NextIsNotRawText()
			}
			if hasAttr && !inForeign && doc.UTF8() && !parsed[t.name] {
				t.attrs = x.moved.take(z)
			}
			t.code = !inForeign && !withCode && kind == html.StartTagToken && isCode(t.name, raw)
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
			return instrument(doc, true, withCode)
		}
	}
}

// emptyComment stands for a comment, and for a tag that is left out, so that the
// texts around it do not become one tag or one text.
const emptyComment = "<!---->"

// write appends one token to the copy.
func (x *instrumented) write(t *token, keep bool) {
	if !keep {
		x.copy = append(x.copy, emptyComment...)
		return
	}
	piece := x.doc.Decode(int(t.start), int(t.end))
	switch {
	case t.kind == html.TextToken && x.inCode() && bytes.HasPrefix(x.doc.Bytes[t.end:], endTag):
		t.blank = true
		x.leaveOut(piece)
	case t.kind == html.CommentToken:
		x.copy = append(x.copy, emptyComment...)
	case t.attrs.any():
		x.copy = append(append(x.copy, piece[:nameEnd(piece)]...), ' ')
		if t.inline {
			x.copy = x.appendNumber(x.copy, formatSign, x.moved.format(t.attrs))
		} else {
			x.copy = x.appendMark(x.copy)
		}
		if t.kind == html.SelfClosingTagToken {
			x.copy = append(x.copy, '/')
		}
		x.copy = append(x.copy, '>')
	case (t.kind == html.StartTagToken || t.kind == html.SelfClosingTagToken) && !t.inline:
		n := nameEnd(piece)
		x.copy = append(append(x.copy, piece[:n]...), ' ')
		x.copy = x.appendMark(x.copy)
		if rest := bytes.TrimLeft(piece[n:], " \t\n\f\r"); len(rest) > 0 && rest[0] == '=' {
			x.copy = append(x.copy, `=""`...) // a name that begins with =, no value of the mark
		}
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

var cdata, endTag = []byte("<![CDATA["), []byte("</")

// isCode reports whether an element holds a style sheet or a script: not data about
// the page, as its tag may say in many ways.
func isCode(name string, tag []byte) bool {
	if name == "style" {
		return true
	}
	return name == "script" && bytes.IndexByte(tag, '&') < 0 && !bytes.ContainsFunc(tag, func(r rune) bool { return r >= utf8.RuneSelf }) &&
		!bytes.Contains(bytes.ToLower(tag), []byte("json"))
}

// inCode reports whether the token before is the start tag of code.
func (x *instrumented) inCode() bool {
	return len(x.tokens) > 0 && x.tokens[len(x.tokens)-1].code
}

// leaveOut counts a text that is not in the copy: that of the start tag before it.
func (x *instrumented) leaveOut(text []byte) {
	letters := coverage.Characters(string(text))
	if x.tokens[len(x.tokens)-1].name == model.ClassStyle {
		x.styles += letters
	} else {
		x.scripts += letters
	}
}

// appendMark appends the number of the token that is being written.
func (x *instrumented) appendMark(b []byte) []byte { return x.appendNumber(b, "", len(x.tokens)) }

// appendNumber appends a number between marks, behind a sign for what it counts.
func (x *instrumented) appendNumber(b []byte, sign string, n int) []byte {
	b = append(utf8.AppendRune(b, x.mark), sign...)
	return utf8.AppendRune(strconv.AppendInt(b, int64(n), 10), x.mark)
}

// nameEnd returns where the name of a start tag ends.
func nameEnd(tag []byte) int {
	n := 1
	for n < len(tag) && !isSpace(tag[n]) && tag[n] != '/' && tag[n] != '>' {
		n++
	}
	return n
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
	for _, name := range []string{"class", "id", "href", "src", "alt", "rel", "type", "name", "content", "property", "width", "height", "target", "role", "lang",
		"srcset", "colspan", "rowspan", "value", "data-src", "aria-hidden", "aria-label", "span", "abbr", "label", "script", "style", "svg", "path", "g", "button", "cite", "q", "sub", "sup", "time", "mark", "del", "ins"} {
		out[name] = name
	}
	return out
}()
