package credentials_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/test/secrets"
)

// bus is a NATS server whose users and certificates a test changes.
type bus struct {
	t       *testing.T
	server  *server.Server
	options *server.Options
}

func newBus(t *testing.T, change func(*server.Options)) *bus {
	t.Helper()
	o := &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		MaxPayload: server.MAX_PAYLOAD_SIZE, TLSTimeout: 5, AuthTimeout: 5,
	}
	change(o)
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(devtest.Patience) {
		t.Fatal("the server is not ready")
	}
	addr, _ := s.Addr().(*net.TCPAddr)
	o.Port = addr.Port
	return &bus{t: t, server: s, options: o}
}

func (b *bus) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", b.options.Port) }

// change has the server read other settings, as on SIGHUP.
func (b *bus) change(change func(*server.Options)) {
	b.t.Helper()
	next := b.options.Clone()
	change(next)
	if err := b.server.ReloadOptions(next); err != nil {
		b.t.Fatal(err)
	}
	b.options = next
}

// users are those of the connections.
func (b *bus) users() []string {
	b.t.Helper()
	connections, err := b.server.Connz(&server.ConnzOptions{Username: true})
	if err != nil {
		b.t.Fatal(err)
	}
	var users []string
	for _, c := range connections.Conns {
		users = append(users, c.AuthorizedUser)
	}
	return users
}

// asNkeys lets in these users, by their public keys.
func asNkeys(keys ...string) func(*server.Options) {
	return func(o *server.Options) {
		o.Nkeys = nil
		for _, key := range keys {
			o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: key})
		}
	}
}

// asUser lets in one user with a password.
func asUser(name, password string) func(*server.Options) {
	return func(o *server.Options) { o.Users = []*server.User{{Username: name, Password: password}} }
}

func newSeed(t *testing.T) (seed, public string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	secret, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = pair.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return string(secret), public
}

// load is a runner whose messages are published while things change.
type load struct {
	t       *testing.T
	conn    *stream.Conn
	runner  *stream.Runner
	mu      sync.Mutex
	handled map[string]int
	emitted atomic.Int64
	rounds  int // of publish
	stop    func()
}

// Handle implements stream.Handler: each message takes a moment, and causes another one.
func (l *load) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	d, err := event.As[event.SnapshotStored](e)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Millisecond):
	}
	err = emit(ctx, event.PageSplit{SnapshotID: d.SnapshotID, SourceID: "town", ExtractionID: "x", PageCount: 1, Pages: onePage()})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handled[d.SnapshotID]++
	return nil
}

// Fail implements stream.Failer.
func (l *load) Fail(_ context.Context, e event.Event, reason fault.Reason, sentence string, _ stream.Emit) error {
	l.t.Errorf("%s failed: %s, %s", e.ID, reason, sentence)
	return nil
}

func quick(c *stream.Config) {
	c.CheckEvery, c.ReconnectWait, c.ProbeEvery, c.AckWait = 20*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond, 2*time.Second
	c.PullWait = time.Second
}

// newLoad connects, provisions and runs.
func newLoad(t *testing.T, c stream.Config) *load {
	t.Helper()
	quick(&c)
	l := &load{t: t, handled: make(map[string]int)}
	var err error
	if l.conn, err = stream.Connect(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.conn.Close)
	eventually(t, "the bus is there", func() error { return l.conn.Ready(t.Context()) })
	if err := stream.Provision(t.Context(), l.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l.runner, err = stream.NewRunner(l.conn, l, stream.Options{Consumer: stream.ConsumerSplit, Service: "splitter", Workers: 4, Attempts: db}); err != nil {
		t.Fatal(err)
	}
	running, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		if err := l.runner.Run(running); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); group.Wait() })
	l.publish()
	return l
}

// waiting is how many messages may wait to be handled.
const waiting = 100

// publish sends messages until stop; each must be taken.
func (l *load) publish() {
	l.rounds++
	round := l.rounds
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for worker := range 2 {
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if int(l.emitted.Load())-l.count() > waiting {
					select {
					case <-ctx.Done():
					case <-time.After(time.Millisecond):
					}
					continue
				}
				data := event.SnapshotStored{SnapshotID: fmt.Sprintf("s%d-%d-%d", round, worker, i), SourceID: "town", DocumentID: "d", ContentHash: "sha256:00", FinalType: "html"}
				if err := l.conn.Publisher("capturer").Emit(l.t.Context(), data); err != nil {
					l.t.Errorf("%s was not taken: %v", data.SnapshotID, err)
					return
				}
				l.emitted.Add(1)
			}
		})
	}
	l.stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	l.t.Cleanup(l.stop)
}

// goesOn waits until more was handled than now.
func (l *load) goesOn() {
	l.t.Helper()
	before := l.count()
	eventually(l.t, "messages are handled", func() error { return holds(l.count() > before+20) })
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.handled)
}

// ends stops to publish and holds that each message was handled.
func (l *load) ends() {
	l.t.Helper()
	l.stop()
	eventually(l.t, "all are handled", func() error {
		if got, want := l.count(), int(l.emitted.Load()); got != want {
			return fmt.Errorf("%d of %d", got, want)
		}
		return l.runner.Ready(l.t.Context())
	})
	twice := 0
	l.mu.Lock()
	for _, n := range l.handled {
		twice += n - 1
	}
	l.mu.Unlock()
	l.t.Logf("%d messages, %d handled twice", l.emitted.Load(), twice)
}

// TestNATSUnderLoad: nkeys, certificates and authorities are changed and revoked while
// messages are published and handled. None is lost, and nobody has to be started again.
func TestNATSUnderLoad(t *testing.T) {
	first, second := secrets.NewAuthority(t, "first"), secrets.NewAuthority(t, "second")
	seed, public := newSeed(t)
	files := secrets.NewMount(t, first.Client("splitter", secrets.InAnHour()), map[string]string{"seed": seed})
	b := newBus(t, func(o *server.Options) {
		o.TLSConfig = first.Server(first)
		asNkeys(public)(o)
	})
	var log journal
	l := newLoad(t, stream.Config{
		URL: b.url(), NkeyFile: files.Path("seed"), CAFile: files.Path("ca.crt"), CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key"),
		Logger: log.log(),
	})
	l.goesOn()

	// A key that the server does not know yet changes nothing, and the log says so once.
	seed2, public2 := newSeed(t)
	files.Change(map[string]string{"seed": seed2})
	eventually(t, "it is tried", func() error { return holds(log.count("those of before are") == 1) })
	l.goesOn()
	if err := l.conn.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	// When the server knows it, the connection is made with it, and the first can go.
	b.change(asNkeys(public, public2))
	eventually(t, "the second key is used", func() error { return holds(strings.Join(b.users(), "") == public2) })
	b.change(asNkeys(public2))
	l.goesOn()
	if n := log.count("those of before are"); n != 1 {
		t.Errorf("said %d times", n)
	}
	// A half-written file changes nothing.
	files.Change(map[string]string{"seed": seed2[:20], "tls.key": ""})
	eventually(t, "it is seen", func() error { return holds(log.count("those of before are") == 2) })
	l.goesOn()
	// Another authority, first for the clients' certificates, then for the server's.
	both := map[string]string{"ca.crt": first.PEM + second.PEM, "seed": seed2}
	b.change(func(o *server.Options) { o.TLSConfig = first.Server(first, second) })
	files.Change(second.Client("splitter", secrets.InAnHour()), both)
	eventually(t, "the files are used", func() error { return holds(log.count("credentials have changed") >= 2) })
	b.change(func(o *server.Options) { o.TLSConfig = second.Server(second) })
	l.goesOn()
	b.change(func(*server.Options) {}) // and nothing comes of a change of nothing
	// The bus is lost: it comes back with what is in the files.
	b.server.DisconnectClientByID(firstClient(b))
	l.goesOn()
	l.ends()
	log.holdsNone(t, seed, seed2)
}

func firstClient(b *bus) uint64 {
	connections, err := b.server.Connz(nil)
	if err != nil || len(connections.Conns) == 0 {
		b.t.Fatalf("no connection: %v", err)
	}
	return connections.Conns[0].Cid
}

// TestNATSPasswordInAFile: a URL whose password changes, wrong at first and not there
// before that.
func TestNATSPasswordInAFile(t *testing.T) {
	b := newBus(t, asUser("app", "right"))
	files := secrets.NewMount(t, map[string]string{"other": ""})
	url := func(password string) map[string]string {
		return map[string]string{"url": strings.Replace(b.url(), "nats://", "nats://app:"+password+"@", 1) + "\n"}
	}
	var log journal
	c := stream.Config{URLFile: files.Path("url"), Logger: log.log()}
	quick(&c)
	conn, err := stream.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Ready(t.Context())
	if fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), files.Path("url")) {
		t.Errorf("without its file: %v", err)
	}
	files.Change(url("wrong-1"))
	eventually(t, "it is refused", func() error { return holds(isRefused(conn.Ready(t.Context()), "NATS")) })
	files.Change(url("right"))
	eventually(t, "it is ready", func() error { return conn.Ready(t.Context()) })
	b.change(asUser("app", "right-2"))
	eventually(t, "it is refused again", func() error { return holds(isRefused(conn.Ready(t.Context()), "NATS")) })
	files.Change(url("right-2"))
	eventually(t, "it is ready again", func() error { return conn.Ready(t.Context()) })
	if a, b := log.count("refuses our"), log.count("takes our"); a != 2 || b != 2 {
		t.Errorf("said %d and %d times", a, b)
	}
	log.holdsNone(t, "wrong-1", "right")
}

// isRefused reports whether err says that the store refuses our credentials, and is no
// attempt.
func isRefused(err error, store string) bool {
	return err != nil && fault.KindOf(err) == fault.KindUnavailable && strings.Contains(err.Error(), store+" "+credential.ErrRefused.Error())
}

// operator is a NATS operator with one account.
type operator struct {
	t       *testing.T
	public  string
	account nkeys.KeyPair
	id, jwt string // of the account

	system, systemJWT string // of the account of the server itself
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	o := &operator{t: t}
	root, err := nkeys.CreateOperator()
	if err != nil {
		t.Fatal(err)
	}
	if o.public, err = root.PublicKey(); err != nil {
		t.Fatal(err)
	}
	if o.account, err = nkeys.CreateAccount(); err != nil {
		t.Fatal(err)
	}
	if o.id, err = o.account.PublicKey(); err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewAccountClaims(o.id)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	if o.jwt, err = claims.Encode(root); err != nil {
		t.Fatal(err)
	}
	system, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	if o.system, err = system.PublicKey(); err != nil {
		t.Fatal(err)
	}
	if o.systemJWT, err = jwt.NewAccountClaims(o.system).Encode(root); err != nil {
		t.Fatal(err)
	}
	return o
}

// trust lets in the users of the operator's account.
func (o *operator) trust(options *server.Options) {
	resolver := &server.MemAccResolver{}
	for id, text := range map[string]string{o.id: o.jwt, o.system: o.systemJWT} {
		if err := resolver.Store(id, text); err != nil {
			o.t.Fatal(err)
		}
	}
	options.TrustedKeys, options.AccountResolver, options.SystemAccount = []string{o.public}, resolver, o.system
}

// creds are a new user's, good until then.
func (o *operator) creds(name string, until time.Time) map[string]string {
	o.t.Helper()
	seed, public := newSeed(o.t)
	claims := jwt.NewUserClaims(public)
	claims.Name, claims.Expires = name, until.Unix()
	text, err := claims.Encode(o.account)
	if err != nil {
		o.t.Fatal(err)
	}
	file, err := jwt.FormatUserConfig(text, []byte(seed))
	if err != nil {
		o.t.Fatal(err)
	}
	return map[string]string{"creds": string(file)}
}

// TestNATSCredentialsThatExpire: a JWT that is renewed in time is no event at all; one
// that has expired is refused until there is another.
func TestNATSCredentialsThatExpire(t *testing.T) {
	o := newOperator(t)
	b := newBus(t, o.trust)
	files := secrets.NewMount(t, o.creds("zeroth", secrets.InAnHour()))
	var log journal
	l := newLoad(t, stream.Config{URL: b.url(), CredsFile: files.Path("creds"), Logger: log.log()})
	l.goesOn()
	soon := time.Now().Add(10 * time.Second) // time enough for a busy machine to renew it
	files.Change(o.creds("first", soon))
	eventually(t, "the first is used", func() error { return holds(log.count("credentials have changed") == 1) })
	files.Change(o.creds("second", secrets.InAnHour()))
	eventually(t, "the second is used", func() error { return holds(log.count("credentials have changed") == 2) })
	eventually(t, "the first has expired", func() error { return holds(time.Now().After(soon.Add(time.Second))) })
	l.goesOn()
	if n := log.count("refuses our"); n != 0 {
		t.Errorf("refused %d times", n)
	}
	l.stop() // what is published while nobody can would be refused in time
	files.Change(o.creds("short", time.Now().Add(3*time.Second)))
	eventually(t, "it has expired", func() error { return holds(isRefused(l.runner.Ready(t.Context()), "NATS")) })
	files.Change(o.creds("third", secrets.InAnHour()))
	eventually(t, "the third is used", func() error { return l.runner.Ready(t.Context()) })
	l.publish()
	l.goesOn()
	l.ends()
}

// TestNATSCertificateThatExpires: the server looks at it when a connection is made.
func TestNATSCertificateThatExpires(t *testing.T) {
	a := secrets.NewAuthority(t, "authority")
	b := newBus(t, func(o *server.Options) { o.TLSConfig = a.Server(a) })
	until := time.Now().Add(2 * time.Second)
	files := secrets.NewMount(t, a.Client("splitter", until))
	c := stream.Config{URL: b.url(), CAFile: files.Path("ca.crt"), CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key")}
	quick(&c)
	conn, err := stream.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	eventually(t, "it is ready", func() error { return conn.Ready(t.Context()) })
	eventually(t, "it has expired", func() error { return holds(time.Now().After(until)) })
	b.server.DisconnectClientByID(firstClient(b))
	eventually(t, "it is refused", func() error { return holds(isRefused(conn.Ready(t.Context()), "NATS")) })
	files.Change(a.Client("splitter", secrets.InAnHour()))
	eventually(t, "it is ready again", func() error { return conn.Ready(t.Context()) })

	// A server that is not to be trusted is not said to refuse us.
	other := secrets.NewAuthority(t, "other")
	files.Change(map[string]string{"ca.crt": other.PEM})
	c.Name = "second"
	second, err := stream.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	eventually(t, "it is not trusted", func() error {
		err := second.Ready(t.Context())
		return holds(err != nil && !isRefused(err, "NATS") && strings.Contains(err.Error(), "x509"))
	})
}
