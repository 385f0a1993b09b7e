package app

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/consolidate"
)

// TestAnswerContext: what a search finds is told as what it is, narrowed and dated as a
// search is.
func TestAnswerContext(t *testing.T) {
	r := newRig(t)
	r.add(doc{content: "Le pont de pierre sur la rivière a coûté 1200 francs à la ville.", status: model.StatusConfirmed, date: "2024-03-01"})
	r.add(doc{content: "Le pont de pierre sur la rivière a coûté 1300 francs à la ville.", status: model.StatusConfirmed, date: "2025-03-01", source: "region"})
	r.add(doc{content: "Le maire aurait vendu le pont à son frère.", said: model.ChunkAllegation})
	r.add(doc{content: "Ce pont est une honte pour la ville.", said: model.ChunkOpinion})
	ask := func(status int, params ...string) consolidate.Answer {
		values := url.Values{"q": {"pont"}}
		for _, p := range params {
			name, value, _ := strings.Cut(p, "=")
			values.Add(name, value)
		}
		return into[consolidate.Answer](t, r.get("/v1/answer-context", status, "/v1/answer-context?"+values.Encode()))
	}
	got := ask(http.StatusOK)
	if len(got.Facts) != 2 || got.Facts[0].InfoDate != "2025-03-01" || len(got.Allegations) != 1 || len(got.Opinions) != 1 || got.PromptItems != 4 {
		t.Errorf("%+v", got)
	}
	if len(got.Contradictions) != 1 || got.Contradictions[0].Reason != "value" {
		t.Errorf("the contradictions are %+v", got.Contradictions)
	}
	r.get("/v1/chunks/{ref}/proof", http.StatusOK, got.Facts[0].Proof)
	if got := ask(http.StatusOK, "as_of=2024-12-31"); len(got.Facts) != 1 || got.AsOf != "2024-12-31" || len(got.Contradictions) != 0 {
		t.Errorf("as of a day: %+v", got)
	}
	if got := ask(http.StatusOK, "type=opinion", "budget=1000"); len(got.Facts) != 0 || len(got.Opinions) != 1 {
		t.Errorf("opinions: %+v", got)
	}
	for _, wrong := range []string{"budget=999", "budget=x", "limit=0", "of=b", "type=rumour"} {
		ask(http.StatusBadRequest, wrong)
	}
}
