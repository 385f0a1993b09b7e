package e2e

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/test/programs"
)

// measured is a chain that has done a little of all that it does, with what its process
// tells.
type measured struct {
	chat *chatModel
	*world
	metrics string // address of /metrics
	sink    string // that of a sink beside
}

// measuredChain starts a chain with a chat model whose loops go round fast, has it take documents,
// a page of the web, a page for OCR and a message that is none, and asks it.
func measuredChain(t *testing.T, env ...string) measured {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<h1>"+r.URL.Path+"</h1><p>The ferry leaves at noon.</p>")
	}))
	t.Cleanup(site.Close)
	health, chat := devtest.FreeAddress(t), startChat(t)
	m := measured{metrics: "http://" + health + "/metrics", chat: chat}
	m.world = startDev(t, t.TempDir(), append([]string{
		"COLOPHON_CHAT_URL=" + chat.URL + "/v1", "COLOPHON_CHAT_MODEL=scripted", "COLOPHON_CHAT_ASK_TIMEOUT=5s",
		"COLOPHON_HEALTH_ADDR=" + health, "COLOPHON_FETCH_NETWORKS=127.0.0.1/32", "COLOPHON_WATCH_EVERY=500ms",
		"COLOPHON_RECONCILE_EVERY=1s", "COLOPHON_RECONCILE_AGE=1h", "COLOPHON_LOG_LEVEL=error",
	}, env...))
	m.sink = startSink(t, m.world)
	m.work(t, site.URL+"/a.html")
	bus, err := nats.Connect(endpoint(t, m.dir, "COLOPHON_NATS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	if err := bus.Publish("colophon.capture.requested.demo", []byte("no event")); err != nil {
		t.Fatal(err)
	}
	await(t, "the message is a dead letter", func() bool { return m.must(0, "dlq", "list", "--json").out != "" })
	return m
}

// startSink starts a sink of the chain's chunks, and returns the address of its /metrics.
func startSink(t *testing.T, w *world) string {
	t.Helper()
	health := devtest.FreeAddress(t)
	cmd := exec.Command(w.program, "--dir", w.dir, "sink", "--to", "sqlite", "--out", filepath.Join(t.TempDir(), "chunks.sqlite"), "--health", health)
	cmd.Env = environment(t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sink: %v", err)
		}
	})
	return "http://" + health + "/metrics"
}

// work has the chain take more documents, searches them, and asks the model, whose answer does not
// stand in the passages, until it answers (it is left alone for a while after it was unavailable);
// then once more while it is unavailable.
func (m measured) work(t *testing.T, more ...string) {
	t.Helper()
	var files []string
	for _, name := range []string{"watershed-report.pdf", "conseil-ordre-du-jour.html", "arrete-numerise.pdf"} {
		files = append(files, filepath.Join(documents(t), name))
	}
	m.must(0, append(append([]string{"capture", "--source", "demo", "--wait"}, files...), more...)...)
	m.must(0, "search", "budget primitif")
	await(t, "the model is asked", func() bool { return m.run("ask", "What does the watershed plan cost?").code == 3 })
	m.chat.away.Store(true)
	m.must(4, "ask", "What does the watershed plan cost?")
	m.chat.away.Store(false)
}

// sample is one line of metrics.
type sample struct {
	name     string
	labels   map[string]string
	exemplar string
}

var (
	sampleLine = regexp.MustCompile(`^([a-z_0-9:]+)(?:\{([^}]*(?:\{[^}]*\}[^}]*)*)\})? ([^ ]+)(?: # (\{.*\}) .*)?$`)
	typeLine   = regexp.MustCompile(`^# TYPE ([a-z_0-9:]+) ([a-z]+)$`)
	labelPair  = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)
)

// scrape asks for OpenMetrics, and returns its samples and the types of its families.
func (m measured) scrape(t *testing.T) (samples []sample, types map[string]string) {
	t.Helper()
	types = make(map[string]string)
	for _, address := range []string{m.metrics, m.sink} {
		samples = append(samples, scrapeOne(t, address, types)...)
	}
	return samples, types
}

// scrapeOne is the same of one process; it adds to types.
func scrapeOne(t *testing.T, address string, types map[string]string) (samples []sample) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/openmetrics-text") {
		t.Fatalf("%v, %s", err, answer.Header.Get("Content-Type"))
	}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		if found := typeLine.FindStringSubmatch(line); found != nil {
			types[found[1]] = found[2]
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		found := sampleLine.FindStringSubmatch(line)
		if found == nil {
			t.Fatalf("a line that cannot be read: %s", line)
		}
		s := sample{name: found[1], labels: make(map[string]string), exemplar: found[4]}
		for _, pair := range labelPair.FindAllStringSubmatch(found[2], -1) {
			s.labels[pair[1]] = pair[2]
		}
		samples = append(samples, s)
	}
	return samples
}

// familyOf returns the row of a sample; a histogram has samples of three names.
func familyOf(name string) (instrument.Instrument, bool) {
	for _, i := range instrument.All() {
		base := i.Prometheus()
		if name == base || i.Kind == instrument.KindHistogram && (name == base+"_bucket" || name == base+"_count" || name == base+"_sum") {
			return i, true
		}
	}
	return instrument.Instrument{}, false
}

// TestTheChainServesTheTable: a chain that has worked serves each instrument of the table
// from each service that writes it, under its name and with its kind, with no other label
// or value than the table lists, and no instrument beside.
func TestTheChainServesTheTable(t *testing.T) {
	programs.NeedServers(t)
	m := measuredChain(t)
	missing := func() map[string]bool {
		samples, _ := m.scrape(t)
		left := make(map[string]bool)
		for _, i := range instrument.All() {
			for _, writer := range i.Writers {
				if !i.Rare {
					left[i.Prometheus()+" of "+writer] = true
				}
			}
		}
		for _, s := range samples {
			if row, found := familyOf(s.name); found {
				delete(left, row.Prometheus()+" of "+s.labels["service_name"])
			}
		}
		return left
	}
	var left map[string]bool
	began := time.Now()
	await(t, "all of the table is served", func() bool {
		left = missing()
		return len(left) == 0 || time.Since(began) > devtest.Patience
	})
	if len(left) > 0 {
		t.Fatal("not served:", slices.Sorted(maps.Keys(left)))
	}
	samples, types := m.scrape(t)
	exemplars := 0
	for _, s := range samples {
		if strings.Contains(s.exemplar, "trace_id=") {
			exemplars++
		}
		if strings.HasPrefix(s.name, "go_") || strings.HasPrefix(s.name, "process_") {
			continue
		}
		row, found := familyOf(s.name)
		if !found {
			t.Errorf("%s is in no table", s.name)
			continue
		}
		checkSample(t, s, row)
		family := strings.TrimSuffix(row.Prometheus(), "_total") // as OpenMetrics calls it
		if types[family] != string(row.Kind) {
			t.Errorf("%s is served as a %s, the table says %s", family, types[family], row.Kind)
		}
	}
	if exemplars == 0 {
		t.Error("no value says which trace it comes from")
	}
}

func checkSample(t *testing.T, s sample, row instrument.Instrument) {
	t.Helper()
	listed := map[string][]string{"service_name": row.Writers}
	if row.Kind == instrument.KindHistogram {
		listed["le"] = nil // of the buckets
	}
	for _, l := range row.Labels {
		listed[strings.ReplaceAll(l.Name, ".", "_")] = l.Values
	}
	for name, value := range s.labels {
		values, known := listed[name]
		if !known || values != nil && !slices.Contains(values, value) {
			t.Errorf("%s has %s=%q, which the table does not list", s.name, name, value)
		}
	}
}
