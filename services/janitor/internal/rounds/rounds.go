// Package rounds decides when the janitor makes its passes, and what each of them
// looks at.
package rounds

import (
	"context"
	"log/slog"
	"time"

	"github.com/colophon-dev/colophon/pkg/reconcile"
)

// Reconciler makes one pass; see reconcile.Reconciler.
type Reconciler interface {
	Run(ctx context.Context, o reconcile.Options) (reconcile.Report, error)
}

// Rounds makes a pass every so often. The fields are set before Run.
type Rounds struct {
	Reconciler   Reconciler
	Every        time.Duration // between two passes; 0 is never
	Age          time.Duration // how long a thing must have made no progress
	ObjectsEvery time.Duration // between two looks at the objects; 0 is never
	ObjectAge    time.Duration // how old an object without a row must be
	Log          *slog.Logger

	looked time.Time // at the objects, by a pass that ended well
}

// Run makes passes until ctx ends, whatever became of the one before. The first is made
// when Every has passed. It is for one goroutine.
func (r *Rounds) Run(ctx context.Context) {
	if r.Every <= 0 {
		<-ctx.Done()
		return
	}
	ticker := time.NewTicker(r.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.pass(ctx)
		}
	}
}

// pass makes one pass. The objects are looked at again only when ObjectsEvery has
// passed since a pass that has seen all of them.
func (r *Rounds) pass(ctx context.Context) {
	began := time.Now()
	o := reconcile.Options{Age: r.Age, ObjectAge: r.ObjectAge}
	o.SkipObjects = r.ObjectsEvery <= 0 || !r.looked.IsZero() && began.Sub(r.looked) < r.ObjectsEvery
	report, err := r.Reconciler.Run(ctx, o)
	switch {
	case ctx.Err() != nil:
		return // what is left is the next pass's
	case err != nil:
		r.Log.WarnContext(ctx, "a pass did not end", slog.Any("error", err))
		return
	case len(report.Missing) > 0:
		r.Log.WarnContext(ctx, "something that all work needs is missing", slog.Any("report", report))
	case report.Found() > 0:
		r.Log.InfoContext(ctx, "reconciled", slog.Any("report", report))
	}
	if report.SawObjects() {
		r.looked = began
	}
}
