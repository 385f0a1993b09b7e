package current

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// memory is what the decision needs of the catalog, in memory and as strict as the
// catalog is: a chunk has one first state and is changed only after it, once a landing,
// and knowledge is read and written only of keys that are held.
type memory struct {
	*testing.T
	document  string // the one that is held
	chunks    []model.ChunkLink
	of        map[string]string // chunk_ref → document
	states    map[string]model.ChunkState
	knowledge map[model.KnowledgeKey]string

	held    map[model.KnowledgeKey]bool // in this landing
	changes map[string]model.StateChange
	first   map[string]string // chunk_ref → the cause of its creation
	asked   []string          // the calls of this landing, in short
	fail    int               // the number of the call that fails, from 1; 0: none
}

var errDown = errors.New("the catalog is down")

func newMemory(t *testing.T) *memory {
	return &memory{T: t, of: map[string]string{}, states: map[string]model.ChunkState{}, knowledge: map[model.KnowledgeKey]string{}}
}

// begin holds a document for one landing.
func (m *memory) begin(document string) {
	m.document, m.asked = document, nil
	m.held, m.changes, m.first = map[model.KnowledgeKey]bool{}, map[string]model.StateChange{}, map[string]string{}
}

// call notes a call, and says whether it fails.
func (m *memory) call(format string, args ...any) error {
	m.asked = append(m.asked, fmt.Sprintf(format, args...))
	if len(m.asked) == m.fail {
		return errDown
	}
	return nil
}

// links returns the chunks that have a state and that wanted says, with their states.
func (m *memory) links(wanted func(model.ChunkLink) bool) (out []model.ChunkLink) {
	for _, l := range m.chunks {
		state, ok := m.states[l.ChunkRef]
		if ok && wanted(l) {
			l.State = state
			out = append(out, l)
		}
	}
	return out
}

func (m *memory) Links(_ context.Context, set model.ChunkSet) ([]model.ChunkLink, error) {
	err := m.call("links of %s", set.DocHash)
	return m.links(func(l model.ChunkLink) bool { return l.Set == set }), err
}

func (m *memory) LinksByContent(_ context.Context, hashes []string) ([]model.ChunkLink, error) {
	if !slices.IsSorted(hashes) || len(slices.Compact(slices.Clone(hashes))) != len(hashes) {
		m.Errorf("asked for the contents %v", hashes)
	}
	err := m.call("chains of %s", strings.Join(hashes, " "))
	links := m.links(func(l model.ChunkLink) bool {
		return m.of[l.ChunkRef] == m.document && slices.Contains(hashes, l.ContentTextHash)
	})
	slices.Reverse(links) // a chain's order is that of the versions, whatever order rows have
	return links, err
}

func (m *memory) LockKnowledge(_ context.Context, proposed map[model.KnowledgeKey]string) (map[model.KnowledgeKey]string, error) {
	err := m.call("knowledge of %d", len(proposed))
	standing := make(map[model.KnowledgeKey]string, len(proposed))
	for key, ref := range proposed {
		m.held[key] = true
		if m.knowledge[key] == "" && ref != "" {
			m.knowledge[key] = ref
		}
		if m.knowledge[key] != "" {
			standing[key] = m.knowledge[key]
		}
	}
	return standing, err
}

func (m *memory) Duplicates(_ context.Context, keys []model.KnowledgeKey, refs []string) ([]model.ChunkLink, error) {
	err := m.call("duplicates of %d", len(keys)+len(refs))
	for _, key := range keys {
		if !m.held[key] {
			m.Errorf("duplicates of %v, which is not held", key)
		}
	}
	links := m.links(func(l model.ChunkLink) bool {
		own := slices.Contains(refs, l.ChunkRef)
		if own && !m.held[l.Key()] {
			m.Errorf("whether %s is a duplicate, whose text is not held", l.ChunkRef)
		}
		return (own || slices.Contains(keys, l.Key())) && m.states[l.ChunkRef].DuplicateOf != ""
	})
	slices.SortFunc(links, func(a, b model.ChunkLink) int { return strings.Compare(a.ChunkRef, b.ChunkRef) })
	return links, err
}

func (m *memory) SetKnowledge(_ context.Context, standing map[model.KnowledgeKey]string) error {
	err := m.call("set %d", len(standing))
	for key, ref := range standing {
		switch {
		case !m.held[key]:
			m.Errorf("%v is set, and was not held", key)
		case ref == "":
			delete(m.knowledge, key)
		default:
			m.knowledge[key] = ref
		}
	}
	return err
}

func (m *memory) AddStates(_ context.Context, _ model.Run, cause string, states []model.ChunkState) error {
	err := m.call("add %d", len(states))
	for _, s := range states {
		if _, ok := m.states[s.ChunkRef]; ok || m.of[s.ChunkRef] == "" {
			m.Errorf("%s gets a first state", s.ChunkRef)
		}
		s.Rev = 1
		m.states[s.ChunkRef], m.first[s.ChunkRef] = s, cause
	}
	return err
}

func (m *memory) AddStandingStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState, standing map[string]model.KnowledgeKey) error {
	states = slices.Clone(states)
	for i, s := range states {
		key, ok := standing[s.ChunkRef]
		if s.DuplicateOf != "" {
			m.Errorf("%s: knowledge says what it duplicates, not who lands it", s.ChunkRef)
		}
		switch {
		case !ok:
		case m.knowledge[key] == "":
			m.knowledge[key] = s.ChunkRef
		default:
			states[i].DuplicateOf = m.knowledge[key]
		}
	}
	return m.AddStates(ctx, run, cause, states)
}

func (m *memory) ChangeStates(_ context.Context, _ model.Run, changes []model.StateChange) error {
	err := m.call("change %d", len(changes))
	for _, c := range changes {
		was, ok := m.states[c.State.ChunkRef]
		if _, twice := m.changes[c.State.ChunkRef]; !ok || twice || m.first[c.State.ChunkRef] != "" {
			m.Errorf("%s is changed (it has a state: %t, changed before: %t)", c.State.ChunkRef, ok, twice)
		}
		next := c.State
		next.Rev = was.Rev + 1
		m.states[c.State.ChunkRef], m.changes[c.State.ChunkRef] = next, c
	}
	return err
}
