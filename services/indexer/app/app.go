// Package app builds the indexer: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/indexer/internal/stage"
	"github.com/colophon-dev/colophon/services/indexer/internal/sync"
)

// Name is the service's name, in ce-source and in logs.
const Name = "indexer"

// Config is what the indexer reads from the environment.
type Config struct {
	NATS      config.NATS
	Postgres  config.Postgres
	Qdrant    config.Qdrant
	Embedding config.Embedding
	Runner    config.Runner
	Index     Index
	Telemetry config.Telemetry
	Health    config.Health

	Models []retrieval.Embedder // passages are embedded with; nil: retrieval.Models
}

// Index says how the indexer looks after its collections.
type Index struct {
	Check time.Duration `env:"COLLECTION_CHECK" envDefault:"1m" allowed:"0s.." help:"Between two looks whether the collections are there and their points not lost; 0 is never."`
}

// About is the block's text in the documentation.
func (Index) About() string { return "The indexer's collections." }

// App is the running indexer.
type App struct {
	runner  *stream.Runner
	conn    *stream.Conn
	db      *catalog.DB
	store   *store
	models  models
	syncer  *sync.Syncer
	auditor *sync.Auditor
	log     *slog.Logger
	retry   time.Duration
	check   time.Duration
	why     atomic.Pointer[error] // why the collections are not set up; nil: they are
}

// errNotSetUp says that Run has not come so far.
var errNotSetUp = errors.New("the collections are not set up yet")

// New connects the indexer's parts. Stores that are away are waited for by Run;
// settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{store: &store{vectorstore.NewLazy(vectorstore.ConfigOf(c.Qdrant).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger))}, log: tel.Logger, retry: c.Runner.ProbeEvery, check: c.Index.Check}
	a.why.Store(&errNotSetUp)
	var err error
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).ByKey().Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger, settings.Meter = tel.Logger, tel.Meter
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("bus: %w", err), a.Close())
	}
	if a.models, err = openModels(c.Models, c.Embedding, a.db, tel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.syncer = &sync.Syncer{
		Catalog: a.db, Store: a.store, Points: a.store, Alias: c.Qdrant.Collection,
		Embedders: a.models.byName, Model: a.models.first,
		Now: time.Now, Log: tel.Logger,
	}
	a.auditor = &sync.Auditor{Syncer: a.syncer, Record: a.db, Look: a.store}
	work := &stage.Stage{Catalog: a.db, Vectors: a.syncer, Alias: c.Qdrant.Collection}
	a.runner, err = stream.NewBatchRunner(a.conn, work, stream.Options{
		Consumer: stream.ConsumerIndex, Service: Name, Workers: c.Runner.Workers, Deadline: c.Runner.Deadline,
		Attempts: a.db,
		Probe: func(ctx context.Context) error {
			return errors.Join(a.db.Ready(ctx), a.store.Ping(ctx), a.models.ready(ctx))
		},
		Quarantine: q, Logger: tel.Logger, Tracer: tel.Tracer, Meter: tel.Meter,
	})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Run sets the collections up, waiting for stores that are away, and works until
// ctx ends. A collection that can never be set up is an error.
func (a *App) Run(ctx context.Context) error {
	for {
		err := a.db.Ready(ctx)
		if err == nil {
			err = a.syncer.Setup(ctx)
		}
		if err == nil {
			a.why.Store(nil)
			return a.work(ctx)
		}
		if ctx.Err() != nil {
			return nil
		}
		if fault.KindOf(err) == fault.KindPermanent {
			return err
		}
		a.why.Store(&err)
		a.log.WarnContext(ctx, "collections cannot be set up", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(a.retry, time.Millisecond)):
		}
	}
}

// lookEvery is how often, at least, it is asked whether the collection that is searched
// is there: until it is, searches fail.
const lookEvery = 5 * time.Second

// work handles events, and every so often sets the collections up again and compares
// some of their points: they may be lost while no event names a chunk of theirs. A
// collection that is gone is noticed sooner.
func (a *App) work(ctx context.Context) error {
	if a.check <= 0 {
		return a.runner.Run(ctx)
	}
	checking, stop := context.WithCancel(ctx)
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		a.lookAfter(checking)
	}()
	err := a.runner.Run(ctx)
	stop()
	<-checked
	return err
}

// lookAfter looks after the collections until ctx ends.
func (a *App) lookAfter(ctx context.Context) {
	ticker := time.NewTicker(min(a.check, lookEvery))
	defer ticker.Stop()
	checked := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		due := time.Since(checked) >= a.check
		if !due && !errors.Is(a.stands(ctx), fault.ErrNoCollection) {
			continue
		}
		if due {
			checked = time.Now()
		}
		err := a.syncer.Setup(ctx)
		if err == nil && due {
			err = a.auditor.Audit(ctx)
		}
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "collections cannot be looked after", "error", err)
		}
	}
}

// stands reports whether the alias stands for the collection that the catalog says, and
// that is there with its vectors.
func (a *App) stands(ctx context.Context) error {
	active, err := a.db.ActiveCollection(ctx, a.syncer.Alias)
	if err != nil {
		return err
	}
	client, err := a.store.Client(ctx)
	if err != nil {
		return err
	}
	return client.Stands(ctx, a.syncer.Alias, active.Name, active.Dimensions)
}

// Ready implements process.Service: the runner works, and there is a collection to
// write to.
func (a *App) Ready(ctx context.Context) error {
	if why := a.why.Load(); why != nil {
		return *why
	}
	if err := a.runner.Ready(ctx); err != nil {
		return err
	}
	return a.stands(ctx)
}

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	if a.conn != nil {
		a.conn.Close()
	}
	a.models.close()
	a.db.Close()
	return a.store.Close()
}
