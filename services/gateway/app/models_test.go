package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// asked is an embedder that counts, and may fail or take its time.
type asked struct {
	retrieval.HashEmbedder
	times int
	err   error
	hangs bool
}

func (a *asked) Embed(ctx context.Context, texts []string, _ retrieval.Kind) ([][]float32, error) {
	a.times++
	if a.hangs {
		<-ctx.Done()
		return nil, fmt.Errorf("asking: %w", ctx.Err())
	}
	return make([][]float32, len(texts)), a.err
}

// TestQuestionsAreRemembered: one that was answered, not one that failed.
func TestQuestionsAreRemembered(t *testing.T) {
	t.Parallel()
	e := &asked{err: errors.New("down")}
	q, err := rememberQuestions(e, llm.CountFromZero(noop.Meter{}))
	if err != nil {
		t.Fatal(err)
	}
	var times []int
	for i := range 4 {
		if _, err := q.Embed(t.Context(), []string{"one"}, retrieval.Query); (err != nil) != (i == 0) {
			t.Error(err)
		}
		e.err = nil
		times = append(times, e.times)
	}
	_, _ = q.Embed(t.Context(), []string{"two"}, retrieval.Query)
	if !slices.Equal(times, []int{1, 2, 2, 2}) || e.times != 3 {
		t.Errorf("asked %v, %d", times, e.times)
	}
}

// TestAQuestionWaitsForNoSlowModel: it is as if the model were away.
func TestAQuestionWaitsForNoSlowModel(t *testing.T) {
	t.Parallel()
	q, err := rememberQuestions(&asked{hangs: true}, llm.CountFromZero(noop.Meter{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Embed(t.Context(), []string{"one"}, retrieval.Query); fault.KindOf(err) != fault.KindUnavailable {
		t.Error(err)
	}
}
