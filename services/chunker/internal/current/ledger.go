package current

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// ledger writes decisions down, and settles with other chunks of the same text,
// of any document, which one stands for all.
type ledger struct {
	run        model.Run
	store      Store
	snapshotID string // that the landing version is of
}

// write records all decisions. Those of the set that lands are new chunks.
func (b *ledger) write(ctx context.Context, decisions []decision, landed model.ChunkSet, cause string) error {
	isNew := func(d decision) bool { return d.link.Set == landed }
	if !slices.ContainsFunc(decisions, func(d decision) bool { return !isNew(d) }) {
		return b.begin(ctx, decisions, cause)
	}
	others, err := b.settle(ctx, decisions, isNew)
	if err != nil {
		return err
	}
	var states []model.ChunkState
	changes := others
	for _, d := range decisions {
		switch {
		case isNew(d):
			states = append(states, d.next)
		case differs(d):
			changes = append(changes, b.change(d))
		}
	}
	if err := b.store.AddStates(ctx, b.run, cause, states); err != nil {
		return err
	}
	return b.store.ChangeStates(ctx, b.run, changes)
}

// begin records decisions of which all are of new chunks: knowledge alone says which
// of them are duplicates.
func (b *ledger) begin(ctx context.Context, decisions []decision, cause string) error {
	states := make([]model.ChunkState, len(decisions))
	standing := make(map[string]model.KnowledgeKey, len(decisions))
	for i, d := range decisions {
		states[i] = d.next
		states[i].DuplicateOf = ""
		if d.participates {
			standing[d.link.ChunkRef] = d.link.Key()
		}
	}
	return b.store.AddStandingStates(ctx, b.run, cause, states, standing)
}

func differs(d decision) bool {
	was, next := d.link.State, d.next
	return was.Layer != next.Layer || was.Repeats != next.Repeats || was.Since != next.Since || was.DuplicateOf != next.DuplicateOf
}

// change says what happened to a chunk by the greatest of its changes.
func (b *ledger) change(d decision) model.StateChange {
	was, next := d.link.State, d.next
	c := model.StateChange{State: next}
	switch {
	case was.Layer != next.Layer && next.Layer == model.LayerArchive:
		c.Cause, c.ReplacedBy = CauseArchived, b.snapshotID
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

// settle locks the knowledge of every text that a decision may concern, in the
// order of its key, sets duplicate_of in the decisions, and returns the changes
// of other documents' chunks.
func (b *ledger) settle(ctx context.Context, decisions []decision, isNew func(decision) bool) ([]model.StateChange, error) {
	byKey := make(map[model.KnowledgeKey][]*decision)
	proposed := make(map[model.KnowledgeKey]string)
	var held []model.KnowledgeKey
	for i := range decisions {
		d := &decisions[i]
		known := !isNew(*d) && d.link.State.Repeats == ""
		if !d.participates && !known {
			d.next.DuplicateOf = ""
			continue
		}
		key := d.link.Key()
		byKey[key] = append(byKey[key], d)
		if proposed[key] == "" {
			proposed[key] = ""
			if d.participates {
				proposed[key] = d.link.ChunkRef
			}
		}
		if known {
			held = append(held, key)
		}
	}
	standing, err := b.store.LockKnowledge(ctx, proposed)
	if err != nil {
		return nil, err
	}
	duplicates, err := b.store.Duplicates(ctx, held)
	if err != nil {
		return nil, fmt.Errorf("equal chunks: %w", err)
	}
	others := make(map[model.KnowledgeKey][]model.ChunkLink)
	for _, l := range duplicates {
		others[l.Key()] = append(others[l.Key()], l)
	}
	var changes []model.StateChange
	next := make(map[model.KnowledgeKey]string)
	for key, mine := range byKey {
		stands, moved := settleKey(standing[key], mine, others[key])
		if stands != standing[key] || stands == "" {
			next[key] = stands
		}
		changes = append(changes, moved...)
	}
	slices.SortFunc(changes, func(a, b model.StateChange) int { return strings.Compare(a.State.ChunkRef, b.State.ChunkRef) })
	return changes, b.store.SetKnowledge(ctx, next)
}

// settleKey decides which chunk stands for a text: the one that did, as long as
// it is current and not in the archive, else of those that it stood for the first by
// chunk_ref, else the first that is new. mine are decisions on chunks of this document;
// others are the chunks, of any document, for which another stands so far. Of these
// some that are in the archive may be left of rules of before: they stand for
// themselves.
func settleKey(stood string, mine []*decision, others []model.ChunkLink) (stands string, changes []model.StateChange) {
	decided := make(map[string]*decision, len(mine))
	for _, d := range mine {
		decided[d.link.ChunkRef] = d
		d.link.State.DuplicateOf = "" // others says how it is now that the row is held
	}
	stays := func(ref string) bool { d, ok := decided[ref]; return !ok || d.participates }
	if stood != "" && stays(stood) {
		stands = stood
	}
	for _, l := range others {
		if d, ok := decided[l.ChunkRef]; ok {
			d.link.State = l.State
		} else if l.State.Layer == model.LayerArchive {
			continue
		}
		if stands == "" && stays(l.ChunkRef) {
			stands = l.ChunkRef
		}
	}
	for _, d := range mine {
		if stands == "" && d.participates {
			stands = d.link.ChunkRef
		}
		d.next.DuplicateOf = ""
		if d.participates && d.link.ChunkRef != stands {
			d.next.DuplicateOf = stands
		}
	}
	if stands == stood {
		return stands, nil
	}
	for _, l := range others {
		if _, ok := decided[l.ChunkRef]; ok {
			continue
		}
		c := model.StateChange{State: l.State, Cause: CauseDuplicate, ReplacedBy: stands}
		if c.State.DuplicateOf = stands; l.ChunkRef == stands || l.State.Layer == model.LayerArchive {
			c.State.DuplicateOf, c.Cause, c.ReplacedBy = "", CausePromoted, ""
		}
		changes = append(changes, c)
	}
	return stands, changes
}
