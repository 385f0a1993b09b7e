// Package app builds the extractor: the only place that names implementations.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/connect"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/extractor/internal/stage"
)

// Name is the service's name, in ce-source and in logs.
const Name = "extractor"

// newerDelay is how long a newer parser's range is left to others (contracts#two-versions).
const newerDelay = 5 * time.Second

// Config is what the extractor reads from the environment.
type Config struct {
	NATS       config.NATS
	Postgres   config.Postgres
	S3         config.S3
	Runner     config.Runner
	Extraction config.Extraction
	OCR        config.OCR
	Duties     Duties
	Telemetry  config.Telemetry
	Health     config.Health

	Kinds child.Kinds // of files; nil: child.Builtin
}

// Duties say what a process of the extractor works on.
type Duties struct {
	Consumers []string `env:"EXTRACTOR_CONSUMERS" envDefault:"extract,ocr" allowed:"extract|ocr" help:"Consumers that this process works on. extract makes the pages of documents, ocr reads the pages that need OCR, or lets them fail where COLOPHON_OCR is off: some process must work on each."`
}

// About is the block's text in the documentation.
func (Duties) About() string {
	return "What a process of the extractor works on, where its two duties are given to different ones. Whether anybody reads scans is COLOPHON_OCR, and the same for all of them."
}

// App is the running extractor: two consumers, so that text never waits for OCR.
type App struct {
	extract  *stream.Runner // nil when that is left to other processes
	reading  *reading
	stores   *connect.Stores
	children *child.Client
}

// New connects the extractor's parts. Stores that are away are waited for by
// Run; settings that cannot be used are an error.
func New(ctx context.Context, c Config, tel *telemetry.Telemetry, q *stream.Quarantine) (*App, error) {
	extracts, reads := slices.Contains(c.Duties.Consumers, stream.ConsumerExtract), slices.Contains(c.Duties.Consumers, stream.ConsumerOCR)
	a := &App{reading: &reading{mode: c.OCR.Mode, alone: !extracts, logger: tel.Logger}}
	if err := tel.TellDisk(c.S3.TempDir); err != nil {
		return nil, err
	}
	settings := connect.Settings{Name: Name, NATS: c.NATS, Runner: c.Runner, Postgres: c.Postgres, S3: c.S3, Adopts: true}
	if len(c.Duties.Consumers) == 1 {
		settings.Role = c.Duties.Consumers[0] // each duty has an identity of its own
	}
	var err error
	if a.stores, err = connect.Open(ctx, settings, tel); err != nil {
		return nil, err
	}
	db, blobs := a.stores.Catalog, a.stores.Objects
	limits := child.ConfigOf(c.Extraction, c.S3.TempDir).Of(c.Kinds).Measured(tel.Meter)
	ahead := newPrefetcher(blobs)
	limits.Warm, limits.Read = true, ahead.ReadRaw
	if a.children, err = child.New(limits, blobs.FetchRaw); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.reading.reader, err = newReader(c, blobs, tel.Meter); err != nil {
		return nil, errors.Join(fmt.Errorf("OCR: %w", err), a.Close())
	}
	options := a.stores.Options(stream.ConsumerExtract, q, a.stores.HasBuckets(blobstore.Raw, blobstore.Derived))
	options.Emitted = countPages(tel.Meter)
	if extracts {
		a.extract, err = stream.NewRunner(a.stores.Bus, newStage(db, blobs, a.children, ahead, a.reading.unread, tel.Logger), options)
	}
	if err == nil && reads {
		options.Consumer = stream.ConsumerOCR
		if a.reading.reader != nil {
			options.Workers = pagesAtOnce(c.OCR)
		}
		a.reading.runner, err = stream.NewRunner(a.stores.Bus, recogniser(db, blobs, a.reading, tel.Logger), options)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Run works until ctx ends. Without an engine for OCR the pages that need it are
// left to others. The children are started at once, so that the first document
// does not wait for them.
func (a *App) Run(ctx context.Context) error {
	if a.extract == nil {
		return a.reading.run(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	var starting sync.WaitGroup
	starting.Go(func() { _ = a.children.Start(ctx) }) // where it fails, a call says so
	defer starting.Wait()
	defer cancel()
	read := make(chan error, 1)
	go func() {
		err := a.reading.run(ctx)
		if err != nil {
			cancel() // what does not go on stops the whole
		}
		read <- err
	}()
	err := a.extract.Run(ctx)
	cancel()
	return errors.Join(err, <-read)
}

// Ready implements process.Service: the consumers that this process works on say it.
func (a *App) Ready(ctx context.Context) error {
	if a.extract == nil {
		return a.reading.ready(ctx)
	}
	return errors.Join(a.extract.Ready(ctx), a.reading.ready(ctx))
}

func newStage(db *catalog.DB, blobs *blobstore.Store, children *child.Client, ahead *prefetcher, unread func(context.Context) (string, error), logger *slog.Logger) *stage.Stage {
	parts := extractor{children, blobs}
	return &stage.Stage{
		Catalog: db, Objects: blobs, Extractor: parts, Splitter: parts, ParserVersion: extract.ParserVersion,
		Unread: unread, Log: logger, NewerDelay: newerDelay, Ahead: ahead.startReading,
	}
}

// Name implements process.Service.
func (a *App) Name() string { return Name }

// Close gives back what New took. Run must have returned.
func (a *App) Close() error {
	if a.children != nil {
		a.children.Close()
	}
	if a.reading.reader != nil {
		a.reading.reader.Close()
	}
	a.stores.Close()
	return nil
}

// extractor runs pages in the extraction children.
type extractor struct {
	children *child.Client
	blobs    *blobstore.Store
}

func (x extractor) Pages(ctx context.Context, s model.Snapshot, run model.Run, r model.PageRange, tasks []model.OCRTask) ([]stage.Result, error) {
	var facts []byte
	if run.FactsKey != "" {
		var err error
		if facts, err = x.blobs.Get(ctx, blobstore.Derived, run.FactsKey, run.FactsDigest); err != nil {
			return nil, blobstore.Lost(err, "document facts of "+s.SnapshotID)
		}
	}
	read, err := x.answers(ctx, s, tasks)
	if err != nil {
		return nil, err
	}
	return pages(x.children.Extract(ctx, s, run, facts, r, read...))
}

func (x extractor) Split(ctx context.Context, s model.Snapshot, run model.Run) (model.Run, error) {
	return x.children.Split(ctx, s, run, x.blobs.PutFacts)
}

func (x extractor) Failed(ctx context.Context, s model.Snapshot, run model.Run, r model.PageRange, reason fault.Reason, sentence string) ([]stage.Result, error) {
	return pages(x.children.Failed(ctx, s, run.ExtractionID, r, reason, sentence))
}

func pages(made []child.Result, err error) ([]stage.Result, error) {
	if err != nil {
		return nil, err
	}
	out := make([]stage.Result, len(made))
	for i, r := range made {
		out[i] = stage.Result{Page: r.Page, Frame: r.Frame}
	}
	return out, nil
}
