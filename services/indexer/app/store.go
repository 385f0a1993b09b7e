package app

import (
	"context"
	gosync "sync"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/indexer/internal/sync"
)

// store is the vector store as package sync needs it. It connects when it is
// first asked, so that a service starts while the store is away.
type store struct {
	config vectorstore.Config

	mu     gosync.Mutex
	opened *vectorstore.Client
}

// client returns the connection, which is made when there is none yet.
func (s *store) client(ctx context.Context) (*vectorstore.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return s.opened, nil
	}
	client, err := vectorstore.Open(ctx, s.config)
	if err != nil {
		return nil, err
	}
	s.opened = client
	return client, nil
}

func (s *store) collection(ctx context.Context, name string) (*vectorstore.Collection, error) {
	client, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	return client.Collection(name), nil
}

// ping answers whether the store is there.
func (s *store) ping(ctx context.Context) error {
	client, err := s.client(ctx)
	if err != nil {
		return err
	}
	_, err = client.Ping(ctx)
	return err
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == nil {
		return nil
	}
	return s.opened.Close()
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

// Layers implements sync.Look.
func (s *store) Layers(ctx context.Context, collection string, ids []string) (map[string]string, error) {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return nil, err
	}
	return c.Layers(ctx, ids)
}

// AliasOf implements sync.Store.
func (s *store) AliasOf(ctx context.Context, alias string) (string, error) {
	client, err := s.client(ctx)
	if err != nil {
		return "", err
	}
	return client.Alias(ctx, alias)
}

// SetAlias implements sync.Store.
func (s *store) SetAlias(ctx context.Context, alias, collection string) error {
	client, err := s.client(ctx)
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

// SetLayer implements sync.Points.
func (s *store) SetLayer(ctx context.Context, collection string, ids []string, layer model.Layer, pushedAt string) error {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return err
	}
	return c.SetPayload(ctx, ids, vectorstore.Change{Layer: string(layer), PushedAt: pushedAt})
}

// Delete implements sync.Points.
func (s *store) Delete(ctx context.Context, collection string, ids []string) error {
	c, err := s.collection(ctx, collection)
	if err != nil {
		return err
	}
	return c.Delete(ctx, ids)
}
