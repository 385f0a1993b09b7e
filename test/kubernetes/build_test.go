package kubernetes

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

var (
	tools     = flag.String("tools", "../../.cache/controlplane", "folder of kustomize, kube-score, etcd and apiserver")
	apiserver = flag.Bool("apiserver", false, "fail where there is no API server to try it on")
)

// root is that of the repository, seen from here.
const root = "../.."

// program returns the path of a program of .ci/controlplane.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(*tools, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run .ci/controlplane first", err)
	}
	return path
}

// proxy is what the component ingress wants to be told.
const proxy = `
configMapGenerator:
  - name: ingress-needs-an-authenticating-proxy
    literals: [host=colophon.example.com, service=oauth2-proxy, pods=oauth2-proxy]
`

// builds returns the folder of everything that is tried, by name: the base, each overlay
// and each component on the base. Components are found, not listed.
func builds(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{"base": filepath.Join(root, "deploy/k8s/base")}
	for _, dir := range children(t, "overlays") {
		found["overlay "+filepath.Base(dir)] = dir
	}
	for _, dir := range children(t, "components") {
		more := ""
		if filepath.Base(dir) == "ingress" {
			more = proxy
		}
		found["component "+filepath.Base(dir)] = onBase(t, dir, more)
	}
	return found
}

func children(t *testing.T, of string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "deploy/k8s", of, "*", "kustomization.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", of, files, err)
	}
	for i := range files {
		files[i] = filepath.Dir(files[i])
	}
	return files
}

// onBase returns a folder whose kustomization is the base with one component.
func onBase(t *testing.T, component, more string) string {
	t.Helper()
	dir := t.TempDir()
	text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: colophon\nresources: [" + from(t, dir, filepath.Join(root, "deploy/k8s/base")) +
		"]\ncomponents: [" + from(t, dir, component) + "]\n" + more
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// from returns the way from a folder to another one, as Kustomize wants it.
func from(t *testing.T, dir, to string) string {
	t.Helper()
	here, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Abs(to)
	if err != nil {
		t.Fatal(err)
	}
	way, err := filepath.Rel(here, there)
	if err != nil {
		t.Fatal(err)
	}
	return way
}

// kustomize returns what a folder builds to, and what was said on standard error.
func kustomize(t *testing.T, dir string) ([]byte, string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, "kustomize"), "build", dir)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return out.Bytes(), errs.String(), err
}

// objects are those of one build.
type objects []*unstructured.Unstructured

// render returns the objects that a folder builds to.
func render(t *testing.T, dir string) objects {
	t.Helper()
	out, said, err := kustomize(t, dir)
	if err != nil || said != "" {
		t.Fatalf("%s: %v\n%s", dir, err, said)
	}
	var found objects
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(out), 1<<16)
	for {
		o := new(unstructured.Unstructured)
		if err := decoder.Decode(o); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found = append(found, o)
	}
}

// eachBuild runs a test for everything that is tried.
func eachBuild(t *testing.T, test func(t *testing.T, all objects)) {
	t.Helper()
	all := builds(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		dir := all[name]
		t.Run(name, func(t *testing.T) { test(t, render(t, dir)) })
	}
}

// of returns the objects of a kind.
func (all objects) of(kind string) objects {
	var found objects
	for _, o := range all {
		if o.GetKind() == kind {
			found = append(found, o)
		}
	}
	return found
}

// TestIngressWantsAnAuthenticatingProxy: the API asks for no credentials, so that a way
// in from outside that nobody guards must not come about by one line.
func TestIngressWantsAnAuthenticatingProxy(t *testing.T) {
	ingress := filepath.Join(root, "deploy/k8s/components/ingress")
	_, said, err := kustomize(t, onBase(t, ingress, ""))
	if err == nil || !strings.Contains(said, "nothing selected by ConfigMap") || !strings.Contains(said, "ingress-needs-an-authenticating-proxy") {
		t.Errorf("a plain include: %v\n%s", err, said)
	}
	_, said, err = kustomize(t, onBase(t, ingress, strings.Replace(proxy, ", service=oauth2-proxy", "", 1)))
	if err == nil || !strings.Contains(said, "ingress-needs-an-authenticating-proxy") {
		t.Errorf("without the proxy's Service: %v\n%s", err, said)
	}
	all := render(t, onBase(t, ingress, proxy))
	for _, o := range all.of("Ingress") {
		rules, _, err := unstructured.NestedSlice(o.Object, "spec", "rules")
		if err != nil || len(rules) != 1 {
			t.Fatal(rules, err)
		}
		rule, _ := rules[0].(map[string]any)
		paths, _, err := unstructured.NestedSlice(rule, "http", "paths")
		if err != nil || len(paths) != 1 {
			t.Fatal(paths, err)
		}
		path, _ := paths[0].(map[string]any)
		if name, _, _ := unstructured.NestedString(path, "backend", "service", "name"); name != "oauth2-proxy" {
			t.Errorf("the Ingress leads to %q", name)
		}
	}
}
