package kubernetes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestTheOverlayOfThePageBuilds takes the overlay that docs/kubernetes.md shows, puts it
// beside a checkout as the page says, and builds it.
func TestTheOverlayOfThePageBuilds(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)   ```\n   # kustomization.yaml\n(.*?)   ```\n").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page shows no overlay")
	}
	text := strings.ReplaceAll("\n"+string(block[1]), "\n   ", "\n")
	dir := t.TempDir()
	text = strings.ReplaceAll(text, "../colophon/", from(t, dir, root)+"/")
	text = strings.ReplaceAll(text, "REGISTRY", "registry.ours")
	stores, err := os.ReadFile(filepath.Join(root, "deploy/k8s/overlays/production/stores.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"kustomization.yaml": text, "stores.yaml": strings.ReplaceAll(string(stores), "192.0.2.10/32", "192.0.2.77/32")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := render(t, dir)
	for _, w := range ofColophon(t, all) {
		if w.name == "capturer" {
			c := w.pod.Containers[0]
			if env := environment(t, all, c); c.Image != "registry.ours/capturer:0.1.0" || env["COLOPHON_S3_ENDPOINT"] != "https://s3.ours" {
				t.Errorf("the capturer is %s with %s", c.Image, env["COLOPHON_S3_ENDPOINT"])
			}
		}
	}
	found := false
	for _, o := range all.of("NetworkPolicy") {
		text, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(text), "192.0.2.77/32")
		if strings.Contains(string(text), "192.0.2.10/32") {
			t.Errorf("%s still leads to the example's address", o.GetName())
		}
	}
	if !found {
		t.Errorf("no policy leads to our store: %d objects of\n%s", len(all), text)
	}
}

// TestSecretsAreThoseOfThePage: each Secret is named after its service and its store, and
// the overlay dev, which brings its own, has each of them with each file that is named.
func TestSecretsAreThoseOfThePage(t *testing.T) {
	eachBuild(t, func(t *testing.T, all objects) {
		brought := map[string]map[string]string{}
		for _, o := range all.of("Secret") {
			data, _, err := unstructured.NestedStringMap(o.Object, "data")
			if err != nil {
				t.Fatal(err)
			}
			brought[o.GetName()] = data
		}
		for _, w := range ofColophon(t, all) {
			secrets := map[string]string{}
			for _, v := range w.pod.Volumes {
				if v.Secret == nil {
					continue
				}
				secrets["/etc/colophon/"+v.Name] = v.Secret.SecretName
				if want := "colophon-" + w.pod.ServiceAccountName + "-" + v.Name; v.Secret.SecretName != want || *v.Secret.DefaultMode != 0o440 {
					t.Errorf("%s has the Secret %s, want %s, readable by its group alone", w.name, v.Secret.SecretName, want)
				}
			}
			for name, value := range environment(t, all, w.pod.Containers[0]) {
				if !strings.HasPrefix(value, "/etc/colophon/") || len(brought) == 0 {
					continue
				}
				if brought[secrets[filepath.Dir(value)]][filepath.Base(value)] == "" {
					t.Errorf("%s: %s=%s is in no Secret of the build", w.name, name, value)
				}
			}
		}
	})
}

// TestThePatchesOfThePageBuild puts each patch and each setting that the page shows onto
// production, by itself: it builds, and changes something.
func TestThePatchesOfThePageBuild(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	plain := text(t, render(t, overlay(t, "transformers: [K8S/places]\n")))
	shown := 0
	for _, block := range regexp.MustCompile("(?ms)^```\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		more := block[1]
		switch {
		case strings.HasPrefix(more, "patches:"), strings.HasPrefix(more, "configMapGenerator:"):
		case strings.HasPrefix(more, "  - target:"):
			more = "patches:\n" + more
		default:
			continue
		}
		shown++
		if text(t, render(t, overlay(t, "transformers: [K8S/places]\n"+more))) == plain {
			t.Errorf("nothing is changed by\n%s", more)
		}
	}
	if shown < 4 {
		t.Errorf("the page shows %d of them", shown)
	}
}
