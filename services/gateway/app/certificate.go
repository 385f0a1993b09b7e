package app

import (
	"crypto/tls"
	"fmt"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/credential"
)

// certificateOf returns the settings with which the API is served, nil for no TLS. The
// certificate is that of its files as they are when a client connects, or were when
// they were well; while they never were, no client is answered.
func certificateOf(h HTTP, log *slog.Logger) (*tls.Config, error) {
	files := credential.TLSFiles{Cert: h.Cert, Key: h.Key}
	if named, err := files.Named(); err != nil || !named {
		if err != nil {
			err = fmt.Errorf("COLOPHON_HTTP_CERT_FILE and COLOPHON_HTTP_KEY_FILE: %w", err)
		}
		return nil, err
	}
	pair := credential.Watch(credential.Options{Store: "HTTP API", Log: log}, files.Pair)
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair.Now() },
	}, nil
}
