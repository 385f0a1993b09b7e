package catalog_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
)

// Statements and batches have spans where they are part of a trace, one that fails too;
// what loops ask on their own has none.
func TestStatementsOfATraceHaveSpans(t *testing.T) {
	env := devtest.Start(t)
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	config := catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 1}
	db, err := catalog.Open(t.Context(), config.Traced(provider, metricnoop.NewMeterProvider().Meter("test")))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := t.Context()
	ask := func() {
		for _, sql := range []string{"SELECT 1", "SELECT 1/0"} {
			_ = db.Tx(ctx, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, sql)
				return err
			})
			_ = db.Tx(ctx, func(tx pgx.Tx) error {
				var batch pgx.Batch
				batch.Queue(sql)
				return tx.SendBatch(ctx, &batch).Close()
			})
		}
	}
	ask()
	if spans := recorder.Ended(); len(spans) != 0 {
		t.Errorf("%d spans of no trace, the first is %s", len(spans), spans[0].Name())
	}
	ctx, span := provider.Tracer("test").Start(ctx, "a handling")
	ask()
	span.End()
	failed := 0
	for _, s := range recorder.Ended() {
		if s.SpanContext().TraceID() != span.SpanContext().TraceID() {
			t.Errorf("%s is of another trace", s.Name())
		}
		if len(s.Events()) > 0 {
			failed++
		}
	}
	if n := len(recorder.Ended()); n < 10 || failed < 2 || n != len(recorder.Started()) {
		t.Errorf("%d spans, %d of them of what failed, of %d that began", n, failed, len(recorder.Started()))
	}
}
