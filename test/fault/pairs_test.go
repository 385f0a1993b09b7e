package fault

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// trouble is one thing that goes wrong for a while. What is of one part does not
// happen twice at once.
type trouble struct {
	name, part string
	begin      func() (end func())
}

// together lets two things go wrong at the same time, again and again, drawn from all
// of them by the seed: what each does alone, others test.
func together(r *rig, items []*item) int {
	r.hasty()
	var behind []string
	for _, name := range r.allServers() {
		if name != "s3" { // has a door of its own
			behind = append(behind, name)
		}
	}
	proxies := r.behind(behind...)
	store := r.startMoody(0)
	all := r.troubles(proxies, store)
	random := rand.New(rand.NewPCG(asked.seed, 24))
	r.startServices()
	rounds := pick(3, 12, 40)
	r.spread(items, rounds, func(int) {
		r.linger(time.Duration(random.IntN(400)) * time.Millisecond)
		first := all[random.IntN(len(all))]
		second := first
		for second.part == first.part {
			second = all[random.IntN(len(all))]
		}
		r.t.Logf("%s, and %s", first.name, second.name)
		hold := time.Duration(1000+random.IntN(pick(1000, 4000, 60_000))) * time.Millisecond
		endFirst := first.begin()
		r.linger(time.Duration(random.IntN(600)) * time.Millisecond)
		endSecond := second.begin()
		r.linger(hold)
		if random.IntN(2) == 0 {
			endFirst, endSecond = endSecond, endFirst
		}
		endFirst()
		r.linger(time.Duration(random.IntN(600)) * time.Millisecond)
		endSecond()
	})
	return 2 * rounds
}

func (r *rig) troubles(proxies map[string]*proxy, store *moody) []trouble {
	stopped := func(name string, s syscall.Signal) func() func() {
		return func() func() {
			r.servers[name].stop(s)
			return func() { r.startAgain(name) }
		}
	}
	weathered := func(name string, w weather) func() func() {
		return func() func() {
			proxies[name].set(w)
			return func() { proxies[name].set(weather{}) }
		}
	}
	nothing := func() {}
	bad := weather{refuse: 0.1, cut: 0.01, lose: 0.01}
	all := []trouble{
		{"NATS is away", "nats", stopped("nats", syscall.SIGTERM)},
		{"NATS is killed and wiped", "nats", func() func() {
			r.servers["nats"].stop(syscall.SIGKILL)
			if err := os.RemoveAll(filepath.Join(r.dir, "nats", "nats")); err != nil {
				r.t.Fatal(err)
			}
			return func() {
				r.startAgain("nats")
				r.provisioned()
			}
		}},
		{"connections to NATS tear", "nats", weathered("nats", bad)},
		{"NATS answers late", "nats", weathered("nats", weather{delay: 200 * time.Millisecond})},
		{"the object store is away", "s3", stopped("s3", syscall.SIGKILL)},
		{"the object store answers wrongly", "s3", func() func() {
			store.set(0.3)
			return func() { store.set(0) }
		}},
		{"the buckets are elsewhere", "s3", r.hideBuckets},
		{"PostgreSQL is away", "postgres", stopped("postgres", syscall.SIGTERM)},
		{"PostgreSQL crashes", "postgres", func() func() {
			r.killPostgres()
			return func() { r.startAgain("postgres") }
		}},
		{"connections to PostgreSQL tear", "postgres", weathered("postgres", bad)},
		{"PostgreSQL is read-only", "postgres", r.readOnly},
		{"PostgreSQL refuses the user", "postgres", r.noLogin},
		{"services are killed", "services", func() func() {
			for _, p := range r.services {
				p.kill()
			}
			return nothing
		}},
		{"services are away", "services", func() func() {
			for _, name := range []string{"chunker", "extractor", "indexer"} {
				r.services[name].stop(syscall.SIGKILL)
			}
			return r.startServices
		}},
		{"services stand still", "services", func() func() {
			for _, p := range r.services {
				p.signal(syscall.SIGSTOP)
			}
			return func() {
				for _, p := range r.services {
					p.signal(syscall.SIGCONT)
				}
			}
		}},
		{"operators are at work", "operators", func() func() {
			var working sync.WaitGroup
			// Not provision, which would make hidden buckets again.
			for _, args := range [][]string{{"reconcile", "--age", "0s"}, {"migrate"}, {"status"}} {
				working.Go(func() { _, _, _ = r.command(args...) }) // what they ask may be away
			}
			return working.Wait
		}},
	}
	if r.servers["qdrant"] != nil {
		all = append(all,
			trouble{"the vector store is away", "qdrant", stopped("qdrant", syscall.SIGKILL)},
			trouble{"connections to the vector store tear", "qdrant", weathered("qdrant", bad)})
	}
	return append(all,
		trouble{"vectors are deleted", "vectors", func() func() {
			_ = r.dropVectors(r.t.Context()) // the store may be away
			return nothing
		}},
		trouble{"half of the vectors are deleted", "vectors", func() func() {
			var ids []string
			c := r.vectors.Collection(collection)
			for p, err := range c.Scroll(r.t.Context(), vectorstore.Filter{}, false) {
				if err == nil && len(p.ID) > 0 && p.ID[0] >= '8' {
					ids = append(ids, p.ID)
				}
			}
			_ = c.Delete(r.t.Context(), ids) // the store may be away
			return nothing
		}})
}

// hideBuckets moves the object store's folder of buckets aside.
func (r *rig) hideBuckets() (end func()) {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(r.dir, "s3", "*", "data", r.values["COLOPHON_S3_BUCKET_PREFIX"]+"*"))
	if err != nil || len(found) == 0 {
		r.t.Fatalf("the buckets are not found: %v", err)
	}
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			r.t.Error(err)
		}
	}
	for _, dir := range found {
		move(dir, filepath.Join(r.dir, "hidden-"+filepath.Base(dir)))
	}
	return func() {
		for _, dir := range found {
			hidden := filepath.Join(r.dir, "hidden-"+filepath.Base(dir))
			r.merge(dir, hidden)
			move(hidden, dir)
		}
	}
}

// merge moves the files of a folder, if there is one, to the same places in another:
// a request that was under way when a bucket went has made it again.
func (r *rig) merge(from, to string) {
	r.t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		place := filepath.Join(to, strings.TrimPrefix(path, from))
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return err
		}
		return os.Rename(path, place)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Error(err)
	}
	if err := os.RemoveAll(from); err != nil {
		r.t.Error(err)
	}
}

// readOnly lets PostgreSQL take no writes, as one does that is not promoted yet.
func (r *rig) readOnly() (end func()) {
	return r.byHand(`ALTER ROLE app SET default_transaction_read_only = on`, `ALTER ROLE app RESET default_transaction_read_only`)
}

// noLogin lets PostgreSQL refuse the services' user.
func (r *rig) noLogin() (end func()) {
	return r.byHand(`ALTER ROLE app NOLOGIN`, `ALTER ROLE app LOGIN`)
}

// byHand changes something of PostgreSQL, ends all sessions but its own, and later
// takes that back.
func (r *rig) byHand(do, undo string) (end func()) {
	r.t.Helper()
	ctx := r.t.Context()
	own, err := pgx.Connect(ctx, r.endpoints["COLOPHON_POSTGRES_URL"])
	if err != nil {
		r.t.Fatal(err)
	}
	ask := func(statements ...string) {
		for _, s := range statements {
			if _, err := own.Exec(ctx, s); err != nil {
				r.t.Errorf("%s: %v", s, err)
			}
		}
	}
	const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app' AND pid <> pg_backend_pid()`
	ask(do, others)
	return func() {
		ask(`SET default_transaction_read_only = off`, undo, others)
		if err := own.Close(ctx); err != nil {
			r.t.Error(err)
		}
	}
}
