// Package rpc brings credentials that change to gRPC connections.
package rpc

import (
	"context"
	"crypto/tls"
	"net"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// Transport is TLS whose settings are asked for at each handshake. A connection that
// stands keeps those that it was made with, until Renew ends it.
type Transport struct {
	settings func() (*tls.Config, error)
	server   string // overrides the authority; empty: none
	standing *standing
}

var _ credentials.TransportCredentials = (*Transport)(nil)

// standing are connections, each with the settings that it was made with.
type standing struct {
	mu    sync.Mutex
	conns map[net.Conn]*tls.Config
}

// NewTransport returns a Transport of these settings, which are others when they are at
// another address.
func NewTransport(settings func() (*tls.Config, error)) *Transport {
	return &Transport{settings: settings, standing: &standing{conns: make(map[net.Conn]*tls.Config)}}
}

// Renew ends the connections, also those of clones, that were made with other settings
// than those of now, so that the next call makes a new one. Settings that cannot be had
// end nothing. What is under way on them fails: it is for who has no call under way, or
// makes it again.
func (t *Transport) Renew() {
	settings, err := t.settings()
	if err != nil {
		return
	}
	for _, conn := range t.standing.others(settings) {
		_ = conn.Close()
	}
}

func (s *standing) others(settings *tls.Config) []net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var others []net.Conn
	for conn, made := range s.conns {
		if made != settings {
			others = append(others, conn)
		}
	}
	return others
}

// counted is a connection that is standing until it is closed.
type counted struct {
	net.Conn
	standing *standing
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.standing.mu.Lock()
	delete(c.standing.conns, c)
	c.standing.mu.Unlock()
	return c.Conn.Close()
}

// ClientHandshake implements credentials.TransportCredentials.
func (t *Transport) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	settings, err := t.settings()
	if err != nil {
		return nil, nil, err
	}
	if t.server != "" {
		authority = t.server
	}
	made, info, err := credentials.NewTLS(settings).ClientHandshake(ctx, authority, conn)
	if err != nil {
		return nil, nil, err
	}
	own := &counted{Conn: made, standing: t.standing}
	t.standing.mu.Lock()
	defer t.standing.mu.Unlock()
	t.standing.conns[own] = settings
	return own, info, nil
}

// ServerHandshake implements credentials.TransportCredentials; this is a client's.
func (t *Transport) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, net.ErrClosed
}

// Info implements credentials.TransportCredentials.
func (t *Transport) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

// Clone implements credentials.TransportCredentials.
func (t *Transport) Clone() credentials.TransportCredentials {
	return &Transport{settings: t.settings, server: t.server, standing: t.standing}
}

// OverrideServerName implements credentials.TransportCredentials.
func (t *Transport) OverrideServerName(name string) error {
	t.server = name
	return nil
}

// Headers returns what adds headers to each call, asked for anew each time. Names are in
// lower case. They go over connections without TLS as well.
func Headers(headers func() (map[string]string, error)) credentials.PerRPCCredentials {
	return perCall(headers)
}

type perCall func() (map[string]string, error)

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (p perCall) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	headers, err := p()
	if err != nil { // else gRPC makes of it that the server refuses us
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	return headers, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (perCall) RequireTransportSecurity() bool { return false }
