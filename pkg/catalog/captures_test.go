package catalog_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

func captureOf(id, request string) model.Capture {
	return model.Capture{
		SourceID: "s", RequestID: id, RequestDigest: digest.Hex([]byte(request)), Request: []byte(`{"request":"` + request + `"}`),
		RequestedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func accept(t *testing.T, db *catalog.DB, c model.Capture, owner string) (model.Capture, bool) {
	t.Helper()
	stands, held, err := db.AcceptCapture(t.Context(), c, owner, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return stands, held
}

func TestARequestIsAcceptedOnce(t *testing.T) {
	db := openCatalog(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	holders := 0
	for _, owner := range strings.Split("abcdefgh", "") {
		group.Go(func() {
			_, held, err := db.AcceptCapture(t.Context(), captureOf("r", "x"), owner, time.Minute)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if held {
				holders++
			}
		})
	}
	group.Wait()
	if holders != 1 {
		t.Errorf("%d hold one lease", holders)
	}
	if stands, held := accept(t, db, captureOf("r", "y"), "z"); held || stands.RequestDigest == digest.Hex([]byte("y")) {
		t.Errorf("another request took the row: %+v", stands)
	}
}

func TestLeasesOfARequest(t *testing.T) {
	db := openCatalog(t)
	c := captureOf("r", "x")
	later := c
	later.RequestedAt = c.RequestedAt.Add(time.Hour)
	accept(t, db, c, "a")
	if held, err := db.RenewCapture(t.Context(), "s", "r", "b", time.Minute); err != nil || held {
		t.Errorf("a stranger renews: %v, %v", held, err)
	}
	if held, err := db.RenewCapture(t.Context(), "s", "r", "a", time.Minute); err != nil || !held {
		t.Errorf("the holder does not renew: %v, %v", held, err)
	}
	if err := db.ReleaseCapture(t.Context(), "s", "r", "a", time.Hour, "blocked"); err != nil {
		t.Fatal(err)
	}
	stands, held := accept(t, db, later, "b")
	if !held || !stands.RequestedAt.Equal(c.RequestedAt) || stands.RetryAfter.IsZero() {
		t.Errorf("held %v: %+v", held, stands)
	}
	c.Outcome, c.Reason, c.Message = string(event.OutcomeFailed), "fetch_failed", "the server answered 503"
	if stands, err := db.DecideCapture(t.Context(), c); err != nil || stands.Outcome != c.Outcome || stands.RetryAfter.IsZero() || stands.FetchStatus != "blocked" {
		t.Errorf("%+v, %v", stands, err)
	}
	c.Outcome, c.Reason = string(event.OutcomeDuplicate), ""
	if stands, err := db.DecideCapture(t.Context(), c); err != nil || stands.Outcome != string(event.OutcomeFailed) {
		t.Errorf("a second decision counts: %+v, %v", stands, err)
	}
	if _, held := accept(t, db, c, "c"); held {
		t.Error("a decided request is worked on")
	}
	if err := db.CaptureAnnounced(t.Context(), "s", "r"); err != nil {
		t.Fatal(err)
	}
	if stands, err := db.Capture(t.Context(), "s", "r"); err != nil || !stands.Announced {
		t.Errorf("%+v, %v", stands, err)
	}
}

func TestWindowsOfVeryLongURLs(t *testing.T) {
	db := openCatalog(t)
	long := "https://example.org/" + strings.Repeat("x", 10_000)
	lease := func(owner string, d time.Duration) (model.FetchWindow, bool) {
		w, held, err := db.LeaseWindow(t.Context(), "s", long, owner, d)
		if err != nil {
			t.Fatal(err)
		}
		return w, held
	}
	if w, held := lease("a", time.Minute); !held || w.SnapshotID != "" {
		t.Errorf("held %v: %+v", held, w)
	}
	if _, held := lease("b", time.Minute); held {
		t.Error("two hold one window")
	}
	if _, held := lease("a", time.Minute); !held {
		t.Error("the holder cannot take it again")
	}

	accept(t, db, captureOf("r", "x"), "a")
	identity := long
	snap := model.Snapshot{
		SnapshotID: digest.SnapshotID("s", "r", "x"), DocumentID: digest.DocumentID("s", identity), RequestID: "r", SourceID: "s",
		ExternalID: identity, URLCanonical: long, SnapshotKind: model.KindHTML, FinalType: model.TypeHTML,
		ContentHash: digest.Content(nil), RetrievedAt: time.Now(), LastModified: time.Now(),
	}
	process := func(model.Standing) bool { return false }
	for range 2 {
		stands, err := db.RecordCapture(t.Context(), captureOf("r", "x"), snap, []string{long, "https://example.org/", long}, process)
		if err != nil || stands.Outcome != string(event.OutcomeStored) {
			t.Fatalf("%+v, %v", stands, err)
		}
	}
	if w, held := lease("b", time.Minute); !held || w.SnapshotID != snap.SnapshotID || w.FinalType != model.TypeHTML || w.AgeSeconds > 60 {
		t.Errorf("held %v: %+v", held, w)
	}
	if held, err := db.RenewWindow(t.Context(), "s", long, "b", time.Minute); err != nil || !held {
		t.Errorf("renewed %v, %v", held, err)
	}
	if err := db.ReleaseWindow(t.Context(), "s", long, "b"); err != nil {
		t.Fatal(err)
	}
	if _, held := lease("c", time.Minute); !held {
		t.Error("a window that was given back is not free")
	}
	if d, err := db.Document(t.Context(), snap.DocumentID); err != nil || d.Host != "example.org" {
		t.Errorf("%+v, %v", d, err)
	}
}
