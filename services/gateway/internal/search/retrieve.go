package search

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// How many hits each side gives to the fusion, which needs them to reach well
// below what is shown: at first, how many times more when that was too few, and at
// most, so that a search among chunks that all say the same ends.
const (
	candidates    = 100
	widening      = 4
	maxCandidates = 6400
)

// maxCrowds is how often a side is asked anew without the texts that many chunks say.
// Each time there are up to as many distinct texts more as were asked for.
const maxCrowds = 8

// maxPlaced is how many chunks of documents and snapshots a search can be limited to.
const maxPlaced = 20000

// ErrTooWide is the error of a search in more chunks of documents than it can be limited
// to.
var ErrTooWide = fmt.Errorf("the documents and snapshots have more than %d chunks: name fewer", maxPlaced)

// question is a request as it is put to a collection.
type question struct {
	points    Points
	dense     []float32 // nil when the question says nothing, or cannot be embedded now
	sparse    vectorstore.Sparse
	weight    float64 // of the dense side
	wordsOnly bool    // the question could not be embedded
	filter    vectorstore.Filter
	nothing   bool              // no chunk passes the filter
	shownAs   map[string]string // chunk_ref by that of the point that stands for it, where the search is limited to documents or snapshots
}

func (s *Searcher) question(ctx context.Context, scope catalog.SearchScope, r Request, w wording) (*question, error) {
	embedder, ok := s.Embedders[scope.Collection.Model]
	if !ok {
		return nil, fault.Unavailable(fmt.Errorf("no embedder for the model %s of collection %s", scope.Collection.Model, scope.Collection.Name))
	}
	points, err := s.Points(ctx, scope.Collection.Name)
	if err != nil {
		return nil, err
	}
	q := &question{points: points, weight: embedder.DenseWeight()}
	vectors, err := embedder.Embed(ctx, []string{w.asked}, retrieval.Query)
	switch {
	case err == nil && !zero(vectors[0]):
		q.dense = vectors[0]
	case fault.KindOf(err) == fault.KindUnavailable: // words are better than nothing
		q.wordsOnly, q.weight = true, 0
		s.Log.WarnContext(ctx, "a question is answered by its words alone", slog.Any("error", err))
	case err != nil:
		return nil, err
	}
	q.sparse.Indices, q.sparse.Values = retrieval.SparseQuery(w.asked)
	return q, s.narrow(ctx, q, scope, r.Filter)
}

// narrow sets the filter of a question. What documents and snapshots have is looked up.
func (s *Searcher) narrow(ctx context.Context, q *question, scope catalog.SearchScope, f Filter) error {
	if f.placed() {
		of := f.chunks(scope)
		of.Pushed = catalog.PushedSpan{} // that of the point, which a repeat has not
		if slices.Equal(of.Layers, current()) {
			of.Layers = nil // what the current version says is current
		}
		placed, err := s.Catalog.PlacedChunks(ctx, of, maxPlaced+1)
		if err != nil {
			return err
		}
		if len(placed) > maxPlaced {
			return ErrTooWide
		}
		q.shownAs = make(map[string]string, len(placed))
		for _, p := range placed { // the newest version comes first
			if q.shownAs[p.Root] == "" {
				q.shownAs[p.Root] = p.ChunkRef
			}
		}
		// All else that the filter asks is true of what was looked up, and perhaps not of
		// the first chunk of its chain.
		f = Filter{Collections: f.Collections, PushedFrom: f.PushedFrom, PushedTo: f.PushedTo}
		for _, p := range placed {
			f.ChunkRefs = append(f.ChunkRefs, p.Root)
		}
		q.nothing = len(placed) == 0
	}
	q.filter = f.points()
	if len(scope.Disabled) > 0 {
		q.filter.Standing = false
		q.filter.Except = &vectorstore.Filter{Sources: scope.Disabled}
	}
	return nil
}

// pointIDs returns the ids that the points of chunks may have.
func pointIDs(refs []string) []string {
	ids := make([]string, 0, 2*len(refs))
	for _, ref := range refs {
		ids = append(ids, model.PointIDsOf(ref)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// zero reports whether a vector says nothing: its cosines are no scores.
func zero(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }

// candidates returns the fused hits, best first, from at most n texts of each side, and
// whether there may be more than that. Of chunks of one text that pass the filter it is
// one, the one that stands for them if that passes.
func (q *question) candidates(ctx context.Context, n int) (hits []retrieval.Scored, more bool, err error) {
	if q.nothing {
		return nil, false, nil
	}
	var dense, sparse side
	passages := 0
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		if q.dense != nil { // words alone are in the order of their own scores
			passages, err = q.points.Count(ctx, vectorstore.Filter{})
		}
		return err
	})
	both.Go(func() (err error) {
		if q.dense == nil {
			return nil
		}
		dense, err = q.side(n, func(f vectorstore.Filter, limit int) ([]vectorstore.Hit, error) {
			return q.points.QueryDense(ctx, q.dense, f, limit)
		})
		return err
	})
	both.Go(func() (err error) {
		sparse, err = q.side(n, func(f vectorstore.Filter, limit int) ([]vectorstore.Hit, error) {
			return q.points.QuerySparse(ctx, q.sparse, f, limit)
		})
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, false, err
	}
	hits = retrieval.Fuse(dense.texts, sparse.texts, q.weight, retrieval.FullScore(len(q.sparse.Indices), passages))
	for i, hit := range hits {
		ref := better(hit.ID, dense.chunks[hit.ID], sparse.chunks[hit.ID])
		hits[i].ID = cmp.Or(q.shownAs[ref], ref)
	}
	return hits, dense.more || sparse.more, nil
}

// side is what one side of a search found: texts, each by the chunk_ref that stands for
// it, best first.
type side struct {
	texts  []retrieval.Scored
	chunks map[string]string // what was found of each, a chunk_ref
	more   bool              // there may be more
}

// better returns which of the chunks of a text that were found is shown: the one that
// stands for it, else the first by its ref. One that is "" was not found.
func better(stands string, refs ...string) (best string) {
	for _, ref := range refs {
		if ref != "" && best != stands && (best == "" || ref == stands || ref < best) {
			best = ref
		}
	}
	return best
}

// side returns the best n texts. Where many chunks of one text pass the filter they come
// together, since they have one score; it asks again without those then, so that they
// take the place of one.
func (q *question) side(n int, query func(vectorstore.Filter, int) ([]vectorstore.Hit, error)) (side, error) {
	found := side{chunks: make(map[string]string)}
	filter := q.filter
	var crowds []string
	for round, limit := 1, n; ; round, limit = round+1, min(limit*widening, maxCandidates) {
		hits, err := query(filter, limit)
		if err != nil {
			return side{}, err
		}
		again := make(map[string]bool)
		crowded := len(crowds)
		for _, h := range hits {
			if again[h.Stands] && !slices.Contains(crowds[crowded:], h.Stands) {
				crowds = append(crowds, h.Stands)
			}
			again[h.Stands] = true
			if _, known := found.chunks[h.Stands]; !known {
				found.texts = append(found.texts, retrieval.Scored{ID: h.Stands, Score: h.Score})
			}
			found.chunks[h.Stands] = better(h.Stands, found.chunks[h.Stands], h.ChunkRef)
		}
		found.more = len(hits) == limit
		if !found.more || len(crowds) == crowded || len(found.texts) >= n || round == maxCrowds {
			break
		}
		except := vectorstore.Filter{}
		if q.filter.Except != nil {
			except = *q.filter.Except
		}
		except.Duplicates, except.IDs = crowds, pointIDs(crowds)
		filter.Except = &except
	}
	slices.SortStableFunc(found.texts, func(a, b retrieval.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	if len(found.texts) > n {
		found.texts, found.more = found.texts[:n], true
	}
	return found, nil
}
