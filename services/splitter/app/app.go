// Package app builds the splitter: the only place that names implementations.
package app

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/connect"
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
	stores   *connect.Stores
	children *child.Client
}

// New connects the splitter's parts. Stores that are away are waited for by
// Run; settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{}
	if err := tel.TellDisk(c.S3.TempDir); err != nil {
		return nil, err
	}
	var err error
	if a.stores, err = connect.Open(ctx, connect.Settings{Name: Name, NATS: c.NATS, Runner: c.Runner, Postgres: c.Postgres, S3: c.S3, Adopts: true}, tel); err != nil {
		return nil, err
	}
	db, blobs := a.stores.Catalog, a.stores.Objects
	if a.children, err = child.New(child.ConfigOf(c.Extraction, c.S3.TempDir).Of(c.Kinds).Measured(tel.Meter), blobs.FetchRaw); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.Runner, err = stream.NewRunner(a.stores.Bus, newStage(db, blobs, a.children),
		a.stores.Options(stream.ConsumerSplit, q, a.stores.HasBuckets(blobstore.Raw, blobstore.Derived)))
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
	if a.children != nil {
		a.children.Close()
	}
	a.stores.Close()
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
