package llm

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// meter measures the calls to an endpoint and what they cost.
type meter struct {
	requests *instrument.Requests
	tokens   metric.Int64Counter
	refused  metric.Int64Counter
}

func newMeter(m metric.Meter) meter {
	return meter{
		requests: instrument.NewRequests(m, instrument.StoreModels),
		tokens:   instrument.Counter(m, instrument.EmbedTokens), refused: instrument.Counter(m, instrument.EmbedRefused),
	}
}

// CountFromZero lets the counters of a process begin at 0, also where no endpoint is set,
// and returns the one of texts that were not paid again, which whoever remembers them adds
// to.
func CountFromZero(m metric.Meter) metric.Int64Counter {
	remembered := instrument.Counter(m, instrument.EmbedRemembered)
	sides := []string{string(sidePassage), string(sideQuestion)}
	instrument.BeginAtZero(remembered, "side", sides)
	instrument.BeginAtZero(instrument.Counter(m, instrument.EmbedTokens), "side", sides)
	instrument.Counter(m, instrument.EmbedRefused).Add(context.Background(), 0)
	return remembered
}

// side is on which side of a search a text stands, as it is measured.
type side string

const (
	sidePassage  side = "passage"
	sideQuestion side = "question"
)

// called measures one call, that had so many tokens. Those of a call that failed may have
// cost nothing, and are not counted.
func (m meter) called(ctx context.Context, kind retrieval.Kind, tokens int, err error, took time.Duration) {
	if err == nil {
		of := sidePassage
		if kind == retrieval.Query {
			of = sideQuestion
		}
		m.tokens.Add(ctx, int64(tokens), metric.WithAttributes(attribute.String("side", string(of))))
	}
	m.requests.Done(ctx, "embed", outcomeOf(ctx, err), took)
}

// outcomeOf is how a call of who asked with ctx ended.
func outcomeOf(ctx context.Context, err error) instrument.Outcome {
	switch {
	case err == nil:
		return instrument.OutcomeOK
	case ctx.Err() != nil:
		return instrument.OutcomeCancelled
	case errors.Is(err, errText):
		return instrument.OutcomeRefused
	case errors.Is(err, credential.ErrRefused):
		return instrument.OutcomeDenied
	default:
		return instrument.OutcomeUnavailable
	}
}

// refuse counts a text that the endpoint does not take.
func (m meter) refuse(ctx context.Context) { m.refused.Add(ctx, 1) }
