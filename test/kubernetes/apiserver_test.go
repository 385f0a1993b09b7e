package kubernetes

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// startTime is how long etcd and the API server may take, on a busy machine.
	startTime = 3 * time.Minute
	askTime   = time.Minute
	token     = "for-this-test-only"
)

// cluster is an API server with its etcd: no controllers, no nodes.
type cluster struct {
	t      *testing.T
	url    string
	client *http.Client
	kinds  map[string]string // path of the resource by "apiVersion kind", "%s" for its namespace
}

// startCluster starts etcd and an API server on free ports of loopback, as programs of
// their own, until the test ends.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	if _, err := os.Stat(filepath.Join(*tools, "apiserver")); err != nil && !*apiserver {
		t.Skip("no API server: .ci/controlplane apiserver builds it")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	store, peer, own := freeAddress(t), freeAddress(t), freeAddress(t)
	startProgram(t, "etcd", "--data-dir", filepath.Join(dir, "etcd"), "--unsafe-no-fsync", "--log-level", "warn",
		"--listen-client-urls", "http://"+store, "--advertise-client-urls", "http://"+store,
		"--listen-peer-urls", "http://"+peer, "--initial-advertise-peer-urls", "http://"+peer, "--initial-cluster", "default=http://"+peer)
	key := filepath.Join(dir, "key.pem")
	writeKey(t, key)
	_, port, err := net.SplitHostPort(own)
	if err != nil {
		t.Fatal(err)
	}
	startProgram(t, "apiserver", "--etcd-servers", "http://"+store, "--cert-dir", filepath.Join(dir, "certs"),
		"--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--secure-port", port, "--external-hostname", "127.0.0.1",
		"--service-account-issuer", "https://test", "--service-account-key-file", key, "--service-account-signing-key-file", key,
		"--token-auth-file", write("tokens.csv", token+",tester,1,system:masters\n"), "--authorization-mode", "RBAC",
		"--admission-control-config-file", write("admission.yaml", admission), "--disable-admission-plugins", "ServiceAccount",
		"--enable-priority-and-fairness=false", "--endpoint-reconciler-type", "none")
	c := &cluster{t: t, url: "https://" + own, kinds: map[string]string{}, client: &http.Client{
		Timeout: askTime,
		// The server has made its certificate itself, on loopback, for this test.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Proxy: nil},
	}}
	c.await("the API server", startTime, func() bool {
		code, _, _, err := c.ask(http.MethodGet, "/readyz", "", nil)
		return err == nil && code == http.StatusOK
	})
	return c
}

// admission lets Pod Security enforce and warn where a namespace says nothing.
const admission = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
  - name: PodSecurity
    configuration:
      apiVersion: pod-security.admission.config.k8s.io/v1
      kind: PodSecurityConfiguration
      defaults: {enforce: restricted, enforce-version: latest, warn: restricted, warn-version: latest}
`

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func startProgram(t *testing.T, name string, args ...string) {
	t.Helper()
	var log bytes.Buffer
	cmd := exec.Command(program(t, name), args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(askTime, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if t.Failed() {
			text := log.String()
			t.Logf("%s: …%s", name, text[max(0, len(text)-4000):])
		}
	})
}

func (c *cluster) await(what string, limit time.Duration, ok func() bool) {
	c.t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			c.t.Fatalf("%s: not within %s", what, limit)
		case <-tick.C:
		}
	}
}

// ask sends a request and returns status, body and warnings.
func (c *cluster) ask(method, path, contentType string, body []byte) (int, []byte, []string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", contentType)
	answer, err := c.client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, answer.Header.Values("Warning"), err
}

// path returns where an object is, as the server itself says.
func (c *cluster) path(o *unstructured.Unstructured) string {
	c.t.Helper()
	key := o.GetAPIVersion() + " " + o.GetKind()
	if c.kinds[key] == "" {
		group := "/apis/" + o.GetAPIVersion()
		if o.GetAPIVersion() == "v1" {
			group = "/api/v1"
		}
		_, text, _, err := c.ask(http.MethodGet, group, "", nil)
		if err != nil {
			c.t.Fatal(err)
		}
		var list struct {
			Resources []struct {
				Name, Kind string
				Namespaced bool
			}
		}
		if err := json.Unmarshal(text, &list); err != nil {
			c.t.Fatal(err)
		}
		for _, r := range list.Resources {
			if r.Kind == o.GetKind() && !strings.Contains(r.Name, "/") {
				c.kinds[key] = group + "/" + r.Name
				if r.Namespaced {
					c.kinds[key] = group + "/namespaces/%s/" + r.Name
				}
			}
		}
		if c.kinds[key] == "" {
			c.t.Fatalf("the server knows no %s", key)
		}
	}
	if strings.Contains(c.kinds[key], "%s") {
		return fmt.Sprintf(c.kinds[key], o.GetNamespace())
	}
	return c.kinds[key]
}

// apply is `kubectl apply --server-side --validate=strict`: what is refused, and each
// warning, is an error of the test.
func (c *cluster) apply(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	text, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	code, answer, warnings, err := c.ask(http.MethodPatch, c.path(o)+"/"+o.GetName()+"?fieldManager=test&force=true&fieldValidation=Strict", "application/apply-patch+yaml", text)
	if err != nil || code != http.StatusOK && code != http.StatusCreated || len(warnings) > 0 {
		t.Errorf("%s %s: %d %v %v %s", o.GetKind(), o.GetName(), code, err, warnings, answer)
	}
}

// define applies the definitions of custom resources and waits until they are served.
func (c *cluster) define(t *testing.T) {
	t.Helper()
	for _, d := range readDefinitions(t) {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		o := new(unstructured.Unstructured)
		if err := json.Unmarshal(text, &o.Object); err != nil {
			t.Fatal(err)
		}
		unstructured.RemoveNestedField(o.Object, "status")
		unstructured.RemoveNestedField(o.Object, "metadata", "creationTimestamp")
		at := c.path(o)
		code, answer, _, err := c.ask(http.MethodPost, at, "application/json", mustJSON(t, o))
		if err != nil || code != http.StatusCreated {
			t.Fatalf("%s: %d %v %s", d.Name, code, err, answer)
		}
		c.await(d.Name, startTime, func() bool {
			_, text, _, err := c.ask(http.MethodGet, at+"/"+d.Name, "", nil)
			return err == nil && established(text)
		})
	}
}

func established(text []byte) bool {
	var d struct {
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
	return json.Unmarshal(text, &d) == nil && slices.ContainsFunc(d.Status.Conditions, func(c struct{ Type, Status string }) bool {
		return c.Type == "Established" && c.Status == "True"
	})
}

func mustJSON(t *testing.T, o *unstructured.Unstructured) []byte {
	t.Helper()
	text, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// pod returns the pod that a workload's controller would make, with a folder where a
// StatefulSet has the volume of a claim.
func pod(o *unstructured.Unstructured) *unstructured.Unstructured {
	path := []string{"spec", "template"}
	if o.GetKind() == "CronJob" {
		path = []string{"spec", "jobTemplate", "spec", "template"}
	}
	template, found, err := unstructured.NestedMap(o.Object, path...)
	if err != nil || !found {
		return nil
	}
	claims, _, _ := unstructured.NestedSlice(o.Object, "spec", "volumeClaimTemplates")
	volumes, _, _ := unstructured.NestedSlice(template, "spec", "volumes")
	for _, claim := range claims {
		named, _ := claim.(map[string]any)
		name, _, _ := unstructured.NestedString(named, "metadata", "name")
		volumes = append(volumes, map[string]any{"name": name, "emptyDir": map[string]any{}})
	}
	if len(claims) > 0 && unstructured.SetNestedSlice(template, volumes, "spec", "volumes") != nil {
		return nil
	}
	made := &unstructured.Unstructured{Object: template}
	made.SetAPIVersion("v1")
	made.SetKind("Pod")
	made.SetName(o.GetName() + "-pod")
	made.SetNamespace(o.GetNamespace())
	return made
}

// admit asks whether the server would take a pod, without making it: unlike for what makes
// pods, the namespace's standard is enforced.
func (c *cluster) admit(p *unstructured.Unstructured) (int, string, error) {
	text, err := p.MarshalJSON()
	if err != nil {
		return 0, "", err
	}
	code, answer, warnings, err := c.ask(http.MethodPost, c.path(p)+"?dryRun=All&fieldValidation=Strict", "application/json", text)
	return code, string(answer) + strings.Join(warnings, " "), err
}

// TestAppliedToARealServer applies each build, as it comes out of Kustomize, to an API
// server that enforces the restricted standard: nothing is refused, and nothing warned of.
func TestAppliedToARealServer(t *testing.T) {
	c := startCluster(t)
	c.define(t)
	eachBuild(t, func(t *testing.T, all objects) {
		for _, o := range all.of("Namespace") { // as kubectl does: first
			c.apply(t, o)
		}
		for _, o := range all {
			if o.GetKind() != "Namespace" {
				c.apply(t, o)
			}
		}
		for _, o := range all {
			if p := pod(o); p != nil {
				if code, answer, err := c.admit(p); err != nil || code != http.StatusCreated {
					t.Errorf("a pod of %s %s: %d %v %s", o.GetKind(), o.GetName(), code, err, answer)
				}
			}
		}
		for _, o := range all { // the next build has others of these names
			if o.GetKind() == "Namespace" {
				continue
			}
			code, answer, _, err := c.ask(http.MethodDelete, c.path(o)+"/"+o.GetName(), "application/json", []byte(`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`))
			if err != nil || code != http.StatusOK && code != http.StatusAccepted {
				t.Errorf("deleting %s %s: %d %v %s", o.GetKind(), o.GetName(), code, err, answer)
			}
		}
	})
	t.Run("a mistake is refused", func(t *testing.T) {
		all := render(t, filepath.Join(root, "deploy/k8s/base"))
		p := pod(all.of("Deployment")[0])
		if err := unstructured.SetNestedField(p.Object, "root", "spec", "securityContext", "rumAsUser"); err != nil {
			t.Fatal(err)
		}
		if code, answer, err := c.admit(p); err != nil || code == http.StatusCreated || !strings.Contains(answer, "rumAsUser") {
			t.Errorf("an unknown field: %d %v %s", code, err, answer)
		}
		p = pod(all.of("Deployment")[0])
		if err := unstructured.SetNestedField(p.Object, true, "spec", "hostNetwork"); err != nil {
			t.Fatal(err)
		}
		if code, answer, err := c.admit(p); err != nil || code != http.StatusForbidden || !strings.Contains(answer, "restricted") {
			t.Errorf("the node's network: %d %v %s", code, err, answer)
		}
	})
}
