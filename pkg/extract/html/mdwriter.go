package html

import (
	"strings"

	"golang.org/x/net/html"
)

// runWriter writes a run of the common elements of formatting as Markdown, as the
// library does, without a tree for each run and the library's dozen walks over it. What it
// does not know, and what the library would not write piece by piece, it leaves to
// the library.
type runWriter struct {
	b      *builder
	prev   *runPiece // the text before, whose last space ends where a line does
	keep   bool      // white space at the beginning of the next text stays
	breaks bool      // there is a br
}

// pieceKind is what a piece of a run means in Markdown.
type pieceKind uint8

const (
	pieceText pieceKind = iota
	pieceNothing
	pieceSpan
	pieceBold
	pieceItalic
	pieceLink
	pieceCode
	pieceImage
	pieceBreak
)

// runPiece is a text or an element of a run.
type runPiece struct {
	kind pieceKind
	text string // of a text, and the content of code
	n    *node  // of an element
	kids []runPiece
}

// pieceKinds are the elements that a runWriter knows.
var pieceKinds = func() map[string]pieceKind {
	kinds := map[string]pieceKind{"b": pieceBold, "strong": pieceBold, "em": pieceItalic, "i": pieceItalic, "a": pieceLink, "code": pieceCode, "img": pieceImage, "br": pieceBreak}
	for name := range set("span", "abbr", "acronym", "bdi", "bdo", "big", "button", "cite", "data", "del", "dfn", "font", "ins", "label", "mark", "nobr",
		"picture", "q", "s", "small", "strike", "sub", "sup", "time", "u", "svg", "g", "path", "use", "rect", "circle") {
		kinds[name] = pieceSpan
	}
	for name := range set("input", "textarea", "iframe", "noscript") {
		kinds[name] = pieceNothing
	}
	return kinds
}()

// formattedRun returns a run as Markdown; not ok: the library must write it.
func (b *builder) formattedRun(run []*node) (out string, ok bool) {
	w := &runWriter{b: b}
	pieces, ok := w.pieces(run, 0)
	if !ok {
		return "", false
	}
	swapLinks(pieces)
	w.collapse(pieces)
	w.endLine()
	raw, ok := w.write(nil, pieces, place{})
	if !ok {
		return "", false
	}
	s := strings.TrimSpace(string(raw))
	if strings.Contains(s, codeLineEnd) || w.breaks && emptyLine(s) {
		return "", false
	}
	return strings.TrimSpace(unescape(s)), true
}

const (
	// mayMean stands before a character that means something in Markdown in some
	// places; the library uses the same one.
	mayMean = '\a'
	// codeLineEnd is what the library takes for the end of a line in code.
	codeLineEnd = "\uF002"
)

// pieces returns what is visible of nodes. within holds the kinds of the elements
// around them, a bit each.
func (w *runWriter) pieces(nodes []*node, within uint) ([]runPiece, bool) {
	out := make([]runPiece, 0, len(nodes))
	for _, n := range nodes {
		if n.hidden {
			continue
		}
		if n.Type == html.TextNode {
			if last := len(out) - 1; last >= 0 && out[last].kind == pieceText {
				out[last].text += n.Data
			} else {
				out = append(out, runPiece{text: n.Data})
			}
			continue
		}
		p, ok := w.element(n, within)
		if !ok || len(out) > 0 && joins(&out[len(out)-1], &p) {
			return nil, false
		}
		if p.kind != pieceNothing {
			out = append(out, p)
		}
	}
	return out, true
}

// joins reports whether the library may make one of two neighbours.
func joins(a, b *runPiece) bool {
	span := b.kind == pieceSpan && b.n.Data == "span"
	switch a.kind {
	case pieceBold, pieceItalic:
		return span || b.kind == pieceBold || b.kind == pieceItalic
	case pieceCode:
		return span || b.kind == pieceCode
	}
	return false
}

func (w *runWriter) element(n *node, within uint) (runPiece, bool) {
	kind, ok := pieceKinds[n.Data]
	p := runPiece{kind: kind, n: n}
	switch {
	case !ok && !strings.Contains(n.Data, "-"), kind != pieceSpan && n.Namespace != "":
		return p, false
	case !ok:
		p.kind = pieceSpan // an element that the site made up
	}
	switch p.kind {
	case pieceNothing:
		return p, true
	case pieceBreak:
		w.breaks = true
		return p, len(n.kids) == 0
	case pieceImage:
		return p, len(n.kids) == 0
	case pieceCode:
		if within&(1<<pieceBold|1<<pieceItalic) != 0 {
			return p, false
		}
		p.text, ok = codeText(n)
		return p, ok && strings.TrimSpace(p.text) != ""
	case pieceBold, pieceItalic, pieceLink:
		if within&(1<<p.kind) != 0 {
			return p, false
		}
	}
	p.kids, ok = w.pieces(n.kids, within|1<<p.kind)
	if p.kind == pieceBold || p.kind == pieceItalic {
		ok = ok && !blank(p.kids) // what is left out may leave a space behind
	}
	return p, ok
}

// blank reports whether there is nothing but white space in pieces.
func blank(pieces []runPiece) bool {
	for i := range pieces {
		switch p := &pieces[i]; p.kind {
		case pieceText:
			if strings.TrimSpace(p.text) != "" {
				return false
			}
		case pieceCode, pieceImage:
			return false
		default:
			if !blank(p.kids) {
				return false
			}
		}
	}
	return true
}

// codeText returns the text of code; not ok: there is more than text in it. What is
// bold or italic in code the library may join with what stands behind it.
func codeText(n *node) (string, bool) {
	if len(n.kids) == 1 && n.kids[0].Type == html.TextNode && !n.kids[0].hidden {
		return n.kids[0].Data, true
	}
	var out strings.Builder
	for _, k := range n.kids {
		if k.hidden {
			continue
		}
		if k.Type == html.TextNode {
			out.WriteString(k.Data)
			continue
		}
		switch kind, ok := pieceKinds[k.Data]; {
		case !ok, kind == pieceCode, kind == pieceBreak, kind == pieceBold, kind == pieceItalic:
			return "", false
		case kind == pieceNothing:
			continue
		}
		text, ok := codeText(k)
		if !ok {
			return "", false
		}
		out.WriteString(text)
	}
	return out.String(), true
}

// swapLinks puts what makes a whole link bold or italic into the link.
func swapLinks(pieces []runPiece) {
	for i := range pieces {
		p := &pieces[i]
		if p.kind == pieceBold || p.kind == pieceItalic {
			if inner := onlyLink(p.kids); inner != nil {
				p.kind, inner.kind = inner.kind, p.kind
				p.n, inner.n = inner.n, p.n
				continue
			}
		}
		swapLinks(p.kids)
	}
}

// onlyLink returns the link beside which there is nothing but white space, nil.
func onlyLink(pieces []runPiece) *runPiece {
	var found *runPiece
	for i := range pieces {
		switch p := &pieces[i]; {
		case p.kind == pieceText && strings.TrimSpace(p.text) == "":
		case found != nil || p.kind != pieceLink:
			return nil
		default:
			found = p
		}
	}
	return found
}

// collapse makes one space of each run of white space, in one text or in several.
func (w *runWriter) collapse(pieces []runPiece) {
	for i := range pieces {
		switch p := &pieces[i]; p.kind {
		case pieceText:
			p.text = oneSpace(p.text)
			if (w.prev == nil || strings.HasSuffix(w.prev.text, " ")) && !w.keep {
				p.text = strings.TrimPrefix(p.text, " ")
			}
			if p.text != "" {
				w.prev = p
			}
		case pieceBreak:
			w.endLine()
		case pieceImage, pieceCode:
			w.prev, w.keep = nil, true
		default:
			w.keep = w.keep && w.prev == nil
			w.collapse(p.kids)
			w.keep = w.keep && w.prev == nil
		}
	}
}

func (w *runWriter) endLine() {
	if w.prev != nil {
		w.prev.text = strings.TrimSuffix(w.prev.text, " ")
	}
	w.prev, w.keep = nil, false
}

// oneSpace returns s with runs of the white space of markup as one space.
func oneSpace(s string) string {
	if !strings.ContainsAny(s, "\t\n\r") && !strings.Contains(s, "  ") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case !isCollapsed(c):
			out = append(out, c)
		case i == 0 || !isCollapsed(s[i-1]):
			out = append(out, ' ')
		}
	}
	return string(out)
}

func isCollapsed(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
