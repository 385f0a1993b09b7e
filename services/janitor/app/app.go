// Package app builds the janitor: the only place that names implementations.
//
// The janitor heals what stands still and deletes what nobody needs: it alone deletes
// objects. It takes no events, so that any number of it may run: one pass is made at a
// time, under a lock in the catalog. Beside its passes it makes the words by which quotations
// are looked for.
package app

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/connect"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/janitor/internal/rounds"
)

// Name is the service's name in logs and traces.
const Name = "janitor"

// probeDefault stands in for a limit of Ready that is not set.
const probeDefault = 3 * time.Second

// App is the running janitor.
type App struct {
	rounds  *rounds.Rounds
	words   []*rounds.Words
	stores  *connect.Stores
	vectors *vectorstore.Lazy
	probe   time.Duration // limit of one answer of Ready
}

// New connects the janitor's parts. Stores that are away are waited for: a pass that
// needs them fails, and the next one goes on. Settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, _ *stream.Quarantine) (*App, error) {
	a := &App{vectors: vectorstore.NewLazy(vectorstore.ConfigOf(c.Qdrant).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)), probe: cmp.Or(c.Health.Probe, probeDefault)}
	var err error
	if a.stores, err = connect.Open(ctx, connect.Settings{Name: Name, NATS: c.NATS, Runner: c.Runner, Postgres: c.Postgres, S3: c.S3, Anywhere: true}, tel); err != nil {
		return nil, err
	}
	db := a.stores.Catalog
	reconciler, err := reconcile.New(db, a.stores.Bus, a.stores.Objects, a.vectors.Client, c.Qdrant.Collection).Observed(tel.Tracer, tel.Meter)
	if err := errors.Join(err, tel.TellDisk(c.S3.TempDir)); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.rounds = &rounds.Rounds{
		Reconciler: reconciler,
		Every:      c.Reconcile.Every, Age: c.Reconcile.Age,
		ObjectsEvery: c.Reconcile.ObjectsEvery, ObjectAge: c.Reconcile.ObjectAge, Log: tel.Logger,
	}
	a.words = []*rounds.Words{{Make: db.MakeQuoteWords, Log: tel.Logger}}
	if c.Postgres.Fulltext {
		a.words = append(a.words, &rounds.Words{Make: db.MakeFulltext, Log: tel.Logger})
	}
	return a, nil
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Run makes passes, and the words of chunks, until ctx ends; what is under way ends with it,
// and the next one, of whatever janitor, goes on.
func (a *App) Run(ctx context.Context) error {
	var both sync.WaitGroup
	for _, words := range a.words {
		both.Go(func() { words.Run(ctx) })
	}
	a.rounds.Run(ctx)
	both.Wait()
	return nil
}

// Ready implements process.Service: catalog and object store answer, and the streams and
// consumers are there, without which nothing can be moved. The vector store is not asked:
// what has to do with no vectors is healed without it.
func (a *App) Ready(ctx context.Context) error {
	return errors.Join(process.AskAll(ctx, a.probe*2/3, []process.Question{
		{Name: "the catalog", Ask: a.stores.Catalog.Ready},
		{Name: "the object store", Ask: func(ctx context.Context) error { return a.stores.Objects.Ready(ctx, blobstore.Raw, blobstore.Derived) }},
		{Name: "NATS", Ask: func(ctx context.Context) error {
			if err := a.stores.Bus.Ready(ctx); err != nil {
				return err
			}
			return a.stores.Bus.Verify(ctx)
		}},
	})...)
}

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	a.stores.Close()
	return a.vectors.Close()
}
