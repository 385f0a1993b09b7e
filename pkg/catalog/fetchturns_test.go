package catalog_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

func polite(requests int, delay time.Duration) model.Politeness {
	return model.Politeness{Requests: requests, Delay: delay, Longest: time.Hour, Poll: time.Second}
}

func TestTurnsAtOneHost(t *testing.T) {
	db := openCatalog(t)
	take := func(host, owner string, p model.Politeness) time.Duration {
		t.Helper()
		wait, err := db.TakeTurn(t.Context(), host, owner, p)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	give := func(host, owner string, closed time.Duration) {
		t.Helper()
		if err := db.ReleaseTurn(t.Context(), host, owner, closed); err != nil {
			t.Fatal(err)
		}
	}
	two := polite(2, 0)
	for owner, want := range map[string]time.Duration{"a": 0, "b": 0} {
		if got := take("h", owner, two); got != want {
			t.Errorf("%s waits %s", owner, got)
		}
	}
	for n, owner := range []string{"c", "d", "e", "f"} { // the further behind, the later it asks again
		if got, want := take("h", owner, two), time.Duration(1+n/2)*time.Second; got != want {
			t.Errorf("%s waits %s, want %s", owner, got, want)
		}
	}
	if got := take("h", "a", two); got != 0 {
		t.Errorf("its own turn is taken from a for %s", got)
	}
	if got := take("other", "c", two); got != 0 {
		t.Errorf("another host is closed for %s", got)
	}
	give("h", "a", 0)
	if got := take("h", "c", two); got != 0 {
		t.Errorf("c waits %s for the place of a", got)
	}
	if got := take("h", "d", polite(5, 0)); got != 0 { // another source may be less shy
		t.Errorf("d waits %s", got)
	}

	// One whose process has died loses its place.
	dead := polite(1, 0)
	dead.Longest = time.Microsecond
	take("dead", "a", dead)
	if got := take("dead", "b", polite(1, 0)); got != 0 {
		t.Errorf("b waits %s for the dead", got)
	}

	// Turns are spread over time, and kept.
	slow := polite(9, time.Hour)
	for n, owner := range []string{"a", "b", "c", "b"} {
		want := []time.Duration{0, time.Hour, 2 * time.Hour, time.Hour}[n]
		if got := take("slow", owner, slow); got > want || got < want-time.Minute {
			t.Errorf("%s waits %s, want %s", owner, got, want)
		}
	}

	// What the server asked for holds for all.
	give("other", "c", time.Minute)
	give("other", "c", time.Second)
	if got := take("other", "z", two); got > time.Minute || got < 50*time.Second {
		t.Errorf("z waits %s", got)
	}
}

func TestTurnsAreGivenOnce(t *testing.T) {
	db := openCatalog(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	given := 0
	for n := range 20 {
		group.Go(func() {
			wait, err := db.TakeTurn(t.Context(), "h", fmt.Sprint(n), polite(3, 0))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if wait == 0 {
				given++
			}
		})
	}
	group.Wait()
	if given != 3 {
		t.Errorf("%d turns, want 3", given)
	}
}
