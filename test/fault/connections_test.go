package fault

import (
	"maps"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// allServers are those that a proxy can stand before.
func (r *rig) allServers() []string { return slices.Sorted(maps.Keys(r.servers)) }

// hasty lets services wait for stores, in the short delays, about as long as an
// outage of the test takes: with those of production one would end first.
func (r *rig) hasty() {
	if asked.form == real {
		return
	}
	r.values["COLOPHON_POSTGRES_TIMEOUT"], r.values["COLOPHON_S3_TIMEOUT"], r.values["COLOPHON_QDRANT_TIMEOUT"] = "1s", "1s", "1s"
}

// torn lets connections to all servers break all the time: refused, cut in the
// middle of a request, and cut where an answer would have come, so that nobody
// knows whether what was asked for was done.
func torn(r *rig, items []*item) int {
	r.hasty()
	proxies := r.behind(r.allServers()...)
	for _, p := range proxies {
		share := pick(0.005, 0.01, 0.01)
		p.set(weather{refuse: 0.1, cut: share, lose: share})
	}
	r.startServices()
	r.send(act(items, false)...)
	r.quietOrElse("with connections that break")
	times := 0
	for _, p := range proxies {
		p.set(weather{})
		times += p.met()
	}
	if times < 20 {
		r.t.Errorf("only %d connections were hurt", times)
	}
	return times
}

// silent lets connections go dead: they stay open, nothing comes and nobody says
// so. New ones work. Then each server is silent as a whole, for longer than it is
// waited for, and goes on.
func silent(r *rig, items []*item) int {
	r.hasty()
	proxies := r.behind(r.allServers()...)
	r.startServices()
	names := r.allServers()
	times := 0
	r.spread(items, 2*len(names), func(n int) {
		p := proxies[names[n/2]]
		if n%2 == 0 {
			before := p.met()
			p.set(weather{hang: 0.05})
			r.await(devtest.Patience, "a connection to "+names[n/2]+" goes dead", func() bool {
				return p.met() > before || len(r.left()) == 0
			})
			p.set(weather{})
			times += p.met() - before
			return
		}
		r.linger(300 * time.Millisecond)
		p.set(weather{still: true})
		r.linger(pick(0, 5*time.Second, 2*time.Minute))
		p.set(weather{})
		times++
	})
	return times
}

// slow lets every answer of every server come late.
func slow(r *rig, items []*item) int {
	proxies := r.behind(r.allServers()...)
	for _, p := range proxies {
		p.set(weather{delay: 50 * time.Millisecond})
	}
	r.startServices()
	r.send(act(items, false)...)
	r.quietOrElse("with answers that come late")
	for _, p := range proxies {
		p.set(weather{})
	}
	return 1
}
