package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// vectorTolerance is how far a number of a stored vector may be from the one that is
// computed again: the store scales dense vectors to length 1 in single precision. A
// number that is 1 differs by some 1e-7 from that; one in a thousand of its weight is
// seen.
const vectorTolerance = 1e-5

// builtIn reports whether a collection behind an alias has the vectors of the built-in
// embedder, which are a function of the text alone.
func builtIn(alias, collection string) bool {
	return collection == model.CollectionName(alias, retrieval.HashModel, retrieval.HashDimensions)
}

// wrongVectors says what of a point's vectors is not what a chunk asks for, "" when
// nothing is: the sparse one is of its text, the dense one of its content, or of its text
// where it was written by a build that embedded that (contracts#embedded-text). The dense vector of another than the built-in embedder must be there and
// not be all zeros; which numbers it has is the embedder's to know, and how many the
// store's.
func wrongVectors(text, content string, p vectorstore.Point, builtIn bool) string {
	indices, values := retrieval.Sparse(text)
	switch {
	case len(p.Dense) == 0:
		return "has no dense vector"
	case len(p.Sparse.Indices) == 0 && len(indices) > 0:
		return "has no sparse vector"
	case !slices.Equal(p.Sparse.Indices, indices) || !near(p.Sparse.Values, values):
		return "has a sparse vector that is not that of its text"
	case builtIn && len(p.Dense) != retrieval.HashDimensions:
		return fmt.Sprintf("has a dense vector of %d numbers, and not of %d", len(p.Dense), retrieval.HashDimensions)
	case builtIn && !near(p.Dense, retrieval.HashVector(content)) && !near(p.Dense, retrieval.HashVector(text)):
		return "has a dense vector that is not that of its content"
	case !builtIn && !slices.ContainsFunc(p.Dense, func(x float32) bool { return x != 0 }):
		return "has a dense vector of zeros alone"
	}
	return ""
}

// near reports whether two vectors are the same but for rounding.
func near(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs(float64(a[i])-float64(b[i])) <= vectorTolerance) { // not a number is not near
			return false
		}
	}
	return true
}
