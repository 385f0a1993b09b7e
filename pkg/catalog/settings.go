package catalog

import (
	"log/slog"

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
