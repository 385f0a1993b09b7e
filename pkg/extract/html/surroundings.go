package html

import (
	"strings"

	"golang.org/x/net/html"
)

// spot is what the names and attributes of an element and of those around it say.
type spot struct {
	depth    int32
	path     uint32   // of the names, from the top
	article  *node    // the next one around, nil
	up       int32    // elements up to it
	articles int32    // around
	section  int32    // number of the next element that names a part of the page
	body     bool     // in what says that it is the body of an article
	kind     int32    // of the next thing that is described by itself
	inside   int32    // bits: list, cell, quotation, figure, article or main
	scores   [2]int64 // of the element as a candidate: of all passages, and of those that the rules keep
}

// nowhere is around the page.
var nowhere = spot{path: 2166136261}

// parts are the elements that name a part of a page, and the ARIA roles that say the same.
var parts = map[string]int32{"main": 1, "article": 2, "section": 3, "header": 4, "nav": 5, "aside": 6, "footer": 7, "figure": 8, "form": 9, "dialog": 10,
	"complementary": 6, "contentinfo": 7, "navigation": 5, "banner": 4, "region": 3, "search": 9}

// described are things that microdata describe, by a word in the type or the property.
var described = []string{"comment", "review", "author", "person", "offer", "breadcrumb", "caption", "image", "headline", "description"}

// placeOf returns what is known of the place of an element.
func (c *contentPage) placeOf(n *node) *spot {
	if n == nil || n.Type != html.ElementNode {
		return &nowhere
	}
	if n.spot != nil {
		return n.spot
	}
	around := c.placeOf(n.parent)
	if len(c.spots) == 0 {
		c.spots = make([]spot, 64)
	}
	p := &c.spots[0]
	c.spots = c.spots[1:]
	*p = *around
	p.scores = [2]int64{}
	p.depth++
	p.up++
	for i := 0; i < len(n.Data); i++ {
		p.path = (p.path ^ uint32(n.Data[i])) * 16777619
	}
	p.path = (p.path ^ '>') * 16777619
	switch n.Data {
	case "li", "dl":
		p.inside |= 1
	case "td":
		p.inside |= 2
	case "blockquote":
		p.inside |= 4
	case "figure", "figcaption":
		p.inside |= 8
	case "article", "main":
		p.inside |= 16
	}
	if n.Data == "article" {
		p.article, p.up = n, 0
		p.articles++
		c.articles++
	}
	if part := parts[n.Data]; part > 0 {
		p.section = part
	}
	p.attributes(n)
	c.bodies = c.bodies || p.body
	n.spot = p
	return p
}

// attributes takes in what an element says of itself.
func (p *spot) attributes(n *node) {
	for _, a := range n.Attr {
		switch a.Key {
		case "role":
			if part := parts[strings.ToLower(a.Val)]; part > 0 {
				p.section = part
			}
		case "itemprop", "property", "itemtype":
			value := strings.ToLower(a.Val)
			if strings.HasSuffix(value, "articlebody") || strings.HasSuffix(value, "blogpost") {
				p.body = true
			}
			for i, word := range described {
				if strings.Contains(value, word) {
					p.kind = int32(i + 1)
				}
			}
		}
	}
}

// group is what passages of one shape have together.
type group struct{ count, prose, letters, linked, whole, dated int32 }

func (g *group) add(p *passage) {
	g.count++
	g.prose += p.prose()
	g.letters += p.letters
	g.linked += p.linked
	if p.linksWhole() {
		g.whole++
	}
	if p.dated() {
		g.dated++
	}
}

func (g *group) append(values []int32, c *contentPage) []int32 {
	return append(values, min(g.count, 200), min(g.letters/max(1, g.count), 2000), perMille(g.linked, g.letters), perMille(g.prose, c.prose),
		perMille(g.whole, g.count), perMille(g.dated, g.count))
}

// linksWhole reports whether hardly anything of a passage is outside of links.
func (p *passage) linksWhole() bool { return 10*p.linked >= 9*p.letters }

// dated reports whether a passage is a short line with digits, as dates and counts are.
func (p *passage) dated() bool { return p.letters <= 40 && p.text.digits > 0 }

// longProse reports whether a passage is prose that the rules kept.
func (p *passage) longProse() bool {
	return p.role == "" && p.prose() > 2*leastProse && 3*p.linked < p.letters
}

// survey counts what passages have in common, once a page.
func (c *contentPage) survey() {
	c.paths, c.alikes = map[uint32]*group{}, map[likeness]*group{}
	c.atHeadline = -1
	last := int32(-1)
	c.previous, c.next = make([]int32, len(c.passages)), make([]int32, len(c.passages))
	for i := range c.passages {
		p := &c.passages[i]
		p.readText()
		like := likenessOf(p)
		p.spot = c.placeOf(p.owner)
		path := p.spot.path
		if p.run != nil {
			path++
		}
		g := c.paths[path]
		if g == nil {
			g = &group{}
			c.paths[path] = g
		}
		g.add(p)
		p.path = g
		if g = c.alikes[like]; g == nil {
			g = &group{}
			c.alikes[like] = g
		}
		g.add(p)
		p.alike = g
		if c.atHeadline < 0 && c.j.heads(p.owner) {
			c.atHeadline = i
		}
		c.previous[i] = last
		if p.longProse() {
			last = int32(i)
		}
	}
	last = -1
	for i := len(c.passages) - 1; i >= 0; i-- {
		c.next[i] = last
		if c.passages[i].longProse() {
			last = int32(i)
		}
	}
	c.aboveHeadline = map[*node]int{}
	for n, i := c.j.headline, 0; n != nil; n, i = n.parent, i+1 {
		c.aboveHeadline[n] = i
	}
	c.dense, c.denseKept = c.findCandidates(false), c.findCandidates(true)
}

// moreFeatures are of the densest element, the headline, what the page says of its parts, passages of
// the same shape, and what is around in the order of the page.
func (c *contentPage) moreFeatures(values []int32, i int) []int32 {
	p := &c.passages[i]
	values = c.dense.append(values, c, p)
	values = c.denseKept.append(values, c, p)
	up, down := int32(-1), int32(-1)
	since, between := int32(-1000), int32(-1)
	if c.atHeadline >= 0 {
		up, down = c.apart(p.owner, c.aboveHeadline)
		since = max(-200, min(200, int32(i-c.atHeadline)))
		between = min(20000, max(-1, c.before[i]-c.before[c.atHeadline]))
	}
	values = append(values, up, down, since, between)
	body := int32(0)
	if c.bodies {
		body = -1
	}
	if p.spot.body {
		body = 1
	}
	article := int32(0)
	if a := p.spot.article; a != nil {
		article = perMille(int32(c.j.weight[a]), int32(c.j.weight[c.j.body]))
	}
	values = append(values, body, p.spot.kind, p.spot.section, p.spot.articles, min(c.articles, 30), article, min(p.spot.up, 40))
	values = p.path.append(values, c)
	values = p.alike.append(values, c)
	values = c.window(values, i, 3)
	values = c.window(values, i, 8)
	values = c.toward(values, i, c.previous[i])
	values = c.toward(values, i, c.next[i])
	pictures := func(n *node) int32 {
		if n == nil {
			return -1
		}
		return min(n.pictures, 20)
	}
	parent := p.owner.parent
	grand := parent
	if parent != nil && parent.parent != nil {
		grand = parent.parent
	}
	return append(values, pictures(p.owner), pictures(parent), pictures(grand))
}

// apart returns how many elements it is up from n to one that is in above, and down from there.
func (c *contentPage) apart(n *node, above map[*node]int) (up, down int32) {
	for ; n != nil && !has(above, n); n = n.parent {
		up++
	}
	return up, int32(above[n])
}

// window counts what is up to so many passages before and after a passage.
func (c *contentPage) window(values []int32, i, radius int) []int32 {
	var short, whole, dated, headings, prose, letters, like int32
	for k := max(0, i-radius); k <= min(len(c.passages)-1, i+radius); k++ {
		q := &c.passages[k]
		if k == i {
			continue
		}
		letters += q.letters
		prose += q.prose()
		if q.letters < 40 {
			short++
		}
		if q.linksWhole() {
			whole++
		}
		if q.dated() {
			dated++
		}
		if heading(q.owner) {
			headings++
		}
		if q.alike == c.passages[i].alike {
			like++
		}
	}
	return append(values, short, whole, dated, headings, like, min(letters, 5000), perMille(prose, letters))
}

// toward says how a passage and the next long prose to one side of it are apart in the tree.
func (c *contentPage) toward(values []int32, i int, to int32) []int32 {
	if to < 0 {
		return append(values, 40, 40, -1, -1, -1)
	}
	p, q := &c.passages[i], &c.passages[to]
	a, b := p.owner, q.owner
	up, down := int32(0), int32(0)
	for a != b && a != nil && b != nil {
		da, db := c.placeOf(a).depth, c.placeOf(b).depth
		if da >= db {
			a, up = a.parent, up+1
		}
		if db >= da {
			b, down = b.parent, down+1
		}
	}
	like := int32(0)
	if p.alike == q.alike {
		like = 1
	}
	first, last := min(i, int(to)), max(i, int(to))
	between := c.running[last] - c.running[first+1]
	return append(values, min(up, 40), min(down, 40), like, min(between, 5000), min(q.prose(), 2000))
}

// mostBoxes is how many elements around a passage are asked for the line that they begin with.
const mostBoxes = 4

// headWords returns the words of the last heading before a passage, and of the short line that
// the boxes around it begin with.
func (c *contentPage) headWords(i int) []string {
	var words []string
	for d := 1; d < farAway && i-d >= 0; d++ {
		if q := &c.passages[i-d]; heading(q.owner) {
			words = append(words, q.text.words...)
			break
		}
	}
	n, at := c.passages[i].owner.parent, i
	for level := 0; level < mostBoxes && n != nil && !has(c.above, n); n, level = n.parent, level+1 {
		for at > 0 && i-at < farAway && covers(n, c.passages[at-1].owner) {
			at--
		}
		if at < i && i-at < farAway {
			words = append(words, c.passages[at].text.words...)
		}
	}
	return words
}

// covers reports whether an element has the tokens of another one.
func covers(n, inner *node) bool {
	return n.last >= 0 && inner.first >= n.first && inner.last <= n.last
}
