package html

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

// What a source's furniture is learnt by.
const (
	// repeatShare is the share of an element's text, over all pages, that must
	// repeat for the element to be furniture whole.
	repeatShare = 0.8
	// maxLearntSelectors and maxLearntBlocks bound the list: it goes with every
	// snapshot of the source.
	maxLearntSelectors = 100
	maxLearntBlocks    = 300
	// leastRepeated is how many characters a block must have to be learnt by its
	// text alone: shorter ones ("Contact", "Article 1") repeat in the matter too.
	leastRepeated = 20
)

// Learner finds what repeats on the pages of a source. The order in which pages
// are added makes no difference.
type Learner struct {
	pages    int
	blocks   map[string]*learntBlock
	elements map[string]*learntElement
}

type learntBlock struct {
	pages   int
	letters int
	main    bool // some page has it as main matter
	heading bool
	roles   map[string]int
	in      map[string]bool // the keys of the elements around it
}

type learntElement struct {
	pages  int
	barred bool           // holds the heading or the main element of a page
	total  map[string]int // characters by block hash, over all pages
	roles  map[string]int
	around map[string]bool // keys of the elements around it
}

// Add reads one page. A page that cannot be read is passed over; err says that
// ctx has ended.
func (l *Learner) Add(ctx context.Context, in block.Input) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in.Snapshot.SourceEntry, in.Snapshot.SourceFurniture = nil, nil
	p, err := open(in)
	if err != nil || p.marks.flat {
		return nil
	}
	if l.blocks == nil {
		l.blocks, l.elements = map[string]*learntBlock{}, map[string]*learntElement{}
	}
	l.pages++
	page := &learning{l: l, seenBlocks: map[string]bool{}, seenElements: map[string]bool{}}
	p.b.saw = page.block
	p.b.roles, p.b.doubts = judge(p.root, p.about.title, nil)
	p.b.container(p.root, state{})
	page.bar(p.root)
	return nil
}

// learning is one page that is being added.
type learning struct {
	l            *Learner
	seenBlocks   map[string]bool
	seenElements map[string]bool
}

// block takes in a block and the element that it is in.
func (p *learning) block(owner *node, b *block.Block) {
	letters := coverage.Characters(b.Text)
	if letters == 0 || hiddenBlock(b) {
		return
	}
	hash := digest.BlockHash(b.Text)[:hashPrefix]
	known := p.l.blocks[hash]
	if known == nil {
		known = &learntBlock{letters: letters, roles: map[string]int{}, in: map[string]bool{}}
		p.l.blocks[hash] = known
	}
	if !p.seenBlocks[hash] {
		p.seenBlocks[hash] = true
		known.pages++
	}
	known.main = known.main || b.Type != model.UnitFurniture
	known.heading = known.heading || b.Type == model.UnitHeading
	role := b.Role
	if role == "" {
		role = besideRole(owner, false)
	}
	known.roles[role]++
	var keys []string
	for up := owner; up != nil; up = up.parent {
		if key := elementKey(up); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for i, key := range keys {
		known.in[key] = true
		e := p.element(key)
		e.total[hash] += letters
		e.roles[role]++
		for _, around := range keys[i+1:] {
			e.around[around] = true
		}
	}
}

func (p *learning) element(key string) *learntElement {
	e := p.l.elements[key]
	if e == nil {
		e = &learntElement{total: map[string]int{}, roles: map[string]int{}, around: map[string]bool{}}
		p.l.elements[key] = e
	}
	if !p.seenElements[key] {
		p.seenElements[key] = true
		e.pages++
	}
	return e
}

// bar notes the elements that hold what a page is about: these are never
// furniture.
func (p *learning) bar(n *node) bool {
	holds := heading(n) && n.Data == "h1" || n.Data == "main" || n.Data == "article"
	for _, k := range n.kids {
		holds = p.bar(k) || holds
	}
	if holds {
		if e := p.l.elements[elementKey(n)]; e != nil {
			e.barred = true
		}
	}
	return holds
}

// Furniture returns what repeats on at least least pages, 2 or more: first the
// elements of which (almost) all text does, then the single blocks outside of
// these. Its version is 0: the source's registry counts.
func (l *Learner) Furniture(least int) model.Furniture {
	least = max(least, 2)
	out := model.Furniture{Documents: l.pages}
	whole := map[string]bool{}
	for key, e := range l.elements {
		if e.pages >= least && !e.barred && l.repeats(e, least) {
			whole[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(whole)) {
		within := false
		for around := range l.elements[key].around {
			within = within || whole[around]
		}
		if !within && len(out.Selectors) < maxLearntSelectors {
			out.Selectors = append(out.Selectors, model.FurnitureSelect{Select: key, Role: most(l.elements[key].roles)})
		}
	}
	var single []string
	for hash, b := range l.blocks {
		covered := false
		for key := range b.in {
			covered = covered || whole[key]
		}
		if b.pages >= least && b.main && !b.heading && !covered && b.letters >= leastRepeated {
			single = append(single, hash)
		}
	}
	slices.SortFunc(single, func(a, b string) int {
		return cmp.Or(-cmp.Compare(l.blocks[a].pages, l.blocks[b].pages), strings.Compare(a, b))
	})
	for _, hash := range single[:min(len(single), maxLearntBlocks)] {
		out.Blocks = append(out.Blocks, model.FurnitureBlock{Hash: hash, Role: most(l.blocks[hash].roles)})
	}
	return out
}

// repeats reports whether enough of an element's text is in blocks that repeat.
func (l *Learner) repeats(e *learntElement, least int) bool {
	repeated, all := 0, 0
	for hash, letters := range e.total {
		all += letters
		if l.blocks[hash].pages >= least {
			repeated += letters
		}
	}
	return all > 0 && float64(repeated) >= repeatShare*float64(all)
}

// most returns the role that was given most often; of equals the first by name.
func most(roles map[string]int) string {
	best := ""
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		if best == "" || roles[role] > roles[best] {
			best = role
		}
	}
	return best
}

// elementKey returns the selector by which an element is known over pages: its
// name with its id, or with its classes; "" when it has none that CSS can write
// as they are.
func elementKey(n *node) string {
	if n.Namespace != "" || !plainName(n.Data) || n.Data == "body" || n.Data == "html" {
		return ""
	}
	if id := n.attr("id"); id != "" {
		if plainIdent(id) {
			return n.Data + "#" + id
		}
		return ""
	}
	classes := strings.Fields(n.attr("class"))
	if len(classes) == 0 || len(classes) > 4 {
		return ""
	}
	key := n.Data
	for _, c := range classes {
		if !plainIdent(c) {
			return ""
		}
		key += "." + c
	}
	return key
}

// plainIdent reports whether CSS can write a name as it is.
func plainIdent(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-')) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
