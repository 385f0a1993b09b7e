// Package app builds the chunker: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// Name is the service's name, in ce-source and in logs.
const Name = "chunker"

// Config is what the chunker reads from the environment.
type Config struct {
	NATS      config.NATS
	Postgres  config.Postgres
	S3        config.S3
	Runner    config.Runner
	Telemetry config.Telemetry
	Health    config.Health
}

// App is the running chunker.
type App struct {
	*stream.Runner
	conn *stream.Conn
	db   *catalog.DB
}

// New connects the chunker's parts. Stores that are away are waited for by Run;
// settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(c.S3).Logged(tel.Logger))
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	a := &App{}
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).ByKey().Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger = tel.Logger
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("bus: %w", err), a.Close())
	}
	a.Runner, err = stream.NewRunner(a.conn, Stage(a.db, blobs, tel.Logger), stream.Options{
		Consumer: stream.ConsumerChunk, Service: Name, Workers: c.Runner.Workers, Deadline: c.Runner.Deadline,
		Attempts: a.db, Probe: func(ctx context.Context) error { return errors.Join(a.db.Ready(ctx), blobs.Ready(ctx, blobstore.Derived)) },
		Quarantine: q, Logger: tel.Logger, Tracer: tel.Tracer, Meter: tel.Meter,
	})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	if a.conn != nil {
		a.conn.Close()
	}
	a.db.Close()
	return nil
}
