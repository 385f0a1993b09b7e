package stream

import (
	"context"
	"errors"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/event"
)

// traced opens one span of the given name for each handling. It continues the trace of
// its events, so that one trace goes from capture to vector. A batch whose events come
// from several traces has one of its own, with a link to each, and a span in each of
// them that says how long the batch took and links to it.
func traced(tracer trace.Tracer, consumer, name string, next work) work {
	return func(ctx context.Context, ds []*delivery) ([]error, error) {
		options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
			attribute.String("messaging.system", "nats"),
			attribute.String("messaging.consumer.group.name", consumer),
			attribute.Int("messaging.batch.message_count", len(ds)),
		)}
		if len(ds) == 1 {
			options = append(options, trace.WithAttributes(attribute.String("messaging.message.id", ds[0].event.MsgID)))
		}
		parents := parentsOf(ds)
		var spans []trace.Span
		switch {
		case len(parents) == 1:
			ctx = trace.ContextWithRemoteSpanContext(ctx, parents[0])
		default:
			for _, parent := range parents {
				options = append(options, trace.WithLinks(trace.Link{SpanContext: parent}))
			}
		}
		ctx, span := tracer.Start(ctx, name, options...)
		spans = append(spans, span)
		if len(parents) > 1 {
			for _, parent := range parents {
				_, part := tracer.Start(trace.ContextWithRemoteSpanContext(context.WithoutCancel(ctx), parent), name,
					trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(trace.Link{SpanContext: span.SpanContext()}))
				spans = append(spans, part)
			}
		}
		defer func() {
			for _, s := range spans {
				s.End()
			}
		}()
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

// parentsOf returns one span of each trace that the deliveries come from.
func parentsOf(ds []*delivery) []trace.SpanContext {
	var parents []trace.SpanContext
	seen := make(map[trace.TraceID]bool, len(ds))
	for _, d := range ds {
		parent := trace.SpanContextFromContext(extract(context.Background(), d.event.Trace))
		if parent.IsValid() && !seen[parent.TraceID()] {
			seen[parent.TraceID()] = true
			parents = append(parents, parent)
		}
	}
	return parents
}

// Continue returns ctx within the trace that e came with, for what a batch publishes
// about it. Where ctx is in that trace already, or e has none, it comes back as it is.
func Continue(ctx context.Context, e event.Event) context.Context {
	from := trace.SpanContextFromContext(extract(context.Background(), e.Trace))
	if !from.IsValid() || from.TraceID() == trace.SpanContextFromContext(ctx).TraceID() {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, from)
}
