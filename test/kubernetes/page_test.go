package kubernetes

import (
	"os"
	"os/exec"
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
		case strings.HasPrefix(more, "components:"):
			more = strings.ReplaceAll(more, "../colophon/deploy/k8s", "K8S")
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

// TestTheLoopOfThePageMakesEverySecret runs the script of step 4 with a kubectl that notes
// what it is told: it makes each Secret that production mounts and no certificate's, with the
// files that are named, of the files that step 3 leaves.
func TestTheLoopOfThePageMakesEverySecret(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)   ```\n   # secrets.sh\n(.*?)   ```\n").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page shows no script")
	}
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("secrets/qdrant", "key\n", 0o600)
	for _, role := range strings.Fields("capturer splitter extract ocr chunker annotator indexer gateway janitor provision operator verify") {
		if role != "verify" {
			write("secrets/nats/"+role+".nk", "SU\n", 0o600)
		}
		if role != "indexer" {
			write("secrets/s3/"+role+".access", "a\n", 0o600)
			write("secrets/s3/"+role+".secret", "s\n", 0o600)
		}
		if role != "provision" && role != "operator" {
			write("secrets/postgres/colophon_"+role, "of-"+role+"\n", 0o600)
		}
	}
	write("bin/kubectl", `#!/bin/sh
[ "$1 $2 $3 $4 $5" = "-n colophon create secret generic" ] || { echo "kubectl $*" >&2; exit 1; }
name=$6; shift 6
for a in "$@"; do
  a=${a#--from-}; kind=${a%%=*}; a=${a#*=}; key=${a%%=*}; value=${a#*=}
  [ $kind = literal ] || value=$(cat "$value") || exit 1
  echo "$name $key $value"
done
`, 0o700)
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", strings.ReplaceAll("\n"+string(block[1]), "\n   ", "\n"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	made := map[string]map[string]string{}
	for line := range strings.Lines(string(out)) {
		part := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(part) != 3 {
			t.Fatalf("an empty secret: %q", line)
		}
		if made[part[0]] == nil {
			made[part[0]] = map[string]string{}
		}
		made[part[0]][part[1]] = part[2]
	}
	wanted := map[string]bool{}
	all := render(t, filepath.Join(root, "deploy/k8s/overlays/production"))
	for _, w := range ofColophon(t, all) {
		for _, v := range w.pod.Volumes {
			if v.Secret == nil || v.Name == "tls" {
				continue
			}
			optional := v.Secret.Optional != nil && *v.Secret.Optional && v.Name != "qdrant"
			if wanted[v.Secret.SecretName] = true; made[v.Secret.SecretName] == nil && !optional {
				t.Errorf("%s mounts %s, which the script does not make", w.name, v.Secret.SecretName)
			}
		}
		if (w.kind != "Deployment" || w.name == "operator") && w.name != "verify" {
			continue
		}
		role := map[string]string{"extractor-text": "extract", "extractor-ocr": "ocr"}[w.name]
		if role == "" {
			role = w.name
		}
		if url := made["colophon-"+w.name+"-postgres"]["url"]; !strings.Contains(url, "//colophon_"+role+":of-"+role+"@") {
			t.Errorf("%s goes to PostgreSQL by %s", w.name, url)
		}
	}
	for name := range made {
		if !wanted[name] {
			t.Errorf("nobody mounts %s", name)
		}
	}
	for _, name := range []string{"colophon-migrate-postgres", "colophon-operator-postgres"} {
		if url := made[name]["url"]; !strings.Contains(url, "//owner:") {
			t.Errorf("%s has %s", name, url)
		}
	}
}

// TestReconcileIsAJobOfTheJanitor: what runbooks call `colophon reconcile` is there as the
// janitor's identity, and runs for nobody who does not ask.
func TestReconcileIsAJobOfTheJanitor(t *testing.T) {
	eachBuild(t, func(t *testing.T, all objects) {
		for _, o := range all.of("CronJob") {
			if o.GetName() != "reconcile" {
				continue
			}
			if suspended, _, err := unstructured.NestedBool(o.Object, "spec", "suspend"); err != nil || !suspended {
				t.Errorf("it is suspended: %v, %v", suspended, err)
			}
			for _, w := range workloads(t, objects{o}) {
				for _, v := range w.pod.Volumes {
					if v.Secret != nil && !strings.HasPrefix(v.Secret.SecretName, "colophon-janitor-") {
						t.Errorf("it has the Secret %s", v.Secret.SecretName)
					}
				}
			}
			return
		}
		t.Error("there is none")
	})
}
