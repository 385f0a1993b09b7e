package catalog

import "github.com/colophon-dev/colophon/pkg/config"

// ConfigOf turns a service's settings into a Config.
func ConfigOf(p config.Postgres) Config {
	return Config{URL: p.URL.Value(), Schema: p.Schema, MaxConns: p.MaxConns, Timeout: p.Timeout}
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
