// Package qdrant is an in-process vector store that speaks the part of Qdrant's gRPC API that the project uses, with
// exact search. What it does not serve it refuses with UNIMPLEMENTED and a sentence.
package qdrant

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/colophon-dev/colophon/devstack/child"
	"github.com/colophon-dev/colophon/devstack/qdrant/log"
)

const (
	// Version is what a health check answers: that of the server whose rules are followed.
	Version = "1.17.1"
	// messageLimit is the largest request and answer in bytes.
	messageLimit = 64 << 20
	// pingInterval is how often a client may ping at most; the official clients do every 10 seconds.
	pingInterval = 5 * time.Second
	// stopGrace is how long calls in flight may take after the end was asked for.
	stopGrace = 2 * time.Second
)

// Options of a server.
type Options struct {
	Dir    string // holds the log; made when missing
	Addr   string // host:port to listen on; empty means 127.0.0.1 and a free port
	NoSync bool   // no fsync before an answer: a kill loses nothing, a loss of power may

	APIKey func() string // the key that calls must have as the header api-key, asked for with each; nil, or empty: none
	TLS    *tls.Config   // nil: connections without TLS
}

// Server is a vector store that can be stopped and started again on the same address.
type Server struct {
	mu      sync.Mutex
	options Options
	grpc    *grpc.Server
	store   *store
	release func() error
	wanted  bool // started, and not stopped since
}

// New returns a server; Start runs it.
func New(options Options) *Server {
	if options.Addr == "" {
		options.Addr = "127.0.0.1:0"
	}
	return &Server{options: options}
}

// Start replays the log and returns when the server takes connections. Starting a running server does nothing.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start(ctx)
}

func (s *Server) start(ctx context.Context) error {
	if s.grpc != nil {
		return nil
	}
	if err := os.MkdirAll(s.options.Dir, 0o700); err != nil {
		return fmt.Errorf("make the vector store's folder: %w", err)
	}
	lock, err := child.Lock(ctx, filepath.Join(s.options.Dir, "lock"))
	if err != nil {
		return err
	}
	opened, err := openStore(s.options.Dir, log.Options{NoSync: s.options.NoSync})
	if err != nil {
		_ = lock.Close()
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", s.options.Addr)
	if err != nil {
		_, _ = opened.log.Close(), lock.Close()
		return fmt.Errorf("listen for vector clients: %w", err)
	}
	s.options.Addr = listener.Addr().String()
	s.grpc = grpc.NewServer(
		grpc.Creds(s.options.credentials()), grpc.UnaryInterceptor(s.options.authorize),
		grpc.MaxRecvMsgSize(messageLimit), grpc.MaxSendMsgSize(messageLimit),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingInterval, PermitWithoutStream: true}),
	)
	s.store, s.release = opened, lock.Close
	pb.RegisterQdrantServer(s.grpc, health{})
	pb.RegisterCollectionsServer(s.grpc, collectionsService{store: opened})
	pb.RegisterPointsServer(s.grpc, pointsService{store: opened})
	go func(server *grpc.Server) {
		// It returns when the server is stopped, and then there is nothing to tell.
		_ = server.Serve(listener)
	}(s.grpc)
	s.wanted = true
	return nil
}

func (o Options) credentials() credentials.TransportCredentials {
	if o.TLS == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(o.TLS)
}

// authorize refuses calls without the key, as Qdrant does.
func (o Options) authorize(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if o.APIKey == nil {
		return next(ctx, request)
	}
	key := o.APIKey()
	given := metadata.ValueFromIncomingContext(ctx, "api-key")
	if key != "" && (len(given) != 1 || subtle.ConstantTimeCompare([]byte(given[0]), []byte(key)) != 1) {
		return nil, status.Error(codes.Unauthenticated, "Must provide an API key or an Authorization bearer token")
	}
	return next(ctx, request)
}

// Restart stops the server and starts it again on the same address with what its log holds; clients connect again by
// themselves. A server that was stopped stays so. After an error it does not run, and Restart may be called again.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wanted {
		return nil
	}
	_ = s.stop() // that its log failed is why it is started again
	return s.start(ctx)
}

// Stuck returns nil while the server takes writes, else why it will not before Restart: a write to its log has failed,
// or it does not run although it was not stopped.
func (s *Server) Stuck() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.wanted:
		return nil
	case s.grpc == nil:
		return errors.New("it could not be started again")
	}
	return s.store.log.Failed()
}

// Stop lets calls in flight end, closes the log and frees the memory. Stopping a stopped server does nothing.
func (s *Server) Stop(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = false
	return s.stop()
}

func (s *Server) stop() error {
	if s.grpc == nil {
		return nil
	}
	cut := time.AfterFunc(stopGrace, s.grpc.Stop)
	s.grpc.GracefulStop()
	cut.Stop()
	err := s.store.log.Close()
	_ = s.release()
	s.grpc, s.store = nil, nil
	return err
}

// Addr is host:port; it stays the same over Stop and Start.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.Addr
}

// health answers the check that clients make when they connect.
type health struct{ pb.UnimplementedQdrantServer }

// HealthCheck tells the version.
func (health) HealthCheck(context.Context, *pb.HealthCheckRequest) (*pb.HealthCheckReply, error) {
	return &pb.HealthCheckReply{Title: "qdrant - vector search engine", Version: Version}, nil
}
