package access

import (
	"context"
	"crypto/tls"
	"path/filepath"
	"sync/atomic"

	"github.com/colophon-dev/colophon/devstack/qdrant"
	"github.com/colophon-dev/colophon/test/secrets"
)

// mount is the folder of what a role shows to the servers, as a pod has it: its
// certificate, its nkey, its connection string, its keys.
func (r *rig) mount(role string) *secrets.Mount {
	r.t.Helper()
	if r.mounts[role] == nil {
		r.mounts[role] = secrets.NewMount(r.t, r.first.Client(rolePrefix+role, secrets.InAnHour()), map[string]string{"apikey": "key-1"})
	}
	return r.mounts[role]
}

// shows are the settings with which a process is a role at all servers.
func (r *rig) shows(role string) map[string]string {
	m := r.mount(role)
	values := map[string]string{
		"NATS_NKEY_FILE": m.Path("seed"), "POSTGRES_URL_FILE": m.Path("url"), "QDRANT_API_KEY_FILE": m.Path("apikey"),
		"S3_ENDPOINT": r.objects.endpoint, "S3_ACCESS_KEY_FILE": m.Path("access"), "S3_SECRET_KEY_FILE": m.Path("secret"),
		"S3_CA_FILE": m.Path("ca.crt"),
	}
	if r.bus != nil {
		values["NATS_URL"] = "tls://" + r.bus.address
	}
	for _, store := range []string{"NATS", "POSTGRES", "QDRANT"} { // the object store asks for no certificate
		values[store+"_CA_FILE"], values[store+"_CERT_FILE"], values[store+"_KEY_FILE"] = m.Path("ca.crt"), m.Path("tls.crt"), m.Path("tls.key")
	}
	return values
}

// vault is what the vector store shows and asks for.
type vault struct {
	tls atomic.Pointer[tls.Config]
	key atomic.Pointer[string]
}

// open says by whom the store's certificate is, those of its clients, and which key
// these must have.
func (v *vault) open(key string, own *secrets.Authority, clients ...*secrets.Authority) {
	c := own.Server(clients...)
	c.NextProtos = []string{"h2"}
	v.tls.Store(c)
	v.key.Store(&key)
}

// startVectors starts the vector store.
func (r *rig) startVectors() {
	r.t.Helper()
	r.vault.open("key-1", r.first, r.first)
	r.vectors = qdrant.New(qdrant.Options{
		Dir: filepath.Join(r.dir, "qdrant"), NoSync: true, APIKey: func() string { return *r.vault.key.Load() },
		TLS: &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return r.vault.tls.Load(), nil }},
	})
	if err := r.vectors.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(r.stopVectors)
}

func (r *rig) stopVectors() {
	r.t.Helper()
	if err := r.vectors.Stop(context.Background()); err != nil {
		r.t.Error(err)
	}
}
