// Package embed puts bounds around an embedder: how many texts and bytes one
// call takes, and what its answer must look like.
package embed

import (
	"context"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

const (
	maxTexts = 64
	maxBytes = 1 << 20
)

// Batched is an embedder whose calls are bounded. The zero bounds mean 64 texts
// and 1 MiB; a text that is larger goes alone.
type Batched struct {
	retrieval.Embedder
	MaxTexts int
	MaxBytes int
}

// Embed returns the vectors of texts, in their order, from as many calls as the
// bounds ask for. An answer of another shape than asked for is transient: an
// endpoint may be about to change its model.
func (b Batched) Embed(ctx context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := b.fit(texts)
		made, err := b.Embedder.Embed(ctx, texts[:n], kind)
		if err != nil {
			return nil, fmt.Errorf("embedding %d texts with %s: %w", n, b.Model(), err)
		}
		if len(made) != n {
			return nil, fault.Transient(fmt.Errorf("%s gave %d vectors for %d texts", b.Model(), len(made), n))
		}
		for _, v := range made {
			if len(v) != b.Dimensions() {
				return nil, fault.Transient(fmt.Errorf("%s gave a vector of %d numbers, wanted %d", b.Model(), len(v), b.Dimensions()))
			}
		}
		vectors = append(vectors, made...)
		texts = texts[n:]
	}
	return vectors, nil
}

// fit returns how many of the texts go into the next call.
func (b Batched) fit(texts []string) int {
	most, room := b.MaxTexts, b.MaxBytes
	if most <= 0 {
		most = maxTexts
	}
	if room <= 0 {
		room = maxBytes
	}
	for i, text := range texts[:min(most, len(texts))] {
		if room -= len(text); room < 0 {
			return max(i, 1)
		}
	}
	return min(most, len(texts))
}
