package catalog_test

import (
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// wire passes bytes on to the database, and to no end what is written while it
// is dead.
type wire struct {
	io.Writer
	dead *atomic.Bool
}

func (w wire) Write(p []byte) (int, error) {
	if w.dead.Load() {
		return len(p), nil
	}
	return w.Writer.Write(p)
}

// throughWire returns the address of a wire to the database.
func throughWire(t *testing.T, postgres string, dead *atomic.Bool) string {
	t.Helper()
	at, err := url.Parse(postgres)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", at.Query().Get("host")+"/.s.PGSQL.5432")
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() { _, _ = io.Copy(in, out) }()
			go func() {
				_, _ = io.Copy(wire{out, dead}, in)
				_ = out.Close()
			}()
		}
	}()
	return "postgres://" + at.User.Username() + "@" + listener.Addr().String() + at.Path + "?sslmode=disable"
}

// TestADatabaseThatSaysNothing: a connection that is dead without a word is given
// up, in a statement and in a transaction, and others are made.
func TestADatabaseThatSaysNothing(t *testing.T) {
	env := devtest.Start(t)
	var dead atomic.Bool
	db, err := catalog.Open(t.Context(), catalog.Config{
		URL: throughWire(t, env.PostgresURL, &dead), Schema: env.Schema, MaxConns: 2, Timeout: 200 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	one := func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT 1`)
		return err
	}
	if err := db.Tx(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	dead.Store(true)
	if err := db.Tx(t.Context(), one); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("before a transaction: %v", err)
	}
	dead.Store(false)
	err = db.Tx(t.Context(), func(tx pgx.Tx) error {
		if err := one(tx); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		dead.Store(true)
		return one(tx)
	})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("in a transaction: %v", err)
	}
	dead.Store(false)
	if err := db.Tx(t.Context(), one); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestATableThatIsLocked: who waits for what an operator holds is sent back, and
// that is no attempt.
func TestATableThatIsLocked(t *testing.T) {
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = db.Tx(t.Context(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `LOCK TABLE snapshots IN ACCESS EXCLUSIVE MODE`); err != nil {
			return err
		}
		if _, err := db.Snapshot(t.Context(), "snap_a"); fault.KindOf(err) != fault.KindDeferred || !isCode(err, "55P03") {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
