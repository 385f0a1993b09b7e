package current

import (
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Timeline is a document's versions in their order, with the one that lands, and what is
// current of the document before and after. It is a value: nothing is read or written to
// make one.
type Timeline struct {
	versions []model.Version
	landing  int             // the place of the version that lands; nothingLands: none does
	taken    *model.ChunkSet // chunks that were a later version's, for which those of the one that lands stand now
	before   view            // as the document's row says
	current  *model.Version  // the version that is current; nil: none is
	snapshot string          // the snapshot_id of the version that lands, else of the document's newest snapshot
}

const nothingLands = -1

// view is what one sees of a document: the chunks that are current, and the layer that
// they are in. The zero value is a document of which nothing is current.
type view struct {
	chunks model.ChunkSet
	layer  model.Layer
}

// Place puts v, which lands as a version of a snapshot, among the other versions of
// its document. Of versions with one fingerprint and equal facets, under the same extraction and
// chunker, the first has the chunks, whatever stands between them and whichever came
// first: SameAs and Chunks of the others name it.
func Place(h model.History, of model.Captured, v model.Version) Timeline {
	v.Chunks = v.Set()
	t := Timeline{versions: append(slices.Clone(h.Landed), v), before: recorded(h), snapshot: v.SnapshotID}
	slices.SortFunc(t.versions, model.Version.Compare)
	t.landing = slices.IndexFunc(t.versions, func(o model.Version) bool { return o.Compare(v) == 0 })
	t.shareChunks()
	captured := h.Captured
	if !slices.ContainsFunc(captured, func(c model.Captured) bool { return c.SnapshotID == of.SnapshotID }) {
		captured = append(slices.Clone(captured), of) // one that was recorded only, and is extracted by order
	}
	t.findCurrent(model.OrderVersions(captured))
	return t
}

// Settle returns the versions of a document of which none lands: a capture alone has
// changed their order.
func Settle(h model.History) Timeline {
	t := Timeline{versions: slices.SortedFunc(slices.Values(h.Landed), model.Version.Compare), landing: nothingLands, before: recorded(h)}
	order := model.OrderVersions(h.Captured)
	if len(order) > 0 {
		t.snapshot = order[len(order)-1].SnapshotID
	}
	t.findCurrent(order)
	return t
}

// recorded returns what a document's row says that is current.
func recorded(h model.History) view {
	seen := view{chunks: h.Recorded.Chunks}
	if i := slices.IndexFunc(h.Landed, func(v model.Version) bool { return v.SnapshotID == h.Recorded.SnapshotID }); i >= 0 {
		seen.layer = h.Landed[i].Layer
	}
	return seen
}

// shareChunks gives versions of one text and one set of facets the chunks of the first of
// them: the version that lands those of an earlier one, or its own to later ones.
func (t *Timeline) shareChunks() {
	v := &t.versions[t.landing]
	owner := slices.IndexFunc(t.versions, func(o model.Version) bool {
		return o.Own() && o.Compare(*v) != 0 && o.Fingerprint == v.Fingerprint && o.Facets == v.Facets && o.ExtractionID == v.ExtractionID &&
			o.ChunkerVersion == v.ChunkerVersion && o.HeaderVersion == v.HeaderVersion && o.Proposals == v.Proposals
	})
	switch {
	case owner < 0:
	case owner < t.landing:
		v.SameAs, v.Chunks = t.versions[owner].SnapshotID, t.versions[owner].Chunks
	default:
		taken := t.versions[owner].Chunks
		t.taken = &taken
		for i := range t.versions {
			if t.versions[i].Chunks == taken {
				t.versions[i].SameAs, t.versions[i].Chunks = v.SnapshotID, v.Chunks
			}
		}
	}
}

// findCurrent finds the version that is current.
func (t *Timeline) findCurrent(order []model.Ordered) {
	if v, ok := model.CurrentVersion(order, t.versions); ok {
		t.current = &v
	}
}

// Landed returns the version that lands, as it is to be recorded.
func (t Timeline) Landed() model.Version { return t.versions[t.landing] }

// Taken returns the chunks of a later version whose place those of the version
// that lands take, if there are any: whatever named them is to name these.
func (t Timeline) Taken() (model.ChunkSet, bool) {
	if t.taken == nil {
		return model.ChunkSet{}, false
	}
	return *t.taken, true
}

// Now returns the document's current version; ok is false when none is.
func (t Timeline) Now() (v model.Version, ok bool) {
	if t.current == nil {
		return model.Version{}, false
	}
	return *t.current, true
}

// Newest reports whether the version that lands is the document's current one.
func (t Timeline) Newest() bool {
	return t.landing != nothingLands && t.current != nil && t.current.Compare(t.versions[t.landing]) == 0
}

// after returns what is current of the document from now on.
func (t Timeline) after() view {
	if t.current == nil {
		return view{}
	}
	return view{chunks: t.current.Chunks, layer: t.current.Layer}
}

// saysNothingNew reports whether the version that lands has the chunks of the version
// before it, and what is current stays so: then no chunk changes.
func (t Timeline) saysNothingNew() bool {
	return t.landing > 0 && t.versions[t.landing-1].Chunks == t.Landed().Chunks && t.before == t.after()
}

// continues reports whether the version that lands is the last and the current one, with
// chunks of its own, and the version before it was current until now, in the same layer.
// Nearly all versions land so, and what the version before says decides nearly all of their
// chunks.
func (t Timeline) continues() bool {
	if !t.Newest() || t.landing != len(t.versions)-1 || !t.Landed().Own() {
		return false
	}
	if t.landing == 0 {
		return t.before.chunks == model.ChunkSet{}
	}
	return t.before == view{chunks: t.versions[t.landing-1].Chunks, layer: t.after().layer}
}

// touchedSets names the stored chunks by which it is known what changes. Where a version
// continues the current one, those of the version before. Else those of the next version,
// whose version before is another now, or of the one that was the last; of a later one
// whose chunks it takes; and what was current and what is, when that is another, or in
// another layer. Where none lands and what is current stays, those of all versions: what is
// wrong then was left so by rules of before, in any of them.
func (t Timeline) touchedSets() []model.ChunkSet {
	var sets []model.ChunkSet
	add := func(set model.ChunkSet) {
		own := t.landing != nothingLands && set == t.Landed().Set() // new: they are not stored yet
		if set != (model.ChunkSet{}) && !own && !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
	}
	switch {
	case t.landing == nothingLands:
	case t.landing < len(t.versions)-1:
		add(t.versions[t.landing+1].Chunks)
	case t.landing > 0:
		add(t.versions[t.landing-1].Chunks)
	}
	if t.continues() {
		return sets
	}
	if t.taken != nil {
		add(*t.taken)
	}
	switch {
	case t.before != t.after():
		add(t.before.chunks)
		add(t.after().chunks)
	case t.landing == nothingLands:
		for _, v := range t.versions {
			add(v.Chunks)
		}
	}
	return sets
}
