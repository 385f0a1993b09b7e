package api

import (
	"net/http"

	"github.com/colophon-dev/colophon/pkg/model"
)

// SourcesAnswer is the answer of /v1/sources.
type SourcesAnswer struct {
	Sources []SourceListed `json:"sources"` // all that are registered, by source_id
}

// SourceListed says of a source what whoever keeps its chunks needs to know.
type SourceListed struct {
	SourceID string            `json:"source_id"` // the source
	Name     string            `json:"name"`      // display name, in the header of its chunks
	State    model.SourceState `json:"state"`     // enabled or disabled: what is sent for a disabled source is rejected, and no search finds what is stored of it
}

// sources lists the registry. No event says that a source was disabled: its chunks stay
// as they are. So whoever keeps chunks asks here.
func (a *API) sources(w http.ResponseWriter, r *http.Request) error {
	registered, err := a.Catalog.Sources(r.Context())
	if err != nil {
		return err
	}
	answer := SourcesAnswer{Sources: make([]SourceListed, 0, len(registered))}
	for _, s := range registered {
		answer.Sources = append(answer.Sources, SourceListed{SourceID: s.SourceID, Name: s.Name, State: s.State})
	}
	return a.answer(w, answer)
}
