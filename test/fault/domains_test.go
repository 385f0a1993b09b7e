package fault

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/domainset"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// registerDomains makes the sources whose type or domain a chunker asks for; all others come
// with their first document.
func (r *rig) registerDomains() {
	r.t.Helper()
	for _, d := range domainset.Documents() {
		id := d.SourceID(source)
		if id == source {
			continue
		}
		s := model.DefaultSource(id)
		s.SourceType, s.Domain = cmp.Or(d.SourceType, s.SourceType), cmp.Or(d.Domain, s.Domain)
		if err := r.db.PutSource(r.t.Context(), s); err != nil {
			r.t.Fatal(err)
		}
	}
}

// domainsDiffer says which chunkers of domains have cut nothing of what was handed over:
// what a scenario shows it shows of each of them.
func (r *rig) domainsDiffer() (missing []string) {
	r.t.Helper()
	cut := r.strings(`SELECT DISTINCT meta->>'chunker' FROM chunk_manifests WHERE meta ? 'chunker' AND chunk_count > 0`)
	for _, d := range domainset.Documents() {
		if !slices.Contains(cut, d.Chunker) {
			missing = append(missing, d.Chunker)
		}
	}
	return missing
}

// killsOfChunks kills the chunker and the indexer, in turn by the seed, 20 times while
// they are at work.
func killsOfChunks(r *rig, items []*item) int {
	const times = 20
	r.startServices()
	victims := []string{"chunker", "indexer"}
	random := rand.New(rand.NewPCG(asked.seed, 11))
	r.spread(items, times, func(n int) {
		victim := r.services[victims[n%len(victims)]]
		r.linger(time.Duration(random.IntN(pick(300, 600, 3000))) * time.Millisecond)
		victim.kill()
	})
	died := 0
	for _, name := range victims {
		died += r.services[name].died()
	}
	if died < times {
		r.t.Errorf("%d deaths after %d kills", died, times)
	}
	return times
}

// chunkEventsTwice returns the ids of chunk events that the stream holds more than once, but for what follows
// from a request that the rig itself has sent again, having heard nothing of it for a while: its message id says so.
func (r *rig) chunkEventsTwice() (twice []string, err error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), devtest.Patience)
	defer cancel()
	times := make(map[string]int)
	err = r.eachChunkMessage(ctx, func(m jetstream.Msg) {
		id := m.Headers().Get(event.HeaderID)
		if wasSentAgain(m.Headers().Get(event.HeaderMsgID)) {
			return
		}
		if times[id]++; times[id] == 2 {
			twice = append(twice, id)
		}
	})
	if err == nil && len(times) < 100 {
		err = fmt.Errorf("the stream holds %d chunk events", len(times))
	}
	return twice, err
}
