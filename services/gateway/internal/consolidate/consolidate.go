// Package consolidate makes of what a search has found what a reader, or a model that
// writes for one, should be told: confirmed facts first, the newest of them first;
// what is not confirmed, allegations and opinions apart and as such; and what contradicts
// each other side by side (contracts#answer-context). It decides by rule, from the hits
// alone: the same hits give the same answer.
package consolidate

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// Answer is what is told of a question.
type Answer struct {
	Query          string          `json:"query"`           // the question
	AsOf           string          `json:"as_of,omitempty"` // YYYY-MM-DD, when it was asked for
	WordsOnly      bool            `json:"words_only"`      // the embedding model could not be asked: what says it in other words is missing
	Facts          []Item          `json:"facts"`           // confirmed facts, the newest first
	Unconfirmed    []Item          `json:"unconfirmed"`     // facts under review, the newest first
	Allegations    []Item          `json:"allegations"`     // what somebody alleges and nobody has settled, the newest first
	Opinions       []Item          `json:"opinions"`        // what somebody thinks, the newest first
	Withdrawn      []Item          `json:"withdrawn"`       // what is refuted or obsolete, of any type, the newest first
	Contradictions []Contradiction `json:"contradictions"`  // pairs that do not agree, the newer one first
	Prompt         string          `json:"prompt"`          // all of it as a text for a model, with numbers to cite by
	PromptItems    int             `json:"prompt_items"`    // how many items the prompt has: the rest did not fit into the budget
	SearchResults  []SearchResult  `json:"search_results"`  // the items of the prompt as content blocks, in the order of their numbers
}

// Item is one thing that is said, with where it is said.
type Item struct {
	N        int     `json:"n"` // its number in the prompt and among search_results, from 1
	ChunkRef string  `json:"chunk_ref"`
	Content  string  `json:"content"`   // the chunk without its header
	Type     string  `json:"type"`      // fact, allegation or opinion
	Status   string  `json:"status"`    // under_review, confirmed, refuted or obsolete
	InfoDate string  `json:"info_date"` // YYYY-MM-DD
	Since    string  `json:"since"`     // earliest date of its chain of repeats
	Source   string  `json:"source"`    // display name of the source
	SourceID string  `json:"source_id"`
	Sources  int     `json:"sources"`      // how many chunks say so, with it, as far as the search lists them
	More     bool    `json:"more_sources"` // there are more than sources counts
	Title    string  `json:"title"`
	URL      string  `json:"url"`
	Page     int     `json:"page"` // 1-based, 0 when there is none
	Language string  `json:"language"`
	Score    float64 `json:"score"` // of the search, 0..1

	ReplacedBy []search.Replacement `json:"replaced_by,omitempty"` // what operators have added that is known of it since, the newest first
	Replaces   []string             `json:"replaces,omitempty"`    // chunk_refs of which an operator has added it as what is known since
	Proof      string               `json:"proof"`                 // path of the proof down to the captured bytes, made when it is asked for
}

// Of consolidates what a search has found. The prompt has at most budget code points. Its
// only error is that of ctx.
func Of(ctx context.Context, found search.Answer, budget int) (Answer, error) {
	a := Answer{
		Query: found.Query, AsOf: found.AsOf, WordsOnly: found.WordsOnly, Facts: []Item{}, Unconfirmed: []Item{}, Allegations: []Item{},
		Opinions: []Item{}, Withdrawn: []Item{},
	}
	for _, h := range found.Hits {
		list := a.listOf(h)
		*list = append(*list, itemOf(h))
	}
	n := 0
	for _, list := range a.lists() {
		slices.SortStableFunc(*list, newestFirst)
		for i := range *list {
			n++
			(*list)[i].N = n
		}
	}
	var err error
	if a.Contradictions, err = contradictions(ctx, a.Items()); err != nil {
		return Answer{}, err
	}
	a.write(budget)
	return a, nil
}

// listOf returns the list that a hit belongs to. What is refuted or obsolete is told as
// such, whatever it was said as.
func (a *Answer) listOf(h search.Hit) *[]Item {
	switch {
	case h.Status == string(model.StatusRefuted), h.Status == string(model.StatusObsolete):
		return &a.Withdrawn
	case h.Type == string(model.ChunkAllegation):
		return &a.Allegations
	case h.Type == string(model.ChunkOpinion):
		return &a.Opinions
	case h.Status == string(model.StatusConfirmed):
		return &a.Facts
	default:
		return &a.Unconfirmed
	}
}

// lists are those of an answer, in the order in which they are told.
func (a *Answer) lists() []*[]Item {
	return []*[]Item{&a.Facts, &a.Unconfirmed, &a.Allegations, &a.Opinions, &a.Withdrawn}
}

// Items returns all items of an answer, in the order of their numbers.
func (a *Answer) Items() (all []Item) {
	for _, list := range a.lists() {
		all = append(all, *list...)
	}
	return all
}

func itemOf(h search.Hit) Item {
	return Item{
		ChunkRef: h.ChunkRef, Content: h.Content, Type: h.Type, Status: h.Status, InfoDate: h.InfoDate, Since: h.Since,
		Source: h.Source, SourceID: h.SourceID, Sources: len(h.Sources), More: h.MoreSources, Title: h.Title, URL: h.URL, Page: h.Page,
		Language: h.Language, Score: h.Score, ReplacedBy: h.ReplacedBy, Replaces: h.Replaces, Proof: "/v1/chunks/" + url.PathEscape(h.ChunkRef) + "/proof",
	}
}

// newestFirst orders items by date, of one date the better, then by chunk_ref.
func newestFirst(a, b Item) int {
	return cmp.Or(cmp.Compare(b.InfoDate, a.InfoDate), cmp.Compare(b.Score, a.Score), cmp.Compare(a.ChunkRef, b.ChunkRef))
}
