package fault

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

// troubled lets PostgreSQL do what one does that lives: sessions are ended by
// hand and by the server, statements are cancelled, an operator locks tables,
// others take all connections, and it crashes with transactions open.
func troubled(r *rig, items []*item) int {
	r.hasty()
	r.startServices()
	hold := pick(2*time.Second, 5*time.Second, 2*time.Minute)
	troubles := []func(){
		func() { r.ask(`SELECT pg_terminate_backend(pid)::text ` + r.sessions()) },
		func() { r.ask(`SELECT pg_cancel_backend(pid)::text ` + r.sessions()) },
		func() { r.lockTables(hold) },
		func() { r.ask(`SELECT pg_terminate_backend(pid)::text ` + r.sessions()) },
		func() { r.takeConnections(hold) },
		r.crashPostgres,
	}
	r.spread(items, len(troubles)+1, func(n int) {
		if n < len(troubles) {
			r.linger(300 * time.Millisecond)
			troubles[n]()
		}
	})
	return len(troubles)
}

// sessions are those of the services.
func (r *rig) sessions() string {
	return `FROM pg_stat_activity WHERE application_name = 'colophon' AND pid <> pg_backend_pid()`
}

// ask asks the catalog's server for something and waits for its answer.
func (r *rig) ask(query string) {
	r.t.Helper()
	r.await(devtest.Patience, query, func() bool { // its own sessions may have ended as well
		return r.db.Tx(r.t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(r.t.Context(), query)
			return err
		}) == nil
	})
}

// lockTables holds tables of every stage for longer than a statement may wait.
func (r *rig) lockTables(d time.Duration) {
	r.t.Helper()
	err := r.db.Tx(r.t.Context(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(r.t.Context(), `SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
			SET LOCAL idle_in_transaction_session_timeout = 0;
			LOCK TABLE documents, runs, ir_segments, chunk_state, chunk_vectors IN ACCESS EXCLUSIVE MODE`); err != nil {
			return err
		}
		r.linger(d)
		return nil
	})
	if err != nil {
		r.t.Errorf("locking tables: %v", err)
	}
}

// takeConnections leaves none to the services.
func (r *rig) takeConnections(d time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), devtest.Patience)
	defer cancel()
	r.ask(`SELECT pg_terminate_backend(pid)::text ` + r.sessions())
	var taken []*pgx.Conn
	for {
		c, err := pgx.Connect(ctx, r.endpoints["COLOPHON_POSTGRES_URL"])
		if err != nil {
			break
		}
		taken = append(taken, c)
	}
	r.linger(d)
	for _, c := range taken {
		_ = c.Close(ctx)
	}
	if len(taken) < 50 {
		r.t.Errorf("only %d connections were free", len(taken))
	}
}

// crashPostgres kills the server's processes, so that the next start recovers.
func (r *rig) crashPostgres() {
	r.t.Helper()
	r.killPostgres()
	r.startAgain("postgres")
}

func (r *rig) killPostgres() {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(r.dir, "postgres", "postgres", "*", "postmaster.pid"))
	if err != nil || len(found) != 1 {
		r.t.Fatalf("PostgreSQL's process is not found: %v, %v", found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		r.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
	r.servers["postgres"].stop(syscall.SIGKILL)
}

// unprovisioned lets an operator delete consumers, purge and delete streams, one
// after another, and make them again.
func unprovisioned(r *rig, items []*item) int {
	ctx := r.t.Context()
	prefix := r.values["COLOPHON_STREAM_PREFIX"]
	purge := func(stream string) func() error {
		return func() error {
			s, err := r.js.Stream(ctx, prefix+stream)
			if err != nil {
				return err
			}
			return s.Purge(ctx)
		}
	}
	dropConsumer := func(stream, name string) func() error {
		return func() error { return r.js.DeleteConsumer(ctx, prefix+stream, name) }
	}
	dropStream := func(stream string) func() error {
		return func() error { return r.js.DeleteStream(ctx, prefix+stream) }
	}
	losses := []func() error{
		dropConsumer("REQUESTS", "capture"), dropConsumer("PAGES", "extract"), purge("SNAPSHOTS"), dropStream("IR"),
		dropConsumer("CHUNKS", "index"), dropStream("PAGES"), purge("CHUNKS"),
	}
	r.startServices()
	r.spread(items, len(losses)+1, func(n int) {
		if n == len(losses) {
			return
		}
		r.linger(300 * time.Millisecond)
		if err := losses[n](); err != nil {
			r.t.Errorf("loss %d: %v", n, err)
		}
		r.linger(pick(0, time.Second, time.Minute))
		r.provisioned()
	})
	return len(losses)
}

// restarts runs three of every stage and ends all processes at once, in order,
// again and again in the middle of work; each time they come back with other
// settings.
func restarts(r *rig, items []*item) int {
	for _, s := range programs.Services() {
		r.addService("threes", s+"-2", s)
		r.addService("threes", s+"-3", s)
	}
	random := rand.New(rand.NewPCG(asked.seed, 13))
	r.startServices()
	times := pick(3, 6, 12)
	r.spread(items, times, func(n int) {
		r.linger(time.Duration(random.IntN(1500)) * time.Millisecond)
		var all sync.WaitGroup
		for _, p := range r.services {
			all.Go(func() { p.stop(syscall.SIGTERM) })
		}
		all.Wait()
		r.values["COLOPHON_WORKERS"] = strconv.Itoa(1 + n%3)
		r.values["COLOPHON_BATCH_SIZE"] = strconv.Itoa(1 + 20*(n%3))
		r.values["COLOPHON_POSTGRES_MAX_CONNS"] = strconv.Itoa(2 + 3*(n%3))
		r.startServices()
	})
	for _, s := range programs.Services() { // what follows is done by one of each
		r.services[s+"-2"].stop(syscall.SIGTERM)
		r.services[s+"-3"].stop(syscall.SIGKILL)
	}
	return times
}

// children kills the processes in which documents are parsed and read, and lets
// some of them stand still.
func children(r *rig, items []*item) int {
	r.values["COLOPHON_EXTRACT_CHILDREN"] = "2"
	r.values["COLOPHON_EXTRACT_PAGE_TIMEOUT"], r.values["COLOPHON_EXTRACT_PROBE_TIMEOUT"] = "8s", "8s"
	r.startServices()
	random := rand.New(rand.NewPCG(asked.seed, 14))
	sort := []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGSTOP} // one that stands still is killed when its time is over
	times := 0
	r.spread(items, pick(12, 30, 60), func(n int) {
		r.linger(time.Duration(300+random.IntN(600)) * time.Millisecond)
		found := childrenOf(r.services[[]string{"splitter", "extractor"}[n%2]])
		if len(found) == 0 {
			return
		}
		if victim := found[random.IntN(len(found))]; syscall.Kill(victim, sort[n%3]) == nil {
			times++
		}
	})
	if times == 0 {
		r.t.Error("no child was killed")
	}
	return times
}

// childrenOf lists the processes that a process has started.
func childrenOf(p *process) []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	pid := strconv.Itoa(p.cmd.Process.Pid)
	lists, err := filepath.Glob(filepath.Join("/proc", pid, "task", "*", "children"))
	if err != nil {
		return nil
	}
	var found []int
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, child := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(child); err == nil {
				found = append(found, n)
			}
		}
	}
	return found
}

// operators call everything that may be called at any time, several at once.
func operators(r *rig, items []*item) int {
	r.startServices()
	calls := [][]string{
		{"reconcile", "--age", "0s"}, {"provision"}, {"migrate"}, {"reconcile", "--dry-run"}, {"status"}, {"reconcile", "--age", "1s"},
	}
	times := 0
	r.spread(items, pick(3, 5, 10), func(int) {
		r.linger(300 * time.Millisecond)
		r.allAtOnce(calls...)
		times += len(calls)
	})
	return times
}
