package stream

import (
	"context"
	"errors"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// traced opens one span of the given name for each handling. It continues the trace of its
// event, so that one trace goes from capture to vector; a batch has a trace of
// its own with a link to that of each event.
func traced(tracer trace.Tracer, consumer, span string, next work) work {
	return func(ctx context.Context, ds []*delivery) ([]error, error) {
		options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
			attribute.String("messaging.system", "nats"),
			attribute.String("messaging.consumer.group.name", consumer),
			attribute.Int("messaging.batch.message_count", len(ds)),
		)}
		if len(ds) == 1 {
			ctx = extract(ctx, ds[0].event.Trace)
			options = append(options, trace.WithAttributes(attribute.String("messaging.message.id", ds[0].event.MsgID)))
		} else {
			for _, d := range ds {
				options = append(options, trace.WithLinks(trace.LinkFromContext(extract(context.Background(), d.event.Trace))))
			}
		}
		ctx, span := tracer.Start(ctx, span, options...)
		defer span.End()
		results, whole := next(ctx, ds)
		for _, err := range slices.Concat(results, []error{whole}) {
			if err != nil {
				span.RecordError(errors.New(sentence(err.Error())))
				span.SetStatus(codes.Error, sentence(err.Error()))
			}
		}
		return results, whole
	}
}
