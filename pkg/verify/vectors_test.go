package verify

import (
	"math"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

func TestVectorsAreThoseOfTheText(t *testing.T) {
	const content = "The council met on Monday, and the mill was sold."
	const text = "TYPE: fact\nSOURCE: Gazette\n\n" + content
	sound := func() vectorstore.Point {
		indices, values := retrieval.Sparse(text)
		return vectorstore.Point{Dense: retrieval.HashVector(content), Sparse: vectorstore.Sparse{Indices: indices, Values: values}}
	}
	for name, c := range map[string]struct {
		change        func(p *vectorstore.Point)
		built, others bool // whether it is found, of the built-in embedder and of others
	}{
		"nothing":                    {func(*vectorstore.Point) {}, false, false},
		"rounding":                   {func(p *vectorstore.Point) { p.Dense[0] += 1e-7 }, false, false},
		"no dense vector":            {func(p *vectorstore.Point) { p.Dense = nil }, true, true},
		"no sparse vector":           {func(p *vectorstore.Point) { p.Sparse = vectorstore.Sparse{} }, true, true},
		"a shorter dense vector":     {func(p *vectorstore.Point) { p.Dense = p.Dense[1:] }, true, false},
		"zeros":                      {func(p *vectorstore.Point) { p.Dense = make([]float32, len(p.Dense)) }, true, true},
		"a number of the dense one":  {func(p *vectorstore.Point) { p.Dense[7] += 0.001 }, true, false},
		"what is no number":          {func(p *vectorstore.Point) { p.Dense[7] = float32(math.NaN()) }, true, false},
		"a weight of the sparse one": {func(p *vectorstore.Point) { p.Sparse.Values[0] += 0.001 }, true, true},
		"a term of the sparse one":   {func(p *vectorstore.Point) { p.Sparse.Indices[0]++ }, true, true},
		"that of the whole text, as earlier builds embedded it": {func(p *vectorstore.Point) { p.Dense = retrieval.HashVector(text) }, false, false},
		"that of another text": {func(p *vectorstore.Point) { p.Dense = retrieval.HashVector("Another text.") }, true, false},
	} {
		p := sound()
		p.Dense = slices.Clone(p.Dense)
		c.change(&p)
		if found := wrongVectors(text, content, p, true) != ""; found != c.built {
			t.Errorf("%s, built in: found is %t", name, found)
		}
		if found := wrongVectors(text, content, p, false) != ""; found != c.others {
			t.Errorf("%s, of another embedder: found is %t", name, found)
		}
	}
	if what := wrongVectors("…", "…", vectorstore.Point{Dense: retrieval.HashVector("…")}, true); what != "" {
		t.Errorf("a text without letters %s", what)
	}
}
