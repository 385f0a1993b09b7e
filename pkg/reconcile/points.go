package reconcile

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// pointWindow is how many chunks, and how many points, one question compares.
const pointWindow = 1000

// points compares the collections that are written with what is recorded of them, id by id
// and in both directions: a chunk whose point is lost is due again, a point that is no
// chunk's is deleted. It looks at all of them when it looks at all objects, else where
// the numbers of both differ while nothing is on its way. A vector store that is away
// holds up nothing else; it was said already.
func (p *pass) points(ctx context.Context) error {
	written, err := p.catalog.WrittenCollections(ctx, p.alias)
	if err != nil || len(written) == 0 {
		return err
	}
	c := p.report.count("points")
	client, err := p.vectors(ctx)
	for _, one := range written {
		if err != nil {
			break
		}
		err = p.comparePoints(ctx, c, client.Collection(one.Name), one)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.KindOf(err) == fault.KindUnavailable, errors.Is(err, vectorstore.ErrTrouble), errors.Is(err, vectorstore.ErrNotFound):
		return nil // collections has said so
	case fault.KindOf(err) == fault.KindDeferred: // somebody pushes to it: the next pass looks again
		return nil
	}
	return err
}

func (p *pass) comparePoints(ctx context.Context, c *Count, points *vectorstore.Collection, collection model.Collection) error {
	if p.options.SkipObjects {
		_, waits := p.oldest[stream.ConsumerIndex]
		if waits {
			return nil
		}
		recorded, err := p.catalog.CountVectors(ctx, collection.Name)
		if err != nil {
			return err
		}
		there, err := points.Count(ctx, vectorstore.Filter{})
		if err != nil || there == recorded || there == 0 { // one that is empty is lost as a whole
			return err
		}
	}
	if err := p.lostPoints(ctx, c, points); err != nil {
		return err
	}
	return p.strangePoints(ctx, c, points)
}

// lostPoints looks for the point of each chunk that is recorded to have one.
func (p *pass) lostPoints(ctx context.Context, c *Count, points *vectorstore.Collection) error {
	for after := ""; ; {
		recorded, err := p.catalog.RecordedVectors(ctx, points.Name(), after, pointWindow)
		if err != nil {
			return err
		}
		lost, err := lostOf(ctx, points, recorded)
		if err != nil {
			return err
		}
		if err := p.correct(ctx, c, points, lost, nil); err != nil {
			return err
		}
		if len(recorded) < pointWindow {
			return nil
		}
		after = recorded[len(recorded)-1].ChunkRef
	}
}

// lostOf returns the chunks whose point is not there.
func lostOf(ctx context.Context, points *vectorstore.Collection, recorded []model.RecordedVector) ([]string, error) {
	var ids []string
	for _, r := range recorded {
		if r.Present && r.Newest {
			ids = append(ids, r.PointID)
		}
	}
	there, err := points.Standings(ctx, ids)
	if err != nil {
		return nil, err
	}
	var lost []string
	for _, r := range recorded {
		if _, found := there[r.PointID]; r.Present && r.Newest && !found {
			lost = append(lost, r.ChunkRef)
		}
	}
	return lost, nil
}

// strangePoints looks for the chunk of each point.
func (p *pass) strangePoints(ctx context.Context, c *Count, points *vectorstore.Collection) error {
	for after := ""; ; {
		ids, err := points.IDs(ctx, after, pointWindow)
		if err != nil {
			return err
		}
		nobodys, err := p.catalog.NobodysPoints(ctx, points.Name(), ids)
		if err != nil {
			return err
		}
		if err := p.correct(ctx, c, points, nil, nobodys); err != nil {
			return err
		}
		if len(ids) < pointWindow {
			return nil
		}
		after = ids[len(ids)-1]
	}
}

// correct looks again while nobody pushes, since what differed may have been under way,
// and makes good what still differs.
func (p *pass) correct(ctx context.Context, c *Count, points *vectorstore.Collection, refs, ids []string) error {
	if len(refs)+len(ids) == 0 {
		return nil
	}
	if p.options.DryRun {
		c.Found += len(refs) + len(ids)
		c.Reset += len(refs)
		c.Deleted += len(ids)
		return nil
	}
	return p.catalog.CorrectVectors(ctx, points.Name(), refs, ids,
		func(ctx context.Context, recorded []model.RecordedVector, nobodys []string) (lost, stale []string, err error) {
			if lost, err = lostOf(ctx, points, recorded); err != nil {
				return nil, nil, err
			}
			if len(nobodys) > 0 {
				if err := points.Delete(ctx, nobodys); err != nil {
					return nil, nil, err
				}
			}
			c.Found += len(lost) + len(nobodys)
			c.Reset += len(lost)
			c.Deleted += len(nobodys)
			return lost, nil, nil
		})
}
