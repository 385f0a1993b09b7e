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

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// Config sets the limits of extraction.
type Config struct {
	Kinds         Kinds         // of files, as the children have them; nil: Builtin
	Workers       int           // children; 0: one for each core
	MaxCalls      int           // after which a child is replaced; 0: 1,000
	MemoryBytes   int64         // of one child; 0: 1 GiB
	DocumentBytes int64         // of the PDF engine for one document; 0: 512 MiB
	ProbeTimeout  time.Duration // of a whole document; 0: 60 s
	PageTimeout   time.Duration // of one page; 0: 20 s
	CacheDir      string        // of the compiled PDF engine; empty: below the user's cache folder
	TempDir       string        // of the children's documents; empty: the system's
	Warm          bool          // whether a child reads a page of its own before its first document
	Meter         metric.Meter  // of the children; nil: nothing is measured

	// Read reads the captured bytes of a snapshot, verified, for small documents that
	// are one page: they go to their child with the request. Nil: as files, like others.
	Read func(ctx context.Context, s model.Snapshot) ([]byte, error)
}

// ConfigOf turns a service's settings into a Config.
func ConfigOf(e config.Extraction, tempDir string) Config {
	return Config{
		Workers: e.Workers, MaxCalls: e.MaxCalls, MemoryBytes: e.MemoryBytes, DocumentBytes: e.DocumentBytes,
		ProbeTimeout: e.ProbeTimeout, PageTimeout: e.PageTimeout, CacheDir: e.CacheDir, TempDir: tempDir,
	}
}

// Of returns the Config of these kinds of files; nil: Builtin.
func (c Config) Of(kinds Kinds) Config {
	c.Kinds = kinds
	return c
}

// Measured returns the Config with instruments of the children.
func (c Config) Measured(m metric.Meter) Config {
	c.Meter = m
	return c
}

// PackFacts returns a document's facts as they are stored: one zstd frame.
func PackFacts(facts []byte) ([]byte, error) { return segment.Compress(facts) }

// ReadOCR returns what is known of a part of a page that needs OCR: get is asked
// for the stored result, when there is one.
func ReadOCR(pageNo int, use model.PageOCR, get func(model.PageOCR) ([]byte, error)) (block.OCR, error) {
	read := block.OCR{PageNo: pageNo, Use: use}
	if use.Key == "" {
		return read, nil
	}
	packed, err := get(use)
	if err != nil {
		return read, fmt.Errorf("OCR result of page %d: %w", pageNo, err)
	}
	result, err := unpackOCR(packed)
	if err != nil {
		return read, fmt.Errorf("OCR result of page %d: %w", pageNo, err)
	}
	read.Result = &result
	return read, nil
}

// unpackOCR reads an OCR result as it is stored: its canonical JSON in one zstd frame.
func unpackOCR(packed []byte) (ocr.Result, error) {
	raw, err := segment.Decompress(packed)
	if err != nil {
		return ocr.Result{}, fmt.Errorf("%w: %w", ocr.ErrResult, err)
	}
	return ocr.Decode(raw)
}

// PutFacts stores packed facts and returns their key and the hex sha256 of their
// bytes.
type PutFacts func(ctx context.Context, s model.Snapshot, extractionID string, packed []byte) (key, sum string, err error)

// Client hands documents to the children. It is safe for concurrent use.
type Client struct {
	kinds   Kinds
	pool    *sandbox.Pool
	fetch   sandbox.Fetch
	read    func(ctx context.Context, s model.Snapshot) ([]byte, error)
	probe   time.Duration
	perPage time.Duration
}

// Start starts the children before they are needed; a call starts its own when
// that failed.
func (c *Client) Start(ctx context.Context) error { return c.pool.Start(ctx) }

// New makes a client; children are started when first needed, or by Start.
func New(c Config, fetch sandbox.Fetch) (*Client, error) { return newClient(c, RoleName, fetch) }

func newClient(c Config, role string, fetch sandbox.Fetch) (*Client, error) {
	if c.Kinds == nil {
		c.Kinds = Builtin()
	}
	if c.MaxCalls == 0 {
		c.MaxCalls = 1000
	}
	if c.MemoryBytes == 0 {
		c.MemoryBytes = 1 << 30
	}
	if c.DocumentBytes == 0 {
		c.DocumentBytes = 512 << 20
	}
	if c.ProbeTimeout == 0 {
		c.ProbeTimeout = time.Minute
	}
	if c.PageTimeout == 0 {
		c.PageTimeout = 20 * time.Second
	}
	if c.CacheDir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = os.TempDir()
		}
		c.CacheDir = filepath.Join(base, "colophon", "pdfium")
	}
	raw, err := json.Marshal(setup{CacheDir: c.CacheDir, DocumentMemory: c.DocumentBytes, Warm: c.Warm})
	if err != nil {
		return nil, fmt.Errorf("setup of the extraction children: %w", err)
	}
	pool, err := sandbox.New(sandbox.Config{
		Role: role, Setup: raw, Size: c.Workers, MaxCalls: c.MaxCalls, Dir: c.TempDir, Meter: c.Meter,
		Limits: sandbox.Limits{MemoryBytes: c.MemoryBytes, ResponseBytes: 512 << 20}, Env: faultpoint.Environment(),
	})
	if err != nil {
		return nil, fmt.Errorf("extraction children: %w", err)
	}
	return &Client{kinds: c.Kinds, pool: pool, fetch: fetch, read: c.Read, probe: c.ProbeTimeout, perPage: c.PageTimeout}, nil
}

// DrawnTypes returns the final types of the documents whose pages can be drawn, and
// whose units have boxes on them.
func (c *Client) DrawnTypes() []model.FinalType { return c.kinds.drawnTypes() }

// HasFacts reports whether the documents of a kind have facts (contracts#facts), such as
// an outline.
func (c *Client) HasFacts(kind model.SnapshotKind) bool { return c.kinds[kind].Facts }

// Close ends the children.
func (c *Client) Close() { c.pool.Close() }

// Probe returns the number of pages of a snapshot and the facts of its
// document (contracts#facts), nil for kinds that have none. A permanent fault says
// that the document cannot be split; a document that twice ends its child is
// one.
func (c *Client) Probe(ctx context.Context, s model.Snapshot) (pages int, facts []byte, err error) {
	return c.look(ctx, s, opProbe)
}

func (c *Client) look(ctx context.Context, s model.Snapshot, op string) (pages int, facts []byte, err error) {
	var resp response
	for range 2 {
		resp, err = c.call(ctx, request{Op: op, Snapshot: s}, c.probe)
		if !ended(err) {
			break
		}
	}
	if ended(err) {
		return 0, nil, fault.Document(endReason(err), errors.New(endSentence(err, "the document", c.probe)))
	}
	if err != nil {
		return 0, nil, err
	}
	if resp.Reason != "" {
		return 0, nil, fault.Document(resp.Reason, errors.New(resp.Message))
	}
	return resp.PageCount, resp.Facts, nil
}

// Split returns the run with the number of pages of its document and, when these
// are of several ranges, the place of its facts, which are stored: a document of
// one range learns them where its pages are read. A permanent fault says that
// the document cannot be split: it has no bytes, more pages than its source
// allows, or a child says so, which is asked unless the kind of file says it all.
// The run comes back as it was then.
func (c *Client) Split(ctx context.Context, s model.Snapshot, run model.Run, put PutFacts) (model.Run, error) {
	if s.ByteLength == 0 {
		return run, fault.Document(fault.EmptyContent, errors.New("the document has no bytes"))
	}
	pages, facts := 1, []byte(nil)
	if !c.kinds[s.SnapshotKind].OnePage {
		var err error
		if pages, facts, err = c.look(ctx, s, opSplit); err != nil {
			return run, err
		}
	}
	if s.MaxPages > 0 && pages > s.MaxPages {
		return run, fault.Document(fault.LimitExceeded, fmt.Errorf("the document has %d pages, limit %d", pages, s.MaxPages))
	}
	if len(facts) > 0 {
		packed, err := PackFacts(facts)
		if err != nil {
			return run, fmt.Errorf("document facts of %s: %w", s.SnapshotID, err)
		}
		key, sum, err := put(ctx, s, run.ExtractionID, packed)
		if err != nil {
			return run, err
		}
		faultpoint.Reach("split.facts.put")
		run.FactsKey, run.FactsDigest = key, sum
	}
	run.PageCount, run.Reason, run.Message = pages, "", ""
	return run, nil
}

// Extract is what a range of a run that has not ended comes to: its pages, or,
// when the run could not be split, a failed page with the run's reason. read is
// what OCR has said of the range.
func (c *Client) Extract(ctx context.Context, s model.Snapshot, run model.Run, facts []byte, r model.PageRange, read ...block.OCR) ([]Result, error) {
	if run.Unsplit() {
		return c.Failed(ctx, s, run.ExtractionID, r, fault.Reason(run.Reason), run.Message)
	}
	return c.Pages(ctx, s, run.ExtractionID, facts, r, read...)
}

// Pages extracts a range of pages, given the facts as PackFacts made them: one
// result a page, in order. When a child ends over the range, it goes on page by
// page, and a page that ends its child alone is a failed page. read is what OCR
// has said of the range; pages that need OCR and are not in it say so.
func (c *Client) Pages(ctx context.Context, s model.Snapshot, extractionID string, facts []byte, r model.PageRange, read ...block.OCR) ([]Result, error) {
	req := request{Op: opPages, Snapshot: s, ExtractionID: extractionID, From: r.From, To: r.To, OCR: read}
	if len(facts) > 0 {
		plain, err := segment.Decompress(facts)
		if err != nil {
			return nil, fault.Permanent(fault.Internal, fmt.Errorf("document facts of %s: %w", s.SnapshotID, err))
		}
		req.Facts = plain
	}
	resp, err := c.call(ctx, req, time.Duration(r.To-r.From+1)*c.perPage)
	if err == nil {
		return resp.Pages, checkPages(resp.Pages, r)
	}
	if !ended(err) {
		return nil, err
	}
	if c.kinds[s.SnapshotKind].Facts && len(req.Facts) == 0 { // else each page would learn them, and end its child by another page
		if _, req.Facts, err = c.look(ctx, s, opProbe); fault.KindOf(err) == fault.KindPermanent {
			return c.Failed(ctx, s, extractionID, r, fault.ReasonOf(err), err.Error())
		}
		if err != nil {
			return nil, err
		}
	}
	results := make([]Result, 0, r.To-r.From+1)
	for no := r.From; no <= r.To; no++ {
		req.From, req.To = no, no
		resp, err := c.call(ctx, req, c.perPage)
		switch {
		case err == nil && len(resp.Pages) == 1:
			results = append(results, resp.Pages[0])
		case ended(err):
			failed, err := c.Failed(ctx, s, extractionID, model.PageRange{From: no, To: no}, endReason(err),
				endSentence(err, fmt.Sprintf("page %d", no), c.perPage))
			if err != nil {
				return nil, err
			}
			results = append(results, failed...)
		case err != nil:
			return nil, err
		}
	}
	return results, checkPages(results, r)
}

func checkPages(results []Result, r model.PageRange) error {
	if len(results) != r.To-r.From+1 {
		return fmt.Errorf("extraction gave %d pages for %d–%d", len(results), r.From, r.To)
	}
	for i, p := range results {
		if p.Page.PageNo != r.From+i {
			return fmt.Errorf("extraction gave page %d where %d was asked for", p.Page.PageNo, r.From+i)
		}
	}
	return nil
}

// Failed returns the results of a range of which no page can be extracted:
// error units over the raw bytes. When these are lost or damaged, or end the
// child that only looks at them, the units say nothing of them.
func (c *Client) Failed(ctx context.Context, s model.Snapshot, extractionID string, r model.PageRange, reason fault.Reason, sentence string) ([]Result, error) {
	req := request{
		Op: opPages, Snapshot: s, ExtractionID: extractionID, From: r.From, To: r.To,
		RunReason: string(reason), RunMessage: sentence,
	}
	resp, err := c.call(ctx, req, c.probe)
	if err == nil {
		return resp.Pages, checkPages(resp.Pages, r)
	}
	if fault.KindOf(err) != fault.KindPermanent && fault.ReasonOf(err) != fault.Internal && !ended(err) {
		return nil, err
	}
	in := block.Input{Snapshot: s, ExtractionID: extractionID}
	results := make([]Result, 0, r.To-r.From+1)
	var encoder segment.Encoder
	for no := r.From; no <= r.To; no++ {
		frame, err := extract.ErrorFrame(in, no, reason, sentence)
		if err != nil {
			return nil, err
		}
		result, err := encode(&encoder, frame)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// call sends one request to a child that has the document. An error for which
// ended holds is the document's; when the caller's context has ended, the error
// is that, whatever else went wrong.
func (c *Client) call(ctx context.Context, req request, timeout time.Duration) (response, error) {
	resp, err := sandbox.Insist(ctx, func() (response, error) { return c.send(ctx, req, timeout) })
	if err != nil && ctx.Err() != nil {
		return response{}, ctx.Err()
	}
	return resp, err
}

func (c *Client) send(ctx context.Context, req request, timeout time.Duration) (response, error) {
	worker, err := c.pool.Acquire(ctx, req.Snapshot.SourceID+"/"+req.Snapshot.ContentHash)
	if err != nil {
		return response{}, err
	}
	defer worker.Release()
	dir, err := worker.Dir(ctx)
	if err != nil { // not wrapped: a child that cannot start has seen no document to blame
		return response{}, fault.Unavailable(errors.New("starting an extraction child: " + err.Error()))
	}
	var document []byte
	if c.read != nil && c.GoesAlong(req.Snapshot) {
		document, err = c.read(ctx, req.Snapshot)
	} else {
		req.Path, err = sandbox.Place(ctx, dir, req.Snapshot, c.fetch)
	}
	if err != nil {
		return response{}, err
	}
	raw, err := encodeRequest(req, document)
	if err != nil {
		return response{}, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := worker.Call(limited, raw)
	if err != nil {
		return response{}, err
	}
	return decodeResponse(answer)
}

// smallDocument is how many bytes go to a child with a request at most.
const smallDocument = 256 << 10

// GoesAlong reports whether a document goes to its child with the request: one that
// is asked for once, since it is one page, and costs less as bytes than as a file.
func (c *Client) GoesAlong(s model.Snapshot) bool {
	return c.kinds[s.SnapshotKind].OnePage && s.ByteLength <= smallDocument
}

// ended reports whether the document ended its child.
func ended(err error) bool {
	return errors.Is(err, sandbox.ErrDeadline) || errors.Is(err, sandbox.ErrCrashed) || errors.Is(err, sandbox.ErrLimit)
}

func endReason(err error) fault.Reason {
	switch {
	case errors.Is(err, sandbox.ErrDeadline):
		return fault.Timeout
	case errors.Is(err, sandbox.ErrLimit):
		return fault.LimitExceeded
	default:
		return fault.ParserCrashed
	}
}

func endSentence(err error, what string, timeout time.Duration) string {
	switch {
	case errors.Is(err, sandbox.ErrDeadline):
		return fmt.Sprintf("%s: extraction took longer than %s", what, timeout)
	case errors.Is(err, sandbox.ErrLimit):
		return what + ": extraction needs more memory than one document may use"
	default:
		return what + ": the parser ended unexpectedly"
	}
}
