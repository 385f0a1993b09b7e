package vectorstore

import (
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/config"
)

// ConfigOf turns a service's settings into a Config.
func ConfigOf(q config.Qdrant) Config {
	return Config{
		Addr: q.Addr, APIKey: q.APIKey.Value(), APIKeyFile: q.APIKeyFile, TLS: q.TLS, Timeout: q.Timeout,
		CAFile: q.TLSFiles.CAFile, CertFile: q.TLSFiles.CertFile, KeyFile: q.TLSFiles.KeyFile,
	}
}

// Logged returns the Config with a logger that is told of credentials that change or are
// refused. All Clients of it look at its files as one, so that each thing is said once, also by who
// opens again and again until the server is there.
func (c Config) Logged(log *slog.Logger) Config {
	c.Logger = log
	c.watched = watch(c)
	return c
}
