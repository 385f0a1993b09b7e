// Package app builds the gateway: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/pictures"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/pkg/verify"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// How long a request waits for memory, and a search, which is to be turned away soon.
const (
	memoryTime = 10 * time.Second
	searchTime = 250 * time.Millisecond
)

// searchShare is the part of the memory that searches have for themselves: one
// searchShare-th, so that large pages do not keep them waiting.
const searchShare = 4

// Name is the service's name in logs and traces.
const Name = "gateway"

// App is the running gateway.
type App struct {
	config   Config
	log      *slog.Logger
	listener net.Listener
	memory   *room.Room // of the pages of answers

	searchMemory *room.Room // of the pages that hits stand on

	server     *http.Server
	conn       *stream.Conn
	db         *catalog.DB
	blobs      *blobstore.Store
	vectors    *vectors
	children   *child.Client
	drawer     *child.Drawer
	reconciler *reconcile.Reconciler
	readiness  func(ctx context.Context) error
	needs      []question // beside the stores
}

// New connects the gateway's parts and opens its address, so that one that is
// taken stops the start. Stores that are away are waited for: requests that need
// them are refused meanwhile. Settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, _ *stream.Quarantine) (*App, error) {
	a := &App{config: c, log: tel.Logger, vectors: &vectors{config: vectorstore.ConfigOf(c.Qdrant)}}
	if err := a.connect(ctx, tel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	listener, err := net.Listen("tcp", c.HTTP.Addr)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the HTTP address: %w", err), a.Close())
	}
	a.listener = netutil.LimitListener(listener, c.HTTP.Conns)
	a.memory = room.New(c.HTTP.Memory-c.HTTP.Memory/searchShare, memoryTime)
	a.searchMemory = room.New(c.HTTP.Memory/searchShare, searchTime)
	a.reconciler = reconcile.New(a.db, a.conn, a.blobs, a.vectors.client, c.Qdrant.Collection)
	a.readiness = askOnce(a.ask)
	a.server = a.serverOf(tel)
	return a, nil
}

func (a *App) connect(ctx context.Context, tel *telemetry.Telemetry) error {
	c := a.config
	var err error
	if a.blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(c.S3)); err != nil {
		return fmt.Errorf("object store: %w", err)
	}
	if a.children, err = child.New(child.ConfigOf(c.Extraction, c.S3.TempDir), a.blobs.FetchRaw); err != nil {
		return err
	}
	if a.drawer, err = child.NewDrawer(child.ConfigOf(c.Extraction, c.S3.TempDir), a.blobs.FetchRaw); err != nil {
		return err
	}
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).Traced(tel.TracerProvider, tel.Meter)); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger = tel.Logger
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}

func (a *App) serverOf(tel *telemetry.Telemetry) *http.Server {
	reader := pages.Reader{Catalog: a.db, Objects: a.blobs, Memory: a.memory}
	ofHits := pages.Reader{Catalog: a.db, Objects: a.blobs, Memory: a.searchMemory}
	builtIn := retrieval.HashEmbedder{}
	address, tcp := a.listener.Addr().(*net.TCPAddr)
	handler := &api.API{
		Catalog: a.db,
		Searcher: &search.Searcher{
			Catalog: a.db, Points: a.vectors.points, Boxes: search.NewBoxReader(a.db, ofHits), Alias: a.config.Qdrant.Collection, Log: tel.Logger,
			Embedders: map[string]retrieval.Embedder{builtIn.Model(): builtIn},
		},
		Prover: prover{vectors: a.vectors, reader: verify.Reader{
			Catalog: a.db, Blobs: a.blobs, Alias: a.config.Qdrant.Collection, Extractor: a.children, Members: new(verify.Members),
			Age: reconcile.DefaultAge,
		}},
		Objects: a.blobs, Pages: reader, TempDir: a.config.S3.TempDir, Pictures: pictures.Pictures{Drawer: a.drawer, Objects: a.blobs}, Queues: a.conn, Ready: a.Ready,
		Loopback: tcp && address.IP.IsLoopback(),
		Log:      tel.Logger, Tracer: tel.Tracer, Traces: tel.Propagator,
	}
	return &http.Server{
		Handler: http.MaxBytesHandler(handler.Handler(), 1<<10), // nothing is asked with a body
		// The time of an answer is that of its route, and of those who read it.
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(tel.Logger.Handler(), slog.LevelDebug),
	}
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Addr returns host:port of the HTTP API, from New on.
func (a *App) Addr() string { return a.listener.Addr().String() }

// Run answers requests and reconciles until ctx ends.
func (a *App) Run(ctx context.Context) error {
	a.log.InfoContext(ctx, "serving the HTTP API", slog.String("addr", a.Addr()))
	ended := make(chan error, 1)
	go func() { ended <- a.server.Serve(a.listener) }()
	looped := make(chan struct{})
	looping, stop := context.WithCancel(ctx)
	go func() {
		defer close(looped)
		a.reconcile(looping)
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.HTTP.Grace)
		if a.server.Shutdown(grace) != nil {
			_ = a.server.Close() // the grace is over: answers under way are cut
		}
		cancel()
		err = <-ended
	}
	stop()
	<-looped
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// reconcile makes a pass every so often, whatever became of the one before.
func (a *App) reconcile(ctx context.Context) {
	c := a.config.Reconcile
	if c.Every <= 0 {
		return
	}
	ticker := time.NewTicker(c.Every)
	defer ticker.Stop()
	var objects time.Time // of the last look at them
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		o := reconcile.Options{Age: c.Age, ObjectAge: c.ObjectAge}
		o.SkipObjects = c.ObjectsEvery <= 0 || time.Since(objects) < c.ObjectsEvery
		report, err := a.reconciler.Run(ctx, o)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.log.WarnContext(ctx, "reconcile did not end", slog.Any("error", err))
		case len(report.Missing) > 0:
			a.log.WarnContext(ctx, "something that all work needs is missing", slog.Any("report", report))
		case report.Found() > 0:
			a.log.InfoContext(ctx, "reconciled", slog.Any("report", report))
		}
		if err == nil && !report.Busy && !o.SkipObjects {
			objects = time.Now()
		}
	}
}

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	var problems []error
	if a.listener != nil {
		if err := a.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			problems = append(problems, err)
		}
	}
	if a.children != nil {
		a.children.Close()
	}
	if a.drawer != nil {
		a.drawer.Close()
	}
	if a.conn != nil {
		a.conn.Close()
	}
	if a.db != nil {
		a.db.Close()
	}
	return errors.Join(append(problems, a.vectors.close())...)
}
