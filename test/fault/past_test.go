package fault

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// yesterday gives the bus and the vector store an older copy of their data back, as
// somebody does who restores them: what they have heard since is gone, and what they
// had forgotten is there again.
func yesterday(r *rig, items []*item) int {
	r.startServices()
	servers := []string{"nats"}
	if r.servers["qdrant"] != nil {
		servers = append(servers, "qdrant")
	}
	copies := map[string]string{}
	r.spread(items, 3, func(n int) {
		r.linger(700 * time.Millisecond)
		for _, name := range servers {
			if n == 0 {
				copies[name] = r.copyOf(name)
			}
		}
		if n > 0 && n <= len(servers) {
			r.restore(servers[n-1], copies[servers[n-1]])
		}
	})
	r.quietOrElse("with older copies")
	// What changes documents makes points that an older copy has in another layer.
	for _, name := range servers {
		copies[name] = r.copyOf(name)
	}
	r.send(act(items, true)...)
	r.quietOrElse("with what changes it")
	for _, name := range servers {
		r.restore(name, copies[name])
	}
	return 2 * len(servers)
}

// copyOf stops a server, copies its data and starts it again.
func (r *rig) copyOf(name string) string {
	r.t.Helper()
	r.servers[name].stop(syscall.SIGTERM)
	to, err := os.MkdirTemp(r.dir, "copy-"+name+"-")
	if err == nil {
		err = os.CopyFS(to, os.DirFS(filepath.Join(r.dir, name)))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.startAgain(name)
	return to
}

// restore kills a server and starts it with a copy of its data.
func (r *rig) restore(name, from string) {
	r.t.Helper()
	r.servers[name].stop(syscall.SIGKILL)
	dir := filepath.Join(r.dir, name)
	err := os.RemoveAll(dir)
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(from))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.startAgain(name)
}

// tampered lets somebody work in the vector store by hand, while it is written and
// when nothing is written: some points are deleted, some are nobody's, some say
// another layer; the collection is deleted and made empty by another, then made for
// other vectors.
func tampered(r *rig, items []*item) int {
	ctx := r.t.Context()
	random := rand.New(rand.NewPCG(asked.seed, 22))
	r.startServices()
	points := func() []vectorstore.Point {
		var all []vectorstore.Point
		for p, err := range r.vectors.Collection(collection).Scroll(ctx, vectorstore.Filter{}, false) {
			if err != nil {
				r.t.Fatal(err)
			}
			all = append(all, p)
		}
		random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		return all
	}
	check := func(err error) {
		r.t.Helper()
		if err != nil {
			r.t.Fatal(err)
		}
	}
	some := func(part int) (ids []string) {
		all := points()
		for _, p := range all[:len(all)/part] {
			ids = append(ids, p.ID)
		}
		return ids
	}
	name := func() string {
		name, err := r.vectors.Alias(ctx, collection)
		check(err)
		return name
	}
	dense := make([]float32, 1024)
	dense[7] = 1
	hands := []func(){
		func() { check(r.vectors.Collection(collection).Delete(ctx, some(2))) },
		func() {
			for range 40 {
				check(r.vectors.Collection(collection).Upsert(ctx, []vectorstore.Point{{ID: randomUUID(random), Dense: dense}}))
			}
		},
		func() {
			check(r.vectors.Collection(collection).SetPayload(ctx, some(3), vectorstore.Change{Layer: "summary"}))
		},
		func() { // another makes it, empty, before anybody looks
			c := r.vectors.Collection(name())
			check(c.Drop(ctx))
			check(c.Ensure(ctx, len(dense)))
		},
		func() {
			c := r.vectors.Collection(name())
			check(c.Drop(ctx))
			_ = c.Ensure(ctx, 4) // the indexer may be first
		},
	}
	settle := func() {
		r.await(devtest.Patience, "there are vectors", func() bool {
			n, err := r.vectors.Collection(collection).Count(ctx, vectorstore.Filter{})
			return err == nil && n > 0
		})
	}
	r.spread(items, len(hands)+1, func(n int) {
		if n < len(hands) {
			settle()
			hands[n]()
		}
	})
	for _, hand := range hands {
		r.quietOrElse("with points that others touch")
		hand()
	}
	return 2 * len(hands)
}

// blackouts kill every process at once, servers too, in the middle of work. The
// services are the first to come back.
func blackouts(r *rig, items []*item) int {
	random := rand.New(rand.NewPCG(asked.seed, 23))
	r.startServices()
	times := pick(2, 4, 8)
	r.spread(items, times+1, func(n int) {
		if n == times {
			return
		}
		r.linger(time.Duration(300+random.IntN(1500)) * time.Millisecond)
		r.mustBeBusy()
		r.blackout(random)
	})
	return times
}

func (r *rig) blackout(random *rand.Rand) {
	r.t.Helper()
	var all sync.WaitGroup
	for _, p := range r.services {
		all.Go(func() { p.stop(syscall.SIGKILL) })
	}
	names := r.allServers()
	for _, name := range names {
		if name != "postgres" { // what is killed of it is its keeper
			all.Go(func() { r.servers[name].stop(syscall.SIGKILL) })
		}
	}
	r.killPostgres()
	all.Wait()
	r.startServices()
	random.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
	for _, name := range names {
		r.linger(time.Duration(random.IntN(700)) * time.Millisecond)
		r.startAgain(name)
	}
}

// randomUUID is the id of a point that is nobody's.
func randomUUID(random *rand.Rand) string {
	a, b := random.Uint64(), random.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a), uint16(a>>32), uint16(a>>48), uint16(b), b>>16)
}
