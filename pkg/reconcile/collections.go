package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// collections looks whether those that are written are there. Of one whose points are
// gone everything that was recorded is forgotten: its chunks are due again, and their
// events let an indexer make the collection. What else is wrong is said. A vector
// store that is away holds up nothing else.
func (p *pass) collections(ctx context.Context) error {
	written, err := p.catalog.WrittenCollections(ctx, p.alias)
	if err != nil || len(written) == 0 {
		return err
	}
	c := p.report.count("collections")
	client, err := p.vectors(ctx)
	if err == nil {
		for _, collection := range written {
			if err = p.collection(ctx, c, client, collection); err != nil {
				break
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.KindOf(err) == fault.KindUnavailable, errors.Is(err, vectorstore.ErrTrouble):
		p.report.Missing = append(p.report.Missing, fmt.Sprintf("the vector store does not answer: %v", err))
		return nil
	case fault.KindOf(err) == fault.KindDeferred: // somebody pushes to it: it is there
		return nil
	}
	return err
}

func (p *pass) collection(ctx context.Context, c *Count, client *vectorstore.Client, collection model.Collection) error {
	wrong := client.Collection(collection.Name).Check(ctx, collection.Dimensions)
	if wrong == nil && collection.State == model.CollectionActive {
		wrong = client.Stands(ctx, p.alias, collection.Name, collection.Dimensions)
	}
	switch {
	case errors.Is(wrong, vectorstore.ErrMismatch):
		p.report.Missing = append(p.report.Missing, wrong.Error())
		return nil
	case wrong != nil && !errors.Is(wrong, vectorstore.ErrNotFound):
		return wrong
	}
	lost := func(ctx context.Context) (bool, error) {
		n, err := client.Collection(collection.Name).Count(ctx, vectorstore.Filter{})
		if errors.Is(err, vectorstore.ErrNotFound) {
			return true, nil
		}
		return n == 0, err
	}
	recorded, err := p.catalog.HasVectors(ctx, collection.Name)
	if err != nil {
		return err
	}
	gone := false
	if recorded {
		if gone, err = lost(ctx); err != nil {
			return err
		}
	}
	if wrong == nil && !gone {
		return nil
	}
	c.Found++
	if wrong != nil {
		p.report.Missing = append(p.report.Missing, fmt.Sprintf("%v: an indexer makes it again", wrong))
	}
	if !gone {
		return nil
	}
	c.Reset++
	if p.options.DryRun {
		return nil
	}
	_, err = p.catalog.ResetVectors(ctx, collection.Name, lost)
	return err
}
