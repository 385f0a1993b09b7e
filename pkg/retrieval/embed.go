package retrieval

import "context"

// Kind says on which side of a search a text stands. Models that were trained
// with prefixes embed the two sides differently.
type Kind int

// The two sides of a search.
const (
	Passage Kind = iota
	Query
)

// Embedder makes dense vectors.
type Embedder interface {
	// Embed returns one vector of Dimensions() numbers and length 1 for each
	// text, in their order. A text that says nothing may give the zero vector. With an
	// error those that were made may be returned all the same; nil stands for the others.
	Embed(ctx context.Context, texts []string, kind Kind) ([][]float32, error)
	// Model is the name under which vectors are kept: vectors of one name and
	// size may be compared, others never.
	Model() string
	// Dimensions is the length of each vector.
	Dimensions() int
	// DenseWeight is the weight, between 0 and 1, that Fuse should give to
	// this model's list of hits.
	DenseWeight() float64
}
