package catalog_test

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

func TestAttempts(t *testing.T) {
	env := devtest.Start(t)
	ctx := t.Context()
	db, err := catalog.Open(ctx, catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	seen := func(wantStarts int, wantReturned bool) {
		t.Helper()
		starts, returned, err := db.AttemptSeen(ctx, "split", "m")
		if err != nil || starts != wantStarts || returned != wantReturned {
			t.Errorf("%d starts, returned %v (%v); want %d, %v", starts, returned, err, wantStarts, wantReturned)
		}
	}
	count := func(what string, want int, f func() (int, error)) {
		t.Helper()
		if got, err := f(); err != nil || got != want {
			t.Errorf("%s: %d (%v), want %d", what, got, err, want)
		}
	}
	start := func() (int, error) { return db.AttemptStarted(ctx, "split", "m") }
	fail := func() (int, error) { return db.AttemptFailed(ctx, "split", "m", "torn") }

	seen(0, false)
	count("first start", 1, start)
	count("second start", 2, start)
	seen(2, false)
	if err := db.AttemptReturned(ctx, "split", "m", ""); err != nil {
		t.Fatal(err)
	}
	seen(0, true)
	count("start after a return", 1, start)
	count("first failure", 1, fail)
	seen(0, true)
	count("second failure", 2, fail)
	count("another consumer's", 1, func() (int, error) { return db.AttemptFailed(ctx, "chunk", "m", "torn") })
	if err := db.ClearAttempts(ctx, "split", "m"); err != nil {
		t.Fatal(err)
	}
	seen(0, false)
	count("failure after clearing", 1, fail)
	if err := db.ClearAttempts(ctx, "split", "nothing"); err != nil {
		t.Errorf("clearing what is not there: %v", err)
	}
	db.Close()
	if _, err := fail(); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a catalog that is away: %v", err)
	}
}
