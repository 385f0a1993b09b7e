// Package app builds the annotator: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/annotator/internal/entities"
	"github.com/colophon-dev/colophon/services/annotator/internal/stage"
)

// Name is the service's name, in ce-source and in logs.
const Name = "annotator"

// Config is what the annotator reads from the environment.
type Config struct {
	NATS      config.NATS
	Postgres  config.Postgres
	S3        config.S3
	Runner    config.Runner
	Telemetry config.Telemetry
	Health    config.Health
}

// App is the running annotator.
type App struct {
	*stream.Runner
	conn *stream.Conn
	db   *catalog.DB
}

// New connects the annotator's parts. Stores that are away are waited for by Run; settings
// that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(c.S3).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger))
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	a := &App{}
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).ByKey().Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger, settings.Meter = tel.Logger, tel.Meter
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("bus: %w", err), a.Close())
	}
	a.Runner, err = stream.NewRunner(a.conn, newStage(a.db, blobs, tel.Logger), stream.Options{
		Consumer: stream.ConsumerEntities, Service: Name, Workers: c.Runner.Workers, Deadline: c.Runner.Deadline,
		Attempts: a.db, Probe: func(ctx context.Context) error {
			return errors.Join(a.db.Ready(ctx), blobs.Ready(ctx, blobstore.Derived))
		},
		Quarantine: q, Logger: tel.Logger, Tracer: tel.Tracer, Meter: tel.Meter, Emitted: countEntities(tel.Meter),
	})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func newStage(db *catalog.DB, blobs *blobstore.Store, logger *slog.Logger) *stage.Stage {
	return &stage.Stage{Catalog: db, Segments: segments{blobs}, Extractor: entities.Rules{}, Log: logger}
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

type segments struct{ blobs *blobstore.Store }

func (s segments) Segment(ctx context.Context, row model.SegmentRow) ([]byte, error) {
	data, err := s.blobs.Get(ctx, blobstore.Derived, row.ObjectKey, row.Digest)
	return data, blobstore.Lost(err, "the stored segment is not as it was recorded")
}
