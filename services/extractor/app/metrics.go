package app

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/instrument"
)

// countPages counts the pages that published events are about.
func countPages(m metric.Meter) func(ctx context.Context, data event.Data) {
	pages := instrument.Counter(m, instrument.Pages)
	add := func(ctx context.Context, outcome string, n int) {
		if n > 0 {
			pages.Add(ctx, int64(n), metric.WithAttributes(attribute.String("outcome", outcome)))
		}
	}
	return func(ctx context.Context, data event.Data) {
		switch d := data.(type) {
		case event.IRExtracted:
			add(ctx, "processed", d.Processed)
			add(ctx, "failed", d.Failed)
		case event.PageOCRRequested:
			add(ctx, "ocr", 1)
		}
	}
}
