package fault

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/event"
)

// said are the streams of the chain behind the requests.
func said() []string { return []string{"SNAPSHOTS", "PAGES", "IR", "CHUNKS"} }

// everythingAgain says each message of the chain again, in disorder and under other
// message ids, while others are under way and when all is done: what was sent twice,
// late, or after what it caused, must not show. Requests come twice from the start,
// from two crawlers at once.
func everythingAgain(r *rig, items []*item) int {
	r.values["COLOPHON_WORKERS"] = "3"
	r.startServices()
	random := rand.New(rand.NewPCG(asked.seed, 21))
	times := 0
	r.spread(items, 4, func(n int) {
		r.twice(act(items, false), n, 4)
		r.linger(time.Second)
		times += r.sayAgain(random)
	})
	r.quietOrElse("with everything said again")
	for _, second := range []bool{false, true} {
		if second {
			r.send(act(items, true)...)
			r.quietOrElse("with what changes it")
		}
		for range pick(1, 2, 3) {
			times += r.sayAgain(random)
		}
		r.quietOrElse("with everything said again when all is done")
	}
	r.twice(act(items, false), 0, 1)
	return times
}

// twice says the n-th of parts of the requests again, as another crawler would.
func (r *rig) twice(all []*item, n, parts int) {
	r.t.Helper()
	for _, i := range all[n*len(all)/parts : (n+1)*len(all)/parts] {
		if i.kind == kindMalformed {
			continue
		}
		if err := r.publish(r.t.Context(), i.request, true); err != nil {
			r.t.Errorf("%s again: %v", i.request.RequestID, err)
		}
	}
}

// sayAgain publishes all that the streams hold, in disorder: some as a redrive would,
// some as somebody would who knows nothing of message ids.
func (r *rig) sayAgain(random *rand.Rand) int {
	r.t.Helper()
	var all []*nats.Msg
	for _, name := range said() {
		all = append(all, r.held(name)...)
	}
	random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	const hands = 4
	var both sync.WaitGroup
	for hand := range hands {
		both.Go(func() {
			for n := hand; n < len(all); n += hands {
				if _, err := r.js.PublishMsg(r.t.Context(), all[n]); err != nil {
					r.t.Errorf("saying %s again: %v", all[n].Header.Get(event.HeaderMsgID), err)
					return
				}
			}
		})
	}
	both.Wait()
	return len(all)
}

// held returns the messages of a stream, under message ids that are not known.
func (r *rig) held(name string) []*nats.Msg {
	r.t.Helper()
	s, err := r.js.Stream(r.t.Context(), r.values["COLOPHON_STREAM_PREFIX"]+name)
	if err != nil {
		r.t.Fatal(err)
	}
	var all []*nats.Msg
	state := s.CachedInfo().State
	for seq := state.FirstSeq; seq <= state.LastSeq && state.Msgs > 0; seq++ {
		m, err := s.GetMsg(r.t.Context(), seq)
		if err != nil {
			r.t.Fatalf("message %d of %s: %v", seq, name, err)
		}
		id := m.Header.Get(event.HeaderMsgID)
		if strings.HasPrefix(id, "copy-") || strings.Contains(id, ";r2") {
			continue // it, or what caused it, is one of these itself
		}
		r.redrive++
		header := nats.Header{}
		for key, values := range m.Header {
			header[key] = values
		}
		if r.redrive%2 == 0 {
			header.Set(event.HeaderMsgID, fmt.Sprintf("%s;r%d", id, 2_000_000+r.redrive))
		} else {
			header.Set(event.HeaderMsgID, fmt.Sprintf("copy-%d", r.redrive))
		}
		all = append(all, &nats.Msg{Subject: m.Subject, Header: header, Data: m.Data})
	}
	return all
}
