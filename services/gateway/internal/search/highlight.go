package search

import (
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
)

// maxHighlights is how many places of one hit are named.
const maxHighlights = 100

// Highlight is a place of a hit's content that fits the question, proved by a unit of the
// document. Text that a rule wrote is never one.
type Highlight struct {
	Start int         `json:"start"`          // first byte in content
	End   int         `json:"end"`            // byte behind the last one
	IRID  string      `json:"ir_id"`          // the unit that says it
	From  int         `json:"from"`           // first byte in the unit's text
	To    int         `json:"to"`             // byte behind the last one in the unit's text
	Page  int         `json:"page"`           // page, from 1; 0 when there is none
	BBox  *model.BBox `json:"bbox,omitempty"` // the box on the page that proves it, where boxes are asked for and there is one
}

// stemsOf returns the stems of the words that are asked for.
func stemsOf(query string) map[string]bool {
	wanted := make(map[string]bool)
	for _, word := range foldedWords(query) {
		wanted[stemOf(word)] = true
	}
	return wanted
}

// highlights returns where a chunk's content fits a question: its phrases as a whole,
// else its words by their stems. Boxes are those of the hit.
func (w wording) highlights(c model.Chunk, box func(model.Segment) *model.BBox) []Highlight {
	tokens := tokensOf(c)
	type span struct{ at, end int }
	var spans []span
	for _, phrase := range w.phrases {
		for i := nextPhrase(tokens, phrase, 0); i >= 0; i = nextPhrase(tokens, phrase, i+len(phrase)) {
			spans = append(spans, span{tokens[i].at, tokens[i+len(phrase)-1].end})
		}
	}
	if len(w.phrases) == 0 {
		wanted := stemsOf(w.asked)
		for _, t := range tokens {
			if wanted[stemOf(t.word)] {
				spans = append(spans, span{t.at, t.end})
			}
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.at - b.at })
	found := []Highlight{}
	base, last := contentStart(c), 0
	for _, s := range spans {
		for _, seg := range c.Provenance.Segments {
			start, end := max(base+s.at, seg.Start, base+last), min(base+s.end, seg.End)
			if seg.Synthetic != "" || start >= end {
				continue
			}
			if len(found) == maxHighlights {
				return found
			}
			found = append(found, Highlight{
				Start: start - base, End: end - base, IRID: seg.IRID, From: seg.From + start - seg.Start, To: seg.From + end - seg.Start,
				Page: seg.Page, BBox: box(seg),
			})
		}
		last = max(last, s.end)
	}
	return found
}
