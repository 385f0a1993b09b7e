package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Conn is a connection to the bus. It reconnects for as long as it lives and
// is safe for concurrent use.
type Conn struct {
	cfg      Config
	nc       *nats.Conn
	js       jetstream.JetStream
	gate     *gate // shut while disconnected
	identity *credential.Watched[*identity]
	standing credential.Standing
	// standingOrder is held while it is decided what to note, so that a refusal is not noted
	// after the connection that ended it.
	standingOrder sync.Mutex
	closing       func() // ends what looks at the identity's files
	denials       denials

	meters connMeters
}

// ErrDisconnected says that there is no connection to the bus at the moment.
var ErrDisconnected = errors.New("not connected to NATS")

// Connect makes a connection. A server that is away is no error, and neither is a file of
// credentials that cannot be used: Connect returns, the connection goes on trying, and
// Ready says so. The errors are settings that cannot work.
//
// The files are looked at every five seconds, and when the connection is lost. When they
// have changed, and a server takes what they hold, the connection is made again with it.
func Connect(ctx context.Context, cfg Config) (*Conn, error) {
	c := &Conn{cfg: cfg.withDefaults(), gate: newGate(), meters: newConnMeters(cfg.Meter)}
	if strings.ContainsAny(c.cfg.Role, " \t\r\n.*>") {
		return nil, fmt.Errorf("connecting to NATS: %q cannot be a role: it is a part of subjects", c.cfg.Role)
	}
	c.standing.Log = c.cfg.Logger
	c.identity = credential.Watch(credential.Options{Store: store, Every: c.cfg.CheckEvery, Log: c.cfg.Logger}, identityOf(c.cfg))
	id, err := c.identity.Latest()
	if err != nil && !errors.Is(err, credential.ErrFile) {
		return nil, fmt.Errorf("connecting to NATS: %w", errors.Unwrap(err))
	}
	servers := []string{nowhere}
	who := &who{latest: c.identity.Used}
	if id != nil {
		servers = id.servers
		who.dialed.Store(id)
	}
	link := &link{conn: c, at: servers}
	link.down(nil, nil)
	options := []nats.Option{
		nats.Name(c.cfg.Name),
		nats.CustomInboxPrefix(access.Inbox(c.cfg.Role)),
		nats.MaxReconnects(-1),
		nats.PingInterval(20 * time.Second),
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // else a user that is refused twice, as by a server that reads its accounts again, is never heard of again
		nats.ReconnectWait(c.cfg.ReconnectWait),
		nats.ConnectHandler(link.up),
		nats.ReconnectHandler(link.up),
		nats.DisconnectErrHandler(link.down),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { c.note(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.denials.note(err)
			if !c.note(err) {
				c.cfg.Logger.WarnContext(context.Background(), "the bus reports an error", "error", err)
			}
		}),
		c.cfg.options(who),
	}
	nc, err := nats.Connect(strings.Join(servers, ","), options...)
	if err != nil {
		return nil, fmt.Errorf("connecting to NATS: %w", err)
	}
	who.nc.Store(nc)
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
	c.closing = c.keep(ctx)
	return c, nil
}

// nowhere stands for the addresses while their file is not there: nothing is dialed.
const nowhere = "nats://not-known.invalid:4222"

// keep looks at the identity's files until the function that it returns is called.
func (c *Conn) keep(ctx context.Context) (stop func()) {
	if !c.identity.OfFiles() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.identity.Keep(ctx, c.try, c.renew)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// note says once in the log that the server refuses who we are, and looks at the files
// at once. It is false of another error.
func (c *Conn) note(err error) (refused bool) {
	if err == nil || !c.cfg.isRefusal(err) {
		return false
	}
	c.identity.Kick()
	_ = c.standing.Note(context.Background(), store, credential.Refused(store, err))
	return true
}

// hosts are the addresses of servers without what may be secret in them.
func hosts(servers []string) string {
	var out []string
	for _, one := range servers {
		if u, err := url.Parse(one); err == nil && u.Host != "" {
			out = append(out, u.Host)
		}
	}
	return strings.Join(out, ", ")
}

// link keeps a gate as the connection is. Its methods are called one after
// the other by the driver.
type link struct {
	conn    *Conn
	at      []string // addresses of the servers
	release func()
}

func (l *link) down(_ *nats.Conn, err error) {
	l.conn.identity.Kick()
	l.conn.denials.forget()
	if l.release == nil {
		l.release = l.conn.gate.hold(errors.Join(fmt.Errorf("%w: %s", ErrDisconnected, hosts(l.at)), err))
	}
}

func (l *link) up(*nats.Conn) {
	l.conn.standingOrder.Lock()
	_ = l.conn.standing.Note(context.Background(), store, nil)
	l.conn.standingOrder.Unlock()
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

// Ready answers whether the bus can be reached now: the probe of the runner
// and of readiness. The error is Unavailable.
func (c *Conn) Ready(ctx context.Context) error {
	if !c.nc.IsConnected() {
		return c.away()
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.PublishWait)
	defer cancel()
	if err := c.nc.FlushWithContext(ctx); err != nil {
		return fault.Unavailable(fmt.Errorf("asking NATS: %w", err))
	}
	return nil
}

// away says why there is no connection: there is nothing to connect with, the servers
// refuse it, or they cannot be reached.
func (c *Conn) away() error {
	id, err := c.identity.Used()
	if err != nil {
		return err
	}
	why := c.nc.LastError()
	if why != nil && c.cfg.isRefusal(why) {
		return c.noteAway(credential.Refused(store, why))
	}
	err = fmt.Errorf("%w: %s", ErrDisconnected, hosts(id.servers))
	var dialed *net.OpError
	if why != nil && !errors.As(why, &dialed) { // the driver's own words, which hold no secret
		err = fmt.Errorf("%w: %w", err, why)
	}
	return fault.Unavailable(err)
}

// noteAway notes refused, which the driver does not tell of before it was connected once.
// By now the connection may be there, and up may have noted that: then refused is of
// before, and is not noted. It returns refused.
func (c *Conn) noteAway(refused error) error {
	c.standingOrder.Lock()
	defer c.standingOrder.Unlock()
	if !c.nc.IsConnected() {
		_ = c.standing.Note(context.Background(), store, refused)
	}
	return refused
}

// Close sends what is still buffered and closes the connection.
func (c *Conn) Close() {
	c.closing()
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
