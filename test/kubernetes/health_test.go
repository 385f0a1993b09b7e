package kubernetes

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// healthPorts are the fixed ports of the services, as the page of settings names them,
// which pkg/process holds.
func healthPorts(t *testing.T) map[string]int32 {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/environment.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^\\| `COLOPHON_HEALTH_ADDR` .*$").Find(page)
	ports := map[string]int32{}
	for _, m := range regexp.MustCompile(`(\d{4}) ([a-z]+)`).FindAllSubmatch(line, -1) {
		port, err := strconv.ParseInt(string(m[1]), 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		ports[string(m[2])] = int32(port)
	}
	if len(ports) != 8 {
		t.Fatalf("the ports are %v", ports)
	}
	return ports
}

// TestHealthIsAtThePortOfTheService: each pod's port named health is the fixed one of its
// service, at which the settings let it listen on all addresses; and probes ask that port.
func TestHealthIsAtThePortOfTheService(t *testing.T) {
	ports := healthPorts(t)
	eachBuild(t, func(t *testing.T, all objects) {
		for _, w := range ofColophon(t, all) {
			for _, c := range w.pod.Containers {
				want := ports[service(c)]
				if want == 0 { // a job of the command
					continue
				}
				var got []int32
				for _, p := range c.Ports {
					if p.Name == "health" {
						got = append(got, p.ContainerPort)
					}
				}
				if len(got) != 1 || got[0] != want {
					t.Errorf("%s: its port health is %v, want %d", w.name, got, want)
				}
				if set := environment(t, all, c)["COLOPHON_HEALTH_ADDR"]; set != ":own" {
					t.Errorf("%s answers for its health at %q", w.name, set)
				}
				for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe} {
					if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Port.StrVal != "health" {
						t.Errorf("%s: a probe asks elsewhere: %+v", w.name, probe)
					}
				}
			}
		}
	})
}
