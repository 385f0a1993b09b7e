// Package app builds the capturer: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/lease"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/robots"
	"github.com/colophon-dev/colophon/services/capturer/internal/stage"
)

// Name is the service's name, in ce-source and in logs.
const Name = "capturer"

// toolVersion is the fetch_tool_version of what the capturer fetches itself:
// raised whenever it would store other bytes or facts of the same answer.
const toolVersion = "colophon-capturer/1"

// App is the running capturer.
type App struct {
	*stream.Runner
	conn    *stream.Conn
	db      *catalog.DB
	fetcher *fetch.Client
}

// New connects the capturer's parts. Stores that are away are waited for by
// Run; settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{fetcher: c.Capture.fetcher(c.S3.TempDir)}
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
	temporary := c.Capture.spooler(c.S3.TempDir)
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).ByKey().Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return nil, errors.Join(fmt.Errorf("catalog: %w", err), a.Close())
	}
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger, settings.Meter = tel.Logger, tel.Meter
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("bus: %w", err), a.Close())
	}
	a.Runner, err = stream.NewRunner(a.conn, newStage(c, a.db, blobs, a.fetcher, tel.Meter), stream.Options{
		Consumer: stream.ConsumerCapture, Service: Name, Workers: c.Runner.Workers, Deadline: c.Runner.Deadline,
		Attempts: a.db, Probe: func(ctx context.Context) error {
			return errors.Join(a.db.Ready(ctx), blobs.Ready(ctx, blobstore.Raw, blobstore.Inbox), temporary.Room())
		},
		Quarantine: q, Logger: tel.Logger, Tracer: tel.Tracer, Meter: tel.Meter, Emitted: countOutcomes(tel.Meter),
	})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func newStage(c Config, db *catalog.DB, blobs *blobstore.Store, fetcher *fetch.Client, m metric.Meter) *stage.Stage {
	if c.Types == nil {
		c.Types = BuiltinTypes()
	}
	documents, rules := measureFetches(fetcher, m, "document"), measureFetches(fetcher, m, "robots")
	spooler := c.Capture.spooler(c.S3.TempDir)
	return &stage.Stage{
		Terms:    lease.Terms{Lease: c.Capture.Lease, Wait: c.Capture.Wait},
		Requests: db, Windows: db, Registry: db, Identities: db,
		Obtain: &obtain.Obtainer{
			Objects: objects{blobs}, Fetcher: documents, Turns: db, Clock: db, Spool: spooler, ToolVersion: toolVersion,
			Robots: robots.New(robots.Options{Fetcher: rules, Agent: c.Capture.UserAgent, Spool: spooler}),
			Wait:   c.Capture.Wait, MaxRetry: c.Capture.MaxRetry,
			MaxFetch: c.Capture.Total + 10*time.Second, // what is left over is giving it back
		},
		Containers: kinds.All(), Types: c.Types, Today: versions(),
		InboxBucket: c.S3.BucketPrefix + string(blobstore.Inbox), AutoRegister: c.Capture.AutoRegister, Seed004IDs: c.Capture.Seed004IDs,
		Turn: c.Runner.Deadline / 2,
	}
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	a.fetcher.Close()
	if a.conn != nil {
		a.conn.Close()
	}
	if a.db != nil {
		a.db.Close()
	}
	return nil
}
