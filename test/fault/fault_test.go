package fault

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/test/programs"
)

// form is how long the tests take; each does all that the one before it does.
type form int

const (
	short form = iota // as part of all tests
	long              // -full: more of each fault, outages of 30 s
	wide              // -wide: faults of more kinds
	real              // -real: the delays of production, outages of 3 minutes
)

// asked is what the flags ask for.
var asked = struct {
	form   form
	seed   uint64
	corpus string
}{}

func TestMain(m *testing.M) {
	onFull := flag.Bool("full", false, "50 kills, outages of 30 s")
	onWide := flag.Bool("wide", false, "the same with faults of more kinds")
	onReal := flag.Bool("real", false, "with the delays of production, and outages of 3 minutes")
	flag.Uint64Var(&asked.seed, "seed", 1, "of the schedule of faults")
	flag.StringVar(&asked.corpus, "corpus", "", "folder of documents that are handed over as well")
	flag.Parse()
	switch {
	case *onReal:
		asked.form = real
	case *onWide:
		asked.form = wide
	case *onFull:
		asked.form = long
	}
	os.Exit(m.Run())
}

// pick returns the value of the short form, or that of the form asked for.
func pick[T any](inShort, inLong, inReal T) T {
	switch asked.form {
	case short:
		return inShort
	case real:
		return inReal
	default:
		return inLong
	}
}

// scenario is one kind of fault. It hands over all of the first act and returns
// how often the fault happened.
type scenario struct {
	name   string
	run    func(r *rig, items []*item) (times int)
	poison bool // the poison document is guilty
	once   bool // the stream must hold each chunk event once by its id
	lossy  bool // messages are taken from the stream of chunks: what they told, the gateway's log says
	from   form // the first form that it is part of
}

func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	programs.NeedServers(t)
	began := time.Now()
	r := startRig(t)
	t.Logf("built and started in %.0f s", time.Since(began).Seconds())
	var rows []row
	t.Cleanup(func() {
		var out strings.Builder
		writeTable(&out, rows)
		t.Logf("seed %d\n%s", asked.seed, out.String())
	})
	var want string
	for n, s := range scenarios() {
		if asked.form < s.from {
			continue
		}
		passed := t.Run(strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			result := row{fault: s.name}
			defer func() { rows = append(rows, result) }()
			r.begin(t, n)
			items := corpus(t, r.web.URL)
			result.times = s.run(r, items)
			r.mustBeQuiet(&result)
			r.secondAct(&result, items)
			dead := []string{"malformed-", "UNKNOWN", "damage-1", snapshotOf(items, kindDamage)}
			var guilty []string
			if s.poison {
				guilty = namesOf(want, snapshotOf(items, kindPoison))
				dead = append(dead, snapshotOf(items, kindPoison))
			}
			if n == 0 {
				want = r.dump()
				if lines := strings.Count(want, "\n"); lines < 1000 {
					t.Errorf("the dump has only %d lines", lines)
				}
			}
			r.judge(&result, want, guilty, dead, s.lossy)
			if missing := r.domainsDiffer(); len(missing) > 0 {
				t.Errorf("no document was cut by %v", missing)
			}
			for _, wrong := range r.enrichedDiffer(items) {
				t.Error(wrong)
			}
			if r.modelEntities() == 0 {
				t.Error("no entity of the chat model is there")
			}
			if !s.once {
				return
			}
			twice, err := r.chunkEventsTwice()
			if err != nil || len(twice) > 0 {
				t.Errorf("chunk events that the stream holds twice: %v %v", twice, err)
			}
		})
		if n == 0 && !passed {
			t.Fatal("without faults it does not work either")
		}
	}
}

func snapshotOf(items []*item, kind string) string {
	return items[slices.IndexFunc(items, func(i *item) bool { return i.kind == kind })].snapshotID()
}

func scenarios() []scenario {
	outage := pick(3*time.Second, 30*time.Second, 3*time.Minute)
	return []scenario{
		{name: "none", run: func(r *rig, items []*item) int {
			r.startServices()
			r.send(act(items, false)...)
			return 0
		}},
		{name: "kill -9", run: kills},
		{name: "chunker and indexer killed", run: killsOfChunks, once: true},
		{name: "annotator killed, chat model away", run: annotatorKills(outage)},
		{name: "annotator and chunker killed, chunks enriched", run: enrichmentKills(outage), once: true},
		{name: "rolling restart", run: rolling},
		{name: "death at every point", run: points},
		{name: "JetStream wiped", run: wipe, lossy: true},
		{name: "Postgres, objects, NATS away", run: away(outage, "postgres", "s3", "nats")},
		{name: "vectors deleted", run: vectorsDeleted},
		{name: "poison", run: poison, poison: true},
		{name: "stream dropped messages", run: dropped},
		{name: "frozen, another takes over", run: frozen, from: long},
		{name: "connections torn, answers lost", run: torn, from: long},
		{name: "connections and servers silent", run: silent, from: wide},
		{name: "every answer late", run: slow, from: wide},
		{name: "objects answered wrongly", run: moods, from: long},
		{name: "Postgres in trouble", run: troubled, from: long},
		{name: "streams and consumers deleted", run: unprovisioned, lossy: true, from: long},
		{name: "restarts of three of each", run: restarts, from: long},
		{name: "parsing children killed", run: children, from: long},
		{name: "operators at once", run: operators, from: long},
		{name: "everything killed at once", run: blackouts, from: wide},
		{name: "everything said again", run: everythingAgain, from: wide},
		{name: "nonsense on every subject", run: nonsense, from: wide},
		{name: "older copies restored", run: yesterday, lossy: true, from: wide},
		{name: "vectors touched by others", run: tampered, from: wide},
		{name: "two things at once", run: together, lossy: true, from: wide},
		{name: "indexer, gateway and vector store killed", run: searchKills, from: long},
	}
}

// act returns the items of an act, in a mixed order that the seed gives.
func act(items []*item, second bool) []*item {
	var part []*item
	for _, i := range items {
		if i.second == second {
			part = append(part, i)
		}
	}
	random := rand.New(rand.NewPCG(asked.seed, 3))
	random.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
	return part
}

// mustBeQuiet waits for quiet.
func (r *rig) mustBeQuiet(result *row) {
	r.t.Helper()
	took, stuck := r.quiet(pick(devtest.Patience, devtest.Patience, 2*time.Hour))
	if result.quiet == 0 { // the first time: after the fault
		result.quiet = took
	}
	if len(stuck) > 0 {
		result.stuck += len(stuck)
		r.t.Fatalf("not quiet after %s: %.2000s", took, strings.TrimRight(strings.Join(stuck, "; "), "; "))
	}
}

// secondAct hands over what changes the first, unless the scenario has done so.
func (r *rig) secondAct(result *row, items []*item) {
	r.t.Helper()
	var left []*item
	for _, i := range act(items, true) {
		if !r.handed[i] {
			left = append(left, i)
		}
	}
	r.send(left...)
	r.mustBeQuiet(result)
}

// slices of the first act are handed over while faults happen.
func (r *rig) spread(items []*item, parts int, between func(n int)) {
	all := act(items, false)
	for n := range parts {
		r.send(all[n*len(all)/parts : (n+1)*len(all)/parts]...)
		between(n)
	}
}

func kills(r *rig, items []*item) int {
	times := pick(15, 50, 50)
	r.startServices()
	victims := programs.Services()
	for _, name := range r.allServers() {
		if name != "postgres" { // what is killed of it is its keeper: see troubled
			victims = append(victims, name)
		}
	}
	before := r.deathsOf(victims) // in faults before
	r.killSome(items, victims, times, 1)
	if died := r.deathsOf(victims) - before; died < times {
		r.t.Errorf("%d deaths after %d kills", died, times)
	}
	return times
}

// searchKills kills what makes and asks for vectors, in turn, while chunks come in.
func searchKills(r *rig, items []*item) int {
	const times = 20
	r.startServices()
	victims := []string{"indexer", "gateway"}
	if r.servers["qdrant"] != nil { // else it is another's
		victims = append(victims, "qdrant")
	}
	before := r.deathsOf(victims)
	r.killSome(items, victims, times, 19)
	if died := r.deathsOf(victims) - before; died < times {
		r.t.Errorf("%d deaths after %d kills", died, times)
	}
	return times
}

// deathsOf counts how often services and servers have ended by themselves.
func (r *rig) deathsOf(names []string) (died int) {
	for _, name := range names {
		if p := r.servers[name]; p != nil {
			died += p.died()
		} else {
			died += r.services[name].died()
		}
	}
	return died
}

// killSome kills one of the victims after the other, each at a moment of its own, while items
// are handed over.
func (r *rig) killSome(items []*item, victims []string, times int, stream uint64) {
	random := rand.New(rand.NewPCG(asked.seed, stream))
	r.spread(items, times, func(int) {
		r.linger(time.Duration(random.IntN(pick(300, 600, 3000))) * time.Millisecond)
		if name := victims[random.IntN(len(victims))]; r.servers[name] != nil {
			r.servers[name].kill()
		} else {
			r.services[name].kill()
		}
	})
}

func wipe(r *rig, items []*item) int {
	r.startServices()
	r.spread(items, 2, func(n int) {
		if n != 0 {
			return
		}
		r.linger(time.Second)
		r.mustBeBusy()
		r.wipeBus()
	})
	return 1
}

// wipeBus kills NATS and deletes its data.
func (r *rig) wipeBus() {
	r.t.Helper()
	r.servers["nats"].stop(syscall.SIGKILL)
	if err := os.RemoveAll(filepath.Join(r.dir, "nats", "nats")); err != nil {
		r.t.Fatal(err)
	}
	r.startAgain("nats")
	r.provisioned()
}

// provisioned makes the streams again.
func (r *rig) provisioned() {
	r.t.Helper()
	r.await(devtest.Patience, "the streams are made again", func() bool { return r.provision(r.t.Context()) == nil })
}

// startAgain starts a server that was stopped and waits until it serves.
func (r *rig) startAgain(name string) {
	r.t.Helper()
	_ = os.Remove(filepath.Join(r.dir, name+".out"))
	if err := r.servers[name].start(); err != nil {
		r.t.Fatal(err)
	}
	r.awaitServer(name)
}

// away stops servers one after another while there is work.
func away(d time.Duration, servers ...string) func(*rig, []*item) int {
	return func(r *rig, items []*item) int {
		r.startServices()
		r.spread(items, len(servers)+1, func(n int) {
			if n == len(servers) {
				return
			}
			r.linger(500 * time.Millisecond)
			r.mustBeBusy()
			r.servers[servers[n]].stop(syscall.SIGTERM)
			r.linger(d)
			r.startAgain(servers[n])
		})
		return len(servers)
	}
}

// mustBeBusy sees to it that a fault meets work under way.
func (r *rig) mustBeBusy() {
	r.t.Helper()
	if len(r.left()) == 0 {
		r.t.Error("the fault comes when everything is done")
	}
}

// vectorsDeleted loses the collection while it is written and, in the long
// form, when nothing is written any more as well.
func vectorsDeleted(r *rig, items []*item) int {
	r.startServices()
	r.send(act(items, false)...)
	r.await(devtest.Patience, "there are vectors", func() bool { return len(r.strings(`SELECT 'x' FROM chunk_vectors LIMIT 1`)) > 0 })
	if asked.form > short {
		r.drop()
		if took, stuck := r.quiet(pick(devtest.Patience, devtest.Patience, time.Hour)); len(stuck) > 0 {
			r.t.Errorf("not quiet after %s: %v", took, stuck)
		}
	} else if took, stuck := r.quiet(devtest.Patience); len(stuck) > 0 {
		r.t.Errorf("not quiet after %s: %v", took, stuck)
	}
	r.drop()
	return pick(1, 2, 2)
}

func (r *rig) drop() {
	r.t.Helper()
	if err := r.dropVectors(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func poison(r *rig, items []*item) int {
	r.write(r.armed+".always", "extract.range "+snapshotOf(items, kindPoison))
	r.startServices()
	r.send(act(items, false)...)
	limit := pick(devtest.Patience, devtest.Patience, time.Hour)
	r.await(limit, "the killer is among the dead letters", func() bool {
		var found bool
		err := r.conn.ListDead(r.t.Context(), stream.ConsumerExtract, "", func(stream.Dead) error {
			found = true
			return nil
		})
		return err == nil && found
	})
	if n := r.services["extractor"].died(); n < 4 {
		r.t.Errorf("the extractor died %d times", n)
	}
	return 1
}

// frozen runs every stage twice and lets one process after the other stand still,
// in the middle of whatever it does, for longer than its messages and leases wait:
// its twin does its work, and then it goes on where it was. Servers stand still
// likewise: their connections stay, and nothing answers.
func frozen(r *rig, items []*item) int {
	var victims []*process
	for _, s := range programs.Services() {
		if s != "gateway" {
			r.addService("twins", s+"-2", s)
			victims = append(victims, r.services[s], r.services[s+"-2"])
		}
	}
	for _, name := range []string{"nats", "s3", "qdrant"} { // of PostgreSQL only its keeper would stand still
		if p := r.servers[name]; p != nil {
			victims = append(victims, p)
		}
	}
	r.startServices()
	random := rand.New(rand.NewPCG(asked.seed, 5))
	random.Shuffle(len(victims), func(a, b int) { victims[a], victims[b] = victims[b], victims[a] })
	times := pick(8, 20, 40)
	wait := pick(2*time.Second, 2*time.Second, 45*time.Second) // an acknowledgement is waited for 1 s, in production 30 s
	r.spread(items, times, func(n int) {
		victim := victims[n%len(victims)]
		r.linger(time.Duration(random.IntN(200)) * time.Millisecond)
		victim.signal(syscall.SIGSTOP)
		r.linger(wait)
		victim.signal(syscall.SIGCONT)
	})
	for _, s := range programs.Services() { // what follows is done by one of each
		if twin := r.services[s+"-2"]; twin != nil {
			twin.stop(syscall.SIGTERM)
		}
	}
	return times
}

// dropped keeps the extractor from its stream until messages are dropped.
func dropped(r *rig, items []*item) int {
	ctx := r.t.Context()
	for _, p := range r.services {
		if p.name != "extractor" {
			if err := p.start(); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	limitTo := func(messages int64) jetstream.Stream {
		s, err := r.js.Stream(ctx, r.values["COLOPHON_STREAM_PREFIX"]+"PAGES")
		if err != nil {
			r.t.Fatal(err)
		}
		c := s.CachedInfo().Config
		c.MaxMsgs = messages
		if s, err = r.js.UpdateStream(ctx, c); err != nil {
			r.t.Fatal(err)
		}
		return s
	}
	pages := limitTo(20)
	r.send(act(items, false)...)
	r.await(devtest.Patience, "messages are dropped", func() bool {
		info, err := pages.Info(ctx)
		return err == nil && info.State.FirstSeq > 50
	})
	limitTo(-1)
	if err := r.services["extractor"].start(); err != nil {
		r.t.Fatal(err)
	}
	return 1
}
