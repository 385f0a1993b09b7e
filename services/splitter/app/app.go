// Package app builds the splitter: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/splitter/internal/stage"
)

// Name is the service's name, in ce-source and in logs.
const Name = "splitter"

// Config is what the splitter reads from the environment.
type Config struct {
	NATS       config.NATS
	Postgres   config.Postgres
	S3         config.S3
	Runner     config.Runner
	Extraction config.Extraction
	Telemetry  config.Telemetry
	Health     config.Health

	Kinds child.Kinds // of files; nil: child.Builtin
}

// App is the running splitter.
type App struct {
	*stream.Runner
	conn     *stream.Conn
	db       *catalog.DB
	children *child.Client
}

// New connects the splitter's parts. Stores that are away are waited for by
// Run; settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{}
	store := blobstore.ConfigOf(c.S3).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)
	store.Adopt = func(ctx context.Context, b blobstore.Bucket, key string) (bool, error) {
		return a.db.AdoptObject(ctx, string(b), key)
	}
	blobs, err := blobstore.Open(ctx, store)
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	if err := tel.TellDisk(c.S3.TempDir); err != nil {
		return nil, err
	}
	children, err := child.New(child.ConfigOf(c.Extraction, c.S3.TempDir).Of(c.Kinds).Measured(tel.Meter), blobs.FetchRaw)
	if err != nil {
		return nil, err
	}
	a.children = children
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).ByKey().Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return nil, errors.Join(fmt.Errorf("catalog: %w", err), a.Close())
	}
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger, settings.Meter = tel.Logger, tel.Meter
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("bus: %w", err), a.Close())
	}
	a.Runner, err = stream.NewRunner(a.conn, newStage(a.db, blobs, children), stream.Options{
		Consumer: stream.ConsumerSplit, Service: Name, Workers: c.Runner.Workers, Deadline: c.Runner.Deadline,
		Attempts: a.db, Probe: func(ctx context.Context) error {
			return errors.Join(a.db.Ready(ctx), blobs.Ready(ctx, blobstore.Raw, blobstore.Derived))
		},
		Quarantine: q, Logger: tel.Logger, Tracer: tel.Tracer, Meter: tel.Meter,
	})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func newStage(db *catalog.DB, blobs *blobstore.Store, children *child.Client) *stage.Stage {
	return &stage.Stage{
		Catalog: db, Splitter: splitter{children, blobs}, ParserVersion: extract.ParserVersion,
		Small: children.GoesAlong,
	}
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	a.children.Close()
	if a.conn != nil {
		a.conn.Close()
	}
	if a.db != nil {
		a.db.Close()
	}
	return nil
}

// splitter finds pages and facts in the extraction children.
type splitter struct {
	children *child.Client
	blobs    *blobstore.Store
}

func (x splitter) Split(ctx context.Context, s model.Snapshot, run model.Run) (model.Run, error) {
	return x.children.Split(ctx, s, run, x.blobs.PutFacts)
}
