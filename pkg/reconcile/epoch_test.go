package reconcile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reconcile"
)

// older reports whether a pass says that the catalog is an older copy of what was told.
func (r *rig) older() bool {
	r.t.Helper()
	report, err := reconcile.New(r.db, r.conn, r.blobs, r.vectors, r.alias).Run(r.ctx, reconcile.Options{DryRun: true, SkipObjects: true})
	r.must(err)
	for _, line := range report.Missing {
		if !strings.Contains(line, "colophon migrate --restored") {
			r.t.Errorf("it misses %q", line)
		}
	}
	return len(report.Missing) > 0
}

func (r *rig) tell(by string, data event.Data, change ...func(*event.Event)) {
	r.t.Helper()
	e, err := event.New(by, data, time.Now())
	r.must(err)
	for _, f := range change {
		f(&e)
	}
	r.n++
	r.must(r.conn.Publisher(by).Publish(r.ctx, e.Redrive(int64(r.n))))
}

// TestAnOlderCatalogIsSaid: also when other things were told since, and not any more in the
// epoch that begins then.
func TestAnOlderCatalogIsSaid(t *testing.T) {
	r := newRig(t)
	r.sql(`INSERT INTO sources (source_id, state, record) VALUES ($1, 'enabled', '{}') ON CONFLICT DO NOTHING`, source)
	s := r.store(true)
	run := r.run(s, 1)
	c := r.chunk(s, run)
	epoch, err := r.db.Epoch(r.ctx)
	r.must(err)
	known := func() {
		r.t.Helper()
		r.tell("chunker", event.ChunkCreated{Rev: 1, Cause: "capture", Layer: c.Layer, Chunk: c, Epoch: epoch})
	}
	change := func(epoch string, rev int64) event.ChunkSuperseded {
		return event.ChunkSuperseded{ChunkChange: event.ChunkChange{Rev: rev, Cause: "version", ChunkRef: c.ChunkRef, DocHash: c.DocHash, SourceID: source, Epoch: epoch}}
	}
	if r.older() {
		t.Fatal("nothing was told, and it says that the catalog is older")
	}
	if known(); r.older() {
		t.Fatal("what it has told is said to be unknown")
	}
	r.tell("chunker", change(epoch, 5))
	if !r.older() {
		t.Error("a revision that it does not have is not said")
	}
	for range 7 {
		known()
	}
	if !r.older() {
		t.Error("it is not said any more when something was told since")
	}
	if _, _, err := r.db.BeginEpoch(r.ctx); err != nil {
		t.Fatal(err)
	}
	if r.older() {
		t.Error("it is said in the epoch that has begun")
	}
	r.tell("chunker", change("29990101T000000000Z-000000000000", 1))
	if !r.older() {
		t.Error("an epoch that began behind the backup is not said")
	}
}

// TestWhatIsMadeUpIsNoOlderCatalog: what others write to the stream of chunks says nothing of
// the catalog.
func TestWhatIsMadeUpIsNoOlderCatalog(t *testing.T) {
	r := newRig(t)
	r.sql(`INSERT INTO sources (source_id, state, record) VALUES ($1, 'enabled', '{}') ON CONFLICT DO NOTHING`, source)
	epoch, err := r.db.Epoch(r.ctx)
	r.must(err)
	hash := digest.HexParts("nobody's")
	change := func(ref string, rev int64, of, epoch string) event.ChunkSuperseded {
		return event.ChunkSuperseded{ChunkChange: event.ChunkChange{Rev: rev, ChunkRef: ref, SourceID: of, Epoch: epoch}}
	}
	const higher = "29990101T000000000Z-000000000000"
	whole := model.Chunk{ChunkRef: hash + ":0", DocHash: hash, ChunkID: "0", SourceID: source, Text: "text", TextHash: digest.Text("text")}
	other := whole
	other.TextHash = digest.Text("another")
	for name, tell := range map[string]func(){
		"by nobody":      func() { r.tell("nobody", change(hash+":0", 1, source, epoch)) },
		"no chunk_ref":   func() { r.tell("chunker", change("a:0", 1, source, epoch)) },
		"a zero byte":    func() { r.tell("chunker", change("a\x00:0", 1, source, epoch)) },
		"no revision":    func() { r.tell("chunker", change(hash+":0", 0, source, epoch)) },
		"a negative one": func() { r.tell("chunker", change(hash+":0", -1, source, epoch)) },
		"another name": func() {
			r.tell("chunker", change(hash+":0", 1, source, epoch), func(e *event.Event) { e.ID = "malformed-1" })
		},
		"another text":            func() { r.tell("chunker", event.ChunkCreated{Rev: 1, Chunk: other, Epoch: epoch}) },
		"a higher epoch's source": func() { r.tell("chunker", change(hash+":0", 1, "elsewhere", higher)) },
		"no epoch":                func() { r.tell("chunker", change(hash+":0", 1, source, "")) },
		"no JSON": func() {
			r.tell("chunker", change(hash+":0", 1, source, epoch), func(e *event.Event) { e.Payload = []byte("{") })
		},
	} {
		if tell(); r.older() {
			t.Fatalf("%s: it is said that the catalog is older", name)
		}
	}
	if r.tell("chunker", event.ChunkCreated{Rev: 1, Chunk: whole, Epoch: epoch}); !r.older() {
		t.Error("a whole one is not said, so this shows nothing")
	}
	if epoch == "" {
		t.Error("the catalog of this test has no name, so this shows little")
	}
}

// TestASourceThatARestoredCatalogLacks: who follows it is told, once, that what he keeps is
// void; of a source of which there is a chunk the chunk says it.
func TestASourceThatARestoredCatalogLacks(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	c := r.chunk(s, r.run(s, 1))
	epoch, err := r.db.Epoch(r.ctx)
	r.must(err)
	lost := model.Chunk{ChunkRef: digest.HexParts("lost") + ":0", SourceID: "lost-source"}
	r.tell("chunker", event.ChunkCreated{Rev: 7, Chunk: lost, Epoch: epoch})
	r.tell("chunker", event.ChunkCreated{Rev: 1, Chunk: c, Epoch: epoch})
	void := func(o reconcile.Options) (told []event.ChunkRemoved) {
		t.Helper()
		o.SkipObjects, o.Age = true, time.Hour
		_, err := reconcile.New(r.db, r.conn, r.blobs, r.vectors, r.alias).Run(r.ctx, o)
		r.must(err)
		for _, source := range []string{lost.SourceID, source} {
			newest, err := r.conn.NewestChunks(r.ctx, source)
			r.must(err)
			for _, e := range newest {
				if e.Type != event.TypeChunkRemoved {
					continue
				}
				d, err := event.As[event.ChunkRemoved](e)
				r.must(err)
				told = append(told, d)
			}
		}
		return told
	}
	if told := void(reconcile.Options{}); len(told) != 0 {
		t.Fatalf("nothing was restored, and it is told %+v", told)
	}
	now, _, err := r.db.BeginEpoch(r.ctx)
	r.must(err)
	if told := void(reconcile.Options{DryRun: true}); len(told) != 0 {
		t.Errorf("a dry run has told %+v", told)
	}
	told := void(reconcile.Options{})
	if len(told) != 1 || told[0].SourceID != lost.SourceID || told[0].Epoch != now || told[0].Cause != event.CauseVoid || told[0].Rev != 1 || told[0].ChunkRef == lost.ChunkRef {
		t.Fatalf("told %+v, want one event of %s in epoch %s", told, lost.SourceID, now)
	}
	report, err := reconcile.New(r.db, r.conn, r.blobs, r.vectors, r.alias).Run(r.ctx, reconcile.Options{SkipObjects: true, Age: time.Hour})
	r.must(err)
	for _, c := range report.Counts {
		if c.What == "lost sources" && c.Found != 0 {
			t.Errorf("it is told again: %+v", c)
		}
	}
}
