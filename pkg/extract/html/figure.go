package html

import (
	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/model"
)

// captionField is the name under which a figure has its caption, as those of PDF pages
// have it.
const captionField = "caption"

// figure writes what is in a figure element, and gives its pictures its caption, which
// is a block of its own beside them.
func (b *builder) figure(n *node, s state) {
	from := len(b.blocks)
	b.container(n, s)
	caption := figcaption(n)
	if caption == nil {
		return
	}
	text := quote(oneLine(b.read(caption.kids, false).text)) // whole it is in the caption's own block
	if text == "" {
		return
	}
	for i := from; i < len(b.blocks); i++ {
		if f := &b.blocks[i]; f.Type == model.UnitFigure && len(f.Values[captionField]) == 0 { // one within has its own
			f.Values = map[string][]string{captionField: {text}}
		}
	}
}

// figcaption returns the caption of a figure element, nil for none: the first that
// shows, and is not that of a figure within.
func figcaption(n *node) *node {
	for _, k := range n.kids {
		if k.hidden || k.Type != html.ElementNode || k.Namespace != "" || k.Data == "figure" {
			continue
		}
		if k.Data == "figcaption" {
			return k
		}
		if found := figcaption(k); found != nil {
			return found
		}
	}
	return nil
}
