package html

import (
	"context"

	"github.com/colophon-dev/colophon/pkg/extract/block"
)

// Sample is a passage of a page as the model of main content sees it.
type Sample struct {
	Text     string   `json:"text"`
	Role     string   `json:"role"` // that the rules gave it
	Headline bool     `json:"headline"`
	Asked    bool     `json:"asked"`   // the model is asked about it
	Heading  bool     `json:"heading"` // it is one, of any level
	Letters  int32    `json:"letters"`
	Features []int32  `json:"features"`
	Classes  []string `json:"classes"`
	Words    []string `json:"words"`
	Heads    []string `json:"heads"` // words of what stands above it
}

// Samples returns the passages of a page, for a program that learns from them.
func Samples(ctx context.Context, in block.Input) ([]Sample, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := open(in)
	if err != nil {
		return nil, err
	}
	j := judgeByRules(p.root, p.about.title, nil)
	if j.main == nil {
		return nil, nil
	}
	c := j.openContent(j.main)
	if c == nil {
		return nil, nil
	}
	var out []Sample
	for i := range c.passages {
		q := &c.passages[i]
		values, classes := c.features(i)
		s := Sample{Role: q.role, Headline: j.heads(q.owner), Asked: c.asks(q), Heading: heading(q.owner), Letters: q.letters,
			Features: values, Classes: classes, Words: q.text.words, Heads: c.headWords(i)}
		run := q.run
		if run == nil {
			run = q.owner.kids
		}
		s.Text = p.b.read(run, false).text
		out = append(out, s)
	}
	return out, nil
}
