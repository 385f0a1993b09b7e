package embed

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// recorded notes the sizes of its calls, and may answer in another shape.
type recorded struct {
	retrieval.HashEmbedder
	calls  []int
	answer func(vectors [][]float32) ([][]float32, error)
}

func (r *recorded) Embed(ctx context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	r.calls = append(r.calls, len(texts))
	vectors, err := r.HashEmbedder.Embed(ctx, texts, kind)
	if err == nil && r.answer != nil {
		return r.answer(vectors)
	}
	return vectors, err
}

func TestBatches(t *testing.T) {
	texts := make([]string, 10)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	texts[4] = strings.Repeat("large ", 10)
	want, err := retrieval.HashEmbedder{}.Embed(t.Context(), texts, retrieval.Passage)
	if err != nil {
		t.Fatal(err)
	}
	inner := &recorded{}
	got, err := Batched{Embedder: inner, MaxTexts: 3, MaxBytes: 50}.Embed(t.Context(), texts, retrieval.Passage)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("other vectors than at once, %v", err)
	}
	if !slices.Equal(inner.calls, []int{3, 1, 1, 3, 2}) {
		t.Errorf("calls of %v texts", inner.calls)
	}
	inner.calls = nil
	if got, err := (Batched{Embedder: inner}).Embed(t.Context(), nil, retrieval.Passage); err != nil || len(got) != 0 || inner.calls != nil {
		t.Errorf("no texts gave %v, %v, calls %v", got, err, inner.calls)
	}
	if _, err := (Batched{Embedder: inner}).Embed(t.Context(), make([]string, 65), retrieval.Passage); err != nil || !slices.Equal(inner.calls, []int{64, 1}) {
		t.Errorf("calls of %v texts, %v", inner.calls, err)
	}
}

func TestWrongAnswers(t *testing.T) {
	broken := fault.Unavailable(errors.New("away"))
	for name, test := range map[string]struct {
		answer func([][]float32) ([][]float32, error)
		want   fault.Kind
	}{
		"too few":   {func(v [][]float32) ([][]float32, error) { return v[1:], nil }, fault.KindTransient},
		"too short": {func(v [][]float32) ([][]float32, error) { v[1] = v[1][1:]; return v, nil }, fault.KindTransient},
		"no answer": {func([][]float32) ([][]float32, error) { return nil, broken }, fault.KindUnavailable},
	} {
		_, err := Batched{Embedder: &recorded{answer: test.answer}}.Embed(t.Context(), []string{"a", "b"}, retrieval.Passage)
		if fault.KindOf(err) != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
