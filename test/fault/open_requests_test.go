package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/test/programs"
)

const (
	openRequests = 200
	openMemory   = 128 << 20 // bytes that the annotator may hold then
)

// TestOpenRequestsCostLittleMemory: the annotator, as a process with the memory limit of its Deployment, holds 200 requests
// to a chat model that takes them and says nothing.
func TestOpenRequestsCostLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a whole system")
	}
	programs.NeedServers(t)
	r := startRig(t)
	r.begin(t, 960)
	r.chat.hangs.Store(true)
	annotator := r.services["annotator"]
	annotator.settings = []string{"GOMEMLIMIT=" + memoryLimit(t, "annotator"), fmt.Sprintf("COLOPHON_CHAT_CALLS=%d", openRequests), "COLOPHON_CHAT_TIMEOUT=10m",
		"COLOPHON_WORKERS=4"} // each asks about the chunks of a document
	r.startServices()
	for n := range 4 {
		long := inline(fmt.Sprintf("long-%d", n), fmt.Sprintf("long-%d.html", n), longPage(9000+n, 400), 10)
		long.SourceID = advised
		r.send(&item{kind: kindAdvised, request: long})
	}
	r.await(2*time.Minute, "so many requests are open", func() bool { return r.chat.open.Load() >= openRequests })
	peak := memoryOf(t, annotator, "VmHWM")
	t.Logf("%d open requests: the annotator holds %.0f MiB, at most %.0f", r.chat.open.Load(), float64(memoryOf(t, annotator, "VmRSS"))/(1<<20), float64(peak)/(1<<20))
	if peak > openMemory {
		t.Errorf("%d bytes, at most %d", peak, openMemory)
	}
	if died := annotator.died(); died > 0 {
		t.Errorf("the annotator died %d times", died)
	}
}

// longPage is a page of so many paragraphs.
func longPage(n, count int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><head><title>Report %d</title></head><body><main><h1>Report %d</h1>\n", n, n)
	for _, p := range paragraphs(uint64(n), count) {
		fmt.Fprintf(&b, "<p>%s</p>\n", p)
	}
	b.WriteString("</main></body></html>\n")
	return []byte(b.String())
}

var memoryLimitLine = regexp.MustCompile(`GOMEMLIMIT, value: (\w+)`)

// memoryLimit is the memory limit of a service's Deployment.
func memoryLimit(t *testing.T, service string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "deploy", "k8s", "base", service+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found := memoryLimitLine.FindSubmatch(data)
	if found == nil {
		t.Fatalf("the Deployment of %s has no GOMEMLIMIT", service)
	}
	return string(found[1])
}

// memoryOf is what /proc/PID/status says of a process, in bytes.
func memoryOf(t *testing.T, p *process, name string) int64 {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		t.Fatalf("%s does not run", p.name)
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("no %s", name)
	return 0
}
