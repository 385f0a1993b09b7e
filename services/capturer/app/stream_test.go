package app

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

var streamMB = flag.Int("stream-mb", 24, "size of each of the sixteen documents of TestSixteenLargeDocuments, in MB; in full 200")

// The large documents' server, as the process that fetches them is told.
const largeEnv = "COLOPHON_TEST_LARGE"

const (
	largeDocuments = 16
	maxRSS         = 256 << 20
)

// TestSixteenLargeDocuments: documents stream through. Sixteen at once, of which
// every second one does not say how long it is, take no more memory than their
// spools, measured in a process of its own.
func TestSixteenLargeDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves some hundred megabytes")
	}
	block := make([]byte, 1<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(block)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
			http.NotFound(w, r)
			return
		}
		if n%2 == 0 {
			w.Header().Set("Content-Length", strconv.Itoa(*streamMB<<20))
		}
		first := append([]byte(fmt.Sprintf("%8d", n)), block[8:]...)
		for i := range *streamMB {
			if i > 0 {
				first = block
			}
			if _, err := w.Write(first); err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), exe, "-test.run", "^TestFetchLargeDocuments$", "-test.v", "-test.timeout", "9m", "-stream-mb", strconv.Itoa(*streamMB))
	child.Env = append(os.Environ(), largeEnv+"="+s.URL)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := regexp.MustCompile(`peak (\d+) bytes in (\S+)`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("no figures in %s", out)
	}
	peak, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents of %d MB at once: peak RSS %d MiB, limit %d MiB, %s", largeDocuments, *streamMB, peak>>20, maxRSS>>20, m[2])
	if peak > maxRSS {
		t.Errorf("RSS of %d bytes, limit %d", peak, maxRSS)
	}
}

// TestFetchLargeDocuments is what the process does.
func TestFetchLargeDocuments(t *testing.T) {
	server := os.Getenv(largeEnv)
	if server == "" {
		t.Skip("it is part of TestSixteenLargeDocuments")
	}
	b := fresh(t, func(c *Config) {
		c.Capture.SpoolBytes, c.Capture.Total, c.Capture.Lease = 8<<20, 8*time.Minute, time.Minute
	})
	b.register(func(s *model.Source) { s.MaxBytes, s.HostRequests = 1<<30, largeDocuments })
	start := time.Now()
	var group sync.WaitGroup
	for n := range largeDocuments {
		e := b.event(event.CaptureRequested{RequestID: fmt.Sprint(n), URL: fmt.Sprintf("%s/%d", server, n)})
		group.Go(func() {
			if err := b.stage.Handle(t.Context(), e, b.emit); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	stored := 0
	for _, d := range b.drain() {
		if done, ok := d.(event.CaptureCompleted); ok && done.Outcome == event.OutcomeStored {
			stored++
		}
	}
	if stored != largeDocuments {
		t.Errorf("%d documents are stored", stored)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kB int64
	if _, err := fmt.Sscan(peak, &kB); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("peak %d bytes in %s\n", kB<<10, time.Since(start).Round(time.Millisecond))
}
