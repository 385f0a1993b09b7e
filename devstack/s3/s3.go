// Package s3 runs a VersityGW object store over a local folder for development and tests. The gateway changes its
// process's working directory and can run only once in a process, so it runs in a child.
package s3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/colophon-dev/colophon/devstack/child"
)

// RoleName is the name of this package's child role.
const RoleName = "s3"

// Options of a server.
type Options struct {
	Dir       string // holds the objects, their metadata, a lock and the log; made when missing
	Addr      string // host:port to listen on; empty means 127.0.0.1 and a free port
	AccessKey string
	SecretKey string

	CertFile, KeyFile string // of the server, PEM; empty: connections without TLS
}

func (o Options) scheme() string {
	if o.CertFile != "" {
		return "https://"
	}
	return "http://"
}

// Server is an object store that can be stopped and started again on the same address. A kill loses nothing that was
// answered; a loss of power may, since the gateway never calls fsync.
type Server struct {
	mu      sync.Mutex
	options Options
	running *child.Process
}

// New checks the options; Start runs the server.
func New(options Options) (*Server, error) {
	if options.AccessKey == "" || options.SecretKey == "" {
		return nil, errors.New("s3 needs an access key and a secret key")
	}
	if options.Addr == "" {
		options.Addr = "127.0.0.1:0"
	}
	if _, _, err := net.SplitHostPort(options.Addr); err != nil {
		return nil, fmt.Errorf("s3 address: %w", err)
	}
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, fmt.Errorf("s3 folder: %w", err)
	}
	options.Dir = dir
	return &Server{options: options}, nil
}

// Start runs the server and returns when it answers. Starting a running server does nothing.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil && !s.running.Ended() {
		return nil
	}
	s.running = nil
	if err := os.MkdirAll(s.options.Dir, 0o700); err != nil {
		return fmt.Errorf("make s3 folder: %w", err)
	}
	process, addr, err := child.Start(ctx, RoleName, s.options, s.Log())
	if err != nil {
		return err
	}
	s.running, s.options.Addr = process, addr
	return nil
}

// Stop lets the server finish its requests and ends it. Stopping a stopped server does nothing.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return nil
	}
	err := s.running.Stop(ctx)
	s.running = nil
	return err
}

// Name implements supervisor.Subject.
func (s *Server) Name() string { return RoleName }

// Log implements supervisor.Logged: the file of what the server said.
func (s *Server) Log() string { return filepath.Join(s.options.Dir, "log") }

// Wait returns why the server has ended, as soon as it has without Stop or Kill; nil when it was ended by these, does
// not run, or ctx has ended.
func (s *Server) Wait(ctx context.Context) error {
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	if running == nil {
		return nil
	}
	why := running.Wait(ctx)
	if !running.Ended() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != running {
		return nil
	}
	return why
}

// Kill ends the server at once, as a crash would.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running.Kill()
		s.running = nil
	}
}

// Endpoint is the server's URL; it stays the same over Stop and Start.
func (s *Server) Endpoint() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.scheme() + s.options.Addr
}
