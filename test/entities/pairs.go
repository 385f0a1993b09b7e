// Package entities holds what measures the extraction of entities: a benchmark of falsified
// evidence that anyone can run against a guard of their own, and its recipes.
package entities

import (
	_ "embed" // byhand.jsonl
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
)

// Pair is a page, a proposed entity with its evidence, and whether one of its values stands there.
type Pair struct {
	ID       string          `json:"id"`
	Half     string          `json:"half"`     // open, or sealed: recipes that nothing was tuned on
	Recipe   string          `json:"recipe"`   // true, or how it was altered
	Language string          `json:"language"` // ISO 639-1
	Page     string          `json:"page"`     // lines: "# " a heading, "- " an item, cells divided by | a table, others paragraphs
	Type     string          `json:"type"`     // of the entity
	Entity   json.RawMessage `json:"entity"`   // as a model would answer it
	Field    string          `json:"field"`    // which value is in question
	True     bool            `json:"true"`     // whether it stands in its evidence
}

// Passes reports whether the guard lets the value of the pair pass as it was proposed.
func (p Pair) Passes() (bool, []guard.Drop, error) {
	e, wrong, err := entity.DecodeEntity(p.Type, p.Entity)
	if err != nil || len(wrong) > 0 {
		return false, nil, fmt.Errorf("pair %s: %v %v", p.ID, wrong, err)
	}
	want, err := json.Marshal(e.Values[p.Field])
	if err != nil {
		return false, nil, err
	}
	r := guard.Check(pagetest.Page(p.Language, p.Page), []entity.Entity{e})
	for _, e := range r.Entities {
		got, err := json.Marshal(e.Values[p.Field])
		if err != nil {
			return false, nil, err
		}
		if string(got) == string(want) {
			return true, r.Drops, nil
		}
	}
	return false, r.Drops, nil
}

// Figure counts the pairs of one recipe.
type Figure struct {
	Half   string
	Recipe string
	Pairs  int
	Passed int
	Wrong  []string // ids of true pairs that were dropped and of altered ones that passed
}

// Measure runs all pairs.
func Measure(pairs []Pair) ([]Figure, error) {
	var out []Figure
	for _, p := range pairs {
		passed, _, err := p.Passes()
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(f Figure) bool { return f.Half == p.Half && f.Recipe == p.Recipe })
		if i < 0 {
			i = len(out)
			out = append(out, Figure{Half: p.Half, Recipe: p.Recipe})
		}
		out[i].Pairs++
		if passed {
			out[i].Passed++
		}
		if passed != p.True {
			out[i].Wrong = append(out[i].Wrong, p.ID)
		}
	}
	return out, nil
}

// Write prints figures, one recipe a line.
func Write(w io.Writer, figures []Figure) error {
	for _, f := range figures {
		if _, err := fmt.Fprintf(w, "%-7s %-16s %4d pairs, %4d passed, %d wrong\n", f.Half, f.Recipe, f.Pairs, f.Passed, len(f.Wrong)); err != nil {
			return err
		}
	}
	return nil
}

//go:embed byhand.jsonl
var byHand string

// PairsByHand returns pairs that were written by hand against the guard: 72 altered ones of classes that the recipes do not
// have, and 21 true ones that look like them.
func PairsByHand() ([]Pair, error) { return ReadPairs(strings.NewReader(byHand)) }

// WritePairs writes pairs as JSON lines.
func WritePairs(w io.Writer, pairs []Pair) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, p := range pairs {
		if err := enc.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// ReadPairs reads JSON lines.
func ReadPairs(r io.Reader) (out []Pair, err error) {
	dec := json.NewDecoder(r)
	for dec.More() {
		var p Pair
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
