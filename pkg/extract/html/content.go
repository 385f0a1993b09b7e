package html

import (
	"golang.org/x/net/html"
)

// contentPage is what the passages of a page are compared with.
type contentPage struct {
	j        *judgement
	main     *node
	passages []passage
	cluster  *node         // the element with most of the prose directly in it or one below
	above    map[*node]int // the cluster and what is around it: how far up
	regions  map[*node]*region
	siblings map[sibling]int32 // counts of alike
	counted  map[*node]bool    // whose children are in siblings
	before   []int32           // prose before each passage
	prose    int32             // of all passages

	spots            []spot // made together, given out one by one
	paths            map[uint32]*group
	alikes           map[likeness]*group
	articles         int32 // elements of that name
	bodies           bool  // something says that it is the body of an article
	atHeadline       int   // its passage, -1
	aboveHeadline    map[*node]int
	previous, next   []int32 // long prose before and after each passage, -1
	running          []int32 // letters before each passage, and of all
	dense, denseKept *candidates
}

// likeness is what passages that were made by one template have in common.
type likeness struct{ own, class, parent, parentClass string }

// region is what is known of an element that holds passages.
type region struct {
	letters, linked, heads, leading, fields, buttons, kids, alike, prose int32
	tag                                                                  int32
}

// openContent prepares a page; nil where there is nothing to judge.
func (j *judgement) openContent(main *node) *contentPage {
	c := &contentPage{j: j, main: main, passages: j.collectPassages(j.body, nil, nil)}
	if len(c.passages) == 0 {
		return nil
	}
	c.above, c.regions = map[*node]int{}, map[*node]*region{}
	c.siblings, c.counted = map[sibling]int32{}, map[*node]bool{}
	c.before = make([]int32, len(c.passages))
	for i := range c.passages {
		p := &c.passages[i]
		c.before[i] = c.prose
		c.prose += p.prose()
	}
	c.running = make([]int32, len(c.passages)+1)
	for i := range c.passages {
		c.running[i+1] = c.running[i] + c.passages[i].letters
	}
	c.findCluster()
	c.survey()
	return c
}

func likenessOf(p *passage) likeness {
	like := likeness{own: p.owner.Data, class: p.owner.attr("class")}
	if p.owner.parent != nil {
		like.parent, like.parentClass = p.owner.parent.Data, p.owner.parent.attr("class")
	}
	return like
}

// leastProse is how many characters outside of links a passage has that counts for
// the cluster.
const leastProse = 40

// findCluster finds the element that most prose is in, directly or one element
// below: among what the rules kept, where they kept anything.
func (c *contentPage) findCluster() {
	for _, kept := range []bool{true, false} {
		weight := map[*node]int32{}
		var best *node
		for i := range c.passages {
			p := &c.passages[i]
			prose := p.prose()
			if prose < leastProse || 2*p.linked > p.letters || kept && p.role != "" || p.owner == c.j.body {
				continue
			}
			up := p.owner.parent
			for part := prose; up != nil && up.Type == html.ElementNode && part >= prose/2; part /= 2 {
				if weight[up] += part; best == nil || weight[up] > weight[best] {
					best = up
				}
				up = up.parent
			}
		}
		if best != nil {
			c.cluster = best
			break
		}
	}
	if c.cluster == nil {
		c.cluster = c.j.body
	}
	for n, i := c.cluster, 0; n != nil; n, i = n.parent, i+1 {
		c.above[n] = i
	}
}

// region returns what is known of an element.
func (c *contentPage) region(n *node) *region {
	r := c.regions[n]
	if r != nil {
		return r
	}
	r = &region{letters: n.letters, linked: n.linked, heads: n.heads, leading: n.leading, fields: n.fields, buttons: n.buttons,
		prose: int32(c.j.weight[n]), tag: tagNumber(n)}
	for _, k := range n.kids {
		if k.Type == html.ElementNode && k.letters > 0 {
			r.kids++
		}
	}
	r.alike = c.alike(n)
	c.regions[n] = r
	return r
}

// alike counts the elements beside n with its name and classes, and itself.
func (c *contentPage) alike(n *node) int32 {
	if n.parent == nil {
		return 0
	}
	kind := sibling{n.parent, n.Data, n.attr("class")}
	if !c.counted[n.parent] { // all of them at once: each may have classes of its own
		c.counted[n.parent] = true
		for _, k := range n.parent.kids {
			if k.Type == html.ElementNode && k.letters > 0 {
				c.siblings[sibling{n.parent, k.Data, k.attr("class")}]++
			}
		}
	}
	return c.siblings[kind]
}

// sibling is what children of an element have in common.
type sibling struct {
	parent      *node
	name, class string
}

// tags are the elements that are told apart, in this order.
var tags = []string{"", "div", "p", "section", "article", "main", "aside", "header", "footer", "nav", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th",
	"h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "figure", "figcaption", "pre", "form", "a", "span", "center", "details", "address", "body"}

var tagNumbers = numberTags()

func numberTags() map[string]int32 {
	out := map[string]int32{}
	for i, tag := range tags {
		out[tag] = int32(i)
	}
	return out
}

func tagNumber(n *node) int32 { return tagNumbers[n.Data] }

// roleNumbers are the roles of furniture as the model knows them.
var roleNumbers = map[string]int32{"": 0, roleNavigation: 1, roleBanner: 2, roleCookie: 3, roleFooter: 4, roleRelated: 5, roleComments: 6}

// perMille returns part of whole in thousandths, 0 of nothing.
func perMille(part, whole int32) int32 {
	if whole <= 0 {
		return 0
	}
	return int32(int64(part) * 1000 / int64(whole))
}

// maxFeatures is how many there are, and some.
const maxFeatures = 180

// features returns what the model knows of a passage, and the words of the classes
// around it.
func (c *contentPage) features(i int) (values []int32, words []string) {
	p := &c.passages[i]
	p.readText()
	values = append(make([]int32, 0, maxFeatures), c.ownFeatures(p)...)
	values = append(values, c.placeFeatures(i)...)
	values = append(values, c.neighbours(i)...)
	top, ups := p.owner, int32(0)
	for top.parent != nil && !has(c.above, top) && !has(c.above, top.parent) {
		top, ups = top.parent, ups+1
	}
	downs := int32(c.above[top.parent])
	if has(c.above, top) {
		downs = int32(c.above[top])
	}
	values = append(values, ups, downs)
	parent := p.owner.parent
	around := []*node{top, p.owner, parent, parent}
	if parent != nil && parent.parent != nil {
		around[3] = parent.parent
	}
	for k, n := range around {
		values = c.region(n).append(values, c.j, k)
	}
	values = c.moreFeatures(values, i)
	for n := p.owner; n != nil && n != top.parent; n = n.parent {
		words = append(words, c.j.wordsOf(n.attr("class"))...)
		words = append(words, c.j.wordsOf(n.attr("id"))...)
	}
	return values, words
}

func has(m map[*node]int, n *node) bool { _, ok := m[n]; return ok }

func (r *region) append(values []int32, j *judgement, k int) []int32 {
	values = append(values, min(r.letters, 20000), perMille(r.linked, r.letters), min(r.heads, 20), min(r.fields, 5), min(r.buttons, 9), min(r.alike, 50), r.tag)
	if k != 1 {
		values = append(values, min(r.kids, 60), min(r.leading, 20), perMille(r.letters, int32(j.total)), perMille(r.prose, int32(j.weight[j.body])))
	}
	return values
}

func (c *contentPage) ownFeatures(p *passage) []int32 {
	t := &p.text
	values := []int32{min(p.letters, 3000), perMille(p.linked, p.letters), min(t.sentences, 20), min(t.commas, 20), ending(t.last), perMille(t.digits, p.letters),
		perMille(t.upper, p.letters), roleNumbers[p.role], min(p.alike.count, 100), beginning(t.first)}
	for bit := int32(1); bit <= 16; bit *= 2 {
		values = append(values, p.spot.inside&bit/bit)
	}
	many := int32(0)
	if p.linked > 0 {
		if p.run == nil {
			many = int32(links(p.owner, manyLinks))
		}
		for _, k := range p.run {
			many += int32(links(k, manyLinks))
		}
	}
	ruled := int32(0)
	if p.ruled != nil {
		ruled = perMille(p.ruled.letters, int32(c.j.total))
	}
	return append(values, p.spot.depth, many, ruled)
}

// ending says how a text ends.
func ending(r rune) int32 {
	switch r {
	case '.', '!', '?', '。', '"', '”', '»', ')':
		return 2
	case ':':
		return 1
	case '…', '›', '→', '>', '|':
		return -1
	}
	return 0
}

// beginning says how a text begins.
func beginning(r rune) int32 {
	switch r {
	case '»', '›', '→', '>', '|', '•', '+', '#', '<', '«', '←':
		return 1
	}
	return 0
}

// placeFeatures say where on the page a passage is.
func (c *contentPage) placeFeatures(i int) []int32 {
	p := &c.passages[i]
	head := int32(0)
	if h := c.j.headline; h != nil {
		switch {
		case c.j.heads(p.owner):
			head = 2
		case p.owner.first < h.first:
			head = 1
		default:
			head = 3
		}
	}
	in := int32(0)
	for n := p.owner; n != nil; n = n.parent {
		if n == c.main {
			in = 1
		}
	}
	after := c.prose - c.before[i] - p.prose()
	return []int32{perMille(int32(i), int32(len(c.passages))), perMille(c.before[i], c.prose), perMille(after, c.prose), head, in, min(c.prose, 30000)}
}

// neighbours are what stands before and behind a passage.
func (c *contentPage) neighbours(i int) []int32 {
	var values []int32
	for _, by := range []int{-2, -1, 1, 2} {
		at := i + by
		if at < 0 || at >= len(c.passages) {
			values = append(values, -1, -1, -1, -1)
			continue
		}
		q := &c.passages[at]
		level := int32(0)
		if heading(q.owner) {
			level = 1
		}
		values = append(values, min(q.letters, 3000), perMille(q.linked, q.letters), roleNumbers[q.role], level)
	}
	return append(values, c.distance(i, -1), c.distance(i, 1), c.headed(i))
}

// farAway is how far off the nearest long text is looked for.
const farAway = 40

// distance returns how many passages away the next long text is that the rules kept.
func (c *contentPage) distance(i, step int) int32 {
	for d := 1; d < farAway; d++ {
		at := i + d*step
		if at < 0 || at >= len(c.passages) {
			break
		}
		if p := &c.passages[at]; p.role == "" && p.prose() > 2*leastProse && 3*p.linked < p.letters {
			return int32(d)
		}
	}
	return farAway
}

// headed returns how many passages before the last heading is.
func (c *contentPage) headed(i int) int32 {
	for d := 0; d < farAway && i-d >= 0; d++ {
		if heading(c.passages[i-d].owner) {
			return int32(d)
		}
	}
	return farAway
}
