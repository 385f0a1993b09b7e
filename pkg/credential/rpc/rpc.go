// Package rpc brings credentials that change to gRPC connections.
package rpc

import (
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// Transport returns TLS whose settings are asked for at each handshake. A connection
// that stands keeps those that it was made with.
func Transport(settings func() (*tls.Config, error)) credentials.TransportCredentials {
	return &transport{settings: settings}
}

type transport struct {
	settings func() (*tls.Config, error)
	server   string // overrides the authority; empty: none
}

// ClientHandshake implements credentials.TransportCredentials.
func (t *transport) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	settings, err := t.settings()
	if err != nil {
		return nil, nil, err
	}
	if t.server != "" {
		authority = t.server
	}
	return credentials.NewTLS(settings).ClientHandshake(ctx, authority, conn)
}

// ServerHandshake implements credentials.TransportCredentials; this is a client's.
func (t *transport) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, net.ErrClosed
}

// Info implements credentials.TransportCredentials.
func (t *transport) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

// Clone implements credentials.TransportCredentials.
func (t *transport) Clone() credentials.TransportCredentials {
	return &transport{settings: t.settings, server: t.server}
}

// OverrideServerName implements credentials.TransportCredentials.
func (t *transport) OverrideServerName(name string) error {
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
