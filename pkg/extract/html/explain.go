package html

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/block"
)

// Reason says why a passage of a page is main content or furniture.
type Reason struct {
	Text string `json:"text"` // its first characters
	// Kept says that it is main content, Role which furniture it is, Doubt that it is kept and may
	// be furniture.
	Kept  bool   `json:"kept"`
	Role  string `json:"role,omitempty"`
	Doubt bool   `json:"doubt,omitempty"`
	// Because is what decided, as a sentence.
	Because string `json:"because"`
	// Element is the element, with its id and classes, that rules gave the role to, or that the
	// passage is: what a selector of the source's furniture can name.
	Element string `json:"element"`
	// Rules is the role that the rules gave it, before what was learnt.
	Rules string `json:"rules,omitempty"`
	// Score is what was learnt: ten-thousandths of the natural logarithm of the odds that it is furniture;
	// nil where nobody asked.
	Score *int32 `json:"score,omitempty"`
	// Signs are what the score comes from, the heaviest first.
	Signs []Sign `json:"signs,omitempty"`
}

// Sign is one feature of a passage and what it adds to the score. Weights of trees that look at
// several features are divided among them, so they need not sum up exactly.
type Sign struct {
	Name   string `json:"name"`
	Value  int32  `json:"value"`
	Weight int32  `json:"weight"` // above 0 speaks for furniture
}

// explained is how much of a passage's text is shown, mostSigns how many signs.
const (
	explained = 120
	mostSigns = 6
)

// Explain says of each passage of a page why it is what it is. Errors are as of Extractor.Page.
func Explain(ctx context.Context, in block.Input) ([]Reason, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := open(in)
	if err != nil {
		return nil, err
	}
	j := judgeByRules(p.root, p.about.title, learntOf(in.Snapshot.SourceFurniture))
	if j.main == nil {
		return nil, nil
	}
	c := j.openContent(j.main)
	if c == nil {
		return nil, nil
	}
	reasons := make([]Reason, len(c.passages))
	for i := range c.passages {
		reasons[i] = c.reason(p, i)
	}
	decided, doubts := judge(p.root, p.about.title, learntOf(in.Snapshot.SourceFurniture))
	for i := range c.passages {
		c.conclude(&reasons[i], &c.passages[i], decided, doubts)
	}
	return reasons, nil
}

// reason tells what rules and model say of a passage, each by itself.
func (c *contentPage) reason(p *opened, i int) Reason {
	q := &c.passages[i]
	run := q.run
	if run == nil {
		run = q.owner.kids
	}
	text := []rune(strings.Join(strings.Fields(p.b.read(run, false).text), " "))
	r := Reason{Text: string(text[:min(len(text), explained)]), Rules: q.role, Element: nameOf(q.owner)}
	if q.ruled != nil {
		r.Element = nameOf(q.ruled)
	}
	if !c.asks(q) {
		return r
	}
	features := c.allFeatures(i)
	sum := score(features)
	r.Score, r.Signs = &sum, signs(features)
	return r
}

// conclude says what became of a passage, and what decided.
func (c *contentPage) conclude(r *Reason, q *passage, decided map[*node]string, doubts map[*node]bool) {
	at := q.owner
	if q.run != nil {
		at = q.run[0]
	}
	r.Kept, r.Doubt = true, doubts[at]
	for n := at; n != nil; n = n.parent {
		if role, ok := decided[n]; ok {
			r.Kept, r.Role = role == "", role
			break
		}
	}
	r.Doubt = r.Doubt && r.Kept
	switch {
	case c.j.heads(q.owner) && r.Kept:
		r.Because = "it is the headline, or holds it"
	case c.ruledBySource(q.ruled):
		r.Because = "the furniture of its source names the element"
	case r.Score == nil && r.Rules != "":
		r.Because = "a rule tells the element by its name, role, classes, place or links; it is too short, or has too many links, to be asked about again"
	case r.Rules != "" && r.Kept:
		r.Because = "a rule says " + r.Rules + ", and what was learnt is sure of the contrary"
	case r.Rules != "":
		r.Because = "a rule tells the element by its name, role, classes, place or links, and what was learnt is not sure of the contrary"
	case !r.Kept:
		r.Because = "no rule says so, and what was learnt is sure that it is furniture"
	case r.Doubt && r.Score != nil && *r.Score >= furnitureScore:
		r.Because = "what was learnt is sure that it is furniture, but a heading stays with what is below it, and a page keeps most of its long text"
	case r.Doubt:
		r.Because = "what was learnt takes it for furniture and is not sure: it is kept with the flag " + FlagMaybeFurniture
	default:
		r.Because = "no rule says that it is furniture, nor does what was learnt"
	}
}

// nameOf writes an element as a selector does.
func nameOf(n *node) string {
	out := n.Data
	if id := n.attr("id"); id != "" {
		out += "#" + id
	}
	for _, class := range strings.Fields(n.attr("class")) {
		out += "." + class
	}
	return out
}

// signs divides the leaves that a passage comes to among the features that lead there.
func signs(features []int32) []Sign {
	weights := make([]int32, len(features))
	for _, tree := range contentTrees {
		var on []int16
		at := &tree[0]
		for at.feature != leafSplit {
			if !slices.Contains(on, at.feature) {
				on = append(on, at.feature)
			}
			if features[at.feature] <= at.at {
				at = &tree[at.left]
			} else {
				at = &tree[at.right]
			}
		}
		for _, f := range on {
			weights[f] += at.at / int32(len(on))
		}
	}
	var out []Sign
	names := featureNames()
	for f, w := range weights {
		if w != 0 {
			out = append(out, Sign{names[f], features[f], w})
		}
	}
	slices.SortStableFunc(out, func(a, b Sign) int { return cmp.Compare(max(b.Weight, -b.Weight), max(a.Weight, -a.Weight)) })
	return out[:min(len(out), mostSigns)]
}
