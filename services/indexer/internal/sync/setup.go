package sync

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// Catalog is what the set-up of collections reads and writes of the record.
type Catalog interface {
	RegisterCollection(ctx context.Context, c model.Collection) (model.Collection, error)
	WrittenCollections(ctx context.Context, alias string) ([]model.Collection, error)
	HasVectors(ctx context.Context, collection string) (bool, error)
	ResetVectors(ctx context.Context, collection string, lost func(context.Context) (bool, error)) (reset bool, err error)
}

// Store makes collections and aliases. When what is asked for is missing, the
// error is fault.ErrNoCollection; when a collection is there with other vectors,
// fault.ErrOtherVectors.
type Store interface {
	Ensure(ctx context.Context, collection string, dimensions int) error
	Count(ctx context.Context, collection string) (int, error)
	AliasOf(ctx context.Context, alias string) (collection string, err error)
	SetAlias(ctx context.Context, alias, collection string) error
	Drop(ctx context.Context, collection string) error
}

// Setup makes the collections of the alias what the catalog says of them: they
// exist with their indexes, the alias stands for the active one, and nothing is
// recorded of points that are lost. It may be repeated, also by several at once,
// and is called at the start and whenever a collection is found missing. That
// the active collection needs a model which is not at hand is a permanent error.
func (s *Syncer) Setup(ctx context.Context) error {
	embedder, known := s.Embedders[s.Model]
	if !known {
		return noModel(s.Model)
	}
	_, err := s.Catalog.RegisterCollection(ctx, model.Collection{
		Name:  model.CollectionName(s.Alias, s.Model, embedder.Dimensions()),
		Alias: s.Alias, Model: s.Model, Dimensions: embedder.Dimensions(),
	})
	if err != nil {
		return err
	}
	faultpoint.Reach("index.collection.registered")
	collections, err := s.Catalog.WrittenCollections(ctx, s.Alias)
	if err != nil {
		return err
	}
	for _, c := range collections {
		if err := s.setup(ctx, c, s.Embedders[c.Model]); err != nil {
			return fmt.Errorf("setting up collection %s: %w", c.Name, err)
		}
	}
	return nil
}

func (s *Syncer) setup(ctx context.Context, c model.Collection, embedder retrieval.Embedder) error {
	active := c.State == model.CollectionActive
	switch {
	case embedder == nil && active:
		return noModel(c.Model)
	case embedder == nil:
		s.Log.WarnContext(ctx, "a collection is left to others, its model is not at hand", "collection", c.Name, "model", c.Model)
		return nil
	case embedder.Dimensions() != c.Dimensions:
		return fault.Permanent(fault.Internal, fmt.Errorf("model %s has %d dimensions, its collection %d", c.Model, embedder.Dimensions(), c.Dimensions))
	}
	if err := s.forget(ctx, c.Name); err != nil {
		return err
	}
	if err := s.ensure(ctx, c); err != nil {
		return err
	}
	faultpoint.Reach("index.collection.ensured")
	if !active {
		return nil
	}
	if stands, err := s.Store.AliasOf(ctx, s.Alias); err == nil && stands == c.Name {
		return nil
	} else if err != nil && !errors.Is(err, fault.ErrNoCollection) {
		return err
	}
	err := s.Store.SetAlias(ctx, s.Alias, c.Name)
	faultpoint.Reach("index.alias.set")
	return err
}

// ensure makes a collection. One of its name that somebody else has made for other
// vectors is made again when it is empty; with points it is left to whoever made
// it, and is waited for.
func (s *Syncer) ensure(ctx context.Context, c model.Collection) error {
	err := s.Store.Ensure(ctx, c.Name, c.Dimensions)
	if err == nil || !errors.Is(err, fault.ErrOtherVectors) {
		return err
	}
	dropped, wrong := s.Catalog.ResetVectors(ctx, c.Name, func(ctx context.Context) (bool, error) {
		if err := s.Store.Ensure(ctx, c.Name, c.Dimensions); err == nil || !errors.Is(err, fault.ErrOtherVectors) {
			return false, err // another was first
		}
		n, err := s.Store.Count(ctx, c.Name)
		if err != nil || n > 0 {
			return false, err
		}
		return true, s.Store.Drop(ctx, c.Name)
	})
	if wrong != nil {
		return wrong
	}
	if dropped {
		s.Log.WarnContext(ctx, "an empty collection was made for other vectors, it is made again", "collection", c.Name, "error", err)
	}
	if err = s.Store.Ensure(ctx, c.Name, c.Dimensions); err != nil && errors.Is(err, fault.ErrOtherVectors) {
		return fault.Unavailable(fmt.Errorf("it holds points, drop it or give it another name: %w", err))
	}
	return err
}

// forget resets what is recorded of a collection whose points are gone: it is
// missing, or empty although there should be some.
func (s *Syncer) forget(ctx context.Context, collection string) error {
	lost := func(ctx context.Context) (bool, error) {
		n, err := s.Store.Count(ctx, collection)
		if err != nil && !errors.Is(err, fault.ErrNoCollection) {
			return false, err
		}
		return n == 0 || err != nil, nil
	}
	recorded, err := s.Catalog.HasVectors(ctx, collection)
	if err != nil || !recorded {
		return err
	}
	if gone, err := lost(ctx); err != nil || !gone {
		return err
	}
	reset, err := s.Catalog.ResetVectors(ctx, collection, lost)
	faultpoint.Reach("index.vectors.reset")
	if reset {
		s.Log.WarnContext(ctx, "the points of a collection are lost, its chunks are due again", "collection", collection)
	}
	return err
}

func noModel(name string) error {
	return fault.Permanent(fault.Internal, fmt.Errorf("embedding model %s is not at hand", name))
}
