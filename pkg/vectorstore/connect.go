package vectorstore

import (
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/credential/rpc"
)

// store is the vector store's name in errors and log lines about credentials.
const store = "Qdrant"

// apiKeyHeader is the metadata that a server looks for a key in.
const apiKeyHeader = "api-key"

// link is the connections to one server, made with certificates of one moment.
type link struct {
	driver *qdrant.Client
	made   *tls.Config

	mu      sync.Mutex
	calls   int
	retired bool // no call begins any more, and the last one closes it
}

// begin is false when the link was retired.
func (l *link) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retired {
		return false
	}
	l.calls++
	return true
}

func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls--; l.calls == 0 && l.retired {
		_ = l.driver.Close() // nobody waits for it
	}
}

// retire closes the link when the last call is over.
func (l *link) retire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retired {
		return
	}
	if l.retired = true; l.calls == 0 {
		_ = l.driver.Close()
	}
}

// watched are a Config's files, and what the server said of them last.
type watched struct {
	key          *credential.Watched[string]
	certificates *credential.Watched[*tls.Config]
	standing     credential.Standing
}

func (c Config) files() credential.TLSFiles {
	return credential.TLSFiles{CA: c.CAFile, Cert: c.CertFile, Key: c.KeyFile}
}

func watch(c Config) *watched {
	o := credential.Options{Store: store, Every: c.CheckEvery, Log: c.Logger}
	return &watched{
		key: credential.Watch(o, func(read credential.Read) (string, error) { return credential.Text(read, c.APIKey, c.APIKeyFile) }),
		certificates: credential.Watch(o, func(read credential.Read) (*tls.Config, error) {
			settings, err := c.files().Client(read)
			if err == nil {
				settings.MinVersion = tls.VersionTLS13
			}
			return settings, err
		}),
		standing: credential.Standing{Log: c.Logger},
	}
}

// links are those of a client, of which one is in use.
type links struct {
	config Config
	host   string
	port   int
	secure bool
	*watched

	mu     sync.Mutex
	inUse  *link
	closed bool
}

func newLinks(c Config) (*links, error) {
	host, portText, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("address of the vector store: %w", err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("address of the vector store %q: %w", c.Addr, err)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	named, err := c.files().Named()
	if err != nil {
		return nil, fmt.Errorf("open vector store at %s: %w", c.Addr, err)
	}
	all := c.watched
	if all == nil {
		all = watch(c)
	}
	return &links{config: c, host: host, port: int(port), secure: c.TLS || named, watched: all}, nil
}

// take returns a link for one call, which ends it. Where the certificates have changed
// it is a new one.
func (s *links) take() (*link, error) {
	if _, err := s.key.Now(); err != nil {
		return nil, err // as it is: from inside of a call gRPC would say that the server refuses us
	}
	settings, err := s.certificates.Now()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inUse != nil && (s.inUse.made == settings || s.closed) && s.inUse.begin() {
		return s.inUse, nil
	}
	if s.closed {
		return nil, grpc.ErrClientConnClosing //nolint:staticcheck // what the driver says of calls after Close
	}
	driver, err := s.dial(settings)
	if err != nil {
		return nil, fmt.Errorf("open vector store at %s: %w", s.config.Addr, err)
	}
	if s.inUse != nil {
		s.inUse.retire()
	}
	s.inUse = &link{driver: driver, made: settings, calls: 1}
	return s.inUse, nil
}

func (s *links) dial(settings *tls.Config) (*qdrant.Client, error) {
	options := []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageLimit))}
	if s.config.APIKey != "" || s.config.APIKeyFile != "" {
		options = append(options, grpc.WithPerRPCCredentials(rpc.Headers(s.headers)))
	}
	return qdrant.NewClient(&qdrant.Config{
		Host:                   s.host,
		Port:                   s.port,
		UseTLS:                 s.secure,
		TLSConfig:              settings.Clone(),
		SkipCompatibilityCheck: true, // it logs, and knows no context; see Ping
		KeepAliveTime:          keepAliveSeconds,
		KeepAliveTimeout:       keepAliveTimeoutSeconds,
		GrpcOptions:            options,
	})
}

// headers are asked for with each call.
func (s *links) headers() (map[string]string, error) {
	key, err := s.key.Now()
	if err != nil {
		return nil, err
	}
	return map[string]string{apiKeyHeader: key}, nil
}

// doubt lets the next call look at the files.
func (s *links) doubt() {
	s.key.Doubt()
	s.certificates.Doubt()
}

// close ends the connections. Calls under way fail.
func (s *links) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.inUse == nil {
		return nil
	}
	s.inUse.mu.Lock()
	defer s.inUse.mu.Unlock()
	if s.inUse.retired {
		return nil
	}
	s.inUse.retired = true
	return s.inUse.driver.Close()
}
