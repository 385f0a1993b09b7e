package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// line is a running capturer on the bus, and who listens to it.
type line struct {
	*bench
	conn     *stream.Conn
	outcomes *stream.Subscription
}

func start(t *testing.T) *line {
	t.Helper()
	b := fresh(t, nil)
	conn, err := stream.Connect(t.Context(), stream.ConfigOf("test", b.cfg.NATS, b.cfg.Runner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	b.until(func() bool { return conn.Ready(t.Context()) == nil })
	if err := stream.Provision(t.Context(), conn, stream.ProvisionOptions{RequestBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), b.cfg, telemetry.Nop(), stream.NewQuarantine())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := a.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	b.until(func() bool { return a.Ready(t.Context()) == nil })
	l := &line{bench: b, conn: conn}
	if l.outcomes, err = conn.Subscribe(t.Context(), stream.FollowOptions{Types: []string{event.TypeCaptureCompleted}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.outcomes.Close)
	return l
}

// answers waits for the outcomes of n requests, by request_id.
func (l *line) answers(n int) map[string]event.CaptureCompleted {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), devtest.Patience)
	defer cancel()
	all := make(map[string]event.CaptureCompleted)
	for len(all) < n {
		r, err := l.outcomes.Next(ctx)
		if err != nil {
			l.t.Fatalf("%d of %d outcomes: %v", len(all), n, err)
		}
		done, err := event.As[event.CaptureCompleted](r.Event)
		if err != nil {
			l.t.Fatal(err)
		}
		all[done.RequestID] = done
	}
	return all
}

func TestOverTheBus(t *testing.T) {
	l := start(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = io.WriteString(w, page)
	})
	publisher := l.conn.Publisher("crawler")
	for _, r := range []event.CaptureRequested{
		inline("inline", page),
		{RequestID: "url-1", URL: s.URL + "/a"}, {RequestID: "url-2", URL: s.URL + "/a"},
		{RequestID: "down", URL: s.URL + "/down"},
		{RequestID: "malformed"},
	} {
		r.SourceID = source
		if err := publisher.Emit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	broken := l.event(inline("broken", page))
	broken.Payload = []byte("{")
	if err := publisher.Publish(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	got := l.answers(6)
	outcomes := []event.Outcome{got["url-1"].Outcome, got["url-2"].Outcome}
	if outcomes[0] == outcomes[1] || got["url-1"].SnapshotID != got["url-2"].SnapshotID {
		t.Errorf("two requests for one URL: %v", outcomes)
	}
	for id, want := range map[string]fault.Reason{"inline": "", "down": fault.FetchFailed, "malformed": fault.Malformed, "broken": fault.Malformed} {
		if got[id].Reason != string(want) || (got[id].Outcome == event.OutcomeStored) != (want == "") {
			t.Errorf("%s: %+v", id, got[id])
		}
	}
	if hits := s.hits.Load(); hits != 5 {
		t.Errorf("%d requests to the server, want 1 and 4 attempts", hits)
	}
	var dead int
	l.until(func() bool {
		dead = 0
		err := l.conn.ListDead(t.Context(), stream.ConsumerCapture, source, func(stream.Dead) error { dead++; return nil })
		return err == nil && dead >= 2
	})
	if dead != 2 {
		t.Errorf("%d dead letters", dead)
	}
}

func TestSecretsAreStoredNowhere(t *testing.T) {
	l := start(t)
	const canary = "kanarienvogel"
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/from":
			http.Redirect(w, r, "/to?X-Amz-Signature="+canary, http.StatusFound)
		case "/to":
			w.Header().Set("Set-Cookie", "session="+canary)
			w.Header().Set("X-Auth-Token", canary)
			_, _ = io.WriteString(w, page)
		default:
			http.NotFound(w, r)
		}
	})
	handed := inline("handed", page)
	handed.URL = "https://u:" + canary + "@example.org/x;jsessionid=" + canary + "?api_key=" + canary + "&a=b;access_token=" + canary +
		"&u=http%3A%2F%2Fuser%3A" + canary + "%40example.org%2F%3Faccess_token%3D" + canary + "#access_token=" + canary
	handed.RedirectChain = []string{handed.URL}
	handed.Headers = map[string][]string{"Authorization": {canary}, "Location": {handed.URL}, "X-Session": {canary}}
	handed.Metadata = map[string]string{"found_at": handed.URL}
	requests := []event.CaptureRequested{
		handed,
		{RequestID: "fetched", URL: s.URL + "/from?access_token=" + canary},
		{RequestID: "missing", URL: s.URL + "/none;jsessionid=" + canary + "?client-secret=" + canary + "&next=%2Fx%3Fapi_key%3D" + canary},
		{RequestID: "refused", URL: "http://user:" + canary + "@127.0.0.1/"},
	}
	publisher := l.conn.Publisher("crawler")
	for _, r := range requests {
		r.SourceID = source
		if err := publisher.Emit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for id, done := range l.answers(len(requests)) {
		text, err := json.Marshal(done)
		if err != nil || strings.Contains(string(text), canary) {
			t.Errorf("%s: the outcome says %s (%v)", id, text, err)
		}
	}
	for _, table := range []string{"captures", "documents", "snapshots", "fetch_windows", "attempts", "sources"} {
		var leaks int
		err := l.db.Tx(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) FROM %s t WHERE t::text LIKE '%%' || $1 || '%%'`, table), canary).Scan(&leaks)
		})
		if err != nil || leaks > 0 {
			t.Errorf("%s: %d rows hold the secret (%v)", table, leaks, err)
		}
	}
}
