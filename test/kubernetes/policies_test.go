package kubernetes

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

// The table of who talks to whom, written by hand: what the code of each service asks.
var asks = map[string]string{
	"capturer":       "dns nats postgres s3 internet",
	"splitter":       "dns nats postgres s3",
	"extractor-text": "dns nats postgres s3",
	"extractor-ocr":  "dns nats postgres s3",
	"chunker":        "dns nats postgres s3",
	"annotator":      "dns nats postgres s3",
	"indexer":        "dns nats postgres qdrant",
	"gateway":        "dns nats postgres qdrant s3",
	"janitor":        "dns nats postgres qdrant s3",
	"provision":      "dns nats s3",
	"migrate":        "dns postgres",
	"reconcile":      "dns nats postgres qdrant s3",
	"operator":       "dns nats postgres qdrant s3 gateway",
	"verify":         "dns postgres qdrant s3",
	"sink":           "dns nats gateway target",
}

// Who may ask each of them. The kubelet asks for health from the node, which policies of
// the cluster do not refuse.
var askedBy = map[string]string{
	"gateway": "pods(colophon.dev/gateway-client=true):http/TCP " + prometheus,
}

const prometheus = "namespaces(kubernetes.io/metadata.name=monitoring)/pods():health/TCP"

// In words of policies, on the base.
var inWords = map[string]string{
	"dns":      "namespaces(kubernetes.io/metadata.name=kube-system)/pods(k8s-app=kube-dns):53/TCP namespaces(kubernetes.io/metadata.name=kube-system)/pods(k8s-app=kube-dns):53/UDP",
	"nats":     "pods(colophon.dev/store=nats):4222/TCP",
	"postgres": "pods(colophon.dev/store=postgres):5432/TCP",
	"s3":       "pods(colophon.dev/store=s3):9000/TCP",
	"qdrant":   "pods(colophon.dev/store=qdrant):6334/TCP",
	"target":   "pods(colophon.dev/store=target):5432/TCP",
	"gateway":  "pods(app.kubernetes.io/component=gateway,app.kubernetes.io/name=colophon):http/TCP",
	"internet": "0.0.0.0/0:443/TCP 0.0.0.0/0:80/TCP 2000::/3:443/TCP 2000::/3:80/TCP",
}

// workload is what makes pods.
type workload struct {
	kind, name string
	labels     map[string]string // of its pods
	pod        corev1.PodSpec
}

func workloads(t *testing.T, all objects) []workload {
	t.Helper()
	var found []workload
	for _, o := range all {
		path := []string{"spec", "template"}
		switch o.GetKind() {
		case "Deployment", "Job", "StatefulSet":
		case "CronJob":
			path = []string{"spec", "jobTemplate", "spec", "template"}
		default:
			continue
		}
		template, _, err := unstructured.NestedMap(o.Object, path...)
		if err != nil {
			t.Fatal(err)
		}
		typed := decode[corev1.PodTemplateSpec](t, &unstructured.Unstructured{Object: template})
		found = append(found, workload{o.GetKind(), o.GetName(), typed.Labels, typed.Spec})
	}
	return found
}

func policies(t *testing.T, all objects) []networkingv1.NetworkPolicySpec {
	t.Helper()
	var found []networkingv1.NetworkPolicySpec
	for _, o := range all.of("NetworkPolicy") {
		found = append(found, decode[networkingv1.NetworkPolicy](t, o).Spec)
	}
	return found
}

// selects reports whether a selector takes these labels.
func selects(t *testing.T, s *metav1.LabelSelector, of map[string]string) bool {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	return selector.Matches(labels.Set(of))
}

// ways returns the sorted words of what policies let a pod ask, or be asked by.
func ways(t *testing.T, all []networkingv1.NetworkPolicySpec, pod map[string]string, direction networkingv1.PolicyType) []string {
	t.Helper()
	found := map[string]bool{}
	for _, p := range all {
		if !selects(t, &p.PodSelector, pod) || !slices.Contains(p.PolicyTypes, direction) {
			continue
		}
		for _, rule := range p.Egress {
			if direction == networkingv1.PolicyTypeEgress {
				describe(found, rule.To, rule.Ports)
			}
		}
		for _, rule := range p.Ingress {
			if direction == networkingv1.PolicyTypeIngress {
				describe(found, rule.From, rule.Ports)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func describe(into map[string]bool, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) {
	var whom []string
	for _, peer := range peers {
		switch {
		case peer.IPBlock != nil:
			whom = append(whom, peer.IPBlock.CIDR)
		case peer.NamespaceSelector != nil:
			whom = append(whom, "namespaces("+metav1.FormatLabelSelector(peer.NamespaceSelector)+")/pods("+inside(peer.PodSelector)+")")
		default:
			whom = append(whom, "pods("+inside(peer.PodSelector)+")")
		}
	}
	if len(peers) == 0 {
		whom = []string{"anybody"}
	}
	for _, w := range whom {
		if len(ports) == 0 {
			into[w+":any"] = true
		}
		for _, port := range ports {
			into[fmt.Sprintf("%s:%s/%s", w, port.Port.String(), *port.Protocol)] = true
		}
	}
}

func inside(s *metav1.LabelSelector) string {
	if s == nil {
		return ""
	}
	return metav1.FormatLabelSelector(s)
}

// TestWhoTalksToWhom compares the policies of the base, of the operator and of a sink with the table.
func TestWhoTalksToWhom(t *testing.T) {
	seen := map[string]bool{}
	for _, component := range []string{"operator", "sink"} {
		compareWays(t, render(t, onBase(t, filepath.Join(root, "deploy/k8s/components", component), "")), seen)
	}
	for name := range asks {
		if !seen[name] {
			t.Errorf("%s is in the table, and has no workload", name)
		}
	}
}

// compareWays compares the policies of a build with the table, and notes whose it has seen.
func compareWays(t *testing.T, all objects, seen map[string]bool) {
	t.Helper()
	rules := policies(t, all)
	for _, w := range workloads(t, all) {
		words, ok := asks[w.name]
		if !ok {
			t.Errorf("%s %s is not in the table", w.kind, w.name)
			continue
		}
		seen[w.name] = true
		var want []string
		for _, word := range strings.Fields(words) {
			want = append(want, strings.Fields(inWords[word])...)
		}
		slices.Sort(want)
		if got := ways(t, rules, w.labels, networkingv1.PolicyTypeEgress); !slices.Equal(got, want) {
			t.Errorf("%s may ask\n%s\nwant\n%s", w.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		want = strings.Fields(askedBy[w.name])
		if w.kind == "Deployment" && w.name != "operator" && len(want) == 0 {
			want = []string{prometheus}
		}
		slices.Sort(want)
		if got := ways(t, rules, w.labels, networkingv1.PolicyTypeIngress); !slices.Equal(got, want) {
			t.Errorf("%s may be asked by\n%s\nwant\n%s", w.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestEveryPodIsRefusedAtFirst: in every build a policy without a way selects all pods, in
// both directions, and none gives a way to or from anybody.
func TestEveryPodIsRefusedAtFirst(t *testing.T) {
	eachBuild(t, func(t *testing.T, all objects) {
		denied := false
		for _, o := range all.of("NetworkPolicy") {
			p := decode[networkingv1.NetworkPolicy](t, o).Spec
			if inside(&p.PodSelector) == "<none>" {
				denied = len(p.Ingress)+len(p.Egress) == 0 && len(p.PolicyTypes) == 2
			}
			found := map[string]bool{}
			for _, rule := range p.Egress {
				describe(found, rule.To, rule.Ports)
			}
			for _, rule := range p.Ingress {
				describe(found, rule.From, rule.Ports)
			}
			for way := range found {
				// CloudNativePG's manager asks the cluster's API, which has no label.
				if strings.HasPrefix(way, "anybody") && (o.GetName() != "postgres" || !strings.HasSuffix(way, "443/TCP")) || strings.HasSuffix(way, ":any") {
					t.Errorf("%s gives the way %s", o.GetName(), way)
				}
			}
		}
		if !denied {
			t.Error("no policy refuses all")
		}
	})
}

// TestTheCapturersNetworksAreThoseThatItRefuses compares what the policy excepts with what
// the capturer's own guard refuses.
func TestTheCapturersNetworksAreThoseThatItRefuses(t *testing.T) {
	code, err := os.ReadFile(filepath.Join(root, "services/capturer/internal/fetch/guard.go"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range regexp.MustCompile(`\{"([0-9a-f:.]+/[0-9]+)", "`).FindAllSubmatch(code, -1) {
		want = append(want, string(m[1]))
	}
	var got []string
	for _, o := range render(t, filepath.Join(root, "deploy/k8s/base")).of("NetworkPolicy") {
		if o.GetName() != "to-the-internet" {
			continue
		}
		for _, peer := range decode[networkingv1.NetworkPolicy](t, o).Spec.Egress[0].To {
			got = append(got, peer.IPBlock.Except...)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("excepted %v\nrefused %v", got, want)
	}
}

// TestServersLetInWhoMayAsk: where the servers are in the cluster too, each lets in
// those that may ask it, and no other service.
func TestServersLetInWhoMayAsk(t *testing.T) {
	eachBuild(t, func(t *testing.T, all objects) {
		rules := policies(t, all)
		list := workloads(t, all)
		for _, server := range list {
			store := server.labels["colophon.dev/store"]
			if store == "" {
				continue
			}
			for _, client := range list {
				if client.labels["app.kubernetes.io/name"] != "colophon" {
					continue
				}
				out := reaches(t, rules, client.labels, server.labels, networkingv1.PolicyTypeEgress)
				in := reaches(t, rules, server.labels, client.labels, networkingv1.PolicyTypeIngress)
				want := slices.Contains(strings.Fields(asks[client.name]), store)
				if out != want || in != want {
					t.Errorf("%s to %s: may ask %v, is let in %v, want %v", client.name, store, out, in, want)
				}
			}
		}
	})
}

// reaches reports whether a policy of one pod names the other one, of the same namespace.
func reaches(t *testing.T, all []networkingv1.NetworkPolicySpec, of, to map[string]string, direction networkingv1.PolicyType) bool {
	t.Helper()
	for _, p := range all {
		if !selects(t, &p.PodSelector, of) {
			continue
		}
		var peers []networkingv1.NetworkPolicyPeer
		if direction == networkingv1.PolicyTypeEgress {
			for _, rule := range p.Egress {
				peers = append(peers, rule.To...)
			}
		} else {
			for _, rule := range p.Ingress {
				peers = append(peers, rule.From...)
			}
		}
		for _, peer := range peers {
			if peer.IPBlock == nil && peer.NamespaceSelector == nil && selects(t, peer.PodSelector, to) {
				return true
			}
		}
	}
	return false
}
