// Package current decides what is new and what is current when a version of a
// document lands, or when a capture has changed the order of those that have landed:
// where a version stands among the others, which of its chunks repeat those of the
// version before, what moves to the archive and what comes back, and which of equal
// chunks stands for all. It decides by the order of versions, never by that of
// arrival, and runs in one transaction that holds the document.
//
// The decision is made by functions that read and write nothing: Place and Settle put
// the versions in order and say which is current (timeline.go), decide and followBefore link chunks
// through the versions (chains.go), decideEquals which of equal chunks stands (equals.go).
// What they are given is read, and what they return is written, by Land and Move, here.
package current

import (
	"context"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Store is what the decision needs of the catalog, in the transaction that
// holds the document.
type Store interface {
	ChunkReader
	KnowledgeKeeper
	StateWriter
}

// ChunkReader reads the chunks of the document that is held, with their states. What has
// no state yet is left out.
type ChunkReader interface {
	Links(ctx context.Context, set model.ChunkSet) ([]model.ChunkLink, error)
	LinksByContent(ctx context.Context, contentTextHashes []string) ([]model.ChunkLink, error)
}

// KnowledgeKeeper says which chunk, of any document, stands for a text.
type KnowledgeKeeper interface {
	// LockKnowledge returns what stands for each key of proposed: for one that
	// nothing stood for, what is proposed. It holds the keys.
	LockKnowledge(ctx context.Context, proposed map[model.KnowledgeKey]string) (map[model.KnowledgeKey]string, error)
	// Duplicates returns the chunks for which others stand, by chunk_ref: all of these keys, and of
	// the chunks refs those for which one does. The keys of all of them are held.
	Duplicates(ctx context.Context, keys []model.KnowledgeKey, refs []string) ([]model.ChunkLink, error)
	SetKnowledge(ctx context.Context, standing map[model.KnowledgeKey]string) error
}

// StateWriter writes states down, and logs them under a run.
type StateWriter interface {
	AddStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState) error
	// AddStandingStates is LockKnowledge, settling and AddStates at once for new
	// chunks beside which no other changes. Those in standing would stand for their
	// text.
	AddStandingStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState, standing map[string]model.KnowledgeKey) error
	ChangeStates(ctx context.Context, run model.Run, changes []model.StateChange) error
}

// Land records the states of the new chunks of the version that lands, which
// are inserted already, and of all others that it touches.
func (t Timeline) Land(ctx context.Context, store Store, run model.Run, cause string, added []model.ChunkLink) error {
	if t.saysNothingNew() {
		return nil
	}
	decisions, err := t.readAndDecide(ctx, store, added)
	if err != nil {
		return err
	}
	return t.writeDown(ctx, store, run, cause, decisions)
}

// Move records the states of the chunks of a document whose current version is
// another now although none has landed.
func (t Timeline) Move(ctx context.Context, store Store, run model.Run) error {
	decisions, err := t.readAndDecide(ctx, store, nil)
	if err != nil || len(decisions) == 0 {
		return err
	}
	return t.writeDown(ctx, store, run, "", decisions)
}

// readAndDecide reads what is touched, and of the contents that it leaves open all chunks
// of the document.
func (t Timeline) readAndDecide(ctx context.Context, store ChunkReader, added []model.ChunkLink) ([]decision, error) {
	var touched []model.ChunkLink
	for _, set := range t.touchedSets() {
		links, err := store.Links(ctx, set)
		if err != nil {
			return nil, fmt.Errorf("the chunks of another version: %w", err)
		}
		touched = append(touched, links...)
	}
	decisions, open := t.followBefore(added, touched)
	var hashes []string
	for key := range open {
		hashes = append(hashes, key.hash)
	}
	if len(hashes) == 0 {
		return decisions, nil
	}
	slices.Sort(hashes)
	chunks, err := store.LinksByContent(ctx, slices.Compact(hashes))
	if err != nil {
		return nil, fmt.Errorf("the chains: %w", err)
	}
	return append(decisions, t.decide(append(chunks, added...), func(key content) bool { return open[key] })...), nil
}

// writeDown settles which of equal chunks stands, and writes all down. When all that is
// decided are new chunks the catalog does both at once: knowledge alone says which of
// them are duplicates.
func (t Timeline) writeDown(ctx context.Context, store Store, run model.Run, cause string, decisions []decision) error {
	if !slices.ContainsFunc(decisions, func(d decision) bool { return !d.isNew() }) {
		states, standing := proposals(decisions)
		return store.AddStandingStates(ctx, run, cause, states, standing)
	}
	texts, err := holdTexts(ctx, store, decisions)
	if err != nil {
		return err
	}
	out := t.tellCurrent(decideEquals(decisions, texts, t.snapshot), decisions, texts)
	if err := store.SetKnowledge(ctx, out.standing); err != nil {
		return err
	}
	if err := store.AddStates(ctx, run, cause, out.added); err != nil {
		return err
	}
	return store.ChangeStates(ctx, run, out.changed)
}

// holdTexts holds the texts that decisions concern, and returns what is known of them.
func holdTexts(ctx context.Context, store KnowledgeKeeper, decisions []decision) (map[model.KnowledgeKey]text, error) {
	first := textsOf(decisions)
	stood, err := store.LockKnowledge(ctx, first)
	if err != nil {
		return nil, err
	}
	open, refs := openTexts(decisions, stood)
	duplicates, err := store.Duplicates(ctx, open, refs)
	if err != nil {
		return nil, fmt.Errorf("equal chunks: %w", err)
	}
	texts := make(map[model.KnowledgeKey]text, len(first))
	for key := range first {
		texts[key] = text{stood: stood[key], first: first[key]}
	}
	for _, l := range duplicates {
		t := texts[l.Key()]
		t.duplicates = append(t.duplicates, l)
		texts[l.Key()] = t
	}
	return texts, nil
}

// tellCurrent adds a change to the first chunk of what is current from now on, where other
// chunks are current than before and no chunk of the document changes: a page that has
// changed its order back, say. Events tell what is current of a document with each change
// of its chunks, and would not tell this (contracts#document-current).
func (t Timeline) tellCurrent(out outcome, decisions []decision, texts map[model.KnowledgeKey]text) outcome {
	now := t.after().chunks
	if t.before.chunks == now {
		return out
	}
	var first *decision
	ours := make(map[string]bool, len(decisions))
	for i, d := range decisions {
		ours[d.chunk.ChunkRef] = true
		if d.chunk.Set == now && !d.isNew() && (first == nil || d.chunk.ChunkIndex < first.chunk.ChunkIndex) {
			first = &decisions[i]
		}
	}
	told := len(out.added) > 0 || slices.ContainsFunc(out.changed, func(c model.StateChange) bool { return ours[c.State.ChunkRef] })
	if first == nil || told {
		return out
	}
	same := first.next // but for what it is a duplicate of nothing changes, and that was read before its text was held
	for _, l := range texts[first.chunk.Key()].duplicates {
		if l.ChunkRef == same.ChunkRef {
			same.DuplicateOf = l.State.DuplicateOf
		}
	}
	out.changed = append(out.changed, model.StateChange{State: same, Cause: CauseCurrent})
	return out
}
