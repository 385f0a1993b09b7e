package fault

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

func TestPointsAreFound(t *testing.T) {
	found, err := Points(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 30 {
		t.Errorf("%d fault points, want at least 30", len(found))
	}
	for _, p := range found {
		if strings.Count(p.Name, ".") < 1 || !p.For && strings.HasPrefix(p.Name, "stream.") {
			t.Errorf("%s in %s: a point is called stage.what-is-written, and one of the runner is for a consumer", p.Name, p.File)
		}
	}
}

// death is a fault point, armed for one consumer where it lies in the runner,
// and the kind of item that leads a process to it.
type death struct{ point, kind string }

// deaths returns every fault point of the code, as often as it must be reached.
func deaths(t *testing.T) []death {
	t.Helper()
	found, err := Points(root)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{
		"capture.raw.put": kindURL, "capture.accepted": kindURL, "capture.window.leased": kindURL, "capture.turn.taken": kindURL,
		"capture.released": kindFlaky, "stream.attempt.counted": kindFlaky,
		"capture.failure.decided": kindGone, "capture.failure.window.released": kindGone, "stream.failure.recorded": kindGone,
		"capture.container.begun": kindMembers, "capture.member.put": kindMembers, "capture.member.recorded": kindMembers, "capture.member.decided": kindMembers,
		"capture.source.registered": kindSource, "split.facts.put": kindLong,
		"stream.buried": kindMalformed, "stream.terminated": kindMalformed,
		"capture.duplicate.decided": kindAgain, "split.redo.started": kindRedo,
		"extract.ocr.planned": kindScan, "extract.ocr.requested": kindScan,
		"ocr.page": kindScan, "ocr.result.put": kindScan, "ocr.result.recorded": kindScan,
		"extract.takeover.started": kindTakeover, "extract.takeover.published": kindTakeover,
		"chunk.failure.committed": kindDamage, "index.points.changed": kindNewer,
		"chunk.version.taken_over":    kindSame,
		"capture.unsettled.published": kindTurned, "chunk.states.moved": kindTurned, "chunk.settled": kindTurned,
		"annotate.proposal.kept": kindAdvised, "annotate.proposals.kept": kindAdvised, "annotate.proposals.recorded": kindAdvised,
		"annotate.proposals.told": kindAdvised, "chunk.proposals.requested": kindAdvised, "chunk.proposals.taken": kindAdvised,
		"chunk.again.committed": kindAdvised, "chunk.held.committed": kindAwaited,
		"index.points.deleted": kindOlder, "index.removal.published": kindOlder,
	}
	var all []death
	for _, p := range found {
		kind := kinds[p.Name]
		if kind == "" {
			kind = kindHTML
		}
		switch p.Name {
		case "stream.handled", "stream.acked", "stream.published":
			for _, consumer := range []string{"capture", "split", "extract", "chunk", "entities", "index"} {
				all = append(all, death{p.Name + " " + consumer, kind})
			}
			all = append(all, death{p.Name + " ocr", kindScan}, death{p.Name + " enrich", kindAdvised})
		default:
			all = append(all, death{p.Name, kind})
		}
	}
	return all
}

// deathLimit is how long it may take until an armed point is reached.
func deathLimit() time.Duration { return pick(devtest.Patience, devtest.Patience, time.Hour) }

// points arms every fault point, one after another.
func points(r *rig, items []*item) int {
	all := deaths(r.t)
	special := map[string]func(*rig, *item){
		"index.alias.set": atStart, "index.collection.ensured": atStart, "index.collection.registered": atStart,
		"index.vectors.reset": afterLoss, "index.audit.corrected": afterTampering, "reconcile.published": afterPurge, "stream.start.committed": inQuarantine,
	}
	pool := map[string][]*item{}
	for _, i := range slices.Concat(act(items, false), act(items, true)) {
		pool[i.kind] = append(pool[i.kind], i)
	}
	next := func(kind string) *item {
		if len(pool[kind]) == 0 {
			r.t.Fatalf("no %s is left", kind)
		}
		i := pool[kind][0]
		pool[kind] = pool[kind][1:]
		return i
	}
	reach := func(d death, by func(*rig, *item)) {
		r.t.Helper()
		began := time.Now()
		i := next(d.kind)
		r.arm(d.point)
		by(r, i)
		if !r.await(deathLimit(), d.point+" is reached", r.fired) {
			r.write(r.armed, "none")
			return
		}
		r.t.Logf("%-40s %5.2f s", d.point, time.Since(began).Seconds())
	}
	for name, p := range r.services {
		if name != "indexer" {
			if err := p.start(); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	plain := func(r *rig, i *item) { r.send(i) }
	for _, d := range all { // the collection is made once
		if by := special[d.point]; by != nil && strings.HasPrefix(d.point, "index.") && !slices.Contains(later(), d.point) {
			reach(d, by)
		}
	}
	for _, d := range all {
		if special[d.point] == nil && !isSecond(items, d.kind) {
			reach(d, plain)
		}
	}
	for _, point := range later() {
		reach(all[slices.IndexFunc(all, func(d death) bool { return d.point == point })], special[point])
	}
	for _, i := range act(items, false) {
		if !r.handed[i] {
			r.send(i)
		}
	}
	r.mustBeQuiet(&row{})
	for _, d := range all {
		if special[d.point] == nil && isSecond(items, d.kind) {
			reach(d, plain)
		}
	}
	return len(all)
}

// later are the special points that need something to be there.
func later() []string {
	return []string{"stream.start.committed", "reconcile.published", "index.audit.corrected", "index.vectors.reset"}
}

func isSecond(items []*item, kind string) bool {
	return slices.ContainsFunc(items, func(i *item) bool { return i.kind == kind && i.second })
}

func (r *rig) restart(service string, between func()) {
	r.t.Helper()
	p := r.services[service]
	p.stop(syscall.SIGTERM)
	if between != nil {
		between()
	}
	if err := p.start(); err != nil {
		r.t.Fatal(err)
	}
}

// atStart is for what the indexer does when it starts.
func atStart(r *rig, i *item) {
	r.restart("indexer", nil)
	r.send(i)
}

// afterLoss deletes the collection while nobody looks.
func afterLoss(r *rig, i *item) {
	r.restart("indexer", func() {
		if err := r.dropVectors(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
	})
	r.send(i)
}

// afterTampering lets a point say by hand that it stands for another: of what a point
// says, the indexer's audit alone asks, while a lost point may be found by reconcile
// first.
func afterTampering(r *rig, i *item) {
	r.send(i)
	other := "nobody"
	for p, err := range r.vectors.Collection(collection).Scroll(r.t.Context(), vectorstore.Filter{}, false) {
		if err == nil {
			err = r.vectors.Collection(collection).SetPayload(r.t.Context(), []string{p.ID}, vectorstore.Change{DuplicateOf: &other})
		}
		if err != nil {
			r.t.Fatal(err)
		}
		return
	}
}

// afterPurge loses the message that the splitter waits for.
func afterPurge(r *rig, i *item) {
	r.restart("splitter", func() {
		r.send(i)
		r.await(deathLimit(), "the snapshot is told", func() bool {
			c, err := r.db.Capture(r.t.Context(), i.request.SourceID, i.request.RequestID)
			return err == nil && c.Outcome != "" && c.Announced
		})
		s, err := r.js.Stream(r.t.Context(), r.values["COLOPHON_STREAM_PREFIX"]+"SNAPSHOTS")
		if err == nil {
			err = s.Purge(r.t.Context())
		}
		if err != nil {
			r.t.Fatal(err)
		}
	})
}

// inQuarantine lets a document kill its process until it is handled alone, and
// then no more.
func inQuarantine(r *rig, i *item) {
	always := r.armed + ".always"
	r.write(always, "extract.range "+digest.SnapshotID(i.request.SourceID, i.request.RequestID, digest.Content(i.request.Inline.ContentBase64)))
	r.send(i)
	r.await(deathLimit(), "the document is handled alone", r.fired)
	r.write(always, "none")
}
