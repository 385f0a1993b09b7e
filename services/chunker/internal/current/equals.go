package current

import (
	"cmp"
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
	CauseCurrent   = "current"   // its version is the current one now, and nothing else of the document says so
)

// text is what is known of a text whose row of knowledge is held.
type text struct {
	stood      string            // the chunk that stands for it until now; "": none
	duplicates []model.ChunkLink // those for which it stands, by chunk_ref: of any document, or of those that are decided
	first      string            // of the chunks that are decided the first that takes part; "": none
}

// textsOf names the texts that decisions concern, for each the first chunk that takes
// part.
func textsOf(decisions []decision) map[model.KnowledgeKey]string {
	first := make(map[model.KnowledgeKey]string)
	for _, d := range decisions {
		key := d.chunk.Key()
		switch {
		case takesPart(d.next):
			first[key] = cmp.Or(first[key], d.chunk.ChunkRef)
		case wasFirst(d):
			first[key] = cmp.Or(first[key], "")
		}
	}
	return first
}

// openTexts names what must be known of duplicates, when stood says what stands for each text: all
// of a text for which nothing stands, or a chunk that takes part no more, since another is to
// be chosen; of other texts only the chunks that are decided and were the first links of their chains,
// by chunk_ref, since another may have stood for them. A common text has many duplicates.
func openTexts(decisions []decision, stood map[model.KnowledgeKey]string) (open []model.KnowledgeKey, refs []string) {
	left := make(map[string]bool) // the chunks that take part no more
	for _, d := range decisions {
		if !takesPart(d.next) {
			left[d.chunk.ChunkRef] = true
		}
	}
	for _, d := range decisions {
		key := d.chunk.Key()
		switch {
		case !wasFirst(d):
		case stood[key] == "" || left[stood[key]]:
			open = append(open, key)
		default:
			refs = append(refs, d.chunk.ChunkRef)
		}
	}
	slices.Sort(refs)
	return open, refs
}

// wasFirst reports whether a chunk was the first link of its chain.
func wasFirst(d decision) bool { return !d.isNew() && d.chunk.State.Repeats == "" }

// proposals are the states of new chunks, and those of them that would stand for their
// text if nothing else does.
func proposals(decisions []decision) (states []model.ChunkState, standing map[string]model.KnowledgeKey) {
	states = make([]model.ChunkState, len(decisions))
	standing = make(map[string]model.KnowledgeKey, len(decisions))
	for i, d := range decisions {
		states[i] = d.next
		if takesPart(d.next) {
			standing[d.chunk.ChunkRef] = d.chunk.Key()
		}
	}
	return states, standing
}

// outcome is all that is to be written.
type outcome struct {
	standing map[model.KnowledgeKey]string // where another chunk stands than until now; "": none does
	added    []model.ChunkState            // of new chunks
	changed  []model.StateChange           // of others, by chunk_ref
}

// decideEquals says which chunk stands for each text, and by that the next state of all chunks:
// of those that are decided, and of their duplicates in other documents. What is archived
// gives way to the snapshot.
func decideEquals(decisions []decision, texts map[model.KnowledgeKey]text, snapshot string) outcome {
	decided := make(map[string]bool, len(decisions)) // by chunk_ref, whether it takes part
	for _, d := range decisions {
		decided[d.chunk.ChunkRef] = takesPart(d.next)
	}
	out := outcome{standing: make(map[model.KnowledgeKey]string)}
	stands := make(map[model.KnowledgeKey]string, len(texts))
	duplicateOf := make(map[string]string) // by chunk_ref, until now
	var others []decision
	for key, t := range texts {
		stands[key] = t.choose(decided)
		moves := stands[key] != t.stood
		if moves || stands[key] == "" {
			out.standing[key] = stands[key]
		}
		for _, l := range t.duplicates {
			duplicateOf[l.ChunkRef] = l.State.DuplicateOf
			if _, ours := decided[l.ChunkRef]; !ours && moves {
				others = append(others, decision{chunk: l, next: l.State})
			}
		}
	}
	write := func(d decision) {
		if wasFirst(d) { // what was read of it before its text was held may have changed
			d.chunk.State.DuplicateOf = duplicateOf[d.chunk.ChunkRef]
		}
		d.next.DuplicateOf = ""
		if by := stands[d.chunk.Key()]; takesPart(d.next) && by != d.chunk.ChunkRef {
			d.next.DuplicateOf = by
		}
		switch {
		case d.isNew():
			out.added = append(out.added, d.next)
		case differ(d.chunk.State, d.next):
			out.changed = append(out.changed, changeOf(d.chunk.State, d.next, snapshot))
		}
	}
	for _, d := range decisions {
		write(d)
	}
	for _, d := range others {
		write(d)
	}
	slices.SortFunc(out.changed, func(a, b model.StateChange) int { return strings.Compare(a.State.ChunkRef, b.State.ChunkRef) })
	return out
}

// choose returns the chunk that stands for a text: the one that did, as long as it takes
// part, else of those that it stood for the first by chunk_ref, else the first that is
// decided; "" when none takes part. decided says of those that are whether they do;
// of others the one that stands does. Of duplicates in the archive, which rules of
// before have left, none does.
func (t text) choose(decided map[string]bool) string {
	if does, ours := decided[t.stood]; t.stood != "" && (does || !ours) {
		return t.stood
	}
	for _, l := range t.duplicates {
		does, ours := decided[l.ChunkRef]
		if does || !ours && takesPart(l.State) {
			return l.ChunkRef
		}
	}
	return t.first
}

// differ reports whether a state is another, whatever their revisions are.
func differ(was, next model.ChunkState) bool {
	return was.Layer != next.Layer || was.Repeats != next.Repeats || was.Since != next.Since || was.DuplicateOf != next.DuplicateOf
}

// changeOf says what happened to a chunk by the greatest of its changes, and what it gave
// way to: a snapshot, or a chunk.
func changeOf(was, next model.ChunkState, snapshot string) model.StateChange {
	c := model.StateChange{State: next}
	switch {
	case was.Layer != next.Layer && next.Layer == model.LayerArchive:
		c.Cause, c.ReplacedBy = CauseArchived, snapshot
	case was.Layer != next.Layer:
		c.Cause = CauseRestored
	case was.Repeats != next.Repeats:
		c.Cause, c.ReplacedBy = CauseRelinked, next.Repeats
	case was.DuplicateOf != next.DuplicateOf && next.DuplicateOf == "":
		c.Cause = CausePromoted
	case was.DuplicateOf != next.DuplicateOf:
		c.Cause, c.ReplacedBy = CauseDuplicate, next.DuplicateOf
	default:
		c.Cause = CauseSince
	}
	return c
}
