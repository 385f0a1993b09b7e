package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/test/monitoring"
)

// Deployed is what is there for the tree: deploy/k8s, pkg/access, test/monitoring.
type Deployed struct {
	Workloads map[string]Workload        // Deployments, by component
	Policies  map[string]map[string]bool // by way: which components may go it
	Scalers   map[string]string          // by consumer: the Deployment that is scaled
	Roles     []access.Role
	Users     map[string]string // that the component postgres makes: the Secret of each one's password
	Boards    map[string]string // dashboards, by uid: all their queries
}

// Workload is a Deployment.
type Workload struct {
	Service   string          // whose image it runs
	Consumers string          // that an extractor of it works on; empty: those of its service
	Secrets   map[string]bool // that it mounts
}

// Role returns the name of the identity that a Deployment of the service works as.
func (w Workload) Role() string {
	if w.Consumers != "" {
		return w.Consumers
	}
	return w.Service
}

// manifest is of an object of Kubernetes what is read here.
type manifest struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name   string            `yaml:"name"`
		Labels map[string]string `yaml:"labels"`
	} `yaml:"metadata"`
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Image string `yaml:"image"`
					Env   []struct {
						Name  string `yaml:"name"`
						Value string `yaml:"value"`
					} `yaml:"env"`
				} `yaml:"containers"`
				Volumes []struct {
					Secret struct {
						Name string `yaml:"secretName"`
					} `yaml:"secret"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
		PodSelector struct {
			MatchLabels      map[string]string `yaml:"matchLabels"`
			MatchExpressions []struct {
				Key      string   `yaml:"key"`
				Operator string   `yaml:"operator"`
				Values   []string `yaml:"values"`
			} `yaml:"matchExpressions"`
		} `yaml:"podSelector"`
		ScaleTargetRef struct {
			Name string `yaml:"name"`
		} `yaml:"scaleTargetRef"`
		Triggers []struct {
			Metadata map[string]string `yaml:"metadata"`
		} `yaml:"triggers"`
		Managed struct {
			Roles []struct {
				Name     string `yaml:"name"`
				Password struct {
					Name string `yaml:"name"`
				} `yaml:"passwordSecret"`
			} `yaml:"roles"`
		} `yaml:"managed"`
	} `yaml:"spec"`
}

// component is the label that says which part a pod is.
const component = "app.kubernetes.io/component"

// ReadDeployed reads what is deployed below root, a path of this machine, and the tables.
func ReadDeployed(root string) (Deployed, error) {
	d := Deployed{
		Workloads: make(map[string]Workload), Policies: make(map[string]map[string]bool), Scalers: make(map[string]string),
		Roles: access.Roles(access.Default()), Users: make(map[string]string), Boards: make(map[string]string),
	}
	var all []manifest
	for _, pattern := range []string{"base/*.yaml", "components/keda/*.yaml", "components/collector/*.yaml", "components/embedding/*.yaml", "components/reranking/*.yaml", "components/chat/*.yaml", "components/postgres/cluster.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, "deploy/k8s", pattern))
		if err != nil {
			return d, err
		}
		for _, file := range files {
			some, err := manifests(file)
			if err != nil {
				return d, err
			}
			all = append(all, some...)
		}
	}
	consumer := regexp.MustCompile(`consumer="([a-z]+)"`)
	for _, m := range all {
		switch m.Kind {
		case "Deployment":
			if w := workload(m); w.Service != "" {
				d.Workloads[m.Metadata.Labels[component]] = w
			}
		case "NetworkPolicy":
			if way, found := strings.CutPrefix(m.Metadata.Name, "to-"); found {
				d.policy(strings.TrimPrefix(strings.TrimPrefix(way, "the-"), "chat-"), m) // a chat model is a model, and asked by others
			}
		case "Cluster":
			for _, user := range m.Spec.Managed.Roles {
				d.Users[user.Name] = user.Password.Name
			}
		case "ScaledObject":
			for _, trigger := range m.Spec.Triggers {
				for _, name := range consumer.FindAllStringSubmatch(trigger.Metadata["query"], -1) {
					d.Scalers[name[1]] = m.Spec.ScaleTargetRef.Name
				}
			}
		}
	}
	for _, board := range monitoring.Dashboards() {
		for _, row := range board.Rows {
			for _, panel := range row.Panels {
				for _, q := range panel.Queries {
					d.Boards[board.UID] += q.Expr + "\n"
				}
			}
		}
	}
	return d, nil
}

func manifests(file string) ([]manifest, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []manifest
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var m manifest
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, m)
	}
}

func workload(m manifest) Workload {
	w := Workload{Secrets: make(map[string]bool)}
	for _, c := range m.Spec.Template.Spec.Containers {
		image, _, _ := strings.Cut(c.Image, ":")
		if name, ours := strings.CutPrefix(image, "colophon-"); ours {
			w.Service = name
		}
		for _, e := range c.Env {
			if e.Name == "COLOPHON_EXTRACTOR_CONSUMERS" {
				w.Consumers = e.Value
			}
		}
	}
	for _, v := range m.Spec.Template.Spec.Volumes {
		w.Secrets[v.Secret.Name] = true
	}
	return w
}

// policy notes which components a policy lets go a way, and which it does not; "" stands
// for all of ours that it does not name.
func (d Deployed) policy(way string, m manifest) {
	if d.Policies[way] == nil {
		d.Policies[way] = make(map[string]bool)
	}
	others := true
	if one := m.Spec.PodSelector.MatchLabels[component]; one != "" {
		d.Policies[way][one], others = true, false
	}
	for _, e := range m.Spec.PodSelector.MatchExpressions {
		if e.Key != component {
			continue
		}
		for _, one := range e.Values {
			d.Policies[way][one] = e.Operator == "In"
		}
		others = others && e.Operator == "NotIn"
	}
	if others {
		d.Policies[way][""] = true
	}
}

// Goes reports whether a policy lets a component go a way.
func (d Deployed) Goes(component, way string) bool {
	if goes, named := d.Policies[way][component]; named {
		return goes
	}
	return d.Policies[way][""]
}
