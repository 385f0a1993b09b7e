package stream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Conn is a connection to the bus. It reconnects for as long as it lives and
// is safe for concurrent use.
type Conn struct {
	cfg  Config
	nc   *nats.Conn
	js   jetstream.JetStream
	gate *gate // shut while disconnected

	meters connMeters
}

// ErrDisconnected says that there is no connection to the bus at the moment.
var ErrDisconnected = errors.New("not connected to NATS")

// Connect makes a connection. A server that is away is no error: Connect
// returns, the connection goes on trying, and Ready says so. The errors are
// settings that cannot work.
func Connect(_ context.Context, cfg Config) (*Conn, error) {
	c := &Conn{cfg: cfg.withDefaults(), gate: newGate(), meters: newConnMeters(cfg.Meter)}
	link := &link{gate: c.gate, at: hosts(c.cfg.URL)}
	link.down(nil, nil)
	options := []nats.Option{
		nats.Name(c.cfg.Name),
		nats.MaxReconnects(-1),
		nats.PingInterval(20 * time.Second),
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // else a user that is refused twice, as by a server that reads its accounts again, is never heard of again
		nats.ReconnectWait(c.cfg.ReconnectWait),
		nats.ConnectHandler(link.up),
		nats.ReconnectHandler(link.up),
		nats.DisconnectErrHandler(link.down),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.cfg.Logger.WarnContext(context.Background(), "the bus reports an error", "error", err)
		}),
	}
	if c.cfg.CredsFile != "" {
		options = append(options, nats.UserCredentials(c.cfg.CredsFile))
	}
	nc, err := nats.Connect(c.cfg.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("connecting to NATS: %w", err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("connecting to JetStream: %w", err)
	}
	c.nc, c.js = nc, js
	if err := c.tellLink(cfg.Meter); err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

// hosts are the addresses of servers without what may be secret in them.
func hosts(urls string) string {
	var out []string
	for one := range strings.SplitSeq(urls, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil && u.Host != "" {
			out = append(out, u.Host)
		}
	}
	return strings.Join(out, ", ")
}

// link keeps a gate as the connection is. Its methods are called one after
// the other by the driver.
type link struct {
	gate    *gate
	at      string // of the servers
	release func()
}

func (l *link) down(_ *nats.Conn, err error) {
	if l.release == nil {
		l.release = l.gate.hold(errors.Join(fmt.Errorf("%w: %s", ErrDisconnected, l.at), err))
	}
}

func (l *link) up(*nats.Conn) {
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

// Ready answers whether the bus can be reached now: the probe of the runner
// and of readiness. The error is Unavailable.
func (c *Conn) Ready(ctx context.Context) error {
	if !c.nc.IsConnected() {
		return fault.Unavailable(fmt.Errorf("%w: %s", ErrDisconnected, hosts(c.cfg.URL)))
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.PublishWait)
	defer cancel()
	if err := c.nc.FlushWithContext(ctx); err != nil {
		return fault.Unavailable(fmt.Errorf("asking NATS: %w", err))
	}
	return nil
}

// Close sends what is still buffered and closes the connection.
func (c *Conn) Close() {
	if c.nc.IsConnected() {
		_ = c.nc.FlushTimeout(c.cfg.PublishWait)
	}
	c.nc.Close()
}

// unavailable marks an error of the bus. What the server decided about a
// request (a JetStream API error below 500) and what the caller ended stay as
// they are.
func unavailable(ctx context.Context, err error) error {
	if err == nil || fault.KindOf(err) == fault.KindUnavailable {
		return err
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && api.Code < 500 {
		return err
	}
	return fault.Unavailable(err)
}
