package monitoring

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

const root = "../.."

// TestFilesAreFresh: what is in the tree is what the tables make, and nothing else is
// beside it.
func TestFilesAreFresh(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what `make generate` writes (%v)", path, err)
		}
	}
	for _, pattern := range []string{"dashboards/*", "rules/*"} {
		found, err := filepath.Glob(filepath.Join(root, component, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range found {
			if _, made := files[component+filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)]; !made {
				t.Errorf("%s is made of no table", path)
			}
		}
	}
}

// TestTheComponentNamesItsFiles: each resource and dashboard that the component lists is
// there.
func TestTheComponentNamesItsFiles(t *testing.T) {
	listed := regexp.MustCompile(`(?m)^\s+- ([a-z/-]+\.(?:yaml|json))$`).FindAllStringSubmatch(string(Kustomization()), -1)
	if want := 2 + len(Dashboards()); len(listed) != want {
		t.Errorf("%d files are listed, want %d", len(listed), want)
	}
	for _, name := range listed {
		if _, err := os.Stat(filepath.Join(root, component, name[1])); err != nil {
			t.Error(err)
		}
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(page), -1) {
		text := regexp.MustCompile("[^a-z0-9 _-]").ReplaceAllString(strings.ToLower(heading[1]), "")
		found[strings.ReplaceAll(text, " ", "-")] = true
	}
	return found
}

// TestRunbooksExist: what an alert, the table of instruments and the runbooks themselves
// link to is a heading of docs/operations.md.
func TestRunbooksExist(t *testing.T) {
	there := anchors(t, "docs/operations.md")
	check := func(who, anchor string) {
		if !there[anchor] {
			t.Errorf("%s: docs/operations.md has no heading #%s", who, anchor)
		}
	}
	for _, a := range Alerts() {
		check(a.Name, a.Runbook)
	}
	link := regexp.MustCompile(`\((?:operations\.md)?#([a-z-]+)\)`)
	for _, i := range instrument.All() {
		for _, l := range link.FindAllStringSubmatch(i.Bad, -1) {
			check(string(i.Name), l[1])
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range link.FindAllStringSubmatch(string(page), -1) {
		check("operations.md", l[1])
	}
}

// names are the series that a query asks for.
var names = regexp.MustCompile(`\b(?:colophon|http|go|process)_[a-z_0-9]+`)

// instrumentOf returns the row of a series, under any of the names that it has for
// Prometheus.
func instrumentOf(series string) (instrument.Instrument, bool) {
	for _, i := range instrument.All() {
		name := i.Prometheus()
		if series == name || i.Kind == instrument.KindHistogram && slices.Contains([]string{name + "_bucket", name + "_count", name + "_sum"}, series) {
			return i, true
		}
	}
	return instrument.Instrument{}, false
}

// queries are all that dashboards and alerts ask, by where they stand.
func queries() map[string]string {
	all := make(map[string]string)
	for _, d := range Dashboards() {
		for _, row := range d.Rows {
			for _, p := range row.Panels {
				for i, q := range p.Queries {
					all[d.Title+" / "+row.Title+" / "+p.Title+" "+string(rune('A'+i))] = q.Expr
				}
			}
		}
	}
	for _, a := range Alerts() {
		all["alert "+a.Name] = a.Expr()
	}
	return all
}

// TestQueriesAskForWhatThereIs: each series is one of the table, with labels and values
// that it can have; and each instrument is asked for by somebody.
func TestQueriesAskForWhatThereIs(t *testing.T) {
	libraries := []string{"go_goroutines", "go_gc_heap_live_bytes", "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"}
	selector := regexp.MustCompile(`\b((?:colophon|http)_[a-z_0-9]+)\{([^}]*)\}`)
	matcher := regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"([^"]*)"`)
	asked := make(map[instrument.Name]bool)
	for where, expr := range queries() {
		for _, series := range names.FindAllString(regexp.MustCompile(`"[^"]*"|http_route|http_response_status_code`).ReplaceAllString(expr, ""), -1) {
			row, found := instrumentOf(series)
			if !found && !slices.Contains(libraries, series) {
				t.Errorf("%s: there is no %s", where, series)
			}
			asked[row.Name] = true
		}
		for _, s := range selector.FindAllStringSubmatch(expr, -1) {
			row, _ := instrumentOf(s[1])
			for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
				checkMatcher(t, where, row, m[1], m[2], m[3])
			}
		}
	}
	for _, i := range instrument.All() {
		// These are for other uses: scaling, `make bench`, and a look by hand.
		if !asked[i.Name] && !slices.Contains([]instrument.Name{instrument.ConsumerRedelivered, instrument.Statements, instrument.StreamMessages, instrument.ReconcileActions}, i.Name) {
			t.Errorf("no dashboard and no alert asks for %s", i.Prometheus())
		}
	}
}

// TestInstallationsAreApart: in one Prometheus no alert counts the series of one namespace
// with those of another: each aggregation and each match keeps the label.
func TestInstallationsAreApart(t *testing.T) {
	grouped := regexp.MustCompile(`\b(?:by|on) \(([^)]*)\)`)
	bare := regexp.MustCompile(`\b(?:sum|max|min|count|avg|topk)\s*\(|\bvector\(|\bwithout\b|\bignoring\b`)
	for _, a := range Alerts() {
		expr := a.Expr()
		for _, m := range grouped.FindAllStringSubmatch(expr, -1) {
			if !slices.Contains(strings.Split(m[1], ", "), "namespace") {
				t.Errorf("%s forgets the namespace in %q: %s", a.Name, m[0], expr)
			}
		}
		if found := bare.FindString(expr); found != "" {
			t.Errorf("%s forgets the namespace in %q: %s", a.Name, found, expr)
		}
	}
}

func checkMatcher(t *testing.T, where string, row instrument.Instrument, label, operator, value string) {
	t.Helper()
	var values []string
	if label == "service_name" {
		values = row.Writers
	}
	for _, l := range row.Labels {
		if prometheusLabel(l.Name) == label {
			values = l.Values
		}
	}
	matches := func(v string) bool { return v == value }
	if strings.Contains(operator, "~") {
		whole := regexp.MustCompile("^(?:" + value + ")$")
		matches = whole.MatchString
	}
	if !slices.ContainsFunc(values, matches) {
		t.Errorf("%s: no %s has %s%s%q", where, row.Prometheus(), label, operator, value)
	}
}

// TestDashboardsAreWhole: what Grafana reads has ids that differ, panels that neither
// overlap nor leave the grid, a source for each query, and a legend that names labels
// which the query keeps.
func TestDashboardsAreWhole(t *testing.T) {
	uids := make(map[string]bool)
	for _, d := range Dashboards() {
		if uids[d.UID] || d.Title == "" || d.About == "" {
			t.Errorf("%s: its uid, title or text is missing, or another's", d.UID)
		}
		uids[d.UID] = true
		data, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			UID           string `json:"uid"`
			SchemaVersion int    `json:"schemaVersion"`
			Panels        []struct {
				ID      int                                          `json:"id"`
				Type    string                                       `json:"type"`
				Title   string                                       `json:"title"`
				About   string                                       `json:"description"`
				GridPos struct{ X, Y, W, H int }                     `json:"gridPos"`
				Source  struct{ Type, UID string }                   `json:"datasource"`
				Targets []struct{ RefID, Expr, LegendFormat string } `json:"targets"`
			} `json:"panels"`
			Templating struct {
				List []struct{ Name, Type, Query string } `json:"list"`
			} `json:"templating"`
		}
		if err := json.Unmarshal(data, &board); err != nil {
			t.Fatal(err)
		}
		if len(board.Templating.List) != 2 || board.Templating.List[1].Name != "namespace" || board.Templating.List[0].Name != "datasource" || board.SchemaVersion < 36 {
			t.Errorf("%s: %+v", d.UID, board.Templating)
		}
		ids := make(map[int]bool)
		taken := make(map[[2]int]string)
		for _, p := range board.Panels {
			if ids[p.ID] || p.Title == "" {
				t.Errorf("%s: panel %d %q", d.UID, p.ID, p.Title)
			}
			ids[p.ID] = true
			if p.GridPos.X+p.GridPos.W > gridWidth || p.GridPos.W <= 0 || p.GridPos.H <= 0 {
				t.Errorf("%s: %s at %+v", d.UID, p.Title, p.GridPos)
			}
			for x := range p.GridPos.W {
				for y := range p.GridPos.H {
					at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
					if taken[at] != "" {
						t.Errorf("%s: %s lies on %s", d.UID, p.Title, taken[at])
					}
					taken[at] = p.Title
				}
			}
			if p.Type == "row" {
				continue
			}
			if len(p.Targets) == 0 || p.About == "" || p.Source.UID != "${datasource}" || p.Source.Type != "prometheus" {
				t.Errorf("%s: %s has no queries, text or source", d.UID, p.Title)
			}
			for _, q := range p.Targets {
				if series, chosen := len(names.FindAllString(regexp.MustCompile(`"[^"]*"|http_route|http_response_status_code`).ReplaceAllString(q.Expr, ""), -1)), strings.Count(q.Expr, `{namespace=~"$namespace"`); series == 0 || chosen != series {
					t.Errorf("%s: %s: %d of %d series are those of the chosen installations: %s", d.UID, p.Title, chosen, series, q.Expr)
				}
				if q.Expr == "" || q.RefID == "" || q.LegendFormat == "" {
					t.Errorf("%s: %s: %+v", d.UID, p.Title, q)
				}
				for _, label := range regexp.MustCompile(`\{\{([a-z_]+)\}\}`).FindAllStringSubmatch(q.LegendFormat, -1) {
					if grouped := regexp.MustCompile(`by \(([^)]*)\)`).FindStringSubmatch(q.Expr); grouped != nil && !slices.Contains(strings.Split(grouped[1], ", "), label[1]) {
						t.Errorf("%s: %s: the query does not keep %s", d.UID, p.Title, label[1])
					}
				}
			}
		}
	}
}

// TestEveryServiceHasADashboard: one for the chain and one for each that writes an
// instrument.
func TestEveryServiceHasADashboard(t *testing.T) {
	have := make(map[string]bool)
	for _, d := range Dashboards() {
		have[d.UID] = true
	}
	for _, i := range instrument.All() {
		for _, writer := range i.Writers {
			if !have["colophon-"+writer] {
				t.Errorf("%s writes %s and has no dashboard", writer, i.Name)
				have["colophon-"+writer] = true
			}
		}
	}
}
