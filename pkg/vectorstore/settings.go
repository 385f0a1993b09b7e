package vectorstore

import "github.com/colophon-dev/colophon/pkg/config"

// ConfigOf turns a service's settings into a Config.
func ConfigOf(q config.Qdrant) Config {
	return Config{Addr: q.Addr, APIKey: q.APIKey.Value(), TLS: q.TLS, Timeout: q.Timeout}
}
