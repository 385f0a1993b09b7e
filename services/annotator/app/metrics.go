package app

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/instrument"
)

// countEntities counts the pages that published events are about, and their entities by type.
func countEntities(m metric.Meter) func(ctx context.Context, data event.Data) {
	pages, found := instrument.Counter(m, instrument.EntityPages), instrument.Counter(m, instrument.Entities)
	return func(ctx context.Context, data event.Data) {
		d, ok := data.(event.EntitiesExtracted)
		if !ok {
			return
		}
		pages.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", string(d.Status))))
		for list, n := range d.Counts {
			if entity.IsOwn(list) {
				list = "own" // what sources call theirs would be a series each
			}
			found.Add(ctx, int64(n), metric.WithAttributes(attribute.String("type", list)))
		}
	}
}

// countAnswers counts what models answered.
func countAnswers(m metric.Meter) func(ctx context.Context, outcome string) {
	answers := instrument.Counter(m, instrument.ChatAnswers)
	return func(ctx context.Context, outcome string) {
		answers.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
	}
}
