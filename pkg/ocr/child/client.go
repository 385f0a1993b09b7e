package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

// ErrNoEngine says that there is nothing to read with; the error says what to install.
var ErrNoEngine = errors.New("OCR is not available")

// Config sets the limits of recognition.
type Config struct {
	Engine        string        // "": Tesseract; "fake:…": package fake, for tests
	Workers       int           // children; 0: one for each core
	MaxCalls      int           // after which a child is replaced; 0: 400, two for a page
	MemoryBytes   int64         // of one child; 0: 2 GiB
	DocumentBytes int64         // of the PDF engine for one document; 0: 512 MiB
	PageTimeout   time.Duration // of a page of 4 megapixels; larger ones have more; 0: 60 s
	DataDir       string        // of the trained data; empty: the engine's own folder
	CacheDir      string        // of the compiled PDF engine; empty: below the user's cache folder
	TempDir       string        // of the children's documents; empty: the system's
	Meter         metric.Meter  // of the children; nil: nothing is measured
}

const (
	// pagePixels is a page at 200 dpi, which PageTimeout is for, and maxPages how
	// many of it the largest picture counts.
	pagePixels = 4_000_000
	maxPages   = 8
	// measureTimeout is for looking at a document, and startTimeout for the engine.
	measureTimeout = 20 * time.Second
	startTimeout   = 30 * time.Second
)

// Client has pages read by the children. It is safe for concurrent use.
type Client struct {
	pool    *sandbox.Pool
	fetch   sandbox.Fetch
	perPage time.Duration
}

// New makes a client; children are started when first needed.
func New(c Config, fetch sandbox.Fetch) (*Client, error) {
	if c.MaxCalls == 0 {
		c.MaxCalls = 400
	}
	if c.MemoryBytes == 0 {
		c.MemoryBytes = 2 << 30
	}
	if c.DocumentBytes == 0 {
		c.DocumentBytes = 512 << 20
	}
	if c.PageTimeout == 0 {
		c.PageTimeout = time.Minute
	}
	if c.CacheDir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = os.TempDir()
		}
		c.CacheDir = filepath.Join(base, "colophon", "pdfium")
	}
	raw, err := json.Marshal(setup{Engine: c.Engine, DataDir: c.DataDir, CacheDir: c.CacheDir, DocumentMemory: c.DocumentBytes})
	if err != nil {
		return nil, fmt.Errorf("setup of the OCR children: %w", err)
	}
	// One thread: with more an engine takes several times the CPU time, and the
	// children share the cores (3 to 10 times the CPU time was measured).
	env := append([]string{"OMP_THREAD_LIMIT=1"}, faultpoint.Environment()...)
	if c.DataDir != "" {
		env = append(env, "TESSDATA_PREFIX="+c.DataDir)
	}
	pool, err := sandbox.New(sandbox.Config{
		Role: RoleName, Setup: raw, Size: c.Workers, MaxCalls: c.MaxCalls, Dir: c.TempDir, Env: env, Meter: c.Meter,
		Limits: sandbox.Limits{MemoryBytes: c.MemoryBytes, CPU: maxPages * c.PageTimeout, FileBytes: 1 << 30},
	})
	if err != nil {
		return nil, fmt.Errorf("OCR children: %w", err)
	}
	return &Client{pool: pool, fetch: fetch, perPage: c.PageTimeout}, nil
}

// Close ends the children.
func (c *Client) Close() { c.pool.Close() }

// Engine says what there is to read with. It fails with ErrNoEngine, in a
// sentence that says what to install, when there is nothing.
func (c *Client) Engine(ctx context.Context) (ocr.Engine, error) {
	worker, err := c.pool.Acquire(ctx, "")
	if err != nil {
		return ocr.Engine{}, err
	}
	defer worker.Release()
	resp, err := call(ctx, worker, request{Op: opEngine}, startTimeout)
	switch {
	case err != nil && ctx.Err() != nil:
		return ocr.Engine{}, ctx.Err()
	case err != nil:
		return ocr.Engine{}, fmt.Errorf("%w: the engine does not start: %w", ErrNoEngine, err)
	case resp.Reason != "":
		return ocr.Engine{}, fmt.Errorf("%w: %s", ErrNoEngine, resp.Message)
	case resp.Engine == nil:
		return ocr.Engine{}, fmt.Errorf("%w: the child does not name its engine", ErrNoEngine)
	}
	return *resp.Engine, nil
}

// Read reads one page, once, unless somebody kills its child: else repeating is the
// caller's decision. A permanent
// fault says that the document is to blame, or the engine: ocr_failed,
// limit_exceeded, malformed, unsupported_type, timeout or parser_crashed. A page
// without any word is no error.
func (c *Client) Read(ctx context.Context, s model.Snapshot, r ocr.Request) (ocr.Result, error) {
	result, err := sandbox.Insist(ctx, func() (ocr.Result, error) { return c.read(ctx, s, r) })
	if err != nil && ctx.Err() != nil {
		return ocr.Result{}, ctx.Err()
	}
	return result, err
}

func (c *Client) read(ctx context.Context, s model.Snapshot, r ocr.Request) (ocr.Result, error) {
	what := fmt.Sprintf("page %d", r.Page)
	if r.Page < 1 {
		return ocr.Result{}, fault.Permanent(fault.Malformed, errors.New(what+": pages count from 1"))
	}
	worker, err := c.pool.Acquire(ctx, s.SourceID+"/"+s.ContentHash)
	if err != nil {
		return ocr.Result{}, err
	}
	defer worker.Release()
	dir, err := worker.Dir(ctx)
	if err != nil { // not wrapped: a child that cannot start has seen no document to blame
		return ocr.Result{}, fault.Unavailable(errors.New("starting an OCR child: " + err.Error()))
	}
	path, err := sandbox.Place(ctx, dir, s, c.fetch)
	if err != nil {
		return ocr.Result{}, err
	}
	req := request{Op: opMeasure, Path: path, Kind: s.SnapshotKind, Document: s.ContentHash, Request: r}
	resp, err := call(ctx, worker, req, measureTimeout)
	if err := failed(resp, err, what, measureTimeout); err != nil {
		return ocr.Result{}, err
	}
	timeout := c.perPage * time.Duration(min(max((resp.Pixels+pagePixels-1)/pagePixels, 1), maxPages))
	if req.Path, err = c.again(ctx, worker, s, path); err != nil {
		return ocr.Result{}, err
	}
	req.Op = opRead
	resp, err = call(ctx, worker, req, timeout)
	if err := failed(resp, err, what, timeout); err != nil {
		return ocr.Result{}, err
	}
	result, err := ocr.Decode(resp.Result)
	if err != nil {
		return ocr.Result{}, fault.Document(fault.OCRFailed, fmt.Errorf("%s: %w", what, err))
	}
	return result, nil
}

// again returns the path of the document after a call, when the child that has
// it was replaced by another.
func (c *Client) again(ctx context.Context, worker *sandbox.Worker, s model.Snapshot, path string) (string, error) {
	dir, err := worker.Dir(ctx)
	if err != nil {
		return "", fault.Unavailable(errors.New("starting an OCR child: " + err.Error()))
	}
	if filepath.Dir(path) == dir {
		return path, nil
	}
	return sandbox.Place(ctx, dir, s, c.fetch)
}

// call sends one request. An error that is not the sandbox's is the child's own.
func call(ctx context.Context, worker *sandbox.Worker, req request, timeout time.Duration) (response, error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return response{}, fmt.Errorf("request to the OCR child: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := worker.Call(limited, raw)
	if err != nil {
		return response{}, err
	}
	var resp response
	if err := json.Unmarshal(answer, &resp); err != nil {
		return resp, fmt.Errorf("answer of the OCR child: %w", err)
	}
	return resp, nil
}

// failed says why a page was not read, in a sentence.
func failed(resp response, err error, what string, timeout time.Duration) error {
	var own *sandbox.Failure
	switch {
	case errors.Is(err, sandbox.ErrDeadline):
		return fault.Document(fault.Timeout, fmt.Errorf("%s: OCR took longer than %s", what, timeout))
	case errors.Is(err, sandbox.ErrKilled):
		return fault.Document(fault.LimitExceeded, fmt.Errorf("%s: OCR was %w", what, sandbox.ErrKilled))
	case errors.Is(err, sandbox.ErrLimit):
		return fault.Document(fault.LimitExceeded, errors.New(what+": OCR needs more memory or time than one page may use"))
	case errors.Is(err, sandbox.ErrCrashed):
		return fault.Document(fault.ParserCrashed, errors.New(what+": the OCR engine ended unexpectedly"))
	case errors.As(err, &own):
		return fault.Document(fault.OCRFailed, fmt.Errorf("%s: %s", what, own.Text))
	case err != nil:
		return err
	case resp.Reason != "":
		return fault.Document(resp.Reason, fmt.Errorf("%s: %s", what, resp.Message))
	}
	return nil
}
