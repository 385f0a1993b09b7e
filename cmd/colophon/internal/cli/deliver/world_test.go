package deliver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// world is what a sink sees of an installation: a bus of its own, and a gateway with the log
// and the chunks of documents that change at random, by the rules of contracts#current.
type world struct {
	*testing.T
	env     *devtest.Env
	conn    *stream.Conn
	gateway *httptest.Server
	random  *rand.Rand

	mu       sync.Mutex
	chunks   map[string]model.Chunk
	states   map[string]model.ChunkState
	currents map[string]model.DocumentCurrent
	versions map[string][]string // the doc_hashes of each document, in their order
	log      []model.LogEntry
	serial   int
	epoch    string
}

// backup is a copy of what a world knows.
type backup struct {
	chunks   map[string]model.Chunk
	states   map[string]model.ChunkState
	currents map[string]model.DocumentCurrent
	versions map[string][]string
	log      []model.LogEntry
}

func (w *world) save() backup {
	w.mu.Lock()
	defer w.mu.Unlock()
	return backup{maps.Clone(w.chunks), maps.Clone(w.states), maps.Clone(w.currents), maps.Clone(w.versions), slices.Clone(w.log)}
}

// restore gives the world an older copy of what it knows, in an epoch of its own.
func (w *world) restore(b backup, epoch string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks, w.states, w.currents, w.versions, w.log, w.epoch = b.chunks, b.states, b.currents, b.versions, b.log, epoch
}

const source = "town"

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	w := &world{T: t, env: devtest.Start(t), random: rand.New(rand.NewPCG(seed, 35)), chunks: map[string]model.Chunk{}, states: map[string]model.ChunkState{},
		currents: map[string]model.DocumentCurrent{}, versions: map[string][]string{}}
	var err error
	w.conn, err = stream.Connect(t.Context(), stream.Config{
		URL: w.env.NATSURL, Prefix: w.env.Prefix, StreamPrefix: w.env.StreamPrefix, PublishFor: time.Minute,
	})
	w.must(err)
	t.Cleanup(w.conn.Close)
	w.must(stream.Provision(t.Context(), w.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
	w.gateway = httptest.NewServer(w)
	t.Cleanup(w.gateway.Close)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// ServeHTTP answers as the gateway does.
func (w *world) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var answer any
	if ref, one := strings.CutPrefix(req.URL.Path, "/v1/chunks/"); one {
		c, there := w.chunks[ref]
		if !there {
			http.NotFound(out, req)
			return
		}
		answer = map[string]any{"chunk": c, "state": w.states[ref], "current": w.currents[c.DocumentID]}
	} else {
		after, err := strconv.Atoi(req.URL.Query().Get("after"))
		if err != nil || after > len(w.log) {
			http.NotFound(out, req)
			return
		}
		changes := []map[string]any{}
		for n, e := range w.log[after:min(after+100, len(w.log))] {
			d := w.data(e)
			changes = append(changes, map[string]any{"seq": after + n + 1, "type": d.Type(), "data": d})
		}
		answer = map[string]any{"changes": changes, "next": after + len(changes), "epoch": w.epoch}
	}
	_ = json.NewEncoder(out).Encode(answer)
}

// data is the event of an entry as it is told now.
func (w *world) data(e model.LogEntry) event.Data {
	c, there := w.chunks[e.ChunkRef]
	if !there {
		e.Change = model.ChangeRemoved
	}
	s := w.states[e.ChunkRef]
	s.Current = w.currents[c.DocumentID]
	e.Epoch = w.epoch
	d := event.OfChange(e, c, s)
	if gone, ok := d.(event.ChunkRemoved); ok {
		gone.SourceID = source
		return gone
	}
	return d
}

// change notes a new state of a chunk.
func (w *world) change(ref, kind, cause string, s model.ChunkState) {
	s.ChunkRef, s.Rev = ref, w.states[ref].Rev+1
	w.states[ref] = s
	w.log = append(w.log, model.LogEntry{Seq: int64(len(w.log) + 1), ChunkRef: ref, Rev: s.Rev, Change: kind, Cause: cause})
}

// setCurrent makes a version current, and moves the chunks of the one before.
func (w *world) setCurrent(document, docHash string) {
	was := w.currents[document]
	w.currents[document] = model.DocumentCurrent{DocumentID: document, Rev: was.Rev + 1, DocHash: docHash, Generation: 1}
	told := false
	for ref, c := range w.chunks {
		s := w.states[ref]
		layer := model.LayerArchive
		if c.DocHash == docHash || w.repeatedBy(ref, docHash) {
			layer = model.LayerHot
		}
		if c.DocumentID == document && s.Layer != layer {
			s.Layer = layer
			w.change(ref, model.ChangeSuperseded, "archived", s)
			told = true
		}
	}
	for ref, c := range w.chunks {
		if !told && c.DocHash == docHash && c.ChunkIndex == 0 {
			w.change(ref, model.ChangeSuperseded, "current", w.states[ref])
			told = true
		}
	}
}

func (w *world) repeatedBy(ref, docHash string) bool {
	for other, c := range w.chunks {
		if c.DocHash == docHash && w.states[other].Repeats == ref {
			return true
		}
	}
	return false
}

// land gives a document another version, of which some chunks repeat those of the one
// before; or makes an earlier one current again; or takes a chunk of the archive away.
func (w *world) land() {
	document := fmt.Sprintf("doc_%02d", w.random.IntN(12))
	versions := w.versions[document]
	switch {
	case len(versions) > 1 && w.random.IntN(6) == 0:
		w.setCurrent(document, versions[w.random.IntN(len(versions)-1)])
		return
	case len(versions) > 1 && w.random.IntN(8) == 0:
		for ref, c := range w.chunks {
			if c.DocumentID == document && w.states[ref].Layer == model.LayerArchive && !w.currents[document].Has(c.DocHash, 1) {
				w.change(ref, model.ChangeRemoved, "takedown", model.ChunkState{})
				delete(w.chunks, ref)
				return
			}
		}
	}
	w.serial++
	docHash := fmt.Sprintf("%064x", w.serial)
	before := w.currents[document].DocHash
	for index := range 1 + w.random.IntN(4) {
		ref := fmt.Sprintf("%s:%d", docHash, index)
		text := fmt.Sprintf("Paragraph %d of version %d of %s, with ä, \"quotes\" & <marks>.", index, w.serial, document)
		s := model.ChunkState{Layer: model.LayerHot, Since: "2026-03-12"}
		repeated := fmt.Sprintf("%s:%d", before, index)
		if c, there := w.chunks[repeated]; there && before != "" && w.random.IntN(2) == 0 {
			text, s.Repeats = c.Content, repeated
		}
		w.chunks[ref] = model.Chunk{
			ChunkRef: ref, DocHash: docHash, ChunkID: strconv.Itoa(index), Generation: 1, ChunkIndex: index, PointID: fmt.Sprintf("%d-%d", w.serial, index),
			DocumentID: document, SourceID: source, SnapshotID: fmt.Sprintf("snap_%d", w.serial), Text: "TYPE: fact\n\n" + text, Content: text, Type: "fact",
			Status: "under_review", InfoDate: "2026-03-12", Layer: model.LayerHot, Language: "en", URL: "https://town.example/" + document, Title: document,
			SectionPath: []string{"A & B"}, RuleVersions: map[string]string{"textnorm": "textnorm_v1"},
		}
		w.change(ref, model.ChangeCreated, "capture", s)
	}
	w.versions[document] = append(versions, docHash)
	w.setCurrent(document, docHash)
}

// happen lets n things happen, and tells of them in some disorder, some of it twice and
// some as late as the next time.
func (w *world) happen(n int) {
	w.Helper()
	w.mu.Lock()
	first := len(w.log)
	for range n {
		w.land()
	}
	var events []event.Data
	for _, e := range w.log[max(0, first-5):] {
		events = append(events, w.data(e))
	}
	w.mu.Unlock()
	w.random.Shuffle(len(events), func(a, b int) { events[a], events[b] = events[b], events[a] })
	for _, d := range events {
		e, err := event.New("test", d, time.Now())
		w.must(err)
		w.must(w.conn.Publisher("test").Publish(w.Context(), e.Redrive(w.random.Int64())))
	}
}

// lines are the chunk lines of dump --current.
func (w *world) lines() string {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for ref, c := range w.chunks {
		if w.currents[c.DocumentID].Has(c.DocHash, c.Generation) {
			line, err := sdk.Change{ChunkRef: ref, Chunk: &c, Layer: string(w.states[ref].Layer)}.Line()
			w.must(err)
			all = append(all, string(line)+"\n")
		}
	}
	slices.Sort(all)
	return strings.Join(all, "")
}
