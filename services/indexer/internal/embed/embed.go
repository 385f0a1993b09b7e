// Package embed makes vectors of chunks, and pays for none twice.
package embed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// How many texts are asked for before their vectors are kept, and how long the keeping may
// take.
const (
	textsAtOnce = 64
	keepTime    = 10 * time.Second
)

// Paid is an embedder whose vectors cost something.
type Paid interface {
	retrieval.Embedder
	// EmbedCounted is Embed, and says how many tokens it cost.
	EmbedCounted(ctx context.Context, texts []string, kind retrieval.Kind) (vectors [][]float32, tokens int64, err error)
	// Ready is nil when it makes sense to ask.
	Ready(ctx context.Context) error
}

// Cache keeps what was paid for.
type Cache interface {
	Embeddings(ctx context.Context, model string, dimensions int, texts [][sha256.Size]byte) (map[[sha256.Size]byte][]float32, error)
	KeepEmbeddings(ctx context.Context, model string, dimensions int, vectors map[[sha256.Size]byte][]float32, day time.Time, tokens int64) error
	EmbeddedTokens(ctx context.Context, day time.Time) (int64, error)
}

// Remembered is an embedder that asks for no text twice, as long as what it made is kept
// before it ends, and for no more than a number of tokens a day. It is safe for concurrent
// use.
type Remembered struct {
	Paid
	Cache Cache
	Daily int64 // tokens of a day of UTC, by all who share the cache; 0: without bound
	Now   func() time.Time
	Saved func(ctx context.Context, texts int) // told of texts that were not paid again
}

// Embed implements retrieval.Embedder. What was made before a failure is kept. The first
// vector of a text that was kept counts.
func (r *Remembered) Embed(ctx context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	hashes := make([][sha256.Size]byte, len(texts))
	for i, text := range texts {
		hashes[i] = sha256.Sum256([]byte(text))
	}
	known, err := r.Cache.Embeddings(ctx, r.Model(), r.Dimensions(), hashes)
	if err != nil {
		return nil, err
	}
	var missing []string
	var of [][sha256.Size]byte
	asked := make(map[[sha256.Size]byte]bool)
	for i, text := range texts {
		if known[hashes[i]] == nil && !asked[hashes[i]] {
			asked[hashes[i]] = true
			missing, of = append(missing, text), append(of, hashes[i])
		}
	}
	r.Saved(ctx, len(texts)-len(missing))
	if len(missing) > 0 {
		for len(missing) > 0 { // a few at once: what is made is kept soon
			n := min(textsAtOnce, len(missing))
			if err := r.make(ctx, missing[:n], of[:n], kind); err != nil {
				return nil, err
			}
			missing, of = missing[n:], of[n:]
		}
		// As they are kept: another may have been first.
		if known, err = r.Cache.Embeddings(ctx, r.Model(), r.Dimensions(), hashes); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, hash := range hashes {
		if vectors[i] = known[hash]; vectors[i] == nil {
			return nil, fault.Transient(fmt.Errorf("a vector of %s that was kept is gone", r.Model()))
		}
	}
	return vectors, nil
}

// make asks for the vectors of texts and keeps them.
func (r *Remembered) make(ctx context.Context, texts []string, of [][sha256.Size]byte, kind retrieval.Kind) error {
	if err := r.withinBudget(ctx); err != nil {
		return err
	}
	day := r.Now()
	made, tokens, wrong := r.EmbedCounted(ctx, texts, kind)
	vectors := make(map[[sha256.Size]byte][]float32, len(made))
	for i, vector := range made {
		if vector != nil {
			vectors[of[i]] = vector
		}
	}
	if len(vectors) > 0 || tokens > 0 {
		// What is paid is kept also when whoever asked has gone.
		keeping, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
		defer cancel()
		if err := r.Cache.KeepEmbeddings(keeping, r.Model(), r.Dimensions(), vectors, day, tokens); err != nil {
			return err
		}
	}
	if wrong != nil {
		return fmt.Errorf("embedding %d texts with %s: %w", len(texts), r.Model(), wrong)
	}
	return nil
}

// Ready is nil when texts that nobody has paid for can be embedded.
func (r *Remembered) Ready(ctx context.Context) error {
	if err := r.Paid.Ready(ctx); err != nil {
		return err
	}
	return r.withinBudget(ctx)
}

// withinBudget is Unavailable when the tokens of the day are used up.
func (r *Remembered) withinBudget(ctx context.Context) error {
	if r.Daily <= 0 {
		return nil
	}
	used, err := r.Cache.EmbeddedTokens(ctx, r.Now())
	if err != nil || used < r.Daily {
		return err
	}
	return fault.Unavailable(fmt.Errorf("%d of the %d tokens that may be embedded today are used (EMBED_DAILY_TOKENS): chunks wait until 00:00 UTC", used, r.Daily))
}
