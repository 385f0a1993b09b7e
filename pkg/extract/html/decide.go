package html

import "golang.org/x/net/html"

// FlagMaybeFurniture is on units of the page's own matter that may be furniture.
const FlagMaybeFurniture = "maybe_furniture"

// Scores are ten-thousandths of the natural logarithm of the odds that a passage is
// furniture. They are integers, so that two machines agree.
const (
	// furnitureScore is from where on a passage that the rules keep is furniture (three
	// to one); docs/quality.md#main-content has the figures for others.
	furnitureScore = 10986
	// doubtScore is from where on it is said that it may be.
	doubtScore = 0
	// matterScore is up to where a passage that the rules call furniture is kept.
	matterScore = -13863
	// leastRescued is how many characters such a passage has at least.
	leastRescued = 40
	// longText is how many characters a passage has that a page is read for.
	longText = 120
	// mostLost is the share of the page's long text that may become furniture.
	mostLost = 0.5
	// underHeading is the share of the text below a heading that is furniture where the
	// heading is.
	underHeading = 0.8
)

// split is a node of a tree: the passages of which the feature is at most at go left.
// A leaf has the feature leafSplit, and its score in at.
type split struct {
	feature     int16
	left, right int16
	at          int32
}

const leafSplit = -1

// score returns the sum of the trees over the features.
func score(features []int32) int32 {
	sum := int32(contentBase)
	for _, tree := range contentTrees {
		at := &tree[0]
		for at.feature != leafSplit {
			if features[at.feature] <= at.at {
				at = &tree[at.left]
			} else {
				at = &tree[at.right]
			}
		}
		sum += at.at
	}
	return sum
}

// wordFeatures returns the largest, the smallest and the sum of what words say, each
// counted once.
func wordFeatures(values []int32, words []string, known map[string]int32) []int32 {
	most, least, sum := int32(0), int32(0), int32(0)
	for i, w := range words {
		score, ok := known[w]
		if !ok || repeated(words[:i], w) {
			continue
		}
		most, least, sum = max(most, score), min(least, score), sum+score
	}
	return append(values, most, least, max(-maxWordSum, min(maxWordSum, sum)))
}

// allFeatures returns what the trees are asked with about a passage.
func (c *contentPage) allFeatures(i int) []int32 {
	values, classes := c.features(i)
	values = wordFeatures(values, classes, classScores)
	values = wordFeatures(values, c.passages[i].text.words, textScores)
	return wordFeatures(values, c.headWords(i), textScores)
}

// maxWordSum bounds what the words of a passage say together.
const maxWordSum = 2000

func repeated(before []string, w string) bool {
	for _, b := range before {
		if b == w {
			return true
		}
	}
	return false
}

// decide corrects what the rules say of the passages of a page, by what was learnt
// from other pages.
func (j *judgement) decide() {
	c := j.openContent(j.main)
	if c == nil {
		return
	}
	scores := make([]int32, len(c.passages))
	for i := range c.passages {
		if p := &c.passages[i]; c.asks(p) {
			scores[i] = score(c.allFeatures(i))
		}
	}
	c.keepHeadings(scores)
	c.keepLongText(scores)
	for i := range c.passages {
		p := &c.passages[i]
		switch {
		case !c.asks(p):
		case p.role != "" && scores[i] <= matterScore:
			j.roles[p.owner] = ""
		case p.role == "" && scores[i] >= furnitureScore:
			c.giveRole(p)
		case p.role == "" && scores[i] >= doubtScore:
			p.each(func(n *node) { j.doubts[n] = true })
		}
	}
}

// asks reports whether the model is asked about a passage: not about the headline and
// what the source's own rules say, and of furniture only about texts.
func (c *contentPage) asks(p *passage) bool {
	if c.j.heads(p.owner) {
		return false
	}
	return p.role == "" || p.run == nil && p.letters >= leastRescued && 2*p.linked < p.letters && !c.ruledBySource(p.ruled)
}

// ruledBySource reports whether n or what it stands in is of a kind that the source's own
// rules tell.
func (c *contentPage) ruledBySource(n *node) bool {
	for ; n != nil; n = n.parent {
		if n.Type == html.ElementNode && c.j.known.match(n) != "" {
			return true
		}
	}
	return false
}

// each calls do for the nodes that a passage is made of.
func (p *passage) each(do func(n *node)) {
	if p.run == nil {
		do(p.owner)
	}
	for _, n := range p.run {
		do(n)
	}
}

// giveRole makes a passage furniture.
func (c *contentPage) giveRole(p *passage) {
	role := roleRelated
	if 2*p.linked > p.letters {
		role = roleNavigation
	}
	p.each(func(n *node) { c.j.roles[n] = role })
}

// keepHeadings leaves a heading in doubt where what is below it stays.
func (c *contentPage) keepHeadings(scores []int32) {
	for i := range c.passages {
		p := &c.passages[i]
		if p.role != "" || scores[i] < furnitureScore || !heading(p.owner) {
			continue
		}
		all, gone := int32(0), int32(0)
		for k := i + 1; k < len(c.passages) && !heading(c.passages[k].owner); k++ {
			q := &c.passages[k]
			if all += q.letters; q.role != "" || scores[k] >= furnitureScore {
				gone += q.letters
			}
		}
		if float64(gone) < underHeading*float64(all) || all == 0 {
			scores[i] = furnitureScore - 1
		}
	}
}

// keepLongText leaves everything in doubt where a page would lose most of its long text; of
// a page without long text, where it would lose most of all.
func (c *contentPage) keepLongText(scores []int32) {
	all, lost := c.losses(scores, longText)
	if all == 0 {
		all, lost = c.losses(scores, 0)
	}
	if float64(lost) <= mostLost*float64(all) {
		return
	}
	for i := range scores {
		if c.passages[i].role == "" {
			scores[i] = min(scores[i], furnitureScore-1)
		}
	}
}

// losses counts the letters of passages of at least so many that the rules keep, and of those
// the model would take.
func (c *contentPage) losses(scores []int32, least int32) (all, lost int32) {
	for i := range c.passages {
		if p := &c.passages[i]; p.role == "" && p.letters >= least {
			if all += p.letters; scores[i] >= furnitureScore {
				lost += p.letters
			}
		}
	}
	return all, lost
}
