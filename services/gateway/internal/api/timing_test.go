package api

import (
	"testing"
	"time"

	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// TestServerTiming: the parts of a search are told in milliseconds.
func TestServerTiming(t *testing.T) {
	got := serverTiming(search.Times{Embedding: 40 * time.Microsecond, Vectors: 2500 * time.Microsecond, Catalog: 3 * time.Second})
	if want := "embedding;dur=0.040, vectors;dur=2.500, catalog;dur=3000.000, reranking;dur=0.000, boxes;dur=0.000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
