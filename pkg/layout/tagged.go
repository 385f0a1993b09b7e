package layout

import (
	"cmp"
	"slices"
)

// Tag is what the tags of a file say about one piece of its text.
type Tag struct {
	Kind  Kind // Paragraph, Heading, Caption or Footnote; Paragraph also for all else
	Level int  // of a heading, 1..6; 0: not said
	// Element tells pieces of one element from those of others.
	Element int
}

// taggedShare is the share of the characters, in tenths, that must be tagged for
// the order of the tags to count.
const taggedShare = 8

// tagged returns lines in the order of their tags, if nearly all are tagged. What
// is not, such as a page's number, stays behind the line that is drawn before it.
func tagged(lines []Line) ([]Line, bool) {
	all, some := 0, 0
	rank := make([]int, len(lines))
	at := make([]int, len(lines))
	for i := range lines {
		at[i] = i
		if i > 0 {
			rank[i] = rank[i-1]
		}
		for k := range lines[i].Glyphs {
			if tag := lines[i].Glyphs[k].Tag; tag > 0 {
				some++
				rank[i] = tag
			}
		}
		all += len(lines[i].Glyphs)
	}
	if all == 0 || 10*some < taggedShare*all {
		return nil, false
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	out := make([]Line, len(lines))
	for i, k := range at {
		out[i] = lines[k]
	}
	return out, true
}

// tag is what the tags say about the block: that of its characters, if all that
// are tagged belong to one element.
func (p *Page) tag(b *Block) Tag {
	var found Tag
	seen := false
	for i := range b.Lines {
		for k := range b.Lines[i].Glyphs {
			n := b.Lines[i].Glyphs[k].Tag
			if n <= 0 || n > len(p.Tags) {
				continue
			}
			if t := p.Tags[n-1]; !seen {
				found, seen = t, true
			} else if t.Element != found.Element {
				return Tag{}
			}
		}
	}
	return found
}
