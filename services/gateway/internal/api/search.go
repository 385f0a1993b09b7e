package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// maxNeighbours is how many chunks on each side of a hit are told.
const maxNeighbours = 5

func (a *API) search(w http.ResponseWriter, r *http.Request) error {
	req, err := searchRequest(r)
	if err != nil {
		return err
	}
	answer, err := a.searched(r.Context(), req)
	if err != nil {
		return err
	}
	w.Header().Set("Server-Timing", serverTiming(answer.Times))
	return a.answer(w, answer)
}

// searched returns what a search finds.
func (a *API) searched(ctx context.Context, req search.Request) (search.Answer, error) {
	answer, err := a.Searcher.Search(ctx, req)
	if errors.Is(err, search.ErrTooWide) {
		err = badRequest{err}
	}
	return answer, err
}

// filterLists are the parameters that narrow a search, each with its list in a filter.
func filterLists(f *search.Filter) map[string]*[]string {
	return map[string]*[]string{
		"source": &f.Sources, "source_type": &f.SourceTypes, "type": &f.Types, "status": &f.Statuses, "doc_type": &f.DocTypes,
		"language": &f.Languages, "territory": &f.Territories, "domain": &f.Domains, "host": &f.Hosts, "url": &f.URLs, "title": &f.Titles,
		"document": &f.Documents, "snapshot": &f.Snapshots, "doc_hash": &f.DocHashes, "chunk_id": &f.ChunkIDs, "chunk": &f.ChunkRefs,
		"anchor_type": &f.AnchorTypes, "anchor_text": &f.AnchorTexts, "collection": &f.Collections, "layer": &f.Layers,
	}
}

// searchRequest reads the parameters of a search.
func searchRequest(r *http.Request) (req search.Request, err error) {
	known := []string{"q", "as_of", "from", "to", "pushed_from", "pushed_to", "pages", "chunk_index", "tokens", "text_len",
		"boxes", "blocks", "highlights", "facets", "neighbours", "cursor", "limit"}
	lists := filterLists(&req.Filter)
	for name := range lists {
		known = append(known, name)
	}
	values, err := query(r, known...)
	if err != nil {
		return req, err
	}
	req.Query, req.Cursor = values.Get("q"), values.Get("cursor")
	if req.Query == "" || len(values["q"]) > 1 {
		return req, bad("q must be given, once")
	}
	if err := search.CheckQuery(req.Query); err != nil {
		return req, badRequest{err}
	}
	if len(values["cursor"]) > 1 || values.Has("cursor") && req.Cursor == "" {
		return req, bad("cursor must be the next of an answer, once")
	}
	for name, list := range lists {
		*list = values[name]
	}
	if err := searchFilter(values, &req.Filter); err != nil {
		return req, err
	}
	var boxes, blocks bool
	for _, flag := range []struct {
		name   string
		preset bool
		to     *bool
	}{{"boxes", true, &boxes}, {"blocks", true, &blocks}, {"highlights", false, &req.Highlights}, {"facets", false, &req.Facets}} {
		if *flag.to, err = truth(values, flag.name, flag.preset); err != nil {
			return req, err
		}
	}
	req.NoBoxes, req.NoBlocks = !boxes, !blocks
	neighbours, err := number(values, "neighbours", 0, 0, maxNeighbours)
	if err != nil {
		return req, err
	}
	limit, err := number(values, "limit", 10, 1, maxLimit)
	req.Limit, req.Neighbours = int(limit), int(neighbours)
	return req, err
}

// searchFilter checks the lists of a filter, and reads its bounds.
func searchFilter(values url.Values, f *search.Filter) (err error) {
	if err := cmp.Or(
		oneOf("type", f.Types, model.ChunkFact, model.ChunkAllegation, model.ChunkOpinion),
		oneOf("status", f.Statuses, model.StatusUnderReview, model.StatusConfirmed, model.StatusRefuted, model.StatusObsolete),
		oneOf("layer", f.Layers, model.LayerHot, model.LayerSummary, model.LayerArchive),
		oneOf("source_type", f.SourceTypes, model.SourceTypes()...),
		oneOf("doc_type", f.DocTypes, model.FinalTypes()...),
	); err != nil {
		return err
	}
	f.Hosts, f.Languages = asStored(f.Hosts, f.Languages)
	for name, to := range map[string]*time.Time{"as_of": &f.AsOf, "from": &f.From, "to": &f.To} {
		if *to, err = day(values, name); err != nil {
			return err
		}
	}
	for name, to := range map[string]*time.Time{"pushed_from": &f.PushedFrom, "pushed_to": &f.PushedTo} {
		if *to, err = moment(values, name); err != nil {
			return err
		}
	}
	for name, to := range map[string]*search.Span{"pages": &f.Pages, "chunk_index": &f.ChunkIndexes, "tokens": &f.Tokens, "text_len": &f.TextLengths} {
		if *to, err = span(values, name); err != nil {
			return err
		}
	}
	return nil
}

// truth returns a parameter that is true or false.
func truth(values url.Values, name string, preset bool) (bool, error) {
	given := values[name]
	if len(given) == 0 {
		return preset, nil
	}
	if err := oneOf(name, given, "true", "false"); err != nil {
		return preset, err
	}
	if len(given) > 1 {
		return preset, bad("%s must be given once", name)
	}
	return given[0] == "true", nil
}

// moment returns a time, or the zero time when it is not given.
func moment(values url.Values, name string) (time.Time, error) {
	if !values.Has(name) {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, values.Get(name))
	if err != nil || len(values[name]) > 1 || at.Year() < 1 {
		return time.Time{}, bad("%s must be one time, YYYY-MM-DDThh:mm:ssZ", name)
	}
	if at.IsZero() {
		at = at.Add(time.Nanosecond) // the first moment that there is was given, too
	}
	return at.UTC(), nil
}

// span returns a range of whole numbers: 3, 3-9, 3- or -9; 9-3 holds none, so that nothing
// is found. It is no bound when it is not given.
func span(values url.Values, name string) (search.Span, error) {
	if !values.Has(name) {
		return search.Span{}, nil
	}
	wrong := bad("%s must be one range of whole numbers up to %d: 3, 3-9, 3- or -9", name, math.MaxInt32)
	low, high, isRange := strings.Cut(values.Get(name), "-")
	if !isRange {
		high = low
	}
	of := search.Span{To: math.MaxInt32, Bounded: true}
	for _, end := range []struct {
		given string
		to    *int64
	}{{low, &of.From}, {high, &of.To}} {
		if end.given == "" && isRange && low+high != "" {
			continue
		}
		n, err := strconv.ParseUint(end.given, 10, 31)
		if err != nil {
			return search.Span{}, wrong
		}
		*end.to = int64(n)
	}
	if len(values[name]) > 1 {
		return search.Span{}, wrong
	}
	return of, nil
}

// serverTiming says how long the parts of a search took, in milliseconds (the W3C's
// Server Timing).
func serverTiming(t search.Times) string {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("embedding;dur=%.3f, vectors;dur=%.3f, catalog;dur=%.3f, reranking;dur=%.3f, boxes;dur=%.3f",
		ms(t.Embedding), ms(t.Vectors), ms(t.Catalog), ms(t.Reranking), ms(t.Boxes))
}

func oneOf[T ~string](name string, given []string, allowed ...T) error {
	for _, value := range given {
		if !slices.Contains(allowed, T(value)) {
			return bad("%s %q: one of %v", name, clip(value), allowed)
		}
	}
	return nil
}
