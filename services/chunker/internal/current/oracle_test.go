package current

import (
	"cmp"
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
)

// rightStates says what the states of a document's chunks must be, but for which of
// equal chunks stands, written down from the rules and not from the code: of versions
// with one text, one set of facets and equal programs the first has the chunks; a chunk repeats its
// counterpart in the version before; who is linked is one chain, as old as its oldest and
// current as soon as one of it is in the current version, then in that one's layer; chunks of no
// version are archived.
func rightStates(h model.History, chunks []model.ChunkLink) map[string]model.ChunkState {
	versions := slices.SortedFunc(slices.Values(h.Landed), model.Version.Compare)
	sets := make([]model.ChunkSet, len(versions)) // the chunks of each version
	for i, v := range versions {
		sets[i] = v.Set()
		for _, o := range versions[:i] {
			if o.Fingerprint == v.Fingerprint && o.Facets == v.Facets && o.ExtractionID == v.ExtractionID && o.ChunkerVersion == v.ChunkerVersion && o.HeaderVersion == v.HeaderVersion {
				sets[i] = o.Set()
				break
			}
		}
	}
	var current model.ChunkSet
	var layer model.Layer
	if now, ok := model.CurrentVersion(model.OrderVersions(h.Captured), versions); ok {
		layer = now.Layer
		current = sets[slices.IndexFunc(versions, func(v model.Version) bool { return v.Compare(now) == 0 })]
	}
	equal := func(a, b model.ChunkLink) bool {
		return a.ContentTextHash == b.ContentTextHash && a.Type == b.Type && a.Status == b.Status && slices.Equal(a.SectionPath, b.SectionPath) && a.Facets == b.Facets
	}
	of := func(set model.ChunkSet, like model.ChunkLink) (out []model.ChunkLink) {
		for _, l := range chunks {
			if l.Set == set && equal(l, like) {
				out = append(out, l)
			}
		}
		slices.SortFunc(out, func(a, b model.ChunkLink) int { return a.ChunkIndex - b.ChunkIndex })
		return out
	}
	repeats := make(map[string]string)
	for i := 1; i < len(versions); i++ {
		for _, l := range chunks {
			if l.Set != versions[i].Set() || l.Set != sets[i] {
				continue // not of this version, or it has no chunks of its own
			}
			mine, before := of(l.Set, l), of(sets[i-1], l)
			place := slices.IndexFunc(mine, func(m model.ChunkLink) bool { return m.ChunkRef == l.ChunkRef })
			if len(before) > 0 {
				repeats[l.ChunkRef] = before[min(place, len(before)-1)].ChunkRef
			}
		}
	}
	root := func(ref string) string {
		for repeats[ref] != "" {
			ref = repeats[ref]
		}
		return ref
	}
	since, alive := make(map[string]string), make(map[string]bool) // of chains, by their first link
	for _, l := range chunks {
		r := root(l.ChunkRef)
		if since[r] == "" || l.InfoDate < since[r] {
			since[r] = l.InfoDate
		}
		alive[r] = alive[r] || l.Set == current
	}
	out := make(map[string]model.ChunkState)
	for _, l := range chunks {
		r := root(l.ChunkRef)
		s := model.ChunkState{ChunkRef: l.ChunkRef, Layer: model.LayerArchive, Since: since[r], Repeats: repeats[l.ChunkRef]}
		if alive[r] {
			s.Layer = cmp.Or(layer, l.Layer)
		}
		out[l.ChunkRef] = s
	}
	return out
}

// rightCause says by what word, and with what beside it, a change of state is told.
func rightCause(was, next model.ChunkState, snapshot string) (cause, by string) {
	switch {
	case was.Layer != next.Layer && next.Layer == model.LayerArchive:
		return "archived", snapshot
	case was.Layer != next.Layer:
		return "restored", ""
	case was.Repeats != next.Repeats:
		return "relinked", next.Repeats
	case was.DuplicateOf != next.DuplicateOf && next.DuplicateOf != "":
		return "duplicate", next.DuplicateOf
	case was.DuplicateOf != next.DuplicateOf:
		return "promoted", ""
	default:
		return "since", ""
	}
}

// check holds all chunks against the rules after a step: the states of each document,
// who stands for equal chunks, and what was told of the step.
func (w *story) check(s step, before map[string]model.ChunkState, stood map[model.KnowledgeKey]string, was model.ChunkSet) {
	w.Helper()
	all := w.links(func(model.ChunkLink) bool { return true })
	byDocument := make(map[string][]model.ChunkLink)
	for _, l := range all {
		byDocument[w.of[l.ChunkRef]] = append(byDocument[w.of[l.ChunkRef]], l)
	}
	for document, links := range byDocument {
		for ref, want := range rightStates(w.histories[document], links) {
			got := w.states[ref]
			want.Rev, want.DuplicateOf = got.Rev, got.DuplicateOf
			if got != want {
				w.Errorf("after %s: %+v, want %+v", s.set(), got, want)
			}
		}
		for _, state := range States(w.histories[document], links) {
			got := w.states[state.ChunkRef]
			state.Rev, got.DuplicateOf = got.Rev, ""
			if state != got {
				w.Errorf("after %s: said again it is %+v, it is %+v", s.set(), state, got)
			}
		}
	}
	w.checkStanding(s, all, before, stood)
	teller := w.teller(s, byDocument[s.doc], before, was)
	for ref, next := range w.states {
		was, there := before[ref]
		c, changed := w.changes[ref]
		next.Rev = was.Rev
		switch cause, by := rightCause(was, next, w.snapshot); {
		case !there && w.first[ref] != "capture":
			w.Errorf("%s is created by %q", ref, w.first[ref])
		case !there:
		case ref == teller:
			if c.Cause != CauseCurrent || was != next {
				w.Errorf("after %s: %s does not tell that its version is current: %+v", s.set(), ref, c)
			}
		case changed != (was != next):
			w.Errorf("after %s: %s was %+v, is %+v, and that was told: %t", s.set(), ref, was, next, changed)
		case changed && (c.Cause != cause || c.ReplacedBy != by):
			w.Errorf("after %s: of %s was told %q by %q, want %q by %q", s.set(), ref, c.Cause, c.ReplacedBy, cause, by)
		}
	}
}

// teller returns the chunk that has to tell what is current of the document now: where that
// is other chunks than before and none of the document is new or has another state, the first
// of them; "" otherwise.
func (w *story) teller(s step, links []model.ChunkLink, before map[string]model.ChunkState, was model.ChunkSet) string {
	now := w.histories[s.doc].Recorded.Chunks
	first := ""
	for _, l := range links {
		state, there := before[l.ChunkRef]
		next := w.states[l.ChunkRef]
		if next.Rev = state.Rev; !there || state != next {
			return ""
		}
		if l.Set == now && l.ChunkIndex == 0 {
			first = l.ChunkRef
		}
	}
	if now == was {
		return ""
	}
	return first
}

// checkStanding holds who stands for each text: one of the first links of current
// chains, who stood before as long as it is one; then, of those that it stood for, the
// first.
func (w *story) checkStanding(s step, all []model.ChunkLink, before map[string]model.ChunkState, stood map[model.KnowledgeKey]string) {
	w.Helper()
	takesPart := func(l model.ChunkLink) bool { return l.State.Layer != model.LayerArchive && l.State.Repeats == "" }
	current := make(map[model.KnowledgeKey][]string)
	for _, l := range all {
		if takesPart(l) {
			current[l.Key()] = append(current[l.Key()], l.ChunkRef)
		}
	}
	for key, ref := range w.knowledge {
		if !slices.Contains(current[key], ref) {
			w.Errorf("after %s: %s stands for %v, and is not current", s.set(), ref, key)
		}
	}
	for key, refs := range current {
		slices.Sort(refs)
		want := w.knowledge[key]
		if i := slices.IndexFunc(refs, func(ref string) bool { return before[ref].DuplicateOf != "" }); i >= 0 {
			want = refs[i]
		}
		if slices.Contains(refs, stood[key]) {
			want = stood[key]
		}
		if w.knowledge[key] != want || want == "" {
			w.Errorf("after %s: %q stands for %v, want %q", s.set(), w.knowledge[key], key, want)
		}
	}
	for _, l := range all {
		want := ""
		if stands := w.knowledge[l.Key()]; takesPart(l) && stands != l.ChunkRef {
			want = stands
		}
		if l.State.DuplicateOf != want {
			w.Errorf("after %s: %s is a duplicate of %q, want %q", s.set(), l.ChunkRef, l.State.DuplicateOf, want)
		}
	}
}
