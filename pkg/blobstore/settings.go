package blobstore

import (
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/config"
)

// ConfigOf turns a service's settings into a Config.
func ConfigOf(s config.S3) Config {
	return Config{
		Endpoint: s.Endpoint, AccessKey: s.AccessKey.Value(), SecretKey: s.SecretKey.Value(), Region: s.Region,
		BucketPrefix: s.BucketPrefix, Timeout: s.Timeout, TempDir: s.TempDir,
		SessionToken: s.SessionToken.Value(), AccessKeyFile: s.AccessKeyFile, SecretKeyFile: s.SecretKeyFile, SessionTokenFile: s.SessionTokenFile,
		CAFile: s.TLS.CAFile, CertFile: s.TLS.CertFile, KeyFile: s.TLS.KeyFile,
	}
}

// Logged returns the Config with a logger that is told of credentials that change or are
// refused.
func (c Config) Logged(log *slog.Logger) Config {
	c.Logger = log
	return c
}
