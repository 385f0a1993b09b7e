// Package devtest gives Go tests real parts: NATS, an S3 object store, PostgreSQL and a Qdrant-compatible vector store.
// One stack serves all test processes of a machine; each test gets names of its own in it. The stack is the devstack
// module's binary, which is built when it is first needed, ends when no test has used it for a while, and leaves
// nothing behind.
package devtest

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"
)

// Env is what a test needs to reach the parts, and the names that are its alone.
type Env struct {
	NATSURL     string // nats://host:port
	S3Endpoint  string // http://host:port
	S3AccessKey string
	S3SecretKey string
	PostgresURL string // postgres://…, over a unix socket
	QdrantAddr  string // host:port of the gRPC API

	Prefix       string // first token of event subjects, such as t1a2b3c4d
	StreamPrefix string // begins the names of streams and durable consumers, such as T1A2B3C4D_
	Schema       string // PostgreSQL schema, not made yet
	BucketPrefix string // begins the names of buckets, such as t1a2b3c4d-
	Collection   string // begins the names of collections and aliases
}

// Start returns the parts with names that no other call gets. What a test makes under its names need not be removed:
// the stack is thrown away as a whole. Where no stack can run (no PostgreSQL on a laptop) the test is skipped; when the
// environment says CI=true it fails.
func Start(t testing.TB) *Env {
	t.Helper()
	endpoints, err := shared.endpoints()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no servers for this test: %v", err)
		}
		t.Skipf("no servers for this test: %v", err)
	}
	token := "t" + strings.ToLower(rand.Text()[:9])
	env := &Env{
		NATSURL:      endpoints["COLOPHON_NATS_URL"],
		S3Endpoint:   endpoints["COLOPHON_S3_ENDPOINT"],
		S3AccessKey:  endpoints["COLOPHON_S3_ACCESS_KEY"],
		S3SecretKey:  endpoints["COLOPHON_S3_SECRET_KEY"],
		PostgresURL:  endpoints["COLOPHON_POSTGRES_URL"],
		QdrantAddr:   endpoints["COLOPHON_QDRANT_ADDR"],
		Prefix:       token,
		StreamPrefix: strings.ToUpper(token) + "_",
		Schema:       token,
		BucketPrefix: token + "-",
		Collection:   token,
	}
	// Another vector store of the same API, so that tests can be run against Qdrant's own engine.
	if other := os.Getenv("QDRANT_URL"); other != "" {
		env.QdrantAddr = strings.TrimPrefix(other, "http://")
	}
	return env
}
