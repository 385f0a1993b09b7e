// Package current decides what is new and what is current when a version of a
// document lands, or when a capture has changed the order of those that have landed:
// where a version stands among the others, which of its chunks repeat those of the
// version before, what moves to the archive and what comes back, and which of equal
// chunks stands for all. It decides by the order of versions, never by that of
// arrival, and runs in one transaction that holds the document.
package current

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// The causes that chunk_log and chunk events give.
const (
	CauseArchived  = "archived"  // its document no longer says so, says so in the chunks of an earlier version, or is kept in the archive now
	CauseRestored  = "restored"  // it is current again, or in another layer than the archive
	CauseRelinked  = "relinked"  // a version has landed between this and the one it repeats
	CauseDuplicate = "duplicate" // another chunk stands for it now
	CausePromoted  = "promoted"  // it stands for itself, and for those that equal it
	CauseSince     = "since"     // what it repeats is older than was known
)

// Store is what the decision needs of the catalog, in the transaction that
// holds the document.
type Store interface {
	Links(ctx context.Context, set model.ChunkSet) ([]model.ChunkLink, error)
	LinksByContent(ctx context.Context, contentTextHashes []string) ([]model.ChunkLink, error)
	// LockKnowledge returns what stands for each key of proposed: for one that
	// nothing stood for, what is proposed.
	LockKnowledge(ctx context.Context, proposed map[model.KnowledgeKey]string) (map[model.KnowledgeKey]string, error)
	Duplicates(ctx context.Context, keys []model.KnowledgeKey) ([]model.ChunkLink, error)
	SetKnowledge(ctx context.Context, standing map[model.KnowledgeKey]string) error
	AddStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState) error
	// AddStandingStates is LockKnowledge, settling and AddStates at once for new
	// chunks beside which no other changes. Those in standing would stand for their
	// text.
	AddStandingStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState, standing map[string]model.KnowledgeKey) error
	ChangeStates(ctx context.Context, run model.Run, changes []model.StateChange) error
}

// Timeline is a document's versions in their order, with the one that lands.
type Timeline struct {
	versions []model.Version
	at       int             // of the one that lands; -1: none does
	taken    *model.ChunkSet // chunks that were a later version's, for which those of the one that lands stand now
	was      model.ChunkSet  // what the document's row says that is current; the zero value for nothing
	wasIn    model.Layer     // the layer of the version that the row names; "" for none
	now      *model.Version  // the version that is current; nil: none is
	newest   string          // the snapshot_id of the document's newest snapshot
}

// Place puts v, which lands as a version of a snapshot, among the other versions of
// its document. Of versions with one fingerprint, under the same extraction and
// chunker, the first has the chunks, whatever stands between them and whichever came
// first: SameAs and Chunks of the others name it.
func Place(h model.History, of model.Captured, v model.Version) Timeline {
	v.Chunks = v.Set()
	t := Timeline{versions: append(slices.Clone(h.Landed), v), was: h.Recorded.Chunks, wasIn: layerOf(h)}
	slices.SortFunc(t.versions, model.Version.Compare)
	t.at = slices.IndexFunc(t.versions, func(o model.Version) bool { return o.Compare(v) == 0 })
	owner := slices.IndexFunc(t.versions, func(o model.Version) bool {
		return o.Own() && o.Compare(v) != 0 && o.Fingerprint == v.Fingerprint && o.ExtractionID == v.ExtractionID &&
			o.ChunkerVersion == v.ChunkerVersion && o.HeaderVersion == v.HeaderVersion
	})
	switch {
	case owner < 0:
	case owner < t.at:
		t.versions[t.at].SameAs, t.versions[t.at].Chunks = t.versions[owner].SnapshotID, t.versions[owner].Chunks
	default:
		taken := t.versions[owner].Chunks
		t.taken = &taken
		for i := range t.versions {
			if t.versions[i].Chunks == taken {
				t.versions[i].SameAs, t.versions[i].Chunks = v.SnapshotID, v.Chunks
			}
		}
	}
	captured := h.Captured
	if !slices.ContainsFunc(captured, func(c model.Captured) bool { return c.SnapshotID == of.SnapshotID }) {
		captured = append(slices.Clone(captured), of) // one that was recorded only, and is extracted by order
	}
	t.decide(captured)
	return t
}

// Settle returns the versions of a document of which none lands: a capture alone has
// changed their order.
func Settle(h model.History) Timeline {
	t := Timeline{versions: slices.SortedFunc(slices.Values(h.Landed), model.Version.Compare), at: -1, was: h.Recorded.Chunks, wasIn: layerOf(h)}
	t.decide(h.Captured)
	return t
}

// layerOf returns the layer of the version that a document's row says is current, ""
// when it names none.
func layerOf(h model.History) model.Layer {
	for _, v := range h.Landed {
		if v.SnapshotID == h.Recorded.SnapshotID {
			return v.Layer
		}
	}
	return ""
}

// decide finds the version that is current.
func (t *Timeline) decide(captured []model.Captured) {
	order := model.OrderVersions(captured)
	if len(order) > 0 {
		t.newest = order[len(order)-1].SnapshotID
	}
	if now, ok := model.CurrentVersion(order, t.versions); ok {
		t.now = &now
	}
}

// Taken returns the chunks of a later version whose place those of the version
// that lands take, if there are any: whatever named them is to name these.
func (t Timeline) Taken() (model.ChunkSet, bool) {
	if t.taken == nil {
		return model.ChunkSet{}, false
	}
	return *t.taken, true
}

// Landed returns the version that lands, as it is to be recorded.
func (t Timeline) Landed() model.Version { return t.versions[t.at] }

// Now returns the document's current version; ok is false when none is.
func (t Timeline) Now() (v model.Version, ok bool) {
	if t.now == nil {
		return model.Version{}, false
	}
	return *t.now, true
}

// Newest reports whether the version that lands is the document's current one.
func (t Timeline) Newest() bool {
	return t.at >= 0 && t.now != nil && t.now.Compare(t.versions[t.at]) == 0
}

// current returns the chunks that are current; the zero value for none.
func (t Timeline) current() model.ChunkSet {
	if t.now == nil {
		return model.ChunkSet{}
	}
	return t.now.Chunks
}

// layer returns the layer of the version that is current; "" when none is.
func (t Timeline) layer() model.Layer {
	if t.now == nil {
		return ""
	}
	return t.now.Layer
}

// stays reports whether what is current stays the same chunks, in the same layer.
func (t Timeline) stays() bool { return t.was == t.current() && t.wasIn == t.layer() }

// content is what a chunk and the one that it repeats have in common.
type content struct {
	hash, typ, status, path string
}

func contentOf(l model.ChunkLink) content {
	return content{l.ContentTextHash, string(l.Type), string(l.Status), strings.Join(l.SectionPath, "\x00")}
}

// decision is the next state of a chunk. It participates when it is the first
// link of a chain that is current, and not in the archive: then it stands for its
// text, or another chunk of any document does. What is in the archive, and so what a
// source keeps there from the start, stands for itself alone: searches leave the
// archive out, and would find neither it nor what it stood for.
type decision struct {
	link         model.ChunkLink
	next         model.ChunkState
	participates bool
}

// Land records the states of the new chunks of the version that lands, which
// are inserted already, and of all others that it touches.
func (t Timeline) Land(ctx context.Context, store Store, run model.Run, cause string, added []model.ChunkLink) error {
	v := t.Landed()
	if t.at > 0 && t.versions[t.at-1].Chunks == v.Chunks && t.stays() {
		return nil // it says what the version before it says
	}
	sort := t.sortAll
	if t.followsCurrent() && v.Own() && t.taken == nil {
		sort = t.sortNewest
	}
	simple, dirty, err := sort(ctx, store, added)
	if err != nil {
		return err
	}
	decisions, err := t.resolve(ctx, store, dirty)
	if err != nil {
		return err
	}
	book := ledger{run: run, store: store, snapshotID: v.SnapshotID}
	return book.write(ctx, append(simple, decisions...), v.Set(), cause)
}

// Move records the states of the chunks of a document whose current version is
// another now although none has landed. Those of one that stays current are looked at
// as well: rules of before have left some in the wrong place.
func (t Timeline) Move(ctx context.Context, store Store, run model.Run) error {
	dirty := make(map[content][]model.ChunkLink)
	if err := addContents(ctx, store, dirty, t.was, t.current()); err != nil {
		return err
	}
	decisions, err := t.resolve(ctx, store, dirty)
	if err != nil || len(decisions) == 0 {
		return err
	}
	book := ledger{run: run, store: store, snapshotID: t.newest}
	return book.write(ctx, decisions, model.ChunkSet{}, "")
}

// followsCurrent reports whether the version that lands is the last one and the
// current one, and the one before it was current until now, in the same layer.
func (t Timeline) followsCurrent() bool {
	if !t.Newest() || t.at != len(t.versions)-1 {
		return false
	}
	if t.at == 0 {
		return t.was == model.ChunkSet{}
	}
	return t.was == t.versions[t.at-1].Chunks && t.wasIn == t.layer()
}

// sortAll names the contents whose chains the landing touches and that must be
// looked at as a whole, through all versions: those of the version that lands,
// of the next one, whose version before is another now, or of the one that was
// the last, of chunks whose place others take, and of what was current and is no
// more, or is in another layer.
func (t Timeline) sortAll(ctx context.Context, store Store, added []model.ChunkLink) ([]decision, map[content][]model.ChunkLink, error) {
	dirty, _ := byContent(added)
	var sets []model.ChunkSet
	if beside := t.neighbour(); beside >= 0 {
		sets = append(sets, t.versions[beside].Chunks)
	}
	if !t.Landed().Own() {
		sets = append(sets, t.Landed().Chunks)
	}
	if t.taken != nil {
		sets = append(sets, *t.taken)
	}
	if now := t.current(); !t.stays() {
		sets = append(sets, t.was)
		if now != t.Landed().Set() { // whose chunks are those added
			sets = append(sets, now)
		}
	}
	return nil, dirty, addContents(ctx, store, dirty, sets...)
}

// addContents adds the contents of chunks to those that are to be looked at.
func addContents(ctx context.Context, store Store, dirty map[content][]model.ChunkLink, sets ...model.ChunkSet) error {
	for _, set := range sets {
		if set == (model.ChunkSet{}) {
			continue
		}
		links, err := store.Links(ctx, set)
		if err != nil {
			return fmt.Errorf("the chunks of another version: %w", err)
		}
		for _, l := range links {
			if _, ok := dirty[contentOf(l)]; !ok {
				dirty[contentOf(l)] = nil
			}
		}
	}
	return nil
}

// neighbour is the version after the one that lands, or the one before when it is
// the last: -1 when there is no other.
func (t Timeline) neighbour() int {
	if t.at == len(t.versions)-1 {
		return t.at - 1
	}
	return t.at + 1
}

// sortNewest divides what the landing of a newest version with chunks of its own
// touches: chunks whose state follows from the version before alone, and
// contents whose chains must be looked at as a whole.
func (t Timeline) sortNewest(ctx context.Context, store Store, added []model.ChunkLink) ([]decision, map[content][]model.ChunkLink, error) {
	mine, order := byContent(added)
	dirty := make(map[content][]model.ChunkLink)
	var before map[content][]model.ChunkLink
	if t.at > 0 {
		links, err := store.Links(ctx, t.versions[t.at-1].Chunks)
		if err != nil {
			return nil, nil, fmt.Errorf("the version before: %w", err)
		}
		before, _ = byContent(links)
	}
	for key, links := range before {
		if len(mine[key]) < len(links) {
			dirty[key] = mine[key] // some of them are no longer said
		}
	}
	var simple []decision
	for _, key := range order {
		if _, ok := dirty[key]; ok {
			continue
		}
		if olderThanChain(mine[key], before[key]) {
			dirty[key] = mine[key]
			continue
		}
		for i, l := range mine[key] {
			d := decision{link: l, participates: l.Layer != model.LayerArchive,
				next: model.ChunkState{ChunkRef: l.ChunkRef, Layer: l.Layer, Since: l.InfoDate}}
			if repeated := counterpart(before[key], i); repeated != nil {
				d.participates = false
				d.next.Repeats, d.next.Since = repeated.ChunkRef, repeated.State.Since
			}
			simple = append(simple, d)
		}
	}
	return simple, dirty, nil
}

func olderThanChain(links, before []model.ChunkLink) bool {
	for i, l := range links {
		if repeated := counterpart(before, i); repeated != nil && l.InfoDate < repeated.State.Since {
			return true
		}
	}
	return false
}

// counterpart returns the chunk of the version before that the i-th chunk of a
// content repeats: the i-th there, else the last, or nil.
func counterpart(before []model.ChunkLink, i int) *model.ChunkLink {
	if len(before) == 0 {
		return nil
	}
	return &before[min(i, len(before)-1)]
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

// resolve decides the chunks of whole contents anew, from the order of versions
// alone: a chain never holds chunks of two contents.
func (t Timeline) resolve(ctx context.Context, store Store, dirty map[content][]model.ChunkLink) ([]decision, error) {
	if len(dirty) == 0 {
		return nil, nil
	}
	hashes := make([]string, 0, len(dirty))
	for key := range dirty {
		hashes = append(hashes, key.hash)
	}
	slices.Sort(hashes)
	links, err := store.LinksByContent(ctx, slices.Compact(hashes))
	if err != nil {
		return nil, fmt.Errorf("the chains: %w", err)
	}
	for _, l := range links {
		key := contentOf(l)
		if chain, ok := dirty[key]; ok {
			dirty[key] = append(chain[:len(chain):len(chain)], l)
		}
	}
	var out []decision
	for _, chain := range dirty {
		out = append(out, t.chains(chain)...)
	}
	slices.SortFunc(out, func(a, b decision) int { return strings.Compare(a.link.ChunkRef, b.link.ChunkRef) })
	return out, nil
}

// chains links the chunks of one content through the versions: each repeats its
// counterpart in the version before, the first link stands for the chain, and a
// chain is current, as a whole, when the current version holds one of its links: then
// it is in the layer of that version, whatever its links were made for.
// Chunks whose place those of an earlier version have taken are of no version
// and in the archive.
func (t Timeline) chains(links []model.ChunkLink) []decision {
	bySet := make(map[model.ChunkSet][]model.ChunkLink)
	for _, l := range links {
		bySet[l.Set] = append(bySet[l.Set], l)
	}
	for _, set := range bySet {
		slices.SortFunc(set, func(a, b model.ChunkLink) int { return a.ChunkIndex - b.ChunkIndex })
	}
	type chain struct {
		since   string
		current bool
	}
	chainOf := make(map[string]*chain, len(links)) // by chunk_ref
	now := t.current()
	var out []decision
	for i, v := range t.versions {
		if !v.Own() {
			continue
		}
		var before []model.ChunkLink
		if i > 0 {
			before = bySet[t.versions[i-1].Chunks]
		}
		for j, l := range bySet[v.Chunks] {
			d := decision{link: l, next: model.ChunkState{ChunkRef: l.ChunkRef, DuplicateOf: l.State.DuplicateOf}}
			c := &chain{since: l.InfoDate}
			if repeated := counterpart(before, j); repeated != nil {
				d.next.Repeats = repeated.ChunkRef
				if c = chainOf[repeated.ChunkRef]; c == nil { // in a sound catalog it is there, since its version is an earlier one
					c = &chain{since: l.InfoDate}
				}
				c.since = min(c.since, l.InfoDate)
			}
			c.current = c.current || t.now != nil && l.Set == now
			chainOf[l.ChunkRef] = c
			out = append(out, d)
		}
	}
	for _, l := range links {
		if chainOf[l.ChunkRef] == nil {
			chainOf[l.ChunkRef] = &chain{since: l.InfoDate}
			out = append(out, decision{link: l, next: model.ChunkState{ChunkRef: l.ChunkRef}})
		}
	}
	for i := range out {
		d := &out[i]
		c := chainOf[d.link.ChunkRef]
		d.next.Since, d.next.Layer = c.since, model.LayerArchive
		if c.current {
			d.next.Layer = cmp.Or(t.layer(), d.link.Layer)
		}
		d.participates = d.next.Layer != model.LayerArchive && d.next.Repeats == ""
	}
	return out
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
		timeline.now = nil
		if i := slices.IndexFunc(timeline.versions, h.Recorded.Is); i >= 0 {
			timeline.now = &timeline.versions[i]
		}
	}
	groups, order := byContent(links)
	states := make([]model.ChunkState, 0, len(links))
	for _, key := range order {
		for _, d := range timeline.chains(groups[key]) {
			d.next.DuplicateOf = ""
			states = append(states, d.next)
		}
	}
	return states
}
