package html

import (
	"cmp"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

// taken is how the text of an element got into units.
type taken uint8

const (
	notTaken     taken = iota // as the element around it
	takenText                 // in a unit of the page's own matter
	takenAside                // in a unit of furniture
	takenWithout              // in a unit of the page's own matter, furniture within it too
)

// takenBy is how the text of what a block was made of got into it.
func takenBy(b *block.Block) taken {
	if b.Type == model.UnitFurniture {
		return takenAside
	}
	return takenText
}

// alternatives are the elements whose content is shown where they cannot be.
var alternatives = set("noembed", "noframes", "iframe", "object", "applet", "audio", "video", "canvas")

// headed are the elements of the head that hold text, wherever they stand.
var headed = set("head", "title", "meta", "link", "base")

// classes accounts for the characters of the page's text nodes, white space not counted,
// and for its pictures.
type classes struct {
	x      *instrumented
	ledger model.Ledger
}

// ledgerOf returns the ledger of the page, once all blocks were made.
func (x *instrumented) ledgerOf(root *node) *model.Ledger {
	c := &classes{x: x}
	c.node(root, notTaken, "")
	c.code()
	coverage.Close(&c.ledger.Characters)
	coverage.Close(&c.ledger.Pictures)
	return &c.ledger
}

// node counts the texts below n, which are in units as around says, unless n says
// something else, and unseen for the reason hidden, unless that is "".
func (c *classes) node(n *node, around taken, hidden string) {
	if n.Type == html.TextNode {
		c.text(n, around, hidden)
		return
	}
	switch {
	case around == takenWithout:
	case n.member:
		around = takenWithout
	case n.taken != notTaken:
		around = n.taken
	}
	if n.Type == html.ElementNode && (n.hidden || n.Data == "iframe") {
		hidden = hiddenClass(n, hidden)
	}
	if n.Type == html.ElementNode && n.Data == "img" && n.Namespace == "" {
		c.picture(n, around, hidden)
	}
	for _, k := range n.kids {
		c.node(k, around, hidden)
	}
}

func (c *classes) text(n *node, around taken, hidden string) {
	if n.taken != notTaken && around != takenWithout {
		around = n.taken
	}
	letters := int(n.letters)
	if n.hidden {
		letters = coverage.Characters(n.Data)
	}
	c.count(&c.ledger.Characters, letters, n, around, hidden)
}

// picture counts a picture, which is in the class of the text around it.
func (c *classes) picture(n *node, around taken, hidden string) {
	if n.taken != notTaken && around != takenWithout {
		around = n.taken
	}
	c.count(&c.ledger.Pictures, 1, n, around, hidden)
}

func (c *classes) count(account *model.Account, many int, n *node, around taken, hidden string) {
	account.Found += many
	switch {
	case n.hidden:
		coverage.Skip(account, cmp.Or(hidden, model.ClassHidden), many)
	case around == takenAside:
		coverage.Skip(account, model.ClassFurniture, many)
	case around != notTaken:
		account.Placed += many
	}
}

// hiddenClass returns why the text of an element is not seen that is in an element
// whose text is not seen for the reason around, "" for none: programs and style sheets
// are that wherever they stand, all else is what the outermost of them is.
func hiddenClass(n *node, around string) string {
	switch {
	case n.Data == "script" || n.Data == "style":
		return n.Data
	case around != "":
		return around
	case n.Namespace != "":
		return model.ClassHidden
	case n.Data == "template":
		return model.ClassTemplate
	case headed[n.Data]:
		return model.ClassHead
	case alternatives[n.Data]:
		return model.ClassAlternative
	}
	return model.ClassHidden
}

// code counts what never came into the tree: programs and style sheets, which are left
// out of the copy, and texts that the parser drops where none may stand.
func (c *classes) code() {
	account := &c.ledger.Characters
	account.Found += c.x.scripts + c.x.styles
	coverage.Skip(account, model.ClassScript, c.x.scripts)
	coverage.Skip(account, model.ClassStyle, c.x.styles)
	for i := range c.x.tokens {
		if t := &c.x.tokens[i]; t.kind == html.TextToken && !t.met && !t.blank {
			account.Found += coverage.Characters(html.UnescapeString(string(c.x.doc.Bytes[t.start:t.end])))
		}
	}
}
