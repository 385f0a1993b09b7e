package kubernetes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// overlay returns a folder whose kustomization builds on production.
func overlay(t *testing.T, more string) string {
	t.Helper()
	dir := t.TempDir()
	text := "resources: [" + from(t, dir, filepath.Join(root, "deploy/k8s/overlays/production")) + "]\n" +
		strings.ReplaceAll(more, "K8S", from(t, dir, filepath.Join(root, "deploy/k8s")))
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func text(t *testing.T, all objects) string {
	t.Helper()
	var out strings.Builder
	for _, o := range all {
		line, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.String()
}

// TestAnotherNamespaceReachesEverything: with deploy/k8s/places an overlay's namespace and
// names of the cluster around it stand wherever the defaults stood, and else nothing moves.
func TestAnotherNamespaceReachesEverything(t *testing.T) {
	plain := text(t, render(t, overlay(t, "")))
	if with := text(t, render(t, overlay(t, "transformers: [K8S/places]\n"))); with != plain {
		t.Error("places changes what has the defaults")
	}
	moved := render(t, overlay(t, `
namespace: doc-colophon
components: [K8S/components/nats, K8S/components/postgres]
transformers: [K8S/places]
configMapGenerator:
  - name: colophon-cluster
    behavior: merge
    literals:
      - PROMETHEUS=http://prometheus.observe.svc:9090
      - PROMETHEUS_NAMESPACE=observe
      - TRACES=jaeger.traces.svc:14317
      - TRACES_NAMESPACE=traces
      - RUNBOOKS=https://wiki.ours/colophon
`))
	found := text(t, moved)
	for _, left := range []string{
		`namespace=\"colophon\"`, `"namespace":"colophon"`, ".colophon.svc", "prometheus-operated", "tempo.monitoring", `"monitoring"`, "github.com/colophon-dev/colophon/blob",
	} {
		for line := range strings.Lines(found) {
			if at := strings.Index(line, left); at >= 0 && !strings.Contains(line, `"kind":"ConfigMap"`) {
				t.Errorf("%s is left: …%s", left, line[max(0, at-200):min(len(line), at+80)])
			}
		}
	}
	for _, want := range []string{
		`namespace=\"doc-colophon\"`, "nats.doc-colophon.svc", "gateway.doc-colophon.svc", "http://prometheus.observe.svc:9090", `"value":"jaeger.traces.svc:14317"`, `"port":14317,`,
		`"kubernetes.io/metadata.name":"observe"`, `"kubernetes.io/metadata.name":"traces"`, `"runbook_url":"https://wiki.ours/colophon#`,
	} {
		if !strings.Contains(found, want) {
			t.Errorf("there is no %s", want)
		}
	}
	triggers := strings.Count(found, `"type":"prometheus"`)
	if n := strings.Count(found, `namespace=\"doc-colophon\"`); n != 2*triggers || triggers < len(moved.of("ScaledObject")) {
		t.Errorf("%d places for %d triggers of %d scalers", n, triggers, len(moved.of("ScaledObject")))
	}
}

// TestComponentsLeadToTheirServers: on top of production, which leads to somebody's stores,
// a store's component takes the way to it over.
func TestComponentsLeadToTheirServers(t *testing.T) {
	for _, store := range []string{"nats", "postgres"} {
		all := render(t, overlay(t, "components: [K8S/components/"+store+"]\n"))
		for _, o := range all.of("NetworkPolicy") {
			if o.GetName() != "to-"+store {
				continue
			}
			if way := text(t, objects{o}); !strings.Contains(way, `"colophon.dev/store":"`+store+`"`) || strings.Contains(way, "namespaceSelector") {
				t.Errorf("to-%s leads to %s", store, way)
			}
		}
	}
}

// TestStoresAreCheckedByTheIssuersAuthority: production names an authority for each store, as
// the issuer's Certificates bring it, and an overlay may say that it is another one.
func TestStoresAreCheckedByTheIssuersAuthority(t *testing.T) {
	builds := map[string]objects{
		"":     render(t, overlay(t, "")),
		"S3":   render(t, overlay(t, "configMapGenerator: [{name: colophon-s3, behavior: merge, literals: [COLOPHON_S3_CA_FILE=]}]\n")),
		"NATS": render(t, overlay(t, "configMapGenerator: [{name: colophon-nats, behavior: merge, literals: [COLOPHON_NATS_CA_FILE=/etc/colophon/nats/ca.crt]}]\n")),
	}
	for other, all := range builds {
		for _, w := range ofColophon(t, all) {
			env := environment(t, all, w.pod.Containers[0])
			for _, store := range []string{"NATS", "POSTGRES", "S3", "QDRANT"} {
				value, asked := env["COLOPHON_"+store+"_CA_FILE"]
				if want := "/etc/colophon/tls/ca.crt"; asked && (value == want) == (other == store) {
					t.Errorf("%s: the authority of %s is %q", w.name, store, value)
				}
			}
			mounted := false
			for _, v := range w.pod.Volumes {
				mounted = mounted || v.Secret != nil && v.Secret.SecretName == "colophon-"+w.pod.ServiceAccountName+"-tls"
			}
			if !mounted {
				t.Errorf("%s has no certificate", w.name)
			}
		}
		for _, w := range ofColophon(t, all) {
			found := false
			for _, o := range all.of("Certificate") {
				name, _, err := unstructured.NestedString(o.Object, "spec", "secretName")
				if err != nil {
					t.Fatal(err)
				}
				found = found || name == "colophon-"+w.pod.ServiceAccountName+"-tls"
			}
			if !found {
				t.Errorf("nobody makes the certificate of %s", w.name)
			}
		}
	}
}

// TestAChangedSettingStartsAnewAlsoInDev: the ConfigMap that is changed has another name, so
// that what reads it is replaced; the Secrets, which are read again, keep theirs.
func TestAChangedSettingStartsAnewAlsoInDev(t *testing.T) {
	all := render(t, filepath.Join(root, "deploy/k8s/overlays/dev"))
	for _, o := range all.of("ConfigMap") {
		if name := o.GetName(); strings.HasPrefix(name, "colophon-") && len(name) < len("colophon-s3-")+10 {
			t.Errorf("the ConfigMap %s has the same name whatever is in it", name)
		}
	}
	for _, o := range all.of("Secret") {
		if name := o.GetName(); len(name[strings.LastIndexByte(name, '-')+1:]) == 10 {
			t.Errorf("the Secret %s is not of the name that pods ask for", name)
		}
	}
}

// TestAppliedAgainWithOtherSettings: on a real API server every object takes a change of a
// setting, of an image, and of a limit; a Job, whose template may not change, would refuse.
func TestAppliedAgainWithOtherSettings(t *testing.T) {
	c := startCluster(t)
	c.define(t)
	apply := func(all objects) {
		for _, o := range all.of("Namespace") {
			c.apply(t, o)
		}
		for _, o := range all {
			if o.GetKind() != "Namespace" {
				c.apply(t, o)
			}
		}
	}
	apply(render(t, overlay(t, "")))
	changed := render(t, overlay(t, `
configMapGenerator:
  - {name: colophon-nats, behavior: merge, literals: [COLOPHON_ACK_WAIT=45s]}
  - {name: colophon-s3, behavior: merge, literals: [COLOPHON_S3_REGION=eu-west-1]}
  - {name: colophon-postgres, behavior: merge, literals: [COLOPHON_POSTGRES_MAX_CONNS=4]}
images: [{name: registry.example.com/colophon/colophon, newTag: "0.2.0"}]
patches:
  - target: {kind: CronJob}
    patch: |-
      - {op: replace, path: /spec/jobTemplate/spec/template/spec/containers/0/resources/limits/memory, value: 3Gi}
`))
	if n := len(changed.of("Job")); n > 0 {
		t.Errorf("%d Jobs", n)
	}
	for _, name := range []string{"provision", "migrate"} {
		found := false
		for _, o := range changed.of("CronJob") {
			found = found || o.GetName() == name
		}
		if !found {
			t.Errorf("there is no %s", name)
		}
	}
	apply(changed)
}
