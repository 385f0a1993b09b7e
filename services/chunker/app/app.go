// Package app builds the chunker: the only place that names implementations.
package app

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/connect"
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
	Enrich    config.Enrichment
	Telemetry config.Telemetry
	Health    config.Health
}

// App is the running chunker.
type App struct {
	*stream.Runner
	stores *connect.Stores
}

// New connects the chunker's parts. Stores that are away are waited for by Run;
// settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{}
	var err error
	if a.stores, err = connect.Open(ctx, connect.Settings{Name: Name, NATS: c.NATS, Runner: c.Runner, Postgres: c.Postgres, S3: c.S3}, tel); err != nil {
		return nil, err
	}
	a.Runner, err = stream.NewRunner(a.stores.Bus, Stage(a.stores.Catalog, a.stores.Objects, tel.Logger, c.Enrich),
		a.stores.Options(stream.ConsumerChunk, q, a.stores.HasBuckets(blobstore.Derived)))
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	a.stores.Close()
	return nil
}
