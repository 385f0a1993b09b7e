package access

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/secrets"
)

// bus is a NATS server that runs with what `provision --print-accounts` printed, and
// takes nobody without a certificate and an nkey of it.
type bus struct {
	address  string // host:port
	accounts string // what was printed
	clients  []*secrets.Authority
	own      *secrets.Authority
	server   *server.Server
	seeds    string            // folder of today's seeds
	roles    map[string]string // by public key, of all seeds that ever were
	log      *busLog
}

// root user of the bus, who is not in the table: it stands for what befalls a bus.
const chaos = "chaos"

// startBus prints the accounts and starts a server with them.
func (r *rig) startBus() *bus {
	r.t.Helper()
	b := &bus{
		address: devtest.FreeAddress(r.t), seeds: filepath.Join(r.dir, "seeds"), roles: make(map[string]string),
		own: r.first, clients: []*secrets.Authority{r.first},
	}
	b.log = newBusLog(b)
	r.bus = b
	r.printAccounts(b.seeds)
	r.showSeeds()
	b.start(r)
	r.t.Cleanup(b.stop)
	return b
}

// printAccounts has the accounts printed with the seeds in some folders.
func (r *rig) printAccounts(seeds ...string) {
	r.t.Helper()
	args := []string{"provision", "--print-accounts", "--crawler", source, "--consumer", consumer, "--sink", consumer}
	for _, folder := range seeds {
		args = append(args, "--seeds", folder)
	}
	r.bus.accounts = r.operator(args...)
	if regexp.MustCompile(`\bSU[A-Z0-9]{56}\b`).MatchString(r.bus.accounts) {
		r.t.Error("a secret seed is printed with the configuration")
	}
	for _, role := range access.Roles(names()) {
		if len(role.Bus) > 0 {
			r.bus.roles[publicKey(r.t, filepath.Join(seeds[0], role.Name+".nk"))] = role.Name
		}
	}
}

// showSeeds gives each role the seed of today's folder.
func (r *rig) showSeeds() {
	r.t.Helper()
	for _, role := range r.bus.roles {
		seed, err := os.ReadFile(filepath.Join(r.bus.seeds, role+".nk"))
		if err != nil {
			r.t.Fatal(err)
		}
		r.mount(role).Change(map[string]string{"seed": string(seed)})
	}
}

// options are those of the server as everything is now.
func (b *bus) options(r *rig) *server.Options {
	r.t.Helper()
	config := filepath.Join(r.dir, "nats.conf")
	head := fmt.Sprintf("listen: %q\njetstream { store_dir: %q }\n", b.address, filepath.Join(r.dir, "jetstream"))
	if err := os.WriteFile(config, []byte(head+b.accounts), 0o600); err != nil {
		r.t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(config)
	if err != nil {
		r.t.Fatalf("the server does not read what was printed: %v\n%s", err, b.accounts)
	}
	missing := make(map[string]bool)
	for _, role := range b.roles {
		missing[role] = true
	}
	for _, u := range o.Nkeys {
		if b.roles[u.Nkey] == "" {
			r.t.Errorf("user %s of the configuration is no role", u.Nkey)
		}
		delete(missing, b.roles[u.Nkey])
	}
	if len(missing) > 0 {
		r.t.Errorf("roles without a user in the configuration: %v", missing)
	}
	o.NoSigs, o.TLSConfig, o.TLSTimeout, o.AuthTimeout = true, b.own.Server(b.clients...), 10, 10
	o.Users = append(o.Users, &server.User{Username: chaos, Password: chaos, Account: o.Nkeys[0].Account})
	return o
}

func (b *bus) start(r *rig) {
	r.t.Helper()
	s, err := server.NewServer(b.options(r))
	if err != nil {
		r.t.Fatal(err)
	}
	s.SetLoggerV2(b.log, false, true, false)
	go s.Start()
	if !s.ReadyForConnections(limit) {
		r.t.Fatal("NATS is not ready")
	}
	b.server = s
}

// reload has the server read what has changed, as on SIGHUP.
func (b *bus) reload(r *rig) {
	r.t.Helper()
	if err := b.server.ReloadOptions(b.options(r)); err != nil {
		r.t.Fatal(err)
	}
}

// connections are those that are open.
func (b *bus) connections() []*server.ConnInfo {
	known, err := b.server.Connz(&server.ConnzOptions{Username: true, Limit: keptConnections})
	if err != nil {
		return nil
	}
	return known.Conns
}

// users are the public keys of those that are connected.
func (b *bus) users() []string {
	var users []string
	for _, c := range b.connections() {
		users = append(users, c.AuthorizedUser)
	}
	return users
}

func (b *bus) stop() {
	b.log.name()
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

func publicKey(t *testing.T, path string) string {
	t.Helper()
	seed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// connect returns a connection of a role that is not that of the product.
func (r *rig) connect(role string, more ...nats.Option) *nats.Conn {
	r.t.Helper()
	nc, err := r.tryConnect(role, append([]nats.Option{nats.CustomInboxPrefix(access.Inbox(role))}, more...)...)
	if err != nil {
		r.t.Fatalf("as %s: %v", role, err)
	}
	r.t.Cleanup(nc.Close)
	return nc
}

func (r *rig) tryConnect(role string, more ...nats.Option) (*nats.Conn, error) {
	m := r.mount(role)
	options := []nats.Option{
		nats.Timeout(10 * time.Second), nats.RootCAs(m.Path("ca.crt")), nats.ClientCert(m.Path("tls.crt"), m.Path("tls.key")),
		nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
	}
	if role == chaos {
		options = append(options, nats.UserInfo(chaos, chaos))
	} else {
		key, err := nats.NkeyOptionFromSeed(m.Path("seed"))
		if err != nil {
			return nil, err
		}
		options = append(options, key)
	}
	return nats.Connect("tls://"+r.bus.address, append(options, more...)...)
}

// used is a right that was used: by whom, publish or subscribe, on what.
type used struct{ role, verb, subject string }

// busLog reads the server's own log: what each user has published and subscribed to,
// and what it was refused. The log has the numbers of connections; the server tells
// later with which key each was made.
type busLog struct {
	bus      *bus
	mu       sync.Mutex
	said     map[said]bool // not yet known of whom
	all      map[used]bool
	refusals []string
}

// said is a use of a right by a connection.
type said struct {
	connection    uint64
	verb, subject string
}

func newBusLog(b *bus) *busLog {
	return &busLog{bus: b, said: make(map[said]bool), all: make(map[used]bool)}
}

var (
	logClient = regexp.MustCompile(`cid:(\d+)`)
	logVerb   = regexp.MustCompile(`<<- \[(PUB|HPUB|SUB) (\S+)`)
)

// Tracef implements server.Logger.
func (l *busLog) Tracef(format string, values ...any) {
	line := fmt.Sprintf(format, values...)
	id, verb := logClient.FindStringSubmatch(line), logVerb.FindStringSubmatch(line)
	if id == nil || verb == nil {
		return
	}
	connection, err := strconv.ParseUint(id[1], 10, 64)
	if err != nil {
		return
	}
	name := "publish"
	if verb[1] == "SUB" {
		name = "subscribe"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said[said{connection, name, verb[2]}] = true
}

// keptConnections is how many connections that have ended the server still tells of.
const keptConnections = 10_000

// name finds out who has said what was said so far. The server tells of connections that
// have ended as well; those of before it was started again are not known to it.
func (l *busLog) name() {
	roles := make(map[uint64]string)
	for _, state := range []server.ConnState{server.ConnOpen, server.ConnClosed} {
		known, err := l.bus.server.Connz(&server.ConnzOptions{Username: true, State: state, Limit: keptConnections})
		if err != nil {
			continue
		}
		for _, c := range known.Conns {
			roles[c.Cid] = l.bus.roles[c.AuthorizedUser]
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.said {
		if role := roles[s.connection]; role != "" { // else chaos
			l.all[used{role, s.verb, s.subject}] = true
		}
	}
	clear(l.said)
}

// Errorf implements server.Logger.
func (l *busLog) Errorf(format string, values ...any) {
	line := fmt.Sprintf(format, values...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(line, "Violation") {
		for key, role := range l.bus.roles {
			line = strings.ReplaceAll(line, key, role)
		}
		l.refusals = append(l.refusals, line)
	}
}

// Noticef implements server.Logger.
func (*busLog) Noticef(string, ...any) {}

// Warnf implements server.Logger.
func (*busLog) Warnf(string, ...any) {}

// Fatalf implements server.Logger.
func (*busLog) Fatalf(string, ...any) {}

// Debugf implements server.Logger.
func (*busLog) Debugf(string, ...any) {}

// uses returns what was used so far, and what was refused.
func (l *busLog) uses() (map[used]bool, []string) {
	l.name()
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.all), append([]string(nil), l.refusals...)
}
