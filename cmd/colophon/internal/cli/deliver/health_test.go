package deliver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// TestASinkSaysHowItComesOn: while its target refuses it lags; when the target has all it does
// not, and what was taken is counted. It is ready while it follows the chunks.
func TestASinkSaysHowItComesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	w.happen(20)
	var refuses atomic.Bool
	refuses.Store(true)
	var taken atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		if _, err := io.Copy(io.Discard, req.Body); err != nil || refuses.Load() {
			out.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		taken.Add(1)
	}))
	defer server.Close()
	address := devtest.FreeAddress(t)
	sink := w.start(target{
		args: []string{"--to", "webhook", "--out", filepath.Join(t.TempDir(), "position"), "--health", address},
		env:  []string{"COLOPHON_SINK_URL=" + server.URL, "COLOPHON_SINK_SECRET=of the tests"},
	}, new(heard))
	defer sink.kill()
	await(t, "it lags", func() bool { return value(t, address, "colophon_sink_lag_seconds") > 0.5 })
	if n := value(t, address, "colophon_sink_changes_total"); n != 0 {
		t.Errorf("%g changes are counted that the target has refused", n)
	}
	refuses.Store(false)
	await(t, "its target has all", func() bool {
		return value(t, address, "colophon_sink_lag_seconds") == 0 && value(t, address, "colophon_sink_changes_total") > 0
	})
	await(t, "what was taken is counted", func() bool { return value(t, address, "colophon_sink_changes_total") == float64(taken.Load()) })
	if status, said := get(t, "http://"+address+"/readyz"); status != http.StatusOK || said != "ready\n" {
		t.Errorf("%d %q", status, said)
	}
	if status, said := get(t, "http://"+address+"/healthz"); status != http.StatusOK {
		t.Errorf("%d %q", status, said)
	}
}

func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(devtest.Patience); !so(); pause(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long until %s", what)
		}
	}
}

func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// value returns what a sink at an address tells of itself; -1 for what it does not tell.
func value(t *testing.T, address, name string) float64 {
	t.Helper()
	_, metrics := get(t, "http://"+address+"/metrics")
	found := regexp.MustCompile(fmt.Sprintf(`(?m)^%s\{[^}]*\} (\S+)$`, name)).FindStringSubmatch(metrics)
	if found == nil {
		return -1
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
