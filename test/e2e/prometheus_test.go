package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/monitoring"
	"github.com/colophon-dev/colophon/test/programs"
)

var prometheusDir = flag.String("prometheus", "", "folder with prometheus and promtool: `make telemetry-test` builds them")

// prometheusTool returns one of Prometheus's programs, or skips.
func prometheusTool(t *testing.T, name string) string {
	t.Helper()
	if *prometheusDir == "" {
		t.Skip("no Prometheus: make telemetry-test")
	}
	return filepath.Join(*prometheusDir, name)
}

// TestRulesFireAndKeepQuiet: promtool reads the rules, and each alert fires in the case in
// which it should, with its labels and its text, and not in the other.
func TestRulesFireAndKeepQuiet(t *testing.T) {
	promtool := prometheusTool(t, "promtool")
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.yaml")
	tests := filepath.Join(dir, "tests.yaml")
	for path, data := range map[string][]byte{rules: monitoring.Rules(), tests: monitoring.RuleTests(rules)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "rules", rules}, {"test", "rules", tests}} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// prometheus is a running Prometheus.
type prometheus struct{ address string }

// startPrometheus starts one that scrapes addresses every second, with the rules, which
// do not wait before they fire.
func startPrometheus(t *testing.T, targets ...string) prometheus {
	t.Helper()
	dir, address := t.TempDir(), devtest.FreeAddress(t)
	rules := regexp.MustCompile(`(?m)^(\s+for:) .*$`).ReplaceAllString(string(monitoring.Rules()), "$1 0s")
	config := fmt.Sprintf("global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\nrule_files: [rules.yaml]\n"+
		"scrape_configs:\n  - job_name: colophon\n    static_configs:\n      - targets: [%s]\n", strings.Join(targets, ", "))
	for name, text := range map[string]string{"rules.yaml": rules, "prometheus.yaml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(prometheusTool(t, "prometheus"), "--config.file="+filepath.Join(dir, "prometheus.yaml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address, "--enable-feature=exemplar-storage", "--log.level=warn")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return prometheus{"http://" + address}
}

// hostOf returns host:port of an address of /metrics.
func hostOf(metrics string) string {
	return strings.TrimSuffix(strings.TrimPrefix(metrics, "http://"), "/metrics")
}

// get asks the API, and returns its data, nil while it does not answer.
func (p prometheus) get(t *testing.T, path string, values url.Values) json.RawMessage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address+path+"?"+values.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	var found struct {
		Status, Error string
		Data          json.RawMessage
	}
	if json.NewDecoder(answer.Body).Decode(&found) != nil {
		return nil
	}
	if answer.StatusCode == http.StatusBadRequest {
		t.Fatalf("%s: %s", values.Encode(), found.Error)
	}
	return found.Data
}

// series returns how many series a query has now.
func (p prometheus) series(t *testing.T, expr string) int {
	t.Helper()
	var found struct{ Result []json.RawMessage }
	if data := p.get(t, "/api/v1/query", url.Values{"query": {expr}}); data == nil || json.Unmarshal(data, &found) != nil {
		return 0
	}
	return len(found.Result)
}

// awaitSeries waits until each query has a series.
func (p prometheus) awaitSeries(t *testing.T, queries map[string]string, between func()) {
	t.Helper()
	left := make(map[string]string)
	for where, expr := range queries {
		left[where] = expr
	}
	began := time.Now()
	await(t, "each query has a series", func() bool {
		for where, expr := range left {
			if p.series(t, expr) > 0 {
				delete(left, where)
			}
		}
		if len(left) > 0 {
			between()
		}
		return len(left) == 0 || time.Since(began) > 90*time.Second
	})
	for where, expr := range left {
		t.Errorf("%s: no series for %s", where, expr)
	}
}

// TestPrometheusScrapesTheChain: Prometheus takes what the chain serves; every query of
// every dashboard, and what every alert measures, has a series; exemplars lead to traces;
// and while the object store says nothing, the alert about it fires, and ends after it.
func TestPrometheusScrapesTheChain(t *testing.T) {
	prometheusTool(t, "prometheus")
	programs.NeedServers(t)
	m := measuredChain(t, "COLOPHON_S3_TIMEOUT=2s")
	p := startPrometheus(t, hostOf(m.metrics), hostOf(m.sink))
	queries := make(map[string]string)
	for _, d := range monitoring.Dashboards() {
		for _, row := range d.Rows {
			for _, panel := range row.Panels {
				for i, q := range panel.Queries {
					queries[fmt.Sprintf("%s / %s / %s %d", d.Title, row.Title, panel.Title, i+1)] = q.Expr
				}
			}
		}
	}
	for _, a := range monitoring.Alerts() {
		queries["what "+a.Name+" measures"] = a.Measure
	}
	p.awaitSeries(t, queries, func() { m.work(t) })
	t.Logf("%d queries have series", len(queries))

	began := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	var exemplars []struct {
		Exemplars []struct{ Labels map[string]string }
	}
	data := p.get(t, "/api/v1/query_exemplars", url.Values{"query": {"colophon_work_duration_seconds_bucket"}, "start": {began}, "end": {strconv.FormatInt(time.Now().Unix()+1, 10)}})
	if err := json.Unmarshal(data, &exemplars); err != nil || len(exemplars) == 0 || len(exemplars[0].Exemplars) == 0 || len(exemplars[0].Exemplars[0].Labels["trace_id"]) != 32 {
		t.Errorf("no exemplar of a handling's duration names a trace: %v, %s", err, data)
	}
	firing := func(alert, labels string) bool {
		return p.series(t, fmt.Sprintf(`ALERTS{alertname=%q,alertstate="firing"%s}`, alert, labels)) > 0
	}
	await(t, "the alert about the dead letter fires", func() bool { return firing("ColophonDeadLetters", `,consumer="capture"`) })
	// These rules do not wait before they fire: on a busy machine one answer that is late is an alert, of a second.
	quiet := func() bool { return !firing("ColophonStoreAway", "") && !firing("ColophonNotReady", "") }
	await(t, "no alert about a store fires while all is well", quiet)
	store := objectStore(t, m.cmd.Process.Pid)
	signal := func(s syscall.Signal) {
		if err := syscall.Kill(store, s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	defer signal(syscall.SIGCONT)
	await(t, "the alerts about the object store fire", func() bool {
		return firing("ColophonStoreAway", `,store="s3"`) && firing("ColophonNotReady", `,service_name="gateway"`)
	})
	signal(syscall.SIGCONT)
	await(t, "they end", quiet)
}

// objectStore returns the process of dev's object store: the child that has its role in
// the environment.
func objectStore(t *testing.T, parent int) int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, task := range tasks {
		children, err := os.ReadFile(task)
		if err != nil {
			continue // a thread that has ended
		}
		for id := range strings.FieldsSeq(string(children)) {
			variables, _ := os.ReadFile("/proc/" + id + "/environ")
			role := regexp.MustCompile(`COLOPHON_DEVSTACK_CHILD=([a-z0-9]+)`).FindString(string(variables))
			seen = append(seen, role)
			if role == "COLOPHON_DEVSTACK_CHILD=s3" {
				n, err := strconv.Atoi(id)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
	}
	t.Fatalf("dev has no object store among its children: %q", seen)
	return 0
}
