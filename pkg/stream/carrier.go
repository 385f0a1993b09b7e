package stream

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
)

// inject returns the trace context of ctx as an event carries it, nil when
// there is none.
func inject(ctx context.Context) map[string]string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	if len(carrier) == 0 {
		return nil
	}
	return carrier
}

// extract returns ctx with the trace context that an event carries.
func extract(ctx context.Context, trace map[string]string) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier(trace))
}
