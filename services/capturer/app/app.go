// Package app builds the capturer: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/connect"
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
	stores  *connect.Stores
	fetcher *fetch.Client
}

// New connects the capturer's parts. Stores that are away are waited for by
// Run; settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	a := &App{fetcher: c.Capture.fetcher(c.S3.TempDir)}
	if err := tel.TellDisk(c.S3.TempDir); err != nil {
		return nil, err
	}
	temporary := c.Capture.spooler(c.S3.TempDir)
	var err error
	if a.stores, err = connect.Open(ctx, connect.Settings{Name: Name, NATS: c.NATS, Runner: c.Runner, Postgres: c.Postgres, S3: c.S3, Adopts: true}, tel); err != nil {
		return nil, err
	}
	options := a.stores.Options(stream.ConsumerCapture, q, a.stores.HasBuckets(blobstore.Raw, blobstore.Inbox),
		func(context.Context) error { return temporary.Room() })
	options.Emitted = countOutcomes(tel.Meter)
	if a.Runner, err = stream.NewRunner(a.stores.Bus, newStage(c, a.stores.Catalog, a.stores.Objects, a.fetcher, tel.Meter), options); err != nil {
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
	a.stores.Close()
	return nil
}
