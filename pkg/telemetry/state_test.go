package telemetry_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// served returns what /metrics says, as OpenMetrics.
func served(t *testing.T, tel *telemetry.Telemetry) string {
	t.Helper()
	recorder, request := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
	request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	telemetry.MetricsHandler(tel).ServeHTTP(recorder, request)
	body, err := io.ReadAll(recorder.Body)
	if err != nil || recorder.Code != 200 {
		t.Fatal(recorder.Code, err)
	}
	return string(body)
}

func awaitServed(t *testing.T, tel *telemetry.Telemetry, line string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(devtest.Patience); !strings.Contains(served(t, tel), line); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("%s is not served", line)
		}
	}
}

// TestReadinessIsServed: what the service answers, 0 while it lacks something; and a
// question that is not answered holds up no metrics, and is ended by stop, after which
// none is asked.
func TestReadinessIsServed(t *testing.T) {
	for answer, line := range map[error]string{nil: `colophon_ready{service_name="x"} 1.0`, errors.New("away"): `colophon_ready{service_name="x"} 0.0`} {
		tel := start(t, "x", telemetry.Config{})
		stop, err := tel.TellReady(func(context.Context) error { return answer })
		if err != nil {
			t.Fatal(err)
		}
		awaitServed(t, tel, line)
		stop()
		if strings.Contains(served(t, tel), "\ncolophon_ready{") {
			t.Error("after stop it still has a value")
		}
	}
	silent := start(t, "y", telemetry.Config{})
	asked := make(chan struct{}, 2)
	stop, err := silent.TellReady(func(ctx context.Context) error {
		asked <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if strings.Contains(served(t, silent), "\ncolophon_ready{") || time.Since(began) > 5*time.Second {
		t.Error("an answer that has not come has a value, or was waited for")
	}
	<-asked
	stop()
	served(t, silent)
	if len(asked) > 0 {
		t.Error("it is asked after stop")
	}
}

// TestDiskIsServed: of the folder, or the system's for temporary files; of one that is not
// there nothing.
func TestDiskIsServed(t *testing.T) {
	for dir, want := range map[string]bool{t.TempDir(): true, "": true, "/nowhere/at/all": false} {
		tel := start(t, "x", telemetry.Config{})
		if err := tel.TellDisk(dir); err != nil {
			t.Fatal(err)
		}
		text := served(t, tel)
		if got := strings.Contains(text, "\ncolophon_disk_free_bytes{") && strings.Contains(text, "\ncolophon_disk_size_bytes{"); got != want {
			t.Errorf("%q: served is %t, want %t", dir, got, want)
		}
	}
}
