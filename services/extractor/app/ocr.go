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

// reading is the OCR of this process.
type reading struct {
	mode   string
	reader *ocrchild.Client // nil when OCR is off
	runner *stream.Runner
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
	reader, err := newReader(Config{OCR: c}, nil)
	if err != nil {
		return ocr.Engine{}, err
	}
	defer reader.Close()
	return reader.Engine(ctx)
}

// newReader returns what reads, nil when OCR is off. Without blobs it can only
// say what its engine is.
func newReader(c Config, blobs *blobstore.Store) (*ocrchild.Client, error) {
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
	}, fetch)
}

// on reports whether pages that need OCR are sent to it: always, or where this
// process has the engine.
func (r *reading) on(ctx context.Context) (bool, error) {
	switch {
	case r.reader == nil:
		return false, nil
	case r.mode == modeOn:
		return true, nil
	}
	_, err := r.Engine(ctx)
	if errors.Is(err, ocrchild.ErrNoEngine) {
		return false, nil
	}
	return err == nil, err
}

// run reads pages until ctx ends, unless there is nothing to read them with:
// then the consumer is left to others.
func (r *reading) run(ctx context.Context) error {
	if r.reader == nil {
		r.logger.InfoContext(ctx, "OCR is off: pages that need it fail")
		return nil
	}
	engine, err := r.Engine(ctx)
	switch {
	case errors.Is(err, ocrchild.ErrNoEngine) && r.mode == modeOn:
		r.logger.WarnContext(ctx, "pages that need OCR are left to other extractors", "why", err)
		return nil
	case errors.Is(err, ocrchild.ErrNoEngine):
		r.logger.InfoContext(ctx, "pages that need OCR fail", "why", err)
		return nil
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("starting OCR: %w", err)
	}
	r.logger.InfoContext(ctx, "OCR", "engine", engine.Name, "version", engine.Version, "languages", strings.Join(engine.Languages, " "))
	return r.runner.Run(ctx)
}

func recogniser(db *catalog.DB, blobs *blobstore.Store, reader recognise.Reader, logger *slog.Logger) *recognise.Stage {
	return &recognise.Stage{
		Catalog: db, Objects: results{blobs}, Reader: reader, Log: logger,
		Missing: func(err error) bool { return errors.Is(err, catalog.ErrNotFound) },
	}
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
