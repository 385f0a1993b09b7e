package html

import (
	"github.com/andybalholm/cascadia"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// hashPrefix is how many hex digits of a block hash stand for a block in a
// source's furniture.
const hashPrefix = 16

// learnt is the furniture of a source, ready to be looked up. A nil one knows
// nothing.
type learnt struct {
	blocks    map[string]string // role by prefix of the block hash
	selectors []learntSelector
}

type learntSelector struct {
	cascadia.SelectorGroup
	role string
}

func learntOf(f *model.Furniture) *learnt {
	if f == nil {
		return nil
	}
	out := &learnt{blocks: map[string]string{}}
	for _, b := range f.Blocks {
		out.blocks[b.Hash] = b.Role
	}
	for _, s := range f.Selectors {
		if group, err := cascadia.ParseGroup(s.Select); err == nil { // what is no CSS selects nothing
			out.selectors = append(out.selectors, learntSelector{group, s.Role})
		}
	}
	return out
}

// role returns the role of a block by its text, "" when it is not known.
func (l *learnt) role(text string) string {
	if l == nil || len(l.blocks) == 0 || text == "" {
		return ""
	}
	return l.blocks[digest.BlockHash(text)[:hashPrefix]]
}

// match returns the role of an element, "" when it is not known.
func (l *learnt) match(n *node) string {
	if l == nil {
		return ""
	}
	for _, s := range l.selectors {
		if s.Match(n.Node) {
			return s.role
		}
	}
	return ""
}
