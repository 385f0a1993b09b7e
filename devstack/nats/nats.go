// Package nats embeds a NATS server with JetStream for development and tests.
package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/colophon-dev/colophon/devstack/disk"
)

// defaultSyncInterval is how often JetStream calls fsync: a kill of the process loses nothing, a loss of power at most
// this much.
const defaultSyncInterval = time.Second

// startLimit bounds the wait for a server that neither serves nor fails.
const startLimit = 20 * time.Second

// Options of a server.
type Options struct {
	Dir          string        // where JetStream keeps its files; made when missing
	Addr         string        // host:port to listen on; empty means 127.0.0.1 and a free port
	SyncInterval time.Duration // 0 means defaultSyncInterval
	SyncAlways   bool          // fsync before every acknowledgement
}

// Server is an embedded NATS server that can be stopped and started again on the same address.
type Server struct {
	mu      sync.Mutex
	options Options
	host    string
	port    int
	running *server.Server
	log     *keptLogger // of running
	wanted  bool        // started, and not stopped since
	most    int64       // bytes that the streams may take; never less than before
}

// New checks the options; Start runs the server.
func New(options Options) (*Server, error) {
	s := &Server{options: options, host: "127.0.0.1", port: server.RANDOM_PORT}
	if options.Addr == "" {
		return s, nil
	}
	host, port, err := net.SplitHostPort(options.Addr)
	if err != nil {
		return nil, fmt.Errorf("nats address: %w", err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("nats address %s: %w", options.Addr, err)
	}
	s.host = host
	if number != 0 {
		s.port = int(number)
	}
	return s, nil
}

// Start runs the server and returns when it takes connections. Starting a running server does nothing.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start(ctx)
}

func (s *Server) start(ctx context.Context) error {
	if s.running != nil {
		return nil
	}
	room, err := s.room()
	if err != nil {
		return err
	}
	// What streams have set aside was allowed once: with less, the server would not open them again.
	s.most = max(s.most, room)
	interval := s.options.SyncInterval
	if interval == 0 {
		interval = defaultSyncInterval
	}
	running, err := server.NewServer(&server.Options{
		ServerName:        "colophon-devstack",
		Host:              s.host,
		Port:              s.port,
		JetStream:         true,
		JetStreamMaxStore: s.most,
		StoreDir:          s.options.Dir,
		SyncInterval:      interval,
		SyncAlways:        s.options.SyncAlways,
		NoSigs:            true,
		NoLog:             true,
		MaxPayload:        server.MAX_PAYLOAD_SIZE,
	})
	if err != nil {
		return fmt.Errorf("make nats server: %w", err)
	}
	// Start answers nothing, also when it fails: what it would have logged as fatal is kept.
	failures := &keptLogger{}
	running.SetLoggerV2(failures, false, false, false)
	go running.Start()
	if err := s.awaitReady(ctx, running, failures); err != nil {
		running.Shutdown()
		return err
	}
	if addr, ok := running.Addr().(*net.TCPAddr); ok {
		s.port = addr.Port
	}
	s.running, s.log, s.wanted = running, failures, true
	return nil
}

// Restart stops the server and starts it again on the same address; clients connect again by themselves. A server that
// was stopped stays so. After an error it does not run, and Restart may be called again.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wanted {
		return nil
	}
	s.stop()
	return s.start(ctx)
}

// Stuck returns nil while the server takes what is published, else why it will not before Restart: a write to the files
// of a stream has failed, which JetStream remembers for good, or it has closed JetStream, or does not run although it
// was not stopped.
func (s *Server) Stuck() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.wanted:
		return nil
	case s.running == nil:
		return errors.New("it could not be started again")
	case !s.running.JetStreamEnabled():
		return errors.New("it has closed JetStream")
	}
	return s.log.writeError()
}

// room is how many bytes the streams may take: what they have and what is free. The server's own rule, three quarters of
// what is free when it starts, forgets the former: on a disk that has filled up it would take nothing more, and refuse
// the streams that it has.
func (s *Server) room() (int64, error) {
	free, err := disk.Free(s.options.Dir)
	if err != nil {
		return 0, fmt.Errorf("nats server: %w", err)
	}
	used, err := disk.Used(s.options.Dir)
	if err != nil {
		return 0, fmt.Errorf("nats server: %w", err)
	}
	return max(used+free, 1), nil // 0 would be the server's own rule
}

func (s *Server) awaitReady(ctx context.Context, running *server.Server, failures *keptLogger) error {
	deadline := time.Now().Add(startLimit)
	for !running.ReadyForConnections(10 * time.Millisecond) {
		if text := failures.text(); text != "" {
			return fmt.Errorf("nats server: %s", text)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("wait for nats server: %w", ctx.Err())
		}
		if time.Now().After(deadline) {
			return errors.New("nats server did not become ready")
		}
	}
	if !running.JetStreamEnabled() {
		return fmt.Errorf("nats server runs without JetStream: %s", failures.text())
	}
	return nil
}

// Stop ends the server and waits until it is gone. Stopping a stopped server does nothing.
func (s *Server) Stop(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = false
	s.stop()
	return nil
}

func (s *Server) stop() {
	if s.running == nil {
		return
	}
	s.running.Shutdown()
	s.running.WaitForShutdown()
	s.running = nil
}

// URL is where clients connect; it stays the same over Stop and Start.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "nats://" + net.JoinHostPort(s.host, strconv.Itoa(s.port))
}
