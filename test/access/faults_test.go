package access

import (
	"net/http"
	"testing"

	"github.com/colophon-dev/colophon/pkg/access"
)

// everybody are the roles of the services, the last of the chain first.
func everybody() []string { return append([]string{access.Janitor}, chain()...) }

// startEverybody starts all services.
func (r *rig) startEverybody() {
	for _, role := range everybody() {
		r.start(role)
	}
}

// explain tells, when a test has failed, what the services have said.
func (r *rig) explain() {
	r.t.Cleanup(func() {
		if !r.t.Failed() {
			return
		}
		_, refusals := r.bus.log.uses()
		r.t.Logf("refused by the bus: %q", refusals)
		for _, s := range r.services {
			r.t.Logf("%s:\n%.4000s", s.role, warnings(s.log.String()))
		}
	})
}

// isReady reports whether a service says that it is.
func (r *rig) isReady(role string) bool {
	code, _ := ask("http://" + r.services[role].health + "/readyz")
	return code == http.StatusOK
}

// TestFaultsAsTheseUsers lets processes of all services die and each store go away while
// documents are captured, as the identities of the table: nothing is lost, nothing is
// doubled, and what heals it needs no right that is not there.
func TestFaultsAsTheseUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	r := startRig(t, false)
	r.explain()
	r.colophon(access.Provision, []int{0}, "provision")
	r.operator("source", "add", source, "--name", "Council", "--language", "en")
	r.startEverybody()
	f := r.startFlow()
	f.goesOn()
	kills := append(everybody(), access.Extract, access.Capturer, access.Chunker)
	for _, role := range kills {
		r.kill(role)
		r.start(role)
		f.goesOn()
	}
	for _, outage := range []struct {
		store, noticedBy string
		stop, start      func()
	}{
		{"NATS", access.Capturer, r.bus.stop, func() { r.bus.start(r) }},
		{"PostgreSQL", access.Chunker, r.stopPostgres, r.startPostgresAgain},
		{"the object store", access.Splitter, r.objects.stop, r.objects.start},
		{"the vector store", access.Indexer, r.stopVectors, r.startVectorsAgain},
	} {
		outage.stop()
		await(t, outage.noticedBy+" says that "+outage.store+" is away", func() bool { return !r.isReady(outage.noticedBy) })
		outage.start()
		for _, role := range everybody() {
			await(t, role+" is ready again after "+outage.store+" was away", func() bool { return r.isReady(role) })
		}
		f.goesOn()
	}
	f.nothingIsLostOrDoubled()
	r.nothingIsRefused()
	t.Logf("%d kills and 4 outages while %d documents were captured", len(kills), f.done.Load())
}

func (r *rig) stopPostgres() {
	r.t.Helper()
	if err := r.postgres.Stop(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) startPostgresAgain() {
	r.t.Helper()
	if err := r.postgres.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) startVectorsAgain() {
	r.t.Helper()
	if err := r.vectors.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}
