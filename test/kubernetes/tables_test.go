package kubernetes

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// readPage returns docs/kubernetes.md.
func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestEachConfigMapIsOnThePage: the table of settings names each ConfigMap that a build
// makes of settings, beside each service that reads it, and no other.
func TestEachConfigMapIsOnThePage(t *testing.T) {
	_, table, found := strings.Cut(readPage(t), "| ConfigMap | read by |\n")
	if !found {
		t.Fatal("the page has no table of settings")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	name := regexp.MustCompile("`(?:colophon)?-([a-z0-9]+)`")
	told := map[string]string{} // by the last word of a ConfigMap's name, who reads it
	for line := range strings.Lines(table) {
		first, readers, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, m := range name.FindAllStringSubmatch(first, -1) {
			told[m[1]] = readers
		}
	}
	made := map[string]bool{}
	eachBuild(t, func(t *testing.T, all objects) {
		for _, w := range ofColophon(t, all) {
			for _, from := range w.pod.Containers[0].EnvFrom {
				name := regexp.MustCompile("^colophon-([a-z0-9]+?)(-[a-z0-9]{10})?$").FindStringSubmatch(from.ConfigMapRef.Name)
				if name == nil {
					t.Fatalf("%s reads the ConfigMap %s", w.name, from.ConfigMapRef.Name)
				}
				made[name[1]] = true
				readers, ok := told[name[1]]
				if !ok {
					t.Errorf("the page has no row for colophon-%s, which %s reads", name[1], w.name)
				}
				as := strings.TrimSuffix(strings.TrimSuffix(w.name, "-text"), "-ocr")
				if !strings.Contains(readers, as) && !strings.Contains(readers, "all") && w.name != "reconcile" {
					t.Errorf("%s reads colophon-%s, of which the page says: %s", w.name, name[1], readers)
				}
			}
		}
	})
	for name := range told {
		if !made[name] && name != "cluster" {
			t.Errorf("nobody reads colophon-%s of the page", name)
		}
	}
}

// TestWhatRunsIsOnThePage: of each Deployment of the base the page says how many there are, by
// which consumers they are scaled, and their memory; the scalers keep as many at least.
func TestWhatRunsIsOnThePage(t *testing.T) {
	page := readPage(t)
	consumers, least := map[string][]string{}, map[string]int64{}
	for _, o := range render(t, onBase(t, filepath.Join(root, "deploy/k8s/components/keda"), "")).of("ScaledObject") {
		triggers, _, err := unstructured.NestedSlice(o.Object, "spec", "triggers")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`pending_messages\{consumer="([a-z]+)"`).FindAllStringSubmatch(fmt.Sprint(triggers), -1) {
			if !slices.Contains(consumers[o.GetName()], m[1]) {
				consumers[o.GetName()] = append(consumers[o.GetName()], m[1])
			}
		}
		if least[o.GetName()], _, err = unstructured.NestedInt64(o.Object, "spec", "minReplicaCount"); err != nil {
			t.Fatal(err)
		}
	}
	rows := 0
	for _, w := range ofColophon(t, render(t, filepath.Join(root, "deploy/k8s/base"))) {
		if w.kind != "Deployment" {
			continue
		}
		rows++
		row := regexp.MustCompile("(?m)^\\| `" + w.name + "` \\| 2([^|]*)\\| ([^,|]+), ([^|]+) \\|").FindStringSubmatch(page)
		if row == nil {
			t.Errorf("the page has no row for %s", w.name)
			continue
		}
		for _, consumer := range consumers[w.name] {
			if !strings.Contains(row[1], "`"+consumer+"`") {
				t.Errorf("%s is scaled by the consumer %s, of which its row says nothing: %s", w.name, consumer, row[1])
			}
		}
		if n, scaled := least[w.name]; scaled && n != 2 {
			t.Errorf("%s is scaled down to %d, the page says 2", w.name, n)
		}
		r := w.pod.Containers[0].Resources
		for i, has := range []resource.Quantity{*r.Requests.Memory(), *r.Limits.Memory()} {
			if said := resource.MustParse(strings.ReplaceAll(row[2+i], " ", "")); said.Cmp(has) != 0 {
				t.Errorf("%s: the page says %s, it has %s", w.name, row[2+i], has.String())
			}
		}
	}
	if rows < 9 {
		t.Errorf("%d Deployments", rows)
	}
}

// TestASinkOnTopOfProduction takes the overlay that the page shows for a sink, which stands
// behind the component tls and the images of production: its image is the registry's, and each file that
// its settings name is mounted.
func TestASinkOnTopOfProduction(t *testing.T) {
	block := regexp.MustCompile("(?s)\n```\n(components:\n  - ../colophon/deploy/k8s/components/sink\n.*?)```\n").FindStringSubmatch(readPage(t))
	if block == nil {
		t.Fatal("the page shows no overlay with a sink")
	}
	more := strings.NewReplacer("../colophon/deploy/k8s", "K8S", "REGISTRY", "registry.ours").Replace(block[1])
	all := render(t, overlay(t, "namespace: colophon\ntransformers: [K8S/places]\n"+more))
	files := 0
	for _, w := range ofColophon(t, all) {
		if w.name != "sink" {
			continue
		}
		c := w.pod.Containers[0]
		mounted := map[string]bool{}
		for _, m := range c.VolumeMounts {
			mounted[m.MountPath] = true
		}
		if c.Image != "registry.ours/colophon:0.1.0" {
			t.Errorf("its image is %s", c.Image)
		}
		for name, value := range environment(t, all, c) {
			if strings.HasPrefix(value, "/etc/colophon/") {
				files++
				if !mounted[filepath.Dir(value)] {
					t.Errorf("nothing is mounted for %s=%s", name, value)
				}
			}
		}
	}
	if files < 5 { // seed, URL, authority, certificate, key
		t.Errorf("its settings name %d files", files)
	}
}
