package sync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

var errDown = errors.New("a store is down")

// stores are a record and a vector store in memory, which note what they are asked for.
type stores struct {
	*testing.T
	asked []string
	fail  int // the number of the call that fails, from 1; 0: none

	written  []model.Collection
	recorded map[string][]model.RecordedVector // by collection, by chunk_ref
	made     map[string]*made                  // by collection
	alias    string                            // what the alias stands for

	locked func() // called where a record's rows are held, before it is looked again
}

// made is a collection of the vector store.
type made struct {
	dimensions int
	points     map[string]Point
}

// tiny is an embedder whose vectors say what it was asked.
type tiny struct {
	dimensions int
	fails      error
}

func (tiny) DenseWeight() float64 { return 1 }
func (tiny) Model() string        { return "tiny" }
func (e tiny) Dimensions() int    { return e.dimensions }

func (e tiny) Embed(_ context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = []float32{float32(len(text)), float32(kind)}
	}
	return vectors, e.fails
}

func newStores(t *testing.T) *stores {
	return &stores{T: t, recorded: map[string][]model.RecordedVector{}, made: map[string]*made{}}
}

func (s *stores) syncer() *Syncer {
	return &Syncer{Catalog: s, Store: s, Points: s, Embedders: map[string]retrieval.Embedder{"tiny": tiny{dimensions: 2}},
		Model: "tiny", Alias: "docs", Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)) }}
}

// call notes a call, and says whether it fails.
func (s *stores) call(format string, args ...any) error {
	s.asked = append(s.asked, fmt.Sprintf(format, args...))
	if len(s.asked) == s.fail {
		return errDown
	}
	return nil
}

// said returns what was asked since it was called last.
func (s *stores) said() string {
	said := strings.Join(s.asked, ", ")
	s.asked = nil
	return said
}

// make makes a collection with points of these ids.
func (s *stores) make(name string, dimensions int, layers map[string]model.Layer) {
	s.made[name] = &made{dimensions, map[string]Point{}}
	for id, layer := range layers {
		s.made[name].points[id] = Point{State: model.ChunkState{Layer: layer}}
	}
}

func (s *stores) RegisterCollection(_ context.Context, c model.Collection) (model.Collection, error) {
	err := s.call("register %s %s %s %d", c.Name, c.Alias, c.Model, c.Dimensions)
	if len(s.written) == 0 {
		c.State = model.CollectionActive
		s.written = append(s.written, c)
	}
	return c, err
}

func (s *stores) WrittenCollections(_ context.Context, alias string) ([]model.Collection, error) {
	return s.written, s.call("written %s", alias)
}

func (s *stores) HasVectors(_ context.Context, collection string) (bool, error) {
	return len(s.recorded[collection]) > 0, s.call("has %s", collection)
}

func (s *stores) ResetVectors(ctx context.Context, collection string, lost func(context.Context) (bool, error)) (bool, error) {
	if err := s.call("hold %s", collection); err != nil {
		return false, err
	}
	if s.locked != nil {
		s.locked()
	}
	gone, err := lost(ctx)
	if gone && err == nil {
		s.recorded[collection] = nil
		err = s.call("reset %s", collection)
	}
	return gone, err
}

func (s *stores) Ensure(_ context.Context, collection string, dimensions int) error {
	if err := s.call("ensure %s %d", collection, dimensions); err != nil {
		return err
	}
	if s.made[collection] == nil {
		s.make(collection, dimensions, nil)
	}
	if s.made[collection].dimensions != dimensions {
		return fault.ErrOtherVectors
	}
	return nil
}

func (s *stores) Count(_ context.Context, collection string) (int, error) {
	if err := s.call("count %s", collection); err != nil {
		return 0, err
	}
	if s.made[collection] == nil {
		return 0, fault.ErrNoCollection
	}
	return len(s.made[collection].points), nil
}

func (s *stores) AliasOf(_ context.Context, alias string) (string, error) {
	if err := s.call("alias %s", alias); err != nil {
		return "", err
	}
	if s.alias == "" {
		return "", fault.ErrNoCollection
	}
	return s.alias, nil
}

func (s *stores) SetAlias(_ context.Context, alias, collection string) error {
	s.alias = collection
	return s.call("set %s %s", alias, collection)
}

func (s *stores) Drop(_ context.Context, collection string) error {
	delete(s.made, collection)
	return s.call("drop %s", collection)
}

func (s *stores) Upsert(_ context.Context, collection string, points []Point) error {
	var refs []string
	for _, p := range points {
		refs = append(refs, p.Chunk.ChunkRef)
	}
	if err := s.call("upsert %s %s", collection, strings.Join(refs, " ")); err != nil {
		return err
	}
	for _, p := range points {
		s.made[collection].points[p.Chunk.PointID] = p
	}
	return nil
}

func (s *stores) SetStanding(_ context.Context, collection string, ids []string, stands Standing, pushedAt string) error {
	if err := s.call("standing %s %s%s %s", collection, stands.Layer, stands.DuplicateOf, strings.Join(ids, " ")); err != nil {
		return err
	}
	var missing error
	for _, id := range ids {
		p, ok := s.made[collection].points[id]
		if !ok {
			missing = fault.ErrNoCollection
			continue
		}
		p.State.Layer, p.State.DuplicateOf, p.PushedAt = stands.Layer, stands.DuplicateOf, pushedAt
		s.made[collection].points[id] = p
	}
	return missing
}

func (s *stores) Delete(_ context.Context, collection string, ids []string) error {
	if err := s.call("delete %s %s", collection, strings.Join(ids, " ")); err != nil {
		return err
	}
	for _, id := range ids {
		delete(s.made[collection].points, id)
	}
	return nil
}

func (s *stores) CountVectors(_ context.Context, collection string) (n int, err error) {
	for _, r := range s.recorded[collection] {
		if r.Present {
			n++
		}
	}
	return n, s.call("recorded %s", collection)
}

func (s *stores) RecordedVectors(_ context.Context, collection, after string, limit int) ([]model.RecordedVector, error) {
	var out []model.RecordedVector
	for _, r := range s.recorded[collection] {
		if r.ChunkRef > after && len(out) < limit {
			out = append(out, r)
		}
	}
	return out, s.call("chunks after %q", after)
}

func (s *stores) NobodysPoints(_ context.Context, collection string, ids []string) (nobodys []string, err error) {
	for _, id := range ids {
		if !slices.ContainsFunc(s.recorded[collection], func(r model.RecordedVector) bool { return r.PointID == id }) {
			nobodys = append(nobodys, id)
		}
	}
	return nobodys, s.call("whose %s", strings.Join(ids, " "))
}

func (s *stores) CorrectVectors(ctx context.Context, collection string, refs, points []string,
	wrong func(ctx context.Context, recorded []model.RecordedVector, nobodys []string) (lost, stale []string, err error),
) error {
	if err := s.call("hold %s", strings.Join(append(slices.Clone(refs), points...), " ")); err != nil {
		return err
	}
	if s.locked != nil {
		s.locked()
	}
	var again []model.RecordedVector
	for _, r := range s.recorded[collection] {
		if slices.Contains(refs, r.ChunkRef) {
			again = append(again, r)
		}
	}
	nobodys, err := s.NobodysPoints(ctx, collection, points)
	if err != nil {
		return err
	}
	lost, stale, err := wrong(ctx, again, nobodys)
	if err != nil {
		return err
	}
	for i := range s.recorded[collection] { // they are due again
		r := &s.recorded[collection][i]
		r.Present = r.Present && !slices.Contains(lost, r.ChunkRef)
		r.Newest = r.Newest && !slices.Contains(append(lost, stale...), r.ChunkRef)
	}
	return s.call("lost [%s] stale [%s] nobody's [%s]", strings.Join(lost, " "), strings.Join(stale, " "), strings.Join(nobodys, " "))
}

func (s *stores) IDs(_ context.Context, collection, after string, limit int) ([]string, error) {
	err := s.call("points after %q", after)
	if s.made[collection] == nil {
		return nil, errors.Join(fault.ErrNoCollection, err)
	}
	var out []string
	for _, id := range slices.Sorted(maps.Keys(s.made[collection].points)) {
		if id > after && len(out) < limit {
			out = append(out, id)
		}
	}
	return out, err
}

func (s *stores) Standings(_ context.Context, collection string, ids []string) (map[string]Standing, error) {
	standings := make(map[string]Standing)
	for _, id := range ids {
		if s.made[collection] != nil {
			if p, ok := s.made[collection].points[id]; ok {
				standings[id] = Standing{p.State.Layer, p.State.DuplicateOf}
			}
		}
	}
	return standings, s.call("standings %s", strings.Join(ids, " "))
}
