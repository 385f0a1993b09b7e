package stream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/colophon-dev/colophon/pkg/credential"
)

// store is the bus's name in errors and log lines about credentials.
const store = "NATS"

// dialTime bounds one attempt to reach one server: the driver's own bound.
const dialTime = 2 * time.Second

// identity is what a connection is made with, all of one moment.
type identity struct {
	servers        []string // addresses, without a user where all have the same one
	user, password string
	token          string
	jwt            string
	seed           []byte // of a user's nkey; nil: none
	nkey           string // its public key, where there is no JWT
	tls            *tls.Config
}

// identityOf makes the identity of a Config. Errors are ErrFile, or settings that cannot
// work.
func identityOf(c Config) func(read credential.Read) (*identity, error) {
	return func(read credential.Read) (*identity, error) {
		text, err := credential.Text(read, c.URL, c.URLFile)
		if err != nil {
			return nil, err
		}
		id := &identity{}
		if err := id.address(text); err != nil {
			if c.URLFile != "" {
				err = fmt.Errorf("%w: %s holds no addresses of NATS servers", credential.ErrFile, c.URLFile)
			}
			return nil, err
		}
		switch {
		case c.CredsFile != "" && c.NkeyFile != "":
			return nil, errors.New("a NATS credentials file and an nkey are both set; one of them says who we are")
		case c.CredsFile != "":
			err = id.readCreds(read, c.CredsFile)
		case c.NkeyFile != "":
			err = id.readNkey(read, c.NkeyFile)
		}
		if err != nil {
			return nil, err
		}
		if named, err := c.files().Named(); err != nil || !named {
			return id, err
		}
		id.tls, err = c.files().Client(read)
		return id, err
	}
}

func (c Config) files() credential.TLSFiles {
	return credential.TLSFiles{CA: c.CAFile, Cert: c.CertFile, Key: c.KeyFile}
}

// address takes the servers' addresses. Where all have the same user it is taken out of
// them: the driver asks for it at each connection, and servers that it learns of by
// itself need it too.
func (id *identity) address(text string) error {
	var users []*url.Userinfo
	for one := range strings.SplitSeq(text, ",") {
		one = strings.TrimSpace(one)
		if one == "" {
			continue
		}
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		if err != nil || u.Host == "" {
			return errors.New("an address of a NATS server cannot be parsed") // it may hold a password
		}
		users = append(users, u.User)
		id.servers = append(id.servers, u.String())
	}
	if len(users) == 0 {
		return errors.New("there is no address of a NATS server")
	}
	for _, user := range users {
		if user.String() != users[0].String() {
			return nil
		}
	}
	for i, server := range id.servers {
		if u, err := url.Parse(server); err == nil {
			u.User = nil
			id.servers[i] = u.String()
		}
	}
	password, both := users[0].Password()
	if !both { // a single word is a token
		id.token = users[0].Username()
		return nil
	}
	id.user, id.password = users[0].Username(), password
	return nil
}

func (id *identity) readCreds(read credential.Read, path string) error {
	data, err := read(path)
	if err == nil {
		id.seed, _, err = seedOf(data)
	}
	if errors.Is(err, credential.ErrFile) {
		return err
	}
	if err == nil {
		id.jwt, err = nkeys.ParseDecoratedJWT(data)
	}
	if err != nil || strings.Count(id.jwt, ".") != 2 { // without a frame the parser returns anything
		return fmt.Errorf("%w: %s holds no JWT of a user with its seed", credential.ErrFile, path)
	}
	return nil
}

func (id *identity) readNkey(read credential.Read, path string) error {
	data, err := read(path)
	if err != nil {
		return err
	}
	if id.seed, id.nkey, err = seedOf(data); err != nil {
		return fmt.Errorf("%w: %s holds no seed of a user's nkey", credential.ErrFile, path)
	}
	return nil
}

// seedOf finds the seed of a user's nkey, and the public key.
func seedOf(data []byte) (seed []byte, public string, err error) {
	pair, err := nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return nil, "", err
	}
	if public, err = pair.PublicKey(); err != nil {
		return nil, "", err
	}
	seed, err = pair.Seed()
	return seed, public, err
}

func (id *identity) sign(nonce []byte) ([]byte, error) {
	pair, err := nkeys.FromSeed(id.seed)
	if err != nil {
		return nil, errors.New("the seed is not one of an nkey")
	}
	defer pair.Wipe()
	return pair.Sign(nonce)
}

// options are those of a connection that asks who it is at each attempt.
func (c Config) options(who *who) nats.Option {
	return func(o *nats.Options) error {
		o.CustomDialer = who
		o.UserInfo = func() (string, string) { id := who.now(); return id.user, id.password }
		o.TokenHandler = func() string { return who.now().token }
		if c.CredsFile != "" {
			o.UserJWT = func() (string, error) { return who.now().jwt, nil }
		}
		if c.CredsFile != "" || c.NkeyFile != "" {
			o.Nkey = who.now().nkey
			o.SignatureCB = func(nonce []byte) ([]byte, error) { return who.now().sign(nonce) }
		}
		if named, _ := c.files().Named(); !named {
			return nil
		}
		o.Secure, o.TLSConfig = true, &tls.Config{MinVersion: tls.VersionTLS12}
		o.RootCAsCB = func() (*x509.CertPool, error) { return who.now().tls.RootCAs, nil }
		if c.CertFile != "" {
			o.TLSCertCB = func() (tls.Certificate, error) { return who.now().tls.Certificates[0], nil }
		}
		return nil
	}
}

// who answers the driver's questions who we are. They are asked one after the other,
// and those of one attempt are answered alike: the identity is that of its dialing.
type who struct {
	latest func() (*identity, error)
	nc     atomic.Pointer[nats.Conn] // nil while the first attempt is under way
	dialed atomic.Pointer[identity]
}

func (w *who) now() *identity {
	if id := w.dialed.Load(); id != nil {
		return id
	}
	return &identity{}
}

// Dial implements nats.CustomDialer. The driver holds the connection's lock here, and
// makes its CONNECT of the options afterwards under the same lock: the one moment at
// which the public key of another seed can be put there. While there is no identity
// nothing is dialed.
func (w *who) Dial(network, address string) (net.Conn, error) {
	id, err := w.latest()
	if err != nil {
		return nil, err
	}
	w.dialed.Store(id)
	if nc := w.nc.Load(); nc != nil {
		nc.Opts.Nkey = id.nkey
	}
	return (&net.Dialer{Timeout: dialTime}).Dial(network, address)
}

// isRefusal reports whether err is the server's word that it does not take who we are.
func (c Config) isRefusal(err error) bool {
	for _, one := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, one) {
			return true
		}
	}
	// With TLS 1.3 the handshake is over for us when the server looks at our certificate.
	var untrusted *tls.CertificateVerificationError
	return credential.OfCertificate(err) || c.CertFile != "" && errors.Is(err, nats.ErrTLS) && !errors.As(err, &untrusted)
}

// try connects with another identity, while the connection in use stays. Where that is
// lost already there is nothing to keep.
func (c *Conn) try(_ context.Context, id *identity) error {
	if !c.nc.IsConnected() {
		return nil
	}
	candidate := &who{latest: func() (*identity, error) { return id, nil }}
	candidate.dialed.Store(id)
	nc, err := nats.Connect(strings.Join(id.servers, ","), c.cfg.options(candidate), nats.Name(c.cfg.Name),
		nats.NoReconnect(), nats.Timeout(dialTime))
	switch {
	case err == nil:
		nc.Close()
		return nil
	case c.cfg.isRefusal(err):
		return credential.Refused(store, err)
	default:
		return fmt.Errorf("connecting to NATS: %w", err)
	}
}

// errRenewed is why nothing is pulled for a moment.
var errRenewed = errors.New("the connection to NATS is made again with other credentials")

// renew makes the connection again with an identity that is in use now. Pulling stops
// before, and acks are sent, so that little is delivered twice; what is published
// meanwhile waits.
func (c *Conn) renew(id *identity) {
	release := c.gate.hold(errRenewed)
	defer release()
	if c.nc.IsConnected() {
		_ = c.nc.FlushTimeout(c.cfg.PublishWait)
	}
	if err := c.nc.SetServerPool(id.servers); err != nil {
		c.cfg.Logger.Warn("the addresses of NATS cannot be used", "error", err)
		return
	}
	_ = c.nc.ForceReconnect() // of one that is closed: nothing
}
