package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// countOutcomes counts the outcomes that are announced.
func countOutcomes(m metric.Meter) func(ctx context.Context, data event.Data) {
	captures := instrument.Counter(m, instrument.Captures)
	return func(ctx context.Context, data event.Data) {
		d, ok := data.(event.CaptureCompleted)
		if !ok {
			return
		}
		reason := cmp.Or(d.Reason, "none")
		if d.Reason != "" && !fault.Reason(reason).Valid() {
			reason = string(fault.Internal)
		}
		captures.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", string(d.Outcome)), attribute.String("reason", reason)))
	}
}

// measuredFetcher measures what a fetcher fetches.
type measuredFetcher struct {
	obtain.Fetcher
	target   attribute.KeyValue
	duration metric.Float64Histogram
}

// measureFetches returns a fetcher that measures; target is document or robots.
func measureFetches(f obtain.Fetcher, m metric.Meter, target string) obtain.Fetcher {
	return measuredFetcher{Fetcher: f, target: attribute.String("target", target), duration: instrument.Histogram(m, instrument.FetchDuration)}
}

// Get implements obtain.Fetcher.
func (f measuredFetcher) Get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	start := time.Now()
	answer, err := f.Fetcher.Get(ctx, r)
	f.duration.Record(ctx, instrument.Since(start), metric.WithAttributes(f.target, attribute.String("outcome", fetchOutcome(ctx, answer, err))))
	return answer, err
}

func fetchOutcome(ctx context.Context, answer *fetch.Response, err error) string {
	var refused *fetch.Refused
	var status *fetch.StatusError
	switch {
	case err == nil && answer.NotModified:
		return "not_modified"
	case err == nil:
		return "ok"
	case errors.As(err, &refused):
		return "refused"
	case errors.As(err, &status):
		return "status"
	case errors.Is(err, fetch.ErrTimeout):
		return "timeout"
	case errors.Is(err, spool.ErrTooLarge):
		return "too_large"
	case errors.Is(err, fetch.ErrRedirects):
		return "redirects"
	case ctx.Err() != nil:
		return "cancelled"
	}
	return "error"
}
