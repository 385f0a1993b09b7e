package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// A file that changes back is a new version (ADR 7), once however often it is
// asked for.
func (d *desk) tellsVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.txt")
	capture := func(text string, at time.Time) {
		t.Helper()
		put(t, path, text, at)
		d.say(t, 0, "capture", "--wait", "--timeout", "1m", "--source", "versions", path)
	}
	const nine, eleven = "The session opens at nine.", "The session opens at eleven."
	says := func(want string) {
		t.Helper()
		if got := d.current(t, "versions"); got["file:///plan.txt"] != want {
			t.Fatalf("current is %q, want %q", got, want)
		}
	}
	captures := func(want int) {
		t.Helper()
		if _, n, err := d.sys.DB.Recent(t.Context(), catalog.RecentOptions{SourceID: "versions"}); err != nil || n != want {
			t.Fatalf("%d captures, want %d: %v", n, want, err)
		}
	}
	capture(nine, day)
	capture(eleven, day.Add(time.Hour))
	capture(nine, day.Add(2*time.Hour))
	says(nine)
	captures(3)
	capture(nine, day.Add(2*time.Hour))
	capture(nine, day.Add(3*time.Hour)) // only touched: what it says at that time is recorded, once
	capture(nine, day.Add(3*time.Hour))
	captures(4)
	says(nine)
	// Broken off after it was sent: what is asked for again is the same request.
	put(t, path, eleven, day.Add(4*time.Hour))
	first := d.say(t, 0, "capture", "--source", "versions", path)
	if again := d.say(t, 0, "capture", "--source", "versions", path); first != again {
		t.Errorf("asked twice: %s%s", first, again)
	}
	capture(eleven, day.Add(4*time.Hour))
	captures(5)
	says(eleven)
	// Within one second the finer time decides.
	capture(nine, day.Add(4*time.Hour+300*time.Millisecond))
	says(nine)
	capture(eleven, day.Add(4*time.Hour+600*time.Millisecond))
	says(eleven)
	capture(nine, day.Add(4*time.Hour+400*time.Millisecond)) // which comes late
	says(eleven)
	captures(8)
	// A build that cut times to seconds has captured it: it is not captured once more. What
	// this build has captured at a whole second is.
	capture(nine, day.Add(5*time.Hour))
	if err := d.sys.DB.Tx(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE captures SET accepted_at = accepted_at - interval '1 year' WHERE source_id = 'versions'`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	capture(nine, day.Add(5*time.Hour+250*time.Millisecond))
	captures(9)
	capture(nine, day.Add(6*time.Hour))
	capture(nine, day.Add(6*time.Hour+250*time.Millisecond))
	captures(11)
	put(t, path, "The session is called off.", day.Add(time.Minute))
	_, notes := d.hear(t, 0, "capture", "--wait", "--source", "versions", path)
	contains(t, notes, "kept as an earlier version", "--at")
	says(nine)
}
