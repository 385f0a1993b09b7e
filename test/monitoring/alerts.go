// Package monitoring makes what an operator's Prometheus and Grafana are given from
// tables: the rules of alerts and the dashboards of deploy/k8s/components/monitoring, and
// docs/telemetry.md. Its tests ask a real Prometheus, which scrapes the running chain.
package monitoring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Severities of alerts.
const (
	critical = "critical" // the chain does not work, or soon will not
	warning  = "warning"  // somebody should look in the working day
)

// Alert is one alert.
type Alert struct {
	Name     string
	Severity string
	Measure  string // what is compared: a query that always has a series
	Holds    string // the comparison behind it, as in "> 600"; or a whole expression that has Measure in it as %s
	For      string // how long it must hold
	Summary  string // a sentence, with labels of the series
	Runbook  string // anchor in docs/operations.md
	Firing   []Series
	Quiet    []Series
	Labels   string // of the firing alert, as promtool writes them
}

// Series is one input of a test of rules: a minute between two values, in promtool's
// notation.
type Series struct{ Name, Values string }

// Expr is the query of the alert.
func (a Alert) Expr() string {
	if strings.Contains(a.Holds, "%s") {
		return fmt.Sprintf(a.Holds, a.Measure)
	}
	return a.Measure + " " + a.Holds
}

// runbooks is where the runbooks are, for links in alerts.
const runbooks = "https://github.com/colophon-dev/colophon/blob/main/docs/operations.md#"

// Alerts returns all alerts.
func Alerts() []Alert {
	return slices.Concat(flowAlerts(), lagAlerts(), resourceAlerts(), loadAlerts())
}

// Rules returns the file of rules that Prometheus and promtool read.
func Rules() []byte {
	var b strings.Builder
	b.WriteString("# Made by make generate from test/monitoring; do not edit.\n")
	writeGroups(&b, "")
	return []byte(b.String())
}

// PrometheusRule returns the same rules as an object of the Prometheus operator.
func PrometheusRule() []byte {
	var b strings.Builder
	b.WriteString("# Made by make generate from test/monitoring; do not edit.\n" +
		"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: colophon\n" +
		"  labels:\n    app.kubernetes.io/name: colophon\nspec:\n")
	writeGroups(&b, "  ")
	return []byte(b.String())
}

func writeGroups(b *strings.Builder, indent string) {
	line := func(depth int, text string) {
		b.WriteString(indent + strings.Repeat("  ", depth) + text + "\n")
	}
	line(0, "groups:")
	line(1, "- name: colophon")
	line(2, "rules:")
	for _, a := range Alerts() {
		line(3, "- alert: "+a.Name)
		line(4, "expr: "+strconv.Quote(a.Expr()))
		line(4, "for: "+a.For)
		line(4, "labels:")
		line(5, "severity: "+a.Severity)
		line(4, "annotations:")
		line(5, "summary: "+strconv.Quote(a.Summary))
		line(5, "runbook_url: "+runbooks+a.Runbook)
	}
}

// RuleTests returns the file with which promtool tests the rules of a file: of each alert
// a case in which it fires, with these labels and no other alert of its name, and one in
// which it does not.
func RuleTests(rules string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "rule_files:\n  - %s\nevaluation_interval: 1m\ntests:\n", strconv.Quote(rules))
	for _, a := range Alerts() {
		for _, c := range []struct {
			name   string
			series []Series
			fires  bool
		}{{"fires", a.Firing, true}, {"quiet", a.Quiet, false}} {
			fmt.Fprintf(&b, "  - name: %s %s\n    interval: 1m\n", a.Name, c.name)
			b.WriteString("    input_series:\n")
			for _, s := range c.series {
				fmt.Fprintf(&b, "      - series: %s\n        values: %s\n", strconv.Quote(s.Name), strconv.Quote(s.Values))
			}
			fmt.Fprintf(&b, "    alert_rule_test:\n      - eval_time: %s\n        alertname: %s\n", evalTime, a.Name)
			if !c.fires {
				b.WriteString("        exp_alerts: []\n")
				continue
			}
			b.WriteString("        exp_alerts:\n          - exp_labels:\n")
			fmt.Fprintf(&b, "              severity: %s\n", a.Severity)
			for pair := range strings.SplitSeq(a.Labels, ",") {
				if name, value, ok := strings.Cut(pair, "="); ok {
					fmt.Fprintf(&b, "              %s: %s\n", name, strconv.Quote(value))
				}
			}
			fmt.Fprintf(&b, "            exp_annotations:\n              summary: %s\n              runbook_url: %s\n",
				strconv.Quote(rendered(a)), strconv.Quote(runbooks+a.Runbook))
		}
	}
	return []byte(b.String())
}

// evalTime is when the cases are looked at: all series last longer.
const evalTime = "2h"

// rendered is the summary with the labels of the firing case.
func rendered(a Alert) string {
	text := a.Summary
	for pair := range strings.SplitSeq(a.Labels, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			text = strings.ReplaceAll(text, "{{ $labels."+name+" }}", value)
		}
	}
	return text
}
