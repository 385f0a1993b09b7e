package quote

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// Catalog is the record that quotations are looked for in.
type Catalog interface {
	Records
	CountQuoteWord(ctx context.Context, word catalog.QuoteWord, most int) (int, error)
	WordlessChunks(ctx context.Context, f catalog.QuoteFilter, limit int, each func(catalog.QuoteCandidate) bool) (all bool, err error)
	QuoteCandidates(ctx context.Context, words []catalog.QuoteWord, f catalog.QuoteFilter, limit int, each func(catalog.QuoteCandidate) bool) error
}

// Boxes reads where units stand on their pages.
type Boxes interface {
	Evidence(ctx context.Context, chunks []model.Chunk) (search.Evidence, map[catalog.ChunkPage]error, error)
}

// Checker looks quotations up. It is safe for concurrent use.
type Checker struct {
	Catalog Catalog
	Boxes   Boxes
	Log     *slog.Logger
}

// defaultLimit is how many places are told when no number is asked for.
const defaultLimit = 10

// sentences say what the verdicts mean.
var sentences = map[Verdict]string{
	Exact:     "the quotation stands there as it is written",
	OtherCase: "the quotation stands there, but letters beside the first are in upper or lower case in one and not in the other",
	InParts:   "the parts of the quotation stand there in their order; what the omissions leave out may change what is said",
	NotFound:  "no text of the corpus has the quotation",
}

// Check says where a quotation stands. A part of the system that is away is an error; a
// quotation that is nowhere is an answer.
func (c *Checker) Check(ctx context.Context, r Request) (Answer, error) {
	whole := fold(r.Quote)
	a := Answer{AsOf: r.AsOf, Letters: whole.Len(), Parts: 1, Places: []Place{}}
	if a.Letters < MinLetters {
		a.Verdict = TooShort
		a.Reason = fmt.Sprintf("%d letters, digits and signs: below %d nothing is proved", a.Letters, MinLetters)
		return a, nil
	}
	places, left, err := c.places(ctx, whole, 1, false, filterOf(r))
	if err != nil {
		return a, err
	}
	a.Verdict = Exact
	if parts := partsOf(r.Quote); len(places) == 0 && len(parts) > 1 {
		a.Parts = len(parts)
		if a.Parts > maxParts || slices.ContainsFunc(parts, func(p folded) bool { return p.Len() < minPart }) {
			a.Verdict = TooShort
			a.Reason = fmt.Sprintf("of at most %d parts each must have %d letters, digits and signs", maxParts, minPart)
			return a, nil
		}
		all := left
		if places, left, err = c.inParts(ctx, parts, filterOf(r)); err != nil {
			return a, err
		}
		left = cmp.Or(left, all)
		a.Verdict = InParts
	}
	places = told(places, a.Parts)
	if len(places) == 0 {
		a.Verdict, a.Reason = NotFound, sentences[NotFound]
		if left != "" {
			a.Verdict, a.Reason = Undecided, string(left)
		}
		return a, nil
	}
	if a.Verdict == Exact && places[0].place.OtherCase {
		a.Verdict = OtherCase
	}
	limit := cmp.Or(r.Limit, defaultLimit) * a.Parts
	a.More = left != "" || len(places) > limit
	places = places[:min(limit, len(places))]
	if err := c.complete(ctx, places); err != nil {
		return a, err
	}
	for _, l := range places {
		a.Places = append(a.Places, l.place)
	}
	a.Exact, a.Standing, a.Reason = a.Verdict == Exact, a.Places[0].Standing, sentences[a.Verdict]
	return a, nil
}

func filterOf(r Request) catalog.QuoteFilter {
	return catalog.QuoteFilter{ChunkFilter: catalog.ChunkFilter{Sources: r.Source, Languages: r.Languages, To: r.AsOf}, DocumentID: r.Document}
}

// told orders places, or groups of places that are the parts of one quotation: as it is
// written before other cases, what is current before what is not, then the newest, then by
// place. Of a document that says it now only that is told.
func told(places []located, parts int) []located {
	groups := slices.Collect(slices.Chunk(places, parts))
	says := make(map[string]bool)
	for _, g := range groups {
		if g[0].current && !g[0].place.OtherCase {
			says[g[0].place.DocumentID] = true
		}
	}
	groups = slices.DeleteFunc(groups, func(g []located) bool { return !g[0].current && says[g[0].place.DocumentID] })
	rank := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(groups, func(a, b []located) int {
		x, y := a[0], b[0]
		return cmp.Or(cmp.Compare(rank(x.place.OtherCase), rank(y.place.OtherCase)), cmp.Compare(rank(y.current), rank(x.current)),
			y.retrieved.Compare(x.retrieved), cmp.Compare(x.set.DocHash, y.set.DocHash), cmp.Compare(x.set.Generation, y.set.Generation),
			cmp.Compare(x.chunk, y.chunk), cmp.Compare(x.at, y.at))
	})
	return slices.Concat(groups...)
}

// complete adds to places what is read only for those that are told: their standing, the
// boxes of their evidence, and what came after them.
func (c *Checker) complete(ctx context.Context, places []located) error {
	var chunks []model.Chunk
	for _, l := range places {
		for _, in := range l.chunks {
			chunks = append(chunks, in.Chunk)
		}
	}
	evidence, failed, err := c.Boxes.Evidence(ctx, chunks)
	if err != nil {
		return err
	}
	for page, err := range failed {
		c.Log.ErrorContext(ctx, "the evidence of a page cannot be read", slog.String("doc_hash", page.Set.DocHash),
			slog.Int("generation", page.Set.Generation), slog.Int("page", page.PageNo), slog.Any("error", err))
	}
	for i := range places {
		l := &places[i]
		for j := range l.place.Ranges {
			for k := range l.place.Ranges[j].Units {
				u := &l.place.Ranges[j].Units[k]
				u.BBox = evidence.Box(l.set, u.Page, u.IRID, u.Evidence)
			}
		}
		switch {
		case l.current && l.of.Chunk.Layer == model.LayerArchive:
			l.place.Standing = Archived
		case l.current:
			l.place.Standing = Current
		default:
			l.place.Standing = Superseded
			if l.place.Successor, err = c.cameAfter(ctx, *l); err != nil {
				return err
			}
		}
	}
	return nil
}

// cameAfter returns what came after the first chunk of a place that its document no longer
// says. Where it says all of them, they do not follow each other any more.
func (c *Checker) cameAfter(ctx context.Context, l located) (*After, error) {
	for _, chunk := range l.chunks {
		after, err := WhatCameAfter(ctx, c.Catalog, chunk)
		if after != nil || err != nil {
			return after, err
		}
	}
	return &After{Reason: reasonRearranged, DocumentID: l.place.DocumentID, Chunks: []Successor{}}, nil
}
