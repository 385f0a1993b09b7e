// Package kubernetes holds deploy/k8s to what it must be: every overlay and component is
// built by Kustomize, decoded strictly, scored, its network policies are read and
// compared with a table of who talks to whom, its variables with docs/environment.md,
// and all of it is applied to a real API server that enforces the restricted standard.
//
// The programs that it runs (kustomize, kube-score, etcd, kube-apiserver) are built by
// .ci/controlplane; without the last two the API server's test is skipped, but not with
// -apiserver.
package kubernetes
