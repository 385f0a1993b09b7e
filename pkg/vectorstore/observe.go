package vectorstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	spancodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// Traced returns the Config with a span for each call that is part of a trace, and with
// instruments of all calls. A nil meter measures nothing.
func (c Config) Traced(p trace.TracerProvider, m metric.Meter) Config {
	c.observe = &observer{
		tracer:   p.Tracer("github.com/colophon-dev/colophon/pkg/vectorstore"),
		requests: instrument.NewRequests(m, instrument.StoreVectors),
	}
	return c
}

// observer measures the calls to the server.
type observer struct {
	tracer   trace.Tracer
	requests *instrument.Requests
}

// options are what a connection needs so that its calls are measured.
func (o *observer) options() []grpc.DialOption {
	if o == nil {
		return nil
	}
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(o.intercept)}
}

func (o *observer) intercept(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, next grpc.UnaryInvoker, options ...grpc.CallOption) error {
	operation, start := operationOf(method), time.Now()
	span := trace.SpanFromContext(ctx)
	if traced := span.SpanContext().IsValid(); traced {
		ctx, span = o.tracer.Start(ctx, "Qdrant "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("db.system.name", "qdrant"), attribute.String("db.operation.name", operation)))
		defer span.End()
	}
	err := next(ctx, method, request, reply, conn, options...)
	outcome := outcomeOf(ctx, err)
	o.requests.Done(ctx, operation, outcome, time.Since(start))
	if outcome != instrument.OutcomeOK && outcome != instrument.OutcomeNotFound {
		span.SetStatus(spancodes.Error, string(outcome))
	}
	return err
}

// operationOf is what a call of the API does, in the words of the table of instruments:
// its service is the part before the last slash.
func operationOf(method string) string {
	service, call := "", method
	if at := strings.LastIndexByte(method, '/'); at >= 0 {
		service, call = method[:at], method[at+1:]
	}
	switch {
	case strings.HasSuffix(service, ".Points"):
		switch call {
		case "Query", "QueryBatch", "Search":
			return "query"
		case "SetPayload", "OverwritePayload":
			return "set_payload"
		}
		return strings.ToLower(call)
	case strings.HasSuffix(service, ".Collections") && strings.Contains(call, "Alias"):
		return "alias"
	case strings.HasSuffix(service, ".Collections"):
		return "collection"
	case call == "HealthCheck":
		return "health"
	}
	return "other"
}

// outcomeOf is how a call ended, in the words of the metrics.
func outcomeOf(ctx context.Context, err error) instrument.Outcome {
	if err == nil {
		return instrument.OutcomeOK
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return instrument.OutcomeCancelled
	}
	switch codeOf(err) {
	case codes.NotFound:
		return instrument.OutcomeNotFound
	case codes.AlreadyExists:
		return instrument.OutcomeExists
	case codes.Unauthenticated, codes.PermissionDenied:
		return instrument.OutcomeDenied
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented:
		return instrument.OutcomeRefused
	case codes.ResourceExhausted:
		return instrument.OutcomeFull
	case codes.Aborted:
		return instrument.OutcomeConflict
	}
	return instrument.OutcomeUnavailable
}
