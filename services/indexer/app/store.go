package app

import (
	"context"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/indexer/internal/sync"
)

// store is the vector store as package sync needs it: the service starts also while
// it is away.
type store struct{ *vectorstore.Lazy }

func (s *store) collection(ctx context.Context, name string) (*vectorstore.Collection, error) {
	client, err := s.Client(ctx)
	if err != nil {
		return nil, err
	}
	return client.Collection(name), nil
}

// Ensure implements sync.Store.
func (s *store) Ensure(ctx context.Context, collection string, dimensions int) error {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return err
	}
	return c.Ensure(ctx, dimensions)
}

// Count implements sync.Store.
func (s *store) Count(ctx context.Context, collection string) (int, error) {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return 0, err
	}
	return c.Count(ctx, vectorstore.Filter{})
}

// Drop implements sync.Store.
func (s *store) Drop(ctx context.Context, collection string) error {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return err
	}
	return c.Drop(ctx)
}

// IDs implements sync.Look.
func (s *store) IDs(ctx context.Context, collection, after string, limit int) ([]string, error) {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return nil, err
	}
	return c.IDs(ctx, after, limit)
}

// Standings implements sync.Look.
func (s *store) Standings(ctx context.Context, collection string, ids []string) (map[string]sync.Standing, error) {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return nil, err
	}
	found, err := c.Standings(ctx, ids)
	standings := make(map[string]sync.Standing, len(found))
	for id, stands := range found {
		standings[id] = sync.Standing{Layer: model.Layer(stands.Layer), DuplicateOf: stands.DuplicateOf}
	}
	return standings, err
}

// AliasOf implements sync.Store.
func (s *store) AliasOf(ctx context.Context, alias string) (string, error) {
	client, err := s.Client(ctx)
	if err != nil {
		return "", err
	}
	return client.Alias(ctx, alias)
}

// SetAlias implements sync.Store.
func (s *store) SetAlias(ctx context.Context, alias, collection string) error {
	client, err := s.Client(ctx)
	if err != nil {
		return err
	}
	return client.SetAlias(ctx, alias, collection)
}

// Upsert implements sync.Points.
func (s *store) Upsert(ctx context.Context, collection string, points []sync.Point) error {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return err
	}
	list := make([]vectorstore.Point, len(points))
	for i, p := range points {
		payload := vectorstore.PayloadOf(p.Chunk, p.State, collection)
		payload.PushedAt = p.PushedAt
		list[i] = vectorstore.Point{
			ID: p.Chunk.PointID, Dense: p.Dense, Payload: payload,
			Sparse: vectorstore.Sparse{Indices: p.Indices, Values: p.Values},
		}
	}
	return c.Upsert(ctx, list)
}

// SetStanding implements sync.Points.
func (s *store) SetStanding(ctx context.Context, collection string, ids []string, stands sync.Standing, pushedAt string) error {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return err
	}
	return c.SetPayload(ctx, ids, vectorstore.Change{
		Layer: string(stands.Layer), DuplicateOf: &stands.DuplicateOf, PushedAt: pushedAt,
	})
}

// Delete implements sync.Points.
func (s *store) Delete(ctx context.Context, collection string, ids []string) error {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return err
	}
	return c.Delete(ctx, ids)
}
