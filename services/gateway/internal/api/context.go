package api

import (
	"net/http"
	"net/url"

	"github.com/colophon-dev/colophon/services/gateway/internal/consolidate"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// shownOfHits returns the parameters of a search that only hits show, or pages of them.
func shownOfHits() []string {
	return []string{"blocks", "highlights", "neighbours", "facets", "cursor"}
}

// answerContext answers with what a search finds, consolidated. It takes the other parameters of
// a search, and how long the prompt may be.
func (a *API) answerContext(w http.ResponseWriter, r *http.Request) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return bad("the query string cannot be read")
	}
	told, found, err := a.contextOf(r, values)
	if err != nil {
		return err
	}
	w.Header().Set("Server-Timing", serverTiming(found.Times))
	return a.answer(w, told)
}

// contextOf returns what a search of these parameters finds, consolidated, and as it was found.
func (a *API) contextOf(r *http.Request, values url.Values) (told consolidate.Answer, found search.Answer, err error) {
	budget, err := number(values, "budget", consolidate.DefaultBudget, consolidate.LeastBudget, consolidate.MostBudget)
	if err != nil {
		return told, found, err
	}
	values.Del("budget")
	for _, name := range shownOfHits() {
		if values.Has(name) {
			return told, found, bad("there is no parameter %q here", name)
		}
	}
	asked := r.Clone(r.Context())
	asked.URL.RawQuery = values.Encode()
	req, err := searchRequest(asked)
	if err != nil {
		return told, found, err
	}
	req.NoBoxes, req.NoBlocks = true, true
	if found, err = a.searched(r.Context(), req); err != nil {
		return told, found, err
	}
	told, err = consolidate.Of(r.Context(), found, int(budget))
	return told, found, err
}
