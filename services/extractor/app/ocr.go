package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	ocrchild "github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/extractor/internal/recognise"
)

// The modes of OCR (config.OCR).
const (
	modeOn  = "on"
	modeOff = "off"
)

// unreadOff says why pages are not read where OCR is off.
const unreadOff = "OCR is off in this installation (COLOPHON_OCR=off)"

// reading is the OCR of this process.
type reading struct {
	mode   string
	alone  bool             // the process does nothing else
	reader *ocrchild.Client // nil when OCR is off
	runner *stream.Runner   // of the consumer ocr; nil when that is left to other processes
	logger *slog.Logger

	mu     sync.Mutex
	engine ocr.Engine // once it is known
	none   error      // why there is none, once that is known
}

// Engine asks the children once what there is to read with.
func (r *reading) Engine(ctx context.Context) (ocr.Engine, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.engine.Name != "" || r.none != nil {
		return r.engine, r.none
	}
	engine, err := r.reader.Engine(ctx)
	switch {
	case errors.Is(err, ocrchild.ErrNoEngine):
		r.none = err
	case err == nil:
		r.engine = engine
	}
	return engine, err
}

// Read implements recognise.Reader.
func (r *reading) Read(ctx context.Context, s model.Snapshot, req ocr.Request) (ocr.Result, error) {
	return r.reader.Read(ctx, s, req)
}

// Engine says in a line what this program reads scans with, or why with nothing.
func Engine(ctx context.Context, c config.OCR) (string, error) {
	if c.Mode == modeOff {
		return "off", nil
	}
	engine, err := engineOf(ctx, c)
	if errors.Is(err, ocrchild.ErrNoEngine) {
		return err.Error(), nil
	}
	return fmt.Sprintf("%s %s reads %s", engine.Name, engine.Version, strings.Join(engine.Languages, " ")), err
}

// Untrained returns those of the languages (ISO 639-1) for which this program's
// engine has no trained data, by the engine's names; none when it has no engine.
func Untrained(ctx context.Context, c config.OCR, languages []string) ([]string, error) {
	if c.Mode == modeOff {
		return nil, nil
	}
	engine, err := engineOf(ctx, c)
	if errors.Is(err, ocrchild.ErrNoEngine) {
		return nil, nil
	}
	var missing []string
	for _, l := range languages {
		if name := model.LanguageISO3(l); !slices.Contains(engine.Languages, name) {
			missing = append(missing, name)
		}
	}
	return missing, err
}

func engineOf(ctx context.Context, c config.OCR) (ocr.Engine, error) {
	reader, err := newReader(Config{OCR: c}, nil, nil)
	if err != nil {
		return ocr.Engine{}, err
	}
	defer reader.Close()
	return reader.Engine(ctx)
}

// newReader returns what reads, nil when OCR is off. Without blobs it can only
// say what its engine is.
func newReader(c Config, blobs *blobstore.Store, m metric.Meter) (*ocrchild.Client, error) {
	if c.OCR.Mode == modeOff {
		return nil, nil //nolint:nilnil // off: nothing reads
	}
	fetch := func(context.Context, model.Snapshot, string) error { return errors.New("no store to read from") }
	if blobs != nil {
		fetch = blobs.FetchRaw
	}
	engine := c.OCR.Engine
	if engine == "tesseract" {
		engine = ""
	}
	return ocrchild.New(ocrchild.Config{
		Engine: engine, Workers: c.OCR.Workers, MaxCalls: c.OCR.MaxCalls, MemoryBytes: c.OCR.MemoryBytes,
		DocumentBytes: c.Extraction.DocumentBytes, PageTimeout: c.OCR.PageTimeout, DataDir: c.OCR.DataDir, CacheDir: c.Extraction.CacheDir, TempDir: c.S3.TempDir,
		Meter: m,
	}, fetch)
}

// unread says why pages that need OCR are not sent to it, "" when they are: always, or
// where this process has the engine.
func (r *reading) unread(ctx context.Context) (string, error) {
	switch {
	case r.reader == nil:
		return unreadOff, nil
	case r.mode == modeOn:
		return "", nil
	}
	_, err := r.Engine(ctx)
	if errors.Is(err, ocrchild.ErrNoEngine) {
		return fmt.Sprintf("this extractor has no engine for it: %v (COLOPHON_OCR=on leaves it to extractors that have one)", err), nil
	}
	return "", err
}

// run reads pages until ctx ends. Where OCR is off each page fails. Where there is no
// engine to read with, the consumer is left to others: run then only waits.
func (r *reading) run(ctx context.Context) error {
	if r.runner == nil {
		<-ctx.Done()
		return nil
	}
	if r.reader == nil {
		r.logger.InfoContext(ctx, "OCR is off: pages that need it fail")
		return r.runner.Run(ctx)
	}
	engine, err := r.Engine(ctx)
	switch {
	case errors.Is(err, ocrchild.ErrNoEngine):
		if r.mode == modeOn {
			r.logger.WarnContext(ctx, "pages that need OCR are left to other extractors", "why", err)
		} else {
			r.logger.InfoContext(ctx, "pages that need OCR fail", "why", err)
		}
		<-ctx.Done()
		return nil
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("starting OCR: %w", err)
	}
	r.logger.InfoContext(ctx, "OCR", "engine", engine.Name, "version", engine.Version, "languages", strings.Join(engine.Languages, " "))
	return r.runner.Run(ctx)
}

// ready returns nil when the consumer ocr is worked on, or left to others. A process
// that has nothing else to do is not ready without an engine.
func (r *reading) ready(ctx context.Context) error {
	if r.runner == nil {
		return nil
	}
	r.mu.Lock()
	none := r.none
	r.mu.Unlock()
	switch {
	case none == nil:
		return r.runner.Ready(ctx)
	case r.alone:
		return fmt.Errorf("consumer %s is all that this process works on, and it has no engine: %w", stream.ConsumerOCR, none)
	}
	return nil
}

func recogniser(db *catalog.DB, blobs *blobstore.Store, reader *reading, logger *slog.Logger) *recognise.Stage {
	s := &recognise.Stage{
		Catalog: db, Objects: results{blobs}, Reader: reader, Log: logger,
	}
	if reader.reader == nil {
		s.Off = unreadOff
	}
	return s
}

// pagesAtOnce is how many pages are read at once.
func pagesAtOnce(c config.OCR) int {
	if c.Workers > 0 {
		return c.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// results keeps OCR results packed.
type results struct{ blobs *blobstore.Store }

func (r results) PutOCR(ctx context.Context, sourceID, engine, version, sum string, result []byte) (key, stored string, err error) {
	packed, err := segment.Compress(result)
	if err != nil {
		return "", "", err
	}
	return r.blobs.PutOCR(ctx, sourceID, engine, version, sum, packed)
}

// answers reads what OCR has said of the pages of a range. A result that
// cannot be read is nobody's to wait for.
func (x extractor) answers(ctx context.Context, s model.Snapshot, tasks []model.OCRTask) ([]block.OCR, error) {
	read := make([]block.OCR, len(tasks))
	for i, t := range tasks {
		var err error
		read[i], err = child.ReadOCR(t.PageNo, t.OCR, func(use model.PageOCR) ([]byte, error) { return x.blobs.GetOCR(ctx, s.SourceID, use) })
		if errors.Is(err, ocr.ErrResult) {
			return nil, fault.Permanent(fault.Internal, err)
		}
		if err != nil {
			return nil, blobstore.Lost(err, fmt.Sprintf("what OCR said of page %d", t.PageNo))
		}
	}
	return read, nil
}
