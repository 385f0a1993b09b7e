package html

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
)

// place is where a text stands: in a link, between signs of any kind.
type place struct{ linked, signed bool }

// write appends pieces to out; not ok: the library must write the run.
func (w *runWriter) write(out []byte, pieces []runPiece, at place) ([]byte, bool) {
	ok := true
	for i := range pieces {
		switch p := &pieces[i]; p.kind {
		case pieceText:
			out, ok = writeText(out, p.text, at)
		case pieceBold, pieceItalic:
			sign := "*"
			if p.kind == pieceBold {
				sign = "**"
			}
			var inner []byte
			if inner, ok = w.write(nil, p.kids, place{linked: at.linked, signed: true}); ok {
				out = writeLines(out, string(inner), sign)
			}
		case pieceLink:
			out, ok = w.link(out, p)
		case pieceCode:
			out, ok = writeCode(out, p.text), !strings.ContainsRune(p.text, mayMean)
		case pieceImage:
			out, ok = w.image(out, p.n)
		case pieceBreak:
			out = append(out, "  \n"...)
		default:
			out, ok = w.write(out, p.kids, at)
		}
		if !ok {
			return nil, false
		}
	}
	return out, true
}

// writeText appends a text with a sign before each character that may mean
// something, see unescape.
func writeText(out []byte, s string, at place) ([]byte, bool) {
	if strings.ContainsAny(s, "\x00\a<>~`") || !at.signed && startsOddly(s) && atLineStart(out) {
		return nil, false
	}
	for s != "" {
		n := strings.IndexAny(s, `[]_*\!`)
		if n < 0 {
			return append(out, s...), true
		}
		out = append(out, s[:n]...)
		if s[n] == ']' && at.linked {
			out = append(out, '\\')
		} else {
			out = append(out, mayMean)
		}
		out = append(out, s[n])
		s = s[n+1:]
	}
	return out, true
}

// atLineStart reports whether there is nothing but white space in the last line.
func atLineStart(out []byte) bool {
	for len(out) > 0 {
		r, size := utf8.DecodeLastRune(out)
		if r == '\n' {
			return true
		}
		if !unicode.IsSpace(r) {
			return false
		}
		out = out[:len(out)-size]
	}
	return true
}

// startsOddly reports whether a text at the beginning of a line may be taken for
// the beginning of a heading, a list or a rule.
func startsOddly(s string) bool {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	if s == "" {
		return false
	}
	if strings.IndexByte("#+-=*_", s[0]) >= 0 {
		return true
	}
	rest := strings.TrimLeft(s, "0123456789 ")
	return len(rest) < len(s) && (rest == "" || rest[0] == '.' || rest[0] == ')')
}

// writeLines appends the lines of s, each between signs, but for the white space
// around it.
func writeLines(out []byte, s, sign string) []byte {
	for more := true; more; {
		var line string
		line, s, more = strings.Cut(s, "\n")
		before, text, after := spacesAround(line)
		out = append(out, before...)
		if text != "" {
			out = append(append(append(out, sign...), text...), sign...)
		}
		out = append(out, after...)
		if more {
			out = append(out, '\n')
		}
	}
	return out
}

// spacesAround divides s into the white space before it, itself, and that after it.
func spacesAround(s string) (before, text, after string) {
	trimmed := strings.TrimRightFunc(s, unicode.IsSpace)
	text = strings.TrimLeftFunc(trimmed, unicode.IsSpace)
	return trimmed[:len(trimmed)-len(text)], text, s[len(trimmed):]
}

// writeCode appends code, its white space as single spaces.
func writeCode(out []byte, code string) []byte {
	code = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(code, "\n", " "), "\t", " "))
	for strings.Contains(code, "  ") {
		code = strings.ReplaceAll(code, "  ", " ")
	}
	mark := "`"
	for strings.Contains(code, mark) {
		mark += "`"
	}
	out = append(out, mark...)
	if code[0] == '`' {
		out = append(out, ' ')
	}
	out = append(out, code...)
	if code[len(code)-1] == '`' {
		out = append(out, ' ')
	}
	return append(out, mark...)
}

func (w *runWriter) link(out []byte, p *runPiece) ([]byte, bool) {
	inner, ok := w.write(nil, p.kids, place{linked: true, signed: true})
	title := p.n.attr("title")
	if !ok || slices.Contains(inner, '\n') || strings.ContainsRune(title, mayMean) {
		return nil, false
	}
	before, text, after := spacesAround(string(inner))
	out = append(append(append(append(out, before...), '['), text...), "]("...)
	if ref := markdownURL(w.b.absolute(p.n.attr("href"))); ref != "" {
		out = appendTitle(append(out, ref...), title)
	}
	return append(append(out, ')'), after...), true
}

func (w *runWriter) image(out []byte, n *node) ([]byte, bool) {
	title, alt := n.attr("title"), n.attr("alt")
	if strings.ContainsRune(title, mayMean) || strings.ContainsRune(alt, mayMean) {
		return nil, false
	}
	src := strings.TrimSpace(w.b.absolute(source(n)))
	if src == "" {
		return out, true
	}
	out = append(out, "!["...)
	for i := range len(alt) {
		switch c := alt[i]; {
		case c == '\n':
			out = append(out, ' ')
		case (c == '[' || c == ']') && (i == 0 || alt[i-1] != '\\'):
			out = append(out, '\\', c)
		default:
			out = append(out, c)
		}
	}
	out = append(append(out, "]("...), markdownURL(src)...)
	return append(appendTitle(out, title), ')'), true
}

// appendTitle appends the title of a link or a picture, if there is one, between
// quotation marks that are not in it.
func appendTitle(out []byte, title string) []byte {
	title = strings.ReplaceAll(title, "\n", " ")
	double, single := strings.Contains(title, `"`), strings.Contains(title, "'")
	switch {
	case title == "":
		return out
	case double && single:
		title = strings.ReplaceAll(title, `"`, `\"`)
	case double:
		return append(append(append(out, " '"...), title...), '\'')
	}
	return append(append(append(out, ` "`...), title...), '"')
}

// markdownURL returns a URL as it can stand in Markdown.
func markdownURL(ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "#" || plainURL(ref) {
		return ref
	}
	if u, err := url.Parse(ref); err == nil && u.Scheme != "data" {
		u.RawQuery = strings.ReplaceAll(converter.ParseAndEncodeQuery(u.RawQuery), "+", "%20")
		ref = u.String()
	}
	return urlEscapes.Replace(ref)
}

// plainURL reports whether a URL of the web has nothing to escape and nothing that
// can be written in two ways.
func plainURL(ref string) bool {
	rest, ok := strings.CutPrefix(ref, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(ref, "http://")
	}
	for i := 0; ok && i < len(rest); i++ {
		c := rest[i]
		ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '.' || c == '-' || c == '_'
	}
	return ok
}

var urlEscapes = strings.NewReplacer(" ", "%20", "[", "%5B", "]", "%5D", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E")

// emptyLine reports whether there is a line of spaces only between others.
func emptyLine(s string) bool {
	for {
		_, rest, more := strings.Cut(s, "\n")
		if !more {
			return false
		}
		if strings.HasPrefix(strings.TrimLeft(rest, " "), "\n") {
			return true
		}
		s = rest
	}
}

// unescape resolves the signs before characters: a character has a backslash where
// it would mean something.
func unescape(s string) string {
	if strings.IndexByte(s, mayMean) < 0 {
		return s
	}
	out := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		if s[i] == mayMean {
			if i+1 < len(s) && means(s[i+1:]) {
				out = append(out, '\\')
			}
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// means reports whether the character that s begins with means something there.
func means(s string) bool {
	switch rest := s[1:]; s[0] {
	case '\\':
		return true
	case '!':
		return strings.HasPrefix(rest, "[")
	case '[':
		line, _, _ := strings.Cut(rest, "\n")
		return strings.IndexByte(line, ']') >= 0
	case '*', '_':
		rest = strings.TrimLeft(rest, string(mayMean))
		next, _ := utf8.DecodeRuneInString(rest)
		return rest != "" && !unicode.IsSpace(next)
	}
	return false
}
