package kubernetes

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// answered are what kube-score finds and docs/adr/0021 answers: the check, for all
// objects or for one, and why it is left.
var answered = map[string]string{
	"container-image-pull-policy":                                   "images are named by a version that is used once; a registry that is away must not keep a pod from starting again",
	"deployment-has-host-podantiaffinity":                           "pods are spread over nodes and zones by topologySpreadConstraints, which kube-score does not read here",
	"container-security-context-user-group-id StatefulSet/postgres": "the user that the image of others is made for",
	"container-security-context-user-group-id StatefulSet/qdrant":   "the same",
	"statefulset-has-host-podantiaffinity StatefulSet/nats":         "the same as for Deployments; its constraint refuses a second one on a node",
	"ingress-targets-service Ingress/gateway":                       "the Service is that of the team's own proxy",
	"networkpolicy-targets-pod NetworkPolicy/postgres":              "the pods are made by CloudNativePG's operator",
	"deployment-replicas Deployment/gateway":                        "one of each in the overlay for a look",
}

// finding is one of kube-score.
type finding struct {
	ObjectMeta struct {
		Name string `json:"name"`
	} `json:"object_meta"`
	TypeMeta struct {
		Kind string `json:"kind"`
	} `json:"type_meta"`
	Checks []struct {
		Check struct {
			ID string `json:"id"`
		} `json:"check"`
		Grade    int  `json:"grade"`
		Skipped  bool `json:"skipped"`
		Comments []struct {
			Path, Summary, Description string
		} `json:"comments"`
	} `json:"checks"`
}

// allOK is the grade of a check that finds nothing; below it are warnings and problems.
const allOK = 10

// TestScore: kube-score finds nothing that is not answered.
func TestScore(t *testing.T) {
	used := map[string]bool{}
	ran := 0
	eachBuild(t, func(t *testing.T, all objects) {
		ran++
		var text bytes.Buffer
		for _, o := range all {
			y, err := yaml.Marshal(o.Object)
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString("---\n")
			text.Write(y)
		}
		file := filepath.Join(t.TempDir(), "all.yaml")
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program(t, "kube-score"), "score", "--output-format", "json", "--kubernetes-version", "v1.36", file)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		var findings []finding
		if err := json.Unmarshal(out, &findings); err != nil || len(findings) == 0 {
			t.Fatalf("%v: %s", err, out)
		}
		for _, f := range findings {
			of := f.TypeMeta.Kind + "/" + f.ObjectMeta.Name
			for _, c := range f.Checks {
				if c.Skipped || c.Grade >= allOK {
					continue
				}
				key := c.Check.ID
				if answered[key] == "" {
					key += " " + of
				}
				if used[key] = true; answered[key] != "" {
					continue
				}
				for _, comment := range c.Comments {
					t.Errorf("%s: %s (%d): %s: %s %s", of, c.Check.ID, c.Grade, comment.Path, comment.Summary, strings.ReplaceAll(comment.Description, "\n", " "))
				}
			}
		}
	})
	if ran < len(builds(t)) { // -run has chosen some
		return
	}
	for key := range answered {
		if !used[key] && !t.Failed() {
			t.Errorf("%s is answered, and never found", key)
		}
	}
}
