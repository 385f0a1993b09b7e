package current

import (
	"cmp"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// content is what a chunk and the one that it repeats have in common.
type content struct {
	hash, typ, status, path string
	facets                  model.Facets
}

func contentOf(l model.ChunkLink) content {
	return content{l.ContentTextHash, string(l.Type), string(l.Status), strings.Join(l.SectionPath, "\x00"), l.Facets}
}

// decision is the next state of a chunk, but for which of equal chunks stands for it
// until that is settled, too.
type decision struct {
	chunk model.ChunkLink // with its state of before; a new chunk has none
	next  model.ChunkState
}

func (d decision) isNew() bool { return d.chunk.State.ChunkRef == "" }

// takesPart reports whether a chunk of this state stands for its text, or another of any
// document stands for it: the first link of a chain that is current, and not in the
// archive. What is in the archive, and so what a source keeps there from the start,
// stands for itself alone: searches leave the archive out, and would find neither it nor
// what it stood for.
func takesPart(s model.ChunkState) bool { return s.Layer != model.LayerArchive && s.Repeats == "" }

// decide gives all chunks of the contents that are wanted their states, from the order of
// versions alone. Of each content it takes all chunks that the document has: a chain never
// holds chunks of two contents. Decisions are ordered by chunk_ref.
func (t Timeline) decide(chunks []model.ChunkLink, wanted func(content) bool) []decision {
	groups, order := byContent(chunks)
	out := make([]decision, 0, len(chunks))
	for _, key := range order {
		if wanted(key) {
			out = append(out, t.decideContent(groups[key])...)
		}
	}
	slices.SortFunc(out, func(a, b decision) int { return strings.Compare(a.chunk.ChunkRef, b.chunk.ChunkRef) })
	return out
}

// chain is chunks of one content, each of which repeats one of the version before. It
// counts as one thing that is known: it is as old as its oldest link, and current, as a
// whole, when the current version holds one of its links.
type chain struct {
	since   string
	current bool
}

// decideContent links the chunks of one content through the versions, each with its
// counterpart in the version before. A chain that is current is in the layer of the
// current version, whatever its links were made for. Chunks whose place those of an
// earlier version have taken are of no version: each is a chain of its own, in the archive.
func (t Timeline) decideContent(chunks []model.ChunkLink) []decision {
	bySet := make(map[model.ChunkSet][]model.ChunkLink)
	for _, l := range chunks {
		bySet[l.Set] = append(bySet[l.Set], l)
	}
	for _, set := range bySet {
		slices.SortFunc(set, func(a, b model.ChunkLink) int { return a.ChunkIndex - b.ChunkIndex })
	}
	chains := make(map[string]*chain, len(chunks)) // by the chunk_ref of each link
	out := make([]decision, 0, len(chunks))
	link := func(l model.ChunkLink, repeats string) *chain {
		c := chains[repeats]
		if c == nil { // of a chunk that repeats one this is a catalog that is not sound: its version is gone
			c = &chain{since: l.InfoDate}
		}
		c.since, chains[l.ChunkRef] = min(c.since, l.InfoDate), c
		out = append(out, decision{chunk: l, next: model.ChunkState{ChunkRef: l.ChunkRef, Repeats: repeats}})
		return c
	}
	var before []model.ChunkLink // the chunks of the version before
	for _, v := range t.versions {
		if v.Own() {
			for i, l := range bySet[v.Chunks] {
				c := link(l, counterpart(before, i).ChunkRef)
				c.current = c.current || l.Set == t.after().chunks
			}
		}
		before = bySet[v.Chunks]
	}
	for _, l := range chunks {
		if chains[l.ChunkRef] == nil {
			link(l, "")
		}
	}
	for i, d := range out {
		c := chains[d.chunk.ChunkRef]
		out[i].next.Since, out[i].next.Layer = c.since, model.LayerArchive
		if c.current {
			out[i].next.Layer = cmp.Or(t.after().layer, d.chunk.Layer)
		}
	}
	return out
}

// followBefore decides of the chunks of a version that continues the current one what can be
// decided from those of the version before alone. open are the contents of both of which that
// is not enough; of a version that does not continue, and where none lands, they are all.
func (t Timeline) followBefore(added, stored []model.ChunkLink) (decisions []decision, open map[content]bool) {
	open = make(map[content]bool)
	decisions = make([]decision, 0, len(added))
	after, order := byContent(added)
	before, earlier := byContent(stored)
	gone := slices.DeleteFunc(earlier, func(key content) bool { return after[key] != nil })
	continues := t.continues()
	for _, key := range append(order, gone...) {
		ok := false
		if continues {
			decisions, ok = followContent(decisions, after[key], before[key])
		}
		if !ok {
			open[key] = true
		}
	}
	return decisions, open
}

// followContent adds what is decided of the new chunks of one content from those of the
// version before. It cannot, and ok is false, when one of these is not said again, since
// its chain ends with it, or when one is older than its chain was known to be: then chunks
// of earlier versions change with them.
func followContent(decisions []decision, added, before []model.ChunkLink) (with []decision, ok bool) {
	if len(added) < len(before) {
		return decisions, false
	}
	with = decisions
	for i, l := range added {
		d := decision{chunk: l, next: model.ChunkState{ChunkRef: l.ChunkRef, Layer: l.Layer, Since: l.InfoDate}}
		if repeated := counterpart(before, i); repeated.ChunkRef != "" {
			if l.InfoDate < repeated.State.Since {
				return decisions, false
			}
			d.next.Repeats, d.next.Since = repeated.ChunkRef, repeated.State.Since
		}
		with = append(with, d)
	}
	return with, true
}

// counterpart returns the chunk of the version before that the i-th chunk of a
// content repeats: the i-th there, else the last, or the zero value for none.
func counterpart(before []model.ChunkLink, i int) model.ChunkLink {
	if len(before) == 0 {
		return model.ChunkLink{}
	}
	return before[min(i, len(before)-1)]
}

// byContent groups chunks by content, each group in the order of the chunks, and
// returns the contents in the order of their first chunk.
func byContent(links []model.ChunkLink) (groups map[content][]model.ChunkLink, order []content) {
	groups = make(map[content][]model.ChunkLink, len(links))
	for _, l := range links {
		key := contentOf(l)
		if _, ok := groups[key]; !ok {
			order = append(order, key)
		}
		groups[key] = append(groups[key], l)
	}
	return groups, order
}

// States returns what the states of all chunks of a document must be, but for which
// of equal chunks stands, from the order of its versions alone: what Land and Move
// write however they have come. Of a document that is to be decided anew they are what
// makes the version current that its row names: what has come since is under way.
func States(h model.History, links []model.ChunkLink) []model.ChunkState {
	if len(h.Landed) == 0 {
		return nil
	}
	timeline := Settle(h)
	if h.Recorded.Unsettled {
		timeline.current = nil
		if i := slices.IndexFunc(timeline.versions, h.Recorded.Is); i >= 0 {
			timeline.current = &timeline.versions[i]
		}
	}
	states := make([]model.ChunkState, 0, len(links))
	for _, d := range timeline.decide(links, func(content) bool { return true }) {
		states = append(states, d.next)
	}
	return states
}
