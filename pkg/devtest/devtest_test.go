package devtest

import (
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestStartGivesEveryCallItsOwnNames(t *testing.T) {
	one, two := Start(t), Start(t)
	if one.Prefix == two.Prefix || one.Schema == two.Schema || one.Collection == two.Collection ||
		one.BucketPrefix == two.BucketPrefix || one.StreamPrefix == two.StreamPrefix {
		t.Errorf("two calls share a name: %+v, %+v", one, two)
	}
	if one.PostgresURL != two.PostgresURL {
		t.Errorf("two calls got two stacks: %s, %s", one.PostgresURL, two.PostgresURL)
	}
	if strings.ContainsAny(one.Prefix, ". *>") {
		t.Errorf("prefix %q is not one subject token", one.Prefix)
	}
}

func TestPartsAnswer(t *testing.T) {
	env := Start(t)
	for _, addr := range []string{strings.TrimPrefix(env.NATSURL, "nats://"), env.QdrantAddr} {
		connection, err := net.DialTimeout("tcp", addr, 5*time.Second)
		if err != nil {
			t.Errorf("connect to %s: %v", addr, err)
			continue
		}
		_ = connection.Close()
	}
	response, err := http.Get(env.S3Endpoint)
	if err != nil {
		t.Fatalf("object store: %v", err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("object store answers %s to a stranger", response.Status)
	}
	target, err := url.Parse(env.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("unix", filepath.Join(target.Query().Get("host"), ".s.PGSQL.5432"))
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	_ = connection.Close()
}

func TestSourceKeyFollowsTheSources(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	first, err := sourceKey(filepath.Join(root, "devstack"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := sourceKey(filepath.Join(root, "devstack", "nats"))
	if err != nil {
		t.Fatal(err)
	}
	if first == other {
		t.Error("other sources, same key")
	}
}
