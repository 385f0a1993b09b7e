package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/endpoint"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// TestTheRerankerOrdersTheFirstHits: what it finds better comes first, also from below what
// was asked for; while it is of no use the order is the one without it, and the answer says so.
func TestTheRerankerOrdersTheFirstHits(t *testing.T) {
	senses := map[string]string{"inondation": "flood", "crue": "flood"}
	server := endpoint.StartReranker(t, senses)
	r := newRig(t, "COLOPHON_RERANK_URL="+server.URL, "COLOPHON_RERANK_MODEL=m", "COLOPHON_RERANK_TIMEOUT=300ms")
	for i := range 12 { // these share a word with the question, and say nothing of floods
		r.add(doc{url: fmt.Sprintf("https://example.org/%d", i), content: fmt.Sprintf("Le barrage numéro %d du barrage.", i)})
	}
	_, wanted := r.add(doc{url: "https://example.org/flood", content: "Une crue a emporté le pont, en aval d'un barrage ancien que la commune avait fermé au public il y a dix ans déjà."})
	first := func(a search.Answer) string {
		if len(a.Hits) == 0 {
			return ""
		}
		return a.Hits[0].ChunkRef
	}
	found := r.search("barrage inondation", "limit=3")
	if first(found) != wanted.ChunkRef || found.Reranking != search.RerankingDone || len(found.Hits) != 3 {
		t.Fatalf("reranking is %s, the first of %d hits is %s, want %s", found.Reranking, len(found.Hits), first(found), wanted.ChunkRef)
	}
	asked := server.Requests()
	if len(asked) != 1 || len(asked[0].Documents) != 13 || asked[0].Query != "barrage inondation" || !slices.Contains(asked[0].Documents, wanted.Content) {
		t.Errorf("%d calls; the first: %+v", len(asked), asked[0])
	}
	if a := r.search("zzz", "type=opinion"); a.Reranking != search.RerankingDone || len(a.Hits) != 0 {
		t.Errorf("nothing to order: %+v", a)
	}
	server.Set(func(endpoint.RerankRequest) endpoint.RerankReply {
		return endpoint.RerankReply{Status: http.StatusTooManyRequests, RetryAfter: "600"}
	})
	var without []string
	for range 2 { // the second time it is not even asked
		found = r.search("barrage inondation", "limit=3")
		if found.Reranking != search.RerankingAway || len(found.Hits) != 3 || first(found) == wanted.ChunkRef {
			t.Errorf("without the reranker: %s, %d hits, the first is %s", found.Reranking, len(found.Hits), first(found))
		}
		for i := 1; i < len(found.Hits); i++ {
			if found.Hits[i].Score > found.Hits[i-1].Score {
				t.Errorf("the order is not that of the scores: %v after %v", found.Hits[i].Score, found.Hits[i-1].Score)
			}
		}
		without = append(without, first(found))
	}
	if n := len(server.Requests()); n != 2 || without[0] != without[1] {
		t.Errorf("%d calls; the first hits are %s", n, strings.Join(without, ", "))
	}
}

// TestWithoutAReranker an answer says so.
func TestWithoutAReranker(t *testing.T) {
	r := newRig(t)
	if a := r.search("anything"); a.Reranking != search.RerankingOff {
		t.Errorf("before anything was indexed: %q", a.Reranking)
	}
	r.add(doc{content: quorum})
	if a := r.search("quorum"); a.Reranking != search.RerankingOff || len(a.Hits) != 1 {
		t.Errorf("%q, %d hits", a.Reranking, len(a.Hits))
	}
}
