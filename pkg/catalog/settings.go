package catalog

import (
	"github.com/exaring/otelpgx"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/config"
)

// ConfigOf turns a service's settings into a Config.
func ConfigOf(p config.Postgres) Config {
	return Config{URL: p.URL.Value(), Schema: p.Schema, MaxConns: p.MaxConns, Timeout: p.Timeout}
}

// Traced returns the Config with a tracer for every statement.
func (c Config) Traced(p trace.TracerProvider) Config {
	c.Tracer = otelpgx.NewTracer(otelpgx.WithTracerProvider(p), otelpgx.WithDisableSQLStatementInAttributes())
	return c
}
