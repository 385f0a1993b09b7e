package credentials_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/test/secrets"
)

// base is a PostgreSQL server that takes connections with TLS and passwords by SCRAM
// alone, and the owner of its tables.
type base struct {
	t      *testing.T
	server *postgres.Server
	remote postgres.Remote
	admin  *pgx.Conn
}

const scram = "hostssl all all 127.0.0.1/32 scram-sha-256"

func newBase(t *testing.T, own *secrets.Authority, rule string, clients ...*secrets.Authority) *base {
	t.Helper()
	b := &base{t: t, remote: postgres.Remote{Addr: devtest.FreeAddress(t)}}
	b.set(own, rule, clients...)
	var err error
	b.server, err = postgres.New(postgres.Options{Dir: t.TempDir(), NoSync: true, Remote: &b.remote})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.server.Kill() })
	if err := b.server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.admin, err = pgx.Connect(t.Context(), b.server.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.admin.Close(context.Background()) })
	b.do("CREATE ROLE chunker LOGIN PASSWORD 'one'; GRANT CREATE ON DATABASE postgres TO chunker")
	return b
}

func (b *base) set(own *secrets.Authority, rule string, clients ...*secrets.Authority) {
	b.remote.Cert, b.remote.Key = own.Issue("server", secrets.InAnHour())
	b.remote.Rules, b.remote.ClientCA = rule+"\n", ""
	for _, one := range clients {
		b.remote.ClientCA += one.PEM
	}
}

// change has the running server read other certificates.
func (b *base) change(own *secrets.Authority, rule string, clients ...*secrets.Authority) {
	b.t.Helper()
	b.set(own, rule, clients...)
	if err := b.server.Change(b.remote); err != nil {
		b.t.Fatal(err)
	}
}

func (b *base) do(sql string) {
	b.t.Helper()
	if _, err := b.admin.Exec(b.t.Context(), sql); err != nil {
		b.t.Fatal(err)
	}
}

// cut ends all connections of the role.
func (b *base) cut() {
	b.do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'chunker'")
}

// opened are the times at which the role's connections were made.
func (b *base) opened() (times []time.Time) {
	b.t.Helper()
	rows, err := b.admin.Query(b.t.Context(), "SELECT backend_start FROM pg_stat_activity WHERE usename = 'chunker'")
	if err == nil {
		times, err = pgx.CollectRows(rows, pgx.RowTo[time.Time])
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return times
}

func (b *base) url(password, more string) map[string]string {
	user := url.UserPassword("chunker", password)
	return map[string]string{"url": fmt.Sprintf("postgres://%s@%s/postgres%s\n", user, b.remote.Addr, more)}
}

func open(t *testing.T, c catalog.Config) *catalog.DB {
	t.Helper()
	c.CheckEvery, c.Timeout = 20*time.Millisecond, 5*time.Second
	db, err := catalog.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// TestPostgresPasswordUnderLoad: the password of a URL in a file is changed while
// statements run. None fails, and no connection of before is left.
func TestPostgresPasswordUnderLoad(t *testing.T) {
	a := secrets.NewAuthority(t, "authority")
	b := newBase(t, a, scram)
	files := secrets.NewMount(t, b.url("one", "?sslmode=verify-full"), map[string]string{"ca.crt": a.PEM})
	var log journal
	db := open(t, catalog.Config{URLFile: files.Path("url"), CAFile: files.Path("ca.crt"), MaxConns: 4, Logger: log.log()})
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	var done, failed atomic.Int64
	for range 4 {
		group.Go(func() {
			for ctx.Err() == nil {
				err := db.Tx(t.Context(), func(tx pgx.Tx) error {
					_, err := tx.Exec(t.Context(), "SELECT pg_sleep(0.002)")
					return err
				})
				if err != nil {
					failed.Add(1)
					t.Errorf("a statement failed: %v", err)
					return
				}
				done.Add(1)
			}
		})
	}
	t.Cleanup(func() { cancel(); group.Wait() })
	goesOn := func() {
		t.Helper()
		before := done.Load()
		eventually(t, "statements are done", func() error { return holds(done.Load() > before+20 || failed.Load() > 0) })
	}
	goesOn()
	// A password that the server does not know yet.
	files.Change(b.url("two", "?sslmode=verify-full"))
	eventually(t, "it is tried", func() error { return holds(log.count("those of before are") == 1) })
	goesOn()
	b.do("ALTER ROLE chunker PASSWORD 'two'")
	changed := time.Now()
	eventually(t, "connections of before are gone", func() error {
		opened := b.opened()
		for _, one := range opened {
			if one.Before(changed) {
				return fmt.Errorf("one is of %s", one)
			}
		}
		return holds(len(opened) > 0)
	})
	goesOn()
	cancel()
	group.Wait()
	// The old one is of no use any more, the new one is in use.
	b.cut()
	eventually(t, "it connects again", func() error { return db.Ping(t.Context()) })
	log.holdsNone(t, ":one@", ":two@")
	t.Logf("%d transactions", done.Load())
}

// TestPostgresRefuses: a file that is not there, a wrong password, a right one.
func TestPostgresRefuses(t *testing.T) {
	a := secrets.NewAuthority(t, "authority")
	b := newBase(t, a, scram)
	files := secrets.NewMount(t, map[string]string{"other": ""})
	var log journal
	db := open(t, catalog.Config{URLFile: files.Path("url"), CAFile: files.Path("ca.crt"), Logger: log.log()})
	for _, ask := range []func() error{func() error { return db.Ping(t.Context()) }, func() error { return db.Migrate(t.Context()) }} {
		if err := ask(); fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), files.Path("url")) {
			t.Errorf("without its file: %v", err)
		}
	}
	files.Change(b.url("wrong", ""), map[string]string{"ca.crt": a.PEM})
	eventually(t, "it is refused", func() error { return holds(isRefused(db.Ping(t.Context()), "PostgreSQL")) })
	if err := db.Migrate(t.Context()); !isRefused(err, "PostgreSQL") {
		t.Errorf("migrating: %v", err)
	}
	files.Change(b.url("one", ""))
	eventually(t, "it is ready", func() error { return db.Ping(t.Context()) })
	if a, b := log.count("refuses our"), log.count("takes our"); a != 1 || b != 1 {
		t.Errorf("said %d and %d times", a, b)
	}
	log.holdsNone(t, "wrong@", ":one@")

	// With a file of authorities the server is asked for its certificate, whatever the URL leaves out.
	plain := open(t, catalog.Config{URL: strings.TrimSpace(b.url("one", "")["url"]), CAFile: files.Path("ca.crt")})
	if err := plain.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	other := secrets.NewAuthority(t, "other")
	files.Change(map[string]string{"ca.crt": other.PEM})
	distrusted := open(t, catalog.Config{URL: strings.TrimSpace(b.url("one", "")["url"]), CAFile: files.Path("ca.crt")})
	if err := distrusted.Ping(t.Context()); isRefused(err, "PostgreSQL") || fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), "x509") {
		t.Errorf("a server of another authority: %v", err)
	}
	if _, err := catalog.Open(t.Context(), catalog.Config{URL: "postgres://u:hush@h/d", CertFile: "x"}); err == nil {
		t.Error("a certificate without a key was taken")
	}
}

// TestPostgresCertificates: clients must show one beside the password. It expires, its
// authority and the server's are changed; in either form of connection string.
func TestPostgresCertificates(t *testing.T) {
	first, second := secrets.NewAuthority(t, "first"), secrets.NewAuthority(t, "second")
	rule := scram + " clientcert=verify-full"
	b := newBase(t, first, rule, first)
	host, port, _ := net.SplitHostPort(b.remote.Addr)
	until := time.Now().Add(3 * time.Second)
	files := secrets.NewMount(t, first.Client("chunker", until))
	byFiles := catalog.Config{
		URL: strings.TrimSpace(b.url("one", "")["url"]), CAFile: files.Path("ca.crt"), CertFile: files.Path("tls.crt"), KeyFile: files.Path("tls.key"),
	}
	byURL := catalog.Config{URL: fmt.Sprintf("host=%s port=%s user=chunker password='one' dbname=postgres sslmode=verify-full sslrootcert='%s' sslcert=%s sslkey=%s",
		host, port, files.Path("ca.crt"), files.Path("tls.crt"), files.Path("tls.key"))}
	all := []*catalog.DB{open(t, byFiles), open(t, byURL)}
	ready := func() error {
		var errs []error
		for _, db := range all {
			errs = append(errs, db.Ping(t.Context()))
		}
		return errors.Join(errs...)
	}
	if err := ready(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it has expired", func() error { return holds(time.Now().After(until)) })
	b.cut()
	for i, db := range all {
		eventually(t, "it is refused", func() error {
			err := db.Ping(t.Context())
			if isRefused(err, "PostgreSQL") {
				return nil
			}
			return fmt.Errorf("%d: %w", i, err)
		})
	}
	files.Change(first.Client("chunker", secrets.InAnHour()))
	eventually(t, "another one is taken", ready)
	// Another authority: first both, on both sides, then the second alone.
	b.change(first, rule, first, second)
	files.Change(second.Client("chunker", secrets.InAnHour()), map[string]string{"ca.crt": first.PEM + second.PEM})
	eventually(t, "they are used", ready)
	b.change(second, rule, second)
	mine := secrets.NewMount(t, second.Client("chunker", secrets.InAnHour()))
	trusting := open(t, catalog.Config{
		URL: byFiles.URL, CAFile: mine.Path("ca.crt"), CertFile: mine.Path("tls.crt"), KeyFile: mine.Path("tls.key"),
	})
	eventually(t, "the server has read them", func() error { return trusting.Ping(t.Context()) })
	b.cut()
	eventually(t, "they are used with the new server", ready)
	files.Change(map[string]string{"ca.crt": second.PEM, "tls.key": "half"})
	b.cut()
	eventually(t, "half a file changes nothing", ready)
}
