package access

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/colophon-dev/colophon/pkg/access"
)

// bus is a NATS server that runs with what `provision --print-accounts` printed.
type bus struct {
	url    string
	config string
	seeds  string // folder
	log    *busLog
}

// root user of the bus, who is not in the table: it stands for what befalls a bus.
const chaos = "chaos"

// startBus prints the accounts and starts a server with them.
func (r *rig) startBus() *bus {
	r.t.Helper()
	b := &bus{seeds: filepath.Join(r.dir, "seeds"), config: filepath.Join(r.dir, "nats.conf"), log: newBusLog()}
	printed := r.operator("provision", "--print-accounts", "--seeds", b.seeds, "--crawler", source, "--consumer", consumer)
	if strings.Contains(printed, "SU") && regexp.MustCompile(`\bSU[A-Z0-9]{56}\b`).MatchString(printed) {
		r.t.Error("a secret seed is printed with the configuration")
	}
	head := fmt.Sprintf("listen: \"127.0.0.1:-1\"\njetstream { store_dir: %q }\n", filepath.Join(r.dir, "jetstream"))
	if err := os.WriteFile(b.config, []byte(head+printed), 0o600); err != nil {
		r.t.Fatal(err)
	}
	options, err := server.ProcessConfigFile(b.config)
	if err != nil {
		r.t.Fatalf("the server does not read what was printed: %v\n%s", err, printed)
	}
	options.NoSigs = true
	options.Users = append(options.Users, b.withPasswords(r, options)...)
	s, err := server.NewServer(options)
	if err != nil {
		r.t.Fatal(err)
	}
	s.SetLoggerV2(b.log, false, true, false)
	go s.Start()
	if !s.ReadyForConnections(limit) {
		r.t.Fatal("NATS is not ready")
	}
	r.t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	b.url = s.ClientURL()
	return b
}

// withPasswords returns users with the same rights as those of the configuration, who
// are named after their roles, and one who may everything. The server's log names them.
func (b *bus) withPasswords(r *rig, options *server.Options) []*server.User {
	r.t.Helper()
	roles := make(map[string]string)
	for _, role := range access.Roles(names()) {
		if len(role.Bus) > 0 {
			roles[r.publicKey(b, role.Name)] = role.Name
		}
	}
	var users []*server.User
	var account *server.Account
	for _, u := range options.Nkeys {
		name, known := roles[u.Nkey]
		if !known {
			r.t.Errorf("user %s of the configuration is no role", u.Nkey)
		}
		delete(roles, u.Nkey)
		account = u.Account
		users = append(users, &server.User{Username: name, Password: name, Permissions: u.Permissions, Account: u.Account})
	}
	for _, name := range roles {
		r.t.Errorf("role %s has no user in the configuration", name)
	}
	return append(users, &server.User{Username: chaos, Password: chaos, Account: account})
}

func (r *rig) publicKey(b *bus, role string) string {
	r.t.Helper()
	seed, err := os.ReadFile(filepath.Join(b.seeds, role+".nk"))
	if err != nil {
		r.t.Fatal(err)
	}
	pair, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		r.t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		r.t.Fatal(err)
	}
	return public
}

// settings are what a process needs to be a role on the bus.
func (b *bus) settings(role string) map[string]string {
	return map[string]string{"NATS_URL": strings.Replace(b.url, "nats://", "nats://"+role+":"+role+"@", 1)}
}

// connect returns a connection of a role that is not that of the product, by its nkey.
func (r *rig) connect(role string, more ...nats.Option) *nats.Conn {
	r.t.Helper()
	var credential nats.Option
	if role == chaos {
		credential = nats.UserInfo(chaos, chaos)
	} else {
		var err error
		if credential, err = nats.NkeyOptionFromSeed(filepath.Join(r.bus.seeds, role+".nk")); err != nil {
			r.t.Fatal(err)
		}
	}
	nc, err := nats.Connect(r.bus.url, append([]nats.Option{credential, nats.Timeout(10 * time.Second), nats.CustomInboxPrefix(access.Inbox(role))}, more...)...)
	if err != nil {
		r.t.Fatalf("as %s: %v", role, err)
	}
	r.t.Cleanup(nc.Close)
	return nc
}

// used is a right that was used: by whom, publish or subscribe, on what.
type used struct{ role, verb, subject string }

// busLog reads the server's own log: what each user has published and subscribed to,
// and what it was refused.
type busLog struct {
	mu       sync.Mutex
	roles    map[string]string // by the id of the connection
	all      map[used]bool
	refusals []string
}

func newBusLog() *busLog {
	return &busLog{roles: make(map[string]string), all: make(map[used]bool)}
}

var (
	logClient  = regexp.MustCompile(`cid:(\d+)`)
	logConnect = regexp.MustCompile(`<<- \[CONNECT .*"user":"([^"]*)"`)
	logVerb    = regexp.MustCompile(`<<- \[(PUB|HPUB|SUB) (\S+)`)
)

// Tracef implements server.Logger.
func (l *busLog) Tracef(format string, values ...any) {
	line := fmt.Sprintf(format, values...)
	id := logClient.FindStringSubmatch(line)
	if id == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if user := logConnect.FindStringSubmatch(line); user != nil {
		l.roles[id[1]] = user[1]
	} else if verb := logVerb.FindStringSubmatch(line); verb != nil {
		name := "publish"
		if verb[1] == "SUB" {
			name = "subscribe"
		}
		if role := l.roles[id[1]]; role != "" { // those by nkey are not the product's
			l.all[used{role, name, verb[2]}] = true
		}
	}
}

// Errorf implements server.Logger.
func (l *busLog) Errorf(format string, values ...any) {
	line := fmt.Sprintf(format, values...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(line, "Violation") {
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
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.all), append([]string(nil), l.refusals...)
}
