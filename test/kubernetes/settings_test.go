package kubernetes

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// variable is one of docs/environment.md, which is generated from the settings' structs.
type variable struct {
	preset  string
	secret  bool // may be read from a file
	readers []string
}

func documented(t *testing.T) map[string]variable {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/environment.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(COLOPHON_[A-Z0-9_]+)`(, `COLOPHON_[A-Z0-9_]+`)? \\| `?([^|`]*)`? \\| .* \\| ([a-z, ]+) \\|$")
	found := map[string]variable{}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		found[m[1]] = variable{preset: m[3], secret: m[2] != "", readers: strings.Split(m[4], ", ")}
	}
	if len(found) < 80 {
		t.Fatalf("%d variables were found in the page", len(found))
	}
	return found
}

// service returns which service a container runs: its image says so.
func service(c corev1.Container) string {
	name, _, _ := strings.Cut(filepath.Base(c.Image), ":")
	return strings.TrimPrefix(name, "colophon-")
}

// environment returns the variables that a container gets, with their values.
func environment(t *testing.T, all objects, c corev1.Container) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, from := range c.EnvFrom {
		if from.ConfigMapRef == nil || from.SecretRef != nil {
			t.Errorf("%s takes its environment from %v", c.Name, from)
			continue
		}
		found := false
		for _, o := range all.of("ConfigMap") {
			if o.GetName() == from.ConfigMapRef.Name {
				data, _, err := unstructured.NestedStringMap(o.Object, "data")
				if err != nil {
					t.Fatal(err)
				}
				maps.Copy(got, data)
				found = true
			}
		}
		if !found {
			t.Errorf("there is no ConfigMap %s", from.ConfigMapRef.Name)
		}
	}
	for _, e := range c.Env {
		got[e.Name] = e.Value
	}
	return got
}

// ofColophon returns the workloads that run our images.
func ofColophon(t *testing.T, all objects) []workload {
	t.Helper()
	return slices.DeleteFunc(workloads(t, all), func(w workload) bool { return w.labels["app.kubernetes.io/name"] != "colophon" })
}

// TestEveryVariableHasItsPlace: a service gets every variable that it reads, by a
// ConfigMap or as the file of a Secret, and none that it does not read. A Job gets none
// that the command does not read.
func TestEveryVariableHasItsPlace(t *testing.T) {
	known := documented(t)
	eachBuild(t, func(t *testing.T, all objects) {
		for _, w := range ofColophon(t, all) {
			c := w.pod.Containers[0]
			reads := service(c)
			if reads == "colophon" && len(c.Args) > 0 && c.Args[0] == "sink" { // a command that is asked for settings of its own
				reads = "colophon sink"
			}
			got := environment(t, all, c)
			for name := range got {
				if !strings.HasPrefix(name, "COLOPHON_") {
					continue
				}
				v, ok := known[name]
				if !ok {
					v = known[strings.TrimSuffix(name, "_FILE")]
					ok = v.secret
				}
				if !ok || !slices.Contains(v.readers, reads) {
					t.Errorf("%s gets %s, which %s does not read", w.name, name, reads)
				}
				if known[name].secret {
					t.Errorf("%s: the secret %s is in the environment, not in a file", w.name, name)
				}
			}
			if w.kind == "CronJob" {
				continue
			}
			for name, v := range known {
				if v.secret {
					name += "_FILE"
				}
				if _, ok := got[name]; !ok && slices.Contains(v.readers, reads) {
					t.Errorf("%s lacks %s", w.name, name)
				}
			}
		}
	})
}

// TestFilesOfSettingsAreMounted: what a variable names is below a mounted Secret, of this
// workload alone, or a folder to write to.
func TestFilesOfSettingsAreMounted(t *testing.T) {
	eachBuild(t, func(t *testing.T, all objects) {
		owner := map[string]string{}
		for _, w := range ofColophon(t, all) {
			c := w.pod.Containers[0]
			for name, value := range environment(t, all, c) {
				if !strings.HasPrefix(value, "/") {
					continue
				}
				if !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
					return value == m.MountPath || strings.HasPrefix(value, m.MountPath+"/")
				}) {
					t.Errorf("%s: %s=%s is nowhere", w.name, name, value)
				}
			}
			for _, v := range w.pod.Volumes {
				if v.Secret == nil {
					continue
				}
				who := w.pod.ServiceAccountName
				if other := owner[v.Secret.SecretName]; other != "" && other != who {
					t.Errorf("%s and %s have one Secret %s", other, who, v.Secret.SecretName)
				}
				owner[v.Secret.SecretName] = who
			}
		}
	})
}

// TestEveryServiceIsDeployed: each service of the repository has a Deployment with what
// belongs to it, and each consumer a scaler.
func TestEveryServiceIsDeployed(t *testing.T) {
	mains, err := filepath.Glob(filepath.Join(root, "services/*/main.go"))
	if err != nil || len(mains) == 0 {
		t.Fatal(mains, err)
	}
	all := render(t, filepath.Join(root, "deploy/k8s/base"))
	deployed := map[string]bool{}
	for _, w := range ofColophon(t, all) {
		if w.kind == "Deployment" {
			deployed[service(w.pod.Containers[0])] = true
			checkBelongings(t, all, w)
		}
	}
	for _, main := range mains {
		if name := filepath.Base(filepath.Dir(main)); !deployed[name] {
			t.Errorf("the service %s has no Deployment", name)
		}
	}
	table, err := os.ReadFile(filepath.Join(root, "pkg/stream/table.go"))
	if err != nil {
		t.Fatal(err)
	}
	scalers, err := os.ReadFile(filepath.Join(root, "deploy/k8s/components/keda/scaledobjects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	consumers := regexp.MustCompile(`Consumer[A-Za-z]+\s*= "([a-z]+)"`).FindAllStringSubmatch(string(table), -1)
	if len(consumers) < 6 {
		t.Fatalf("consumers: %v", consumers)
	}
	for _, m := range consumers {
		for _, gauge := range []string{"colophon_consumer_pending_messages", "colophon_consumer_ack_pending_messages"} {
			if !strings.Contains(string(scalers), gauge+`{consumer="`+m[1]+`",`) {
				t.Errorf("no scaler asks for %s of the consumer %s", gauge, m[1])
			}
		}
	}
}

func checkBelongings(t *testing.T, all objects, w workload) {
	t.Helper()
	account, budget := false, false
	for _, o := range all.of("ServiceAccount") {
		account = account || o.GetName() == w.name && w.pod.ServiceAccountName == w.name && decode[corev1.ServiceAccount](t, o).AutomountServiceAccountToken != nil
	}
	for _, o := range all.of("PodDisruptionBudget") {
		spec := decode[policyv1.PodDisruptionBudget](t, o).Spec
		if selects(t, spec.Selector, w.labels) {
			budget = spec.MaxUnavailable.IntValue() == 1 && spec.UnhealthyPodEvictionPolicy != nil && *spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow
		}
	}
	if !account || !budget || *w.pod.AutomountServiceAccountToken || len(w.pod.TopologySpreadConstraints) == 0 {
		t.Errorf("%s: service account %v, disruption budget %v, spread over %d", w.name, account, budget, len(w.pod.TopologySpreadConstraints))
	}
	for _, s := range w.pod.TopologySpreadConstraints {
		if !selects(t, s.LabelSelector, w.labels) {
			t.Errorf("%s spreads other pods", w.name)
		}
	}
}

// TestLimitsHoldTheChildren: the kernel ends all processes of a container when one takes it
// above its limit. So the limit holds the process and as many children as it may start,
// each at its own limit: then a child ends, and its page fails alone.
func TestLimitsHoldTheChildren(t *testing.T) {
	known := documented(t)
	for _, name := range []string{"base", "overlay dev", "overlay production"} {
		all := render(t, builds(t)[name])
		for _, w := range ofColophon(t, all) {
			c := w.pod.Containers[0]
			env := environment(t, all, c)
			number := func(variable string) int64 {
				text := env[variable]
				if text == "" {
					text = known[variable].preset
				}
				q, err := resource.ParseQuantity(text)
				if err != nil {
					t.Fatalf("%s: %s=%s: %v", w.name, variable, text, err)
				}
				return q.Value()
			}
			atOnce := func(variable string) int64 { // 0 is one for each core: GOMAXPROCS
				if n := number(variable); n > 0 {
					return n
				}
				return c.Resources.Limits.Cpu().Value()
			}
			var children int64
			if _, ok := env["COLOPHON_EXTRACT_CHILDREN"]; ok {
				each := atOnce("COLOPHON_EXTRACT_CHILDREN")
				if w.name == "gateway" {
					each *= 2 // those that read and those that draw
				}
				children += each * number("COLOPHON_EXTRACT_MEMORY")
			}
			if env["COLOPHON_EXTRACTOR_CONSUMERS"] == "ocr" {
				children += atOnce("COLOPHON_OCR_WORKERS") * number("COLOPHON_OCR_MEMORY")
			}
			heap, err := resource.ParseQuantity(strings.TrimSuffix(env["GOMEMLIMIT"], "B"))
			if err != nil {
				t.Fatal(err)
			}
			left := c.Resources.Limits.Memory().Value() - children
			if share := float64(heap.Value()) / float64(left); left <= 0 || share < 0.45 || share > 0.85 {
				t.Errorf("%s, %s: of %s children may take %d MiB; GOMEMLIMIT %s is %.2f of the rest",
					name, w.name, c.Resources.Limits.Memory(), children>>20, env["GOMEMLIMIT"], share)
			}
			var disk int64
			for _, v := range w.pod.Volumes {
				if v.EmptyDir != nil {
					disk += v.EmptyDir.SizeLimit.Value()
				}
			}
			if disk == 0 || disk > c.Resources.Limits.StorageEphemeral().Value() {
				t.Errorf("%s, %s: folders of %d bytes within %s", name, w.name, disk, c.Resources.Limits.StorageEphemeral())
			}
		}
	}
}

// TestTimesFitTogether: a process has the time that it takes to stop, and an answer of
// /readyz the time that it takes.
func TestTimesFitTogether(t *testing.T) {
	known := documented(t)
	preset := func(variable string) time.Duration {
		d, err := time.ParseDuration(known[variable].preset)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, w := range ofColophon(t, render(t, filepath.Join(root, "deploy/k8s/base"))) {
		if w.kind != "Deployment" {
			continue
		}
		c := w.pod.Containers[0]
		if grace := time.Duration(*w.pod.TerminationGracePeriodSeconds) * time.Second; grace < preset("COLOPHON_STOP_GRACE")+5*time.Second {
			t.Errorf("%s is given %s to stop", w.name, grace)
		}
		for _, probe := range []*corev1.Probe{c.ReadinessProbe, c.LivenessProbe} {
			if timeout := time.Duration(probe.TimeoutSeconds) * time.Second; timeout <= preset("COLOPHON_READY_TIMEOUT") {
				t.Errorf("%s: %s for an answer", w.name, timeout)
			}
		}
	}
}
