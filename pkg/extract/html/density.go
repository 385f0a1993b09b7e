package html

import "golang.org/x/net/html"

// leastScored is how many characters outside of links a passage has that scores, and
// mostLevels how many of the elements around it get a part of that.
const (
	leastScored = 25
	mostLevels  = 3
)

// candidates are the elements with scores of the prose in them: each passage gives the element
// around it a score for being there, its commas and its length, half of it to the next one
// and a sixth to the one around that; what is in links takes its share away again.
type candidates struct {
	at     int            // in scores of spots
	top    *node          // with the highest, nil: there is no prose
	most   int64          // its score
	above  map[*node]int  // top and what is around it: how far up
	joined map[*node]bool // those beside top that go on with it
}

// findCandidates scores the elements of a page, by the passages that the rules keep or by all.
func (c *contentPage) findCandidates(kept bool) *candidates {
	s := &candidates{above: map[*node]int{}, joined: map[*node]bool{}}
	if kept {
		s.at = 1
	}
	var order []*node
	for i := range c.passages {
		p := &c.passages[i]
		if p.prose() < leastScored || heading(p.owner) || kept && p.role != "" {
			continue
		}
		p.readText()
		score := 1000 + 1000*int64(p.text.commas) + int64(min(10*p.prose(), 3000))
		up := p.owner
		if p.run == nil {
			up = up.parent
		}
		for level := 0; level < mostLevels && up != nil && up.Type == html.ElementNode; level++ {
			at := c.placeOf(up)
			if at.scores[s.at] == 0 {
				order = append(order, up)
			}
			at.scores[s.at] += score / levelParts[level]
			up = up.parent
		}
	}
	for _, n := range order {
		score := &n.spot.scores[s.at]
		*score = max(1, *score*int64(n.letters-n.linked)/int64(max(1, n.letters)))
		if *score > s.most {
			s.top, s.most = n, *score
		}
	}
	for n, i := s.top, 0; n != nil; n, i = n.parent, i+1 {
		s.above[n] = i
	}
	s.join()
	return s
}

// levelParts are what a passage's score is divided by for each element around it.
var levelParts = [mostLevels]int64{1, 2, 6}

// join finds the elements beside the top one that go on with it: with a fifth of its score, or
// paragraphs of prose.
func (s *candidates) join() {
	if s.top == nil || s.top.parent == nil {
		return
	}
	for _, k := range s.top.parent.kids {
		if k.Type != html.ElementNode || k.letters == 0 {
			continue
		}
		if k.spot != nil && k.spot.scores[s.at] >= 10000 && 5*k.spot.scores[s.at] >= s.most || k.Data == "p" && k.letters > 80 && 4*k.linked < k.letters {
			s.joined[k] = true
		}
	}
}

// append adds where a passage is, seen from the top candidate: in it or beside it, the score of the
// next element around it that has one, and the way there; and how much of the page is in
// the top candidate, and whether the rules' main element is the same.
func (s *candidates) append(values []int32, c *contentPage, p *passage) []int32 {
	if s.top == nil {
		return append(values, -1, -1, -1, -1, -1, -1)
	}
	in, ratio, up := int32(0), int32(-1), int32(0)
	n := p.owner
	for ; n != nil; n = n.parent {
		if ratio < 0 && n.spot != nil && n.spot.scores[s.at] > 0 {
			ratio = int32(n.spot.scores[s.at] * 1000 / s.most)
		}
		if s.joined[n] {
			in = max(in, 1)
		}
		if has(s.above, n) {
			break
		}
		up++
	}
	down := int32(s.above[n])
	if n == s.top {
		in = 2
	}
	main := int32(0)
	switch {
	case s.top == c.main:
	case has(s.above, c.main):
		main = 1
	default:
		main = 2
		for n := c.main; n != nil; n = n.parent {
			if n == s.top {
				main = 3
			}
		}
	}
	return append(values, in, ratio, up, down, perMille(s.top.letters-s.top.linked, c.prose), main)
}
