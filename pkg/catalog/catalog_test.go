package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

func TestMigrateBySeveralAtOnce(t *testing.T) {
	env := devtest.Start(t)
	ctx := t.Context()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			db, err := catalog.Open(ctx, catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 1})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if err := db.Migrate(ctx); err != nil {
				t.Error(err)
			}
			if _, err := db.Counts(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestACatalogThatIsNotMigratedIsWaitedFor(t *testing.T) {
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Counts(t.Context()); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("%v", err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.DropSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Counts(t.Context()); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("%v", err)
	}
}

func TestACatalogThatIsAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	defer listener.Close()
	silent := "postgres://app:secret@" + addr + "/x?sslmode=disable&connect_timeout=1"
	db, err := catalog.Open(t.Context(), catalog.Config{URL: silent})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Ping(t.Context()); fault.KindOf(err) != fault.KindUnavailable { // accepted and never answered
		t.Errorf("a server that says nothing: %v", err)
	}
	_ = listener.Close()
	if err := db.Ping(t.Context()); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a server that is not there: %v", err)
	}
	if err := db.Migrate(t.Context()); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("migrating: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Ping(ended); fault.KindOf(err) != fault.KindContext {
		t.Errorf("a caller that has ended: %v", err)
	}
	if _, err := catalog.Open(t.Context(), catalog.Config{URL: "postgres://app:secret@%zz"}); err == nil ||
		errors.Is(err, context.Canceled) || containsSecret(err) {
		t.Errorf("a bad URL: %v", err)
	}
}

func containsSecret(err error) bool {
	return err != nil && !strings.HasSuffix(err.Error(), "the Postgres URL cannot be parsed")
}

func backend(t *testing.T, tx pgx.Tx) (pid int) {
	t.Helper()
	if err := tx.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestAConnectionThatIsCut(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	cut := func(victim pgx.Tx) {
		t.Helper()
		pid := backend(t, victim)
		err := db.Tx(ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT pg_terminate_backend($1, 5000)`, pid)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		cut(tx)
		_, err := tx.Exec(ctx, `SELECT 1`)
		return err
	})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("cut before a statement: %v", err)
	}
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		cut(tx)
		return nil
	})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("cut before the commit: %v", err)
	}
	if err := db.Ping(ctx); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestADeadlockIsNobodysFault(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	addDocument(t, db, "doc_a")
	addDocument(t, db, "doc_b")
	var group, both sync.WaitGroup
	both.Add(2)
	errs := make([]error, 2)
	for i, order := range [][]string{{"doc_a", "doc_b"}, {"doc_b", "doc_a"}} {
		group.Go(func() {
			errs[i] = db.Tx(ctx, func(tx pgx.Tx) error {
				for n, id := range order {
					if n == 1 {
						both.Done()
						both.Wait()
					}
					if _, err := tx.Exec(ctx, `UPDATE documents SET title = $2 WHERE document_id = $1`, id, order[0]); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	group.Wait()
	lost := errs[0]
	if lost == nil {
		lost = errs[1]
	}
	if (errs[0] == nil) == (errs[1] == nil) || fault.KindOf(lost) != fault.KindDeferred || !isCode(lost, "40P01") {
		t.Errorf("%v and %v", errs[0], errs[1])
	}
}

func isCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

func TestATransactionThatPanicsGivesItsConnectionBack(t *testing.T) {
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	func() {
		defer func() { _ = recover() }()
		_ = db.Tx(t.Context(), func(pgx.Tx) error { panic("a fault of the stage") })
	}()
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	defer cancel()
	if err := db.Ping(ctx); err != nil {
		t.Errorf("the only connection is gone: %v", err)
	}
}

// TestANumberThatIsTooLarge: the driver refuses it before the server can.
func TestANumberThatIsTooLarge(t *testing.T) {
	db := collections(t)
	for _, redo := range []int{math.MaxInt64, math.MinInt64} {
		_, _, _, err := db.RangeWork(t.Context(), "snap", "x", 1, redo)
		if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("redo %d: %v", redo, err)
		}
	}
}

func TestClassify(t *testing.T) {
	pg := func(code string) error { return fmt.Errorf("x: %w", &pgconn.PgError{Code: code}) }
	marked := fault.Permanent(fault.Malformed, pg("40P01"))
	for name, c := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"nothing":           {nil, fault.KindNone},
		"no row":            {pgx.ErrNoRows, fault.KindTransient},
		"shutdown":          {pg("57P01"), fault.KindUnavailable},
		"connection":        {pg("08006"), fault.KindUnavailable},
		"too many":          {pg("53300"), fault.KindUnavailable},
		"disk":              {pg("58030"), fault.KindUnavailable},
		"read only":         {pg("25006"), fault.KindUnavailable},
		"no table":          {pg("42P01"), fault.KindUnavailable},
		"serialization":     {pg("40001"), fault.KindDeferred},
		"a lock":            {pg("55P03"), fault.KindDeferred},
		"timeout":           {pg("57014"), fault.KindTransient},
		"a NUL":             {pg("22021"), fault.KindPermanent},
		"no such database":  {pg("3D000"), fault.KindUnavailable},
		"a wrong password":  {pg("28P01"), fault.KindUnavailable},
		"no right":          {pg("42501"), fault.KindUnavailable},
		"a stopped session": {pg("25P03"), fault.KindUnavailable},
		"a wrong one":       {pg("23505"), fault.KindTransient},
		"marked":            {marked, fault.KindPermanent},
		"canceled":          {fmt.Errorf("x: %w", context.Canceled), fault.KindContext},
		"deadline":          {fmt.Errorf("x: %w", context.DeadlineExceeded), fault.KindContext},
		"reset connection":  {&net.OpError{Op: "read", Err: errors.New("reset")}, fault.KindUnavailable},
	} {
		if got := catalog.Classify(c.err); fault.KindOf(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !errors.Is(catalog.Classify(pgx.ErrNoRows), catalog.ErrNotFound) {
		t.Error("no row is not ErrNotFound")
	}
}

// TestReadyWaitsForTheTables: a database that answers is no catalog yet.
func TestReadyWaitsForTheTables(t *testing.T) {
	env := devtest.Start(t)
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Ready(t.Context()); fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), "colophon migrate") {
		t.Errorf("before it is migrated: %v", err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Ready(t.Context()); err != nil {
		t.Errorf("after it was migrated: %v", err)
	}
}
