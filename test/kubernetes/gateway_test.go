package kubernetes

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestTheGatewayServesAndIsAskedByTLS puts what the page shows for HTTPS onto production: the
// gateway's certificate and its key are mounted, the operator asks at a name that the
// certificate is for and a port that the Service has, by the authority of the same issuer.
func TestTheGatewayServesAndIsAskedByTLS(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```\n(configMapGenerator:\n  - name: colophon-http\n.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page does not say how")
	}
	all := render(t, overlay(t, string(block[1])))
	mounted := func(w workload, path string) bool {
		return slices.ContainsFunc(w.pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == filepath.Dir(path) })
	}
	asked := ""
	for _, w := range ofColophon(t, all) {
		env := environment(t, all, w.pod.Containers[0])
		switch w.name {
		case "gateway":
			for _, name := range []string{"COLOPHON_HTTP_CERT_FILE", "COLOPHON_HTTP_KEY_FILE"} {
				if !strings.HasPrefix(env[name], "/etc/colophon/tls/tls.") || !mounted(w, env[name]) {
					t.Errorf("%s=%q", name, env[name])
				}
			}
		case "operator":
			asked = env["COLOPHON_GATEWAY_URL"]
			if file := env["COLOPHON_GATEWAY_CA_FILE"]; file != "/etc/colophon/tls/ca.crt" || !mounted(w, file) {
				t.Errorf("the operator trusts %q", file)
			}
		}
	}
	u, err := url.Parse(asked)
	if err != nil || u.Scheme != "https" || u.Port() != "" {
		t.Fatalf("the operator asks %q: %v", asked, err)
	}
	for _, o := range all.of("Service") {
		if o.GetName() != u.Hostname() {
			continue
		}
		ports := decode[corev1.Service](t, o).Spec.Ports
		if !slices.ContainsFunc(ports, func(p corev1.ServicePort) bool { return p.Port == 443 && p.TargetPort.String() == "http" }) {
			t.Errorf("ports of the Service: %v", ports)
		}
	}
	for _, o := range all.of("Certificate") {
		if o.GetName() != "gateway" {
			continue
		}
		names, _, err := unstructured.NestedStringSlice(o.Object, "spec", "dnsNames")
		if err != nil || !slices.Contains(names, u.Hostname()) {
			t.Errorf("the certificate is for %v (%v), asked is %s", names, err, u.Hostname())
		}
		usages, _, err := unstructured.NestedStringSlice(o.Object, "spec", "usages")
		if err != nil || !slices.Contains(usages, "server auth") {
			t.Errorf("the certificate serves for %v, %v", usages, err)
		}
		return
	}
	t.Error("the gateway has no certificate")
}
