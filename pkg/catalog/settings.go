package catalog

import (
	"context"
	"log/slog"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/config"
)

// ConfigOf turns a service's settings into a Config.
func ConfigOf(p config.Postgres) Config {
	return Config{
		URL: p.URL.Value(), URLFile: p.URLFile, CAFile: p.TLS.CAFile, CertFile: p.TLS.CertFile, KeyFile: p.TLS.KeyFile,
		Schema: p.Schema, MaxConns: p.MaxConns, Timeout: p.Timeout,
	}
}

// Logged returns the Config with a logger that is told of credentials that change or are
// refused.
func (c Config) Logged(log *slog.Logger) Config {
	c.Logger = log
	return c
}

// ByKey returns the Config of a service that names every row that it asks for: no
// plan of its statements reads a whole table where an index leads to the rows, and
// each is planned once a connection. PostgreSQL plans by the size that a table had
// when it looked last. Of one that was nearly empty then it would read all rows at
// every statement, for as long as it has not looked again.
func (c Config) ByKey() Config {
	c.byKey = true
	return c
}

// planByKey are the settings of a session for Config.ByKey. What has no index is
// still read as a whole; its plan counts as costly, which is no reason to compile it.
func planByKey(params map[string]string) {
	params["enable_seqscan"], params["plan_cache_mode"], params["jit"] = "off", "force_generic_plan", "off"
}

// Traced returns the Config with a tracer for every statement, which also counts
// them in colophon.catalog.statements. A nil meter counts nothing.
func (c Config) Traced(p trace.TracerProvider, m metric.Meter) Config {
	if m == nil {
		m = metricnoop.NewMeterProvider().Meter("")
	}
	statements, err := m.Int64Counter("colophon.catalog.statements", metric.WithDescription("statements sent to the catalog"))
	if err != nil { // the name is a valid one
		statements = metricnoop.Int64Counter{}
	}
	c.Tracer = &tracer{
		spans:      otelpgx.NewTracer(otelpgx.WithTracerProvider(p), otelpgx.WithDisableSQLStatementInAttributes()),
		statements: statements,
	}
	return c
}

// tracer makes a span of each statement, and one of those that go together;
// taking a connection and preparing have none. It counts all statements.
type tracer struct {
	spans      *otelpgx.Tracer
	statements metric.Int64Counter
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	t.statements.Add(ctx, 1)
	return t.spans.TraceQueryStart(ctx, conn, data)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tracer) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	t.spans.TraceQueryEnd(ctx, conn, data)
}

// TraceBatchStart implements pgx.BatchTracer.
func (t *tracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	t.statements.Add(ctx, int64(data.Batch.Len()))
	return t.spans.TraceBatchStart(ctx, conn, data)
}

// TraceBatchQuery implements pgx.BatchTracer. A statement that fails has a span.
func (t *tracer) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	if data.Err != nil {
		t.spans.TraceBatchQuery(ctx, conn, data)
	}
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t *tracer) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchEndData) {
	t.spans.TraceBatchEnd(ctx, conn, data)
}
