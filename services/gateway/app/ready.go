package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
)

const (
	// readyAge is for how long an answer about readiness holds: anybody may ask, and to
	// know it takes some twenty questions to the stores.
	readyAge = time.Second
	// readyLimit bounds the questions, whoever waits for the answer and for how long.
	readyLimit = 5 * time.Second
)

// Ready implements process.Service: all is there that a search needs and that brings
// documents to it. The stores answer, the streams are as they are provisioned, and the
// collection that is searched exists with the vectors that the catalog says. The
// answer may be a second old.
func (a *App) Ready(ctx context.Context) error { return a.readiness(ctx) }

// ask asks everything that Ready is about.
func (a *App) ask(ctx context.Context) error {
	problems := []error{migrated(ctx, a.db), a.blobs.Ready(ctx, blobstore.Raw, blobstore.Derived)}
	if err := a.conn.Ready(ctx); err != nil {
		problems = append(problems, err)
	} else {
		problems = append(problems, a.conn.Verify(ctx))
	}
	return errors.Join(append(problems, a.searchable(ctx))...)
}

// searchable reports whether there is something to search in. Before an indexer has
// ever run there is no collection: a search finds nothing then, and does not fail.
func (a *App) searchable(ctx context.Context) error {
	if err := a.vectors.ping(ctx); err != nil {
		return err
	}
	alias := a.config.Qdrant.Collection
	collection, err := a.db.ActiveCollection(ctx, alias)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	client, err := a.vectors.client(ctx)
	if err != nil {
		return err
	}
	if err := client.Stands(ctx, alias, collection.Name, collection.Dimensions); err != nil {
		return fmt.Errorf("the collection that is searched is not as it must be: %w", err)
	}
	return nil
}

// askOnce returns a function that asks a question and answers again what was answered
// less than readyAge before. Several who ask at once wait for one answer. Who gives up
// waiting ends nobody's question.
func askOnce(ask func(ctx context.Context) error) func(ctx context.Context) error {
	turn := make(chan struct{}, 1)
	var (
		answer error
		at     time.Time
	)
	return func(ctx context.Context) error {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-turn }()
		if at.IsZero() || time.Since(at) > readyAge {
			limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyLimit)
			defer cancel()
			answer = ask(limited)
			at = time.Now()
		}
		return answer
	}
}
