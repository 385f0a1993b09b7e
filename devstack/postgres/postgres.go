// Package postgres runs a PostgreSQL server of the machine for development and tests, over a unix socket only. A small
// child of the running binary supervises it, so that the server ends also when its owner is killed.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/colophon-dev/colophon/devstack/child"
)

// RoleName is the name of this package's child role.
const RoleName = "postgres"

// superuser is the database user of the servers, who needs no password: only the owner of the socket's folder (and root) can connect.
const superuser = "app"

// Options of a server.
type Options struct {
	Dir            string // holds the data, a lock and the log; made when missing
	BinDir         string // folder of initdb and postgres; empty means PG_BIN, PATH, then the Debian folders
	NoSync         bool   // no fsync: for tests, whose data need not survive a loss of power
	MaxConnections int    // 0 means 200
	Remote         *Remote
}

// Remote opens a server to connections over TCP, with TLS only. Those over the socket stay as they are.
type Remote struct {
	Addr      string // host:port
	Cert, Key string // of the server, PEM
	ClientCA  string // authorities of the clients' certificates, PEM; empty: none
	Rules     string // lines of pg_hba.conf; what none allows is refused
}

// Change writes what a remote server is opened with again, and has the server read it. The address stays.
func (s *Server) Change(remote Remote) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	account, err := findOwner()
	if err != nil {
		return err
	}
	data, err := account.dataDir(s.options.Dir)
	if err != nil {
		return err
	}
	if err := account.writeRemote(data, remote); err != nil {
		return err
	}
	_, pid, ok := readPid(data)
	if !ok {
		return errors.New("postgres does not run")
	}
	return syscall.Kill(pid, syscall.SIGHUP)
}

// Server is a PostgreSQL server that can be stopped and started again on the same socket.
type Server struct {
	mu      sync.Mutex
	options Options
	socket  string
	running *child.Process
}

// New finds the binaries; Start runs the server.
func New(options Options) (*Server, error) {
	if options.BinDir == "" {
		found, err := findBinaries()
		if err != nil {
			return nil, err
		}
		options.BinDir = found
	}
	if options.MaxConnections == 0 {
		options.MaxConnections = 200
	}
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, fmt.Errorf("postgres folder: %w", err)
	}
	options.Dir = dir
	return &Server{options: options, socket: socketDir(dir)}, nil
}

// Start makes the database cluster when there is none, runs the server and returns when it takes connections. An
// orphan of an earlier owner is ended first. Starting a running server does nothing.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil && !s.running.Ended() {
		return nil
	}
	s.running = nil
	if err := os.MkdirAll(s.options.Dir, 0o711); err != nil {
		return fmt.Errorf("make postgres folder: %w", err)
	}
	process, _, err := child.Start(ctx, RoleName, roleConfig{Options: s.options, Socket: s.socket},
		s.Log())
	if err != nil {
		return err
	}
	s.running = process
	return nil
}

// Stop ends the connections and then the server, with a checkpoint. Stopping a stopped server does nothing.
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

// Kill ends the supervisor and all server processes at once, as a crash would.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return
	}
	// The supervisor must go first: it would end the server in order.
	s.running.Kill()
	for _, process := range processesIn(filepath.Join(s.options.Dir, dataName)) {
		_ = syscall.Kill(process, syscall.SIGKILL)
	}
	s.running = nil
}

// URL is where clients connect; it stays the same over Stop and Start, and over runs with the same folder.
func (s *Server) URL() string {
	query := url.Values{"host": {s.socket}, "sslmode": {"disable"}}
	if s.options.Remote != nil {
		if _, port, err := net.SplitHostPort(s.options.Remote.Addr); err == nil {
			query.Set("port", port)
		}
	}
	target := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/postgres", RawQuery: query.Encode()}
	return target.String()
}
