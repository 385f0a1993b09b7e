// Package app builds the gateway: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/container/kinds"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/llm/rerank"
	"github.com/colophon-dev/colophon/pkg/pictures"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/pkg/verify"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/quote"
	"github.com/colophon-dev/colophon/services/gateway/internal/refer"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
	"github.com/colophon-dev/colophon/services/gateway/internal/watch"
)

// How long a request waits for memory, and a search, which is to be turned away soon.
const (
	memoryTime = 10 * time.Second
	searchTime = 250 * time.Millisecond
	diskTime   = 500 * time.Millisecond // until there is room for a captured document: whoever waits for it has a turn
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

	door      *drainingServer
	conn      *stream.Conn
	db        *catalog.DB
	blobs     *blobstore.Store
	vectors   vectors
	children  *child.Client
	drawer    *child.Drawer
	models    models
	reranker  *rerank.Reranker // nil: none
	watch     *watch.Watch
	readiness func(ctx context.Context) error
	needs     []process.Question // beside the stores
}

// New connects the gateway's parts and opens its address, so that one that is
// taken stops the start. Stores that are away are waited for: requests that need
// them are refused meanwhile. Settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, _ *stream.Quarantine) (*App, error) {
	a := &App{config: c, log: tel.Logger, vectors: vectors{vectorstore.NewLazy(vectorstore.ConfigOf(c.Qdrant).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger))}}
	if err := a.connect(ctx, tel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	listener, err := net.Listen("tcp", c.HTTP.Addr)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the HTTP address: %w", err), a.Close())
	}
	a.listener = listener
	a.memory = room.New(c.HTTP.Memory-c.HTTP.Memory/searchShare, memoryTime)
	a.searchMemory = room.New(c.HTTP.Memory/searchShare, searchTime)
	if err := a.tell(tel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.readiness = askOnce(a.ask)
	server := a.serverOf(tel)
	if server.TLSConfig, err = certificateOf(c.HTTP, tel.Logger); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if settings := server.TLSConfig; settings != nil {
		a.Needs("the certificate of the HTTP API", func(context.Context) error {
			_, err := settings.GetCertificate(nil)
			return err
		})
	}
	a.door = newDrainingServer(listener, server, c.HTTP)
	return a, nil
}

func (a *App) connect(ctx context.Context, tel *telemetry.Telemetry) error {
	c := a.config
	var err error
	if a.blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(c.S3).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return fmt.Errorf("object store: %w", err)
	}
	if a.children, err = child.New(child.ConfigOf(c.Extraction, c.S3.TempDir).Of(c.Kinds).Measured(tel.Meter), a.blobs.FetchRaw); err != nil {
		return err
	}
	if a.drawer, err = child.NewDrawer(child.ConfigOf(c.Extraction, c.S3.TempDir).Of(c.Kinds).Measured(tel.Meter), a.blobs.FetchRaw); err != nil {
		return err
	}
	if a.db, err = catalog.Open(ctx, catalog.ConfigOf(c.Postgres).Traced(tel.TracerProvider, tel.Meter).Logged(tel.Logger)); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	if a.models, err = openModels(c.Models, c.Embedding, tel); err != nil {
		return err
	}
	if a.reranker, err = openReranker(c.Reranking, tel); err != nil {
		return err
	}
	settings := stream.ConfigOf(Name, c.NATS, c.Runner)
	settings.Logger, settings.Meter = tel.Logger, tel.Meter
	if a.conn, err = stream.Connect(ctx, settings); err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}

func (a *App) serverOf(tel *telemetry.Telemetry) *http.Server {
	reader := pages.Reader{Catalog: a.db, Objects: a.blobs, Memory: a.memory}
	meter := newSearchMeter(tel.Meter)
	ofHits := pages.Reader{Catalog: a.db, Objects: a.blobs, Memory: a.searchMemory}
	boxes := search.NewBoxReader(measuredCatalog{a.db, meter}, measuredPages{ofHits, meter}, a.children.DrawnTypes())
	references := refer.New(a.db)
	address, tcp := a.listener.Addr().(*net.TCPAddr)
	handler := &api.API{
		Catalog: a.db,
		Searcher: measuredSearcher{meter: meter, Searcher: &search.Searcher{
			Catalog: measuredCatalog{a.db, meter}, Points: a.openCollection(meter), Boxes: boxes,
			Alias: a.config.Qdrant.Collection, Log: tel.Logger, References: references, Fulltext: a.config.Postgres.Fulltext,
			Embedders: a.models.measureModels(meter), Reranker: a.measuredReranker(meter),
		}},
		References: references,
		Asker:      asker{a.conn, tel.Logger},
		Quotes:     &quote.Checker{Catalog: a.db, Boxes: boxes, Log: tel.Logger},
		Prover: prover{vectors: a.vectors, reader: verify.Reader{
			Catalog: a.db, Blobs: a.blobs, Alias: a.config.Qdrant.Collection, Extractor: a.children, Members: new(verify.Members), Containers: kinds.All(),
			Age: verify.DefaultAge,
		}},
		Prober: a.children, Objects: a.blobs, Pages: reader, TempDir: a.config.S3.TempDir, Disk: room.New(a.config.HTTP.Disk, diskTime), Pictures: pictures.Pictures{Drawer: a.drawer, Objects: a.blobs}, Queues: a.conn, Ready: a.Ready,
		Loopback: tcp && address.IP.IsLoopback(),
		Log:      tel.Logger, Tracer: tel.Tracer, Traces: tel.Propagator, Meter: tel.Meter,
	}
	return &http.Server{
		Handler: http.MaxBytesHandler(handler.Handler(), api.MaxBody),
		// The time of an answer is that of its route, and of those who read it.
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(tel.Logger.Handler(), slog.LevelDebug),
	}
}

// measuredReranker returns the reranker as a search asks it, nil where there is none.
func (a *App) measuredReranker(m searchMeter) search.Reranker {
	if a.reranker == nil {
		return nil
	}
	return measuredReranker{a.reranker, m}
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Addr returns host:port of the HTTP API, from New on.
func (a *App) Addr() string { return a.listener.Addr().String() }

// Run answers requests until ctx ends, and those that come while it drains.
func (a *App) Run(ctx context.Context) error {
	a.log.InfoContext(ctx, "serving the HTTP API", slog.String("addr", a.Addr()))
	looping, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	if a.watch.Every > 0 {
		watching.Go(func() { a.watch.Run(looping) })
	}
	err := a.door.serveUntilStopped(ctx)
	stop()
	watching.Wait()
	return err
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
	a.models.close()
	if a.reranker != nil {
		a.reranker.Close()
	}
	if a.conn != nil {
		a.conn.Close()
	}
	if a.db != nil {
		a.db.Close()
	}
	return errors.Join(append(problems, a.vectors.Close())...)
}
