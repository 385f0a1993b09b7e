package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	// defaultWindow is how many chunks, and how many points, one audit compares.
	defaultWindow = 1000
	// auditCount is after how many audits all of them are counted.
	auditCount = 10
)

// Record is what an audit reads and corrects of the record.
type Record interface {
	CountVectors(ctx context.Context, collection string) (int, error)
	RecordedVectors(ctx context.Context, collection, after string, limit int) ([]model.RecordedVector, error)
	NobodysPoints(ctx context.Context, collection string, ids []string) ([]string, error)
	CorrectVectors(ctx context.Context, collection string, refs, points []string,
		wrong func(ctx context.Context, recorded []model.RecordedVector, nobodys []string) (lost, stale []string, err error)) error
}

// Look is what an audit reads of collections. What a point does not say is "".
type Look interface {
	Count(ctx context.Context, collection string) (int, error)
	IDs(ctx context.Context, collection, after string, limit int) ([]string, error)
	Standings(ctx context.Context, collection string, ids []string) (map[string]Standing, error)
}

// Auditor compares the collections of an alias with what is recorded of them. It
// is for one goroutine; those of other processes may do the same.
type Auditor struct {
	Syncer *Syncer
	Record Record
	Look   Look
	Window int // how many chunks, and how many points, one audit compares; 0 is 1,000

	places map[string]*place
}

// place is how far the audits of one collection have come.
type place struct {
	ref, point string // the last chunk and the last point that were compared
	audits     int
	off        int // by how much the numbers of both differed when they were last counted, but for what was corrected since
}

// Audit compares the next chunks and points of each collection that is written, and
// corrects what differs: a chunk whose point is lost or says another state is due
// again, a point that is nobody's is deleted. So what a vector store has lost, or
// has again after it was restored from an older copy, is found in time. When the
// numbers of both differ twice in the same way, all of the collection is compared.
func (a *Auditor) Audit(ctx context.Context) error {
	collections, err := a.Syncer.Catalog.WrittenCollections(ctx, a.Syncer.Alias)
	if err != nil {
		return err
	}
	if a.places == nil {
		a.places, a.Window = make(map[string]*place), cmp.Or(a.Window, defaultWindow)
	}
	for _, c := range collections {
		if a.Syncer.Embedders[c.Model] == nil {
			continue // it is left to others
		}
		p := a.places[c.Name]
		if p == nil {
			p = &place{}
			a.places[c.Name] = p
		}
		if err := a.audit(ctx, c.Name, p); err != nil && !errors.Is(err, fault.ErrNoCollection) { // one that is missing is made again
			return fmt.Errorf("comparing collection %s: %w", c.Name, err)
		}
	}
	return nil
}

func (a *Auditor) audit(ctx context.Context, collection string, p *place) error {
	whole, err := a.suspicious(ctx, collection, p)
	if err != nil {
		return err
	}
	if whole {
		p.ref, p.point = "", ""
	}
	for {
		if err := a.chunks(ctx, collection, p); err != nil {
			return err
		}
		if !whole || p.ref == "" {
			break
		}
	}
	for {
		if err := a.points(ctx, collection, p); err != nil {
			return err
		}
		if !whole || p.point == "" {
			return nil
		}
	}
}

// suspicious counts from time to time. What is under way makes a difference as
// well, but hardly ever the same one twice.
func (a *Auditor) suspicious(ctx context.Context, collection string, p *place) (bool, error) {
	p.audits++
	if p.off == 0 && p.audits%auditCount != 1 {
		return false, nil
	}
	recorded, err := a.Record.CountVectors(ctx, collection)
	if err != nil {
		return false, err
	}
	there, err := a.Look.Count(ctx, collection)
	if err != nil {
		return false, err
	}
	before := p.off
	p.off = there - recorded
	return p.off != 0 && p.off == before, nil
}

// chunks compares the next chunks with their points.
func (a *Auditor) chunks(ctx context.Context, collection string, p *place) error {
	recorded, err := a.Record.RecordedVectors(ctx, collection, p.ref, a.Window)
	if err != nil {
		return err
	}
	p.ref = ""
	if len(recorded) == a.Window {
		p.ref = recorded[len(recorded)-1].ChunkRef
	}
	lost, stale, err := a.wrong(ctx, collection, recorded)
	if err != nil || len(lost)+len(stale) == 0 {
		return err
	}
	return a.correct(ctx, collection, p, append(lost, stale...), nil)
}

// wrong returns the chunks whose point is not there and those whose point says
// another state.
func (a *Auditor) wrong(ctx context.Context, collection string, recorded []model.RecordedVector) (lost, stale []string, err error) {
	var ids []string
	for _, r := range recorded {
		if r.Present && r.Newest {
			ids = append(ids, r.PointID)
		}
	}
	standings, err := a.Look.Standings(ctx, collection, ids)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range recorded {
		if !r.Present || !r.Newest {
			continue
		}
		if stands, there := standings[r.PointID]; !there {
			lost = append(lost, r.ChunkRef)
		} else if stands != (Standing{r.Layer, r.DuplicateOf}) {
			stale = append(stale, r.ChunkRef)
		}
	}
	return lost, stale, nil
}

// points looks whether the next points are somebody's.
func (a *Auditor) points(ctx context.Context, collection string, p *place) error {
	ids, err := a.Look.IDs(ctx, collection, p.point, a.Window)
	if err != nil {
		return err
	}
	p.point = ""
	if len(ids) == a.Window {
		p.point = ids[len(ids)-1]
	}
	nobodys, err := a.Record.NobodysPoints(ctx, collection, ids)
	if err != nil || len(nobodys) == 0 {
		return err
	}
	return a.correct(ctx, collection, p, nil, nobodys)
}

// correct looks again while nobody pushes, since what differed may have been under
// way, and makes good what still differs.
func (a *Auditor) correct(ctx context.Context, collection string, p *place, refs, points []string) error {
	err := a.Record.CorrectVectors(ctx, collection, refs, points,
		func(ctx context.Context, recorded []model.RecordedVector, nobodys []string) (lost, stale []string, err error) {
			if lost, stale, err = a.wrong(ctx, collection, recorded); err != nil {
				return nil, nil, err
			}
			if len(nobodys) > 0 {
				if err := a.Syncer.Points.Delete(ctx, collection, nobodys); err != nil {
					return nil, nil, err
				}
			}
			p.off += len(lost) - len(nobodys)
			if len(lost)+len(stale)+len(nobodys) > 0 {
				a.Syncer.Log.WarnContext(ctx, "a collection differs from what is recorded of it", slog.String("collection", collection),
					slog.Int("points_lost", len(lost)), slog.Int("points_of_another_state", len(stale)), slog.Int("points_deleted", len(nobodys)))
			}
			return lost, stale, nil
		})
	faultpoint.Reach("index.audit.corrected")
	return err
}
