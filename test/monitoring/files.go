package monitoring

import (
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// component is the folder of what Kubernetes is given.
const component = "deploy/k8s/components/monitoring/"

// Files returns what is made from the tables, by path from the repository's root.
func Files() (map[string][]byte, error) {
	files := map[string][]byte{
		"docs/telemetry.md":               Document(),
		component + "rules/colophon.yaml": Rules(),
		component + "prometheusrule.yaml": PrometheusRule(),
		component + "kustomization.yaml":  Kustomization(),
	}
	for _, d := range Dashboards() {
		data, err := d.JSON()
		if err != nil {
			return nil, err
		}
		files[component+"dashboards/"+d.UID+".json"] = data
	}
	return files, nil
}

// Kustomization returns the component: what watches the pods, the rules, and a ConfigMap
// of the dashboards under the label that Grafana's sidecar looks for.
func Kustomization() []byte {
	var b strings.Builder
	b.WriteString(`# Made by make generate from test/monitoring; do not edit.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources:
  - podmonitor.yaml
  - prometheusrule.yaml
configMapGenerator:
  - name: colophon-dashboards
    files:
`)
	for _, d := range Dashboards() {
		fmt.Fprintf(&b, "      - dashboards/%s.json\n", d.UID)
	}
	b.WriteString(`    options:
      disableNameSuffixHash: true
      labels:
        grafana_dashboard: "1"
        app.kubernetes.io/name: colophon
`)
	return []byte(b.String())
}

const introduction = `# Telemetry

Made by ` + "`make generate`" + ` from the table of pkg/instrument: every instrument that Colophon
writes, what it means, and what to do when it looks bad. Runbooks are in
[operations.md](operations.md#when-an-alert-fires), what goes where in
[ADR 23](adr/0023-one-table-of-instruments.md).

Every process serves ` + "`/metrics`" + ` at ` + "`COLOPHON_HEALTH_ADDR`" + `. Each series has the label
` + "`service_name`" + `; Prometheus adds ` + "`instance`" + `. Where it asks for OpenMetrics, as it does when
exemplars are stored, values carry the trace that they come from. With
` + "`COLOPHON_OTLP_ENDPOINT`" + ` the same instruments go there too, under the names of the first
column, and traces with them.

Labels have the values that are listed here and no others: none holds a source, a document
or a URL, so that the number of series does not grow with what is captured. Counters begin
at 0 where their values are few. Beside these each process serves what Go's and
Prometheus's libraries tell of it: ` + "`go_*` and `process_*`" + `.

What the gateway asks of the whole system is the same from each gateway: take the largest,
as in ` + "`max by (consumer) (colophon_consumer_pending_messages)`" + `. What could not be asked has
no value.

A trace goes from the request, or from the command that asked for a run, to the vectors:
each event carries its ` + "`traceparent`" + `. Spans are made for each handling and, as parts of a
trace, for each statement or batch of PostgreSQL, each request to the object store and each call
to the vector store; what loops ask on their own has none. A batch whose events come from several traces has a trace of its own with links to them, and
a span in each. Log lines have ` + "`trace_id` and `span_id`" + `.

The dashboards and the alerts of
[deploy/k8s/components/monitoring](../deploy/k8s/components/monitoring) are made from the
tables of test/monitoring; ` + "`rules/colophon.yaml`" + ` there is for a Prometheus without Kubernetes.
` + "`make telemetry-test`" + ` tries all of them on a running chain.
`

// Document returns docs/telemetry.md.
func Document() []byte {
	var b strings.Builder
	b.WriteString(introduction)
	b.WriteString("\n## Instruments\n\n| instrument | for Prometheus | kind, unit | labels | it means | when it is bad | written by |\n|---|---|---|---|---|---|---|\n")
	for _, i := range instrument.All() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s | %s | %s |\n", i.Name, i.Prometheus(), kindOf(i), labelsOf(i), i.Meaning, i.Bad, strings.Join(i.Writers, ", "))
	}
	b.WriteString("\n## Labels\n\n| label | of | values |\n|---|---|---|\n")
	for _, i := range instrument.All() {
		for _, l := range i.Labels {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", prometheusLabel(l.Name), i.Prometheus(), strings.Join(l.Values, ", "))
		}
	}
	b.WriteString("\n## Alerts\n\n| alert | severity | it fires when | for | runbook |\n|---|---|---|---|---|\n")
	for _, a := range Alerts() {
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | [%s](operations.md#%s) |\n", a.Name, a.Severity,
			strings.ReplaceAll(a.Expr(), "|", `\|`), a.For, strings.ReplaceAll(a.Runbook, "-", " "), a.Runbook)
	}
	return []byte(b.String())
}

func kindOf(i instrument.Instrument) string {
	switch i.Unit {
	case instrument.Seconds:
		return string(i.Kind) + ", seconds"
	case instrument.Bytes:
		return string(i.Kind) + ", bytes"
	}
	return string(i.Kind)
}

func labelsOf(i instrument.Instrument) string {
	if len(i.Labels) == 0 {
		return "none"
	}
	var names []string
	for _, l := range i.Labels {
		names = append(names, "`"+prometheusLabel(l.Name)+"`")
	}
	return strings.Join(names, ", ")
}

// prometheusLabel is a label's name as Prometheus is served it.
func prometheusLabel(name string) string { return strings.ReplaceAll(name, ".", "_") }
