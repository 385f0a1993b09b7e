// Package pdfium reads the text layer, the drawn lines, the annotations and the
// outline of PDF files with PDFium, compiled to WebAssembly and run by wazero.
//
// It is the only importer of go-pdfium and wazero, and takes of go-pdfium no
// more than the wasm file and the host imports. Each document has an instance
// of its own, so that what one document leaves behind cannot reach another; an
// instance has no file system, no environment, a frozen clock, and a memory
// limit. Nothing here renders: rendering moves the glyph boxes of some
// documents, and the same bytes must give the same boxes every time.
//
// A context cannot stop the engine: a document made to hang hangs its caller.
// The package therefore runs inside a child of package sandbox only, which ends
// the child at its deadline.
//
// All coordinates are PDF user space, in points, origin bottom left, neither
// rotated nor cropped; Page.Upright maps them to the box of contracts#bbox.
package pdfium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	_ "unsafe" // for go:linkname

	_ "github.com/klippa-app/go-pdfium/webassembly" // holds the wasm file
	"github.com/klippa-app/go-pdfium/webassembly/imports"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/emscripten"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:linkname pdfiumWasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var pdfiumWasm []byte

// Version names the engine and its host. It belongs in whatever records which
// parser made a page (contracts#engine).
const Version = "pdfium-wasm-go-pdfium-1.18.0+wazero-1.12.0"

// defaultMemoryLimit is the memory one document may use when Config names none.
const defaultMemoryLimit = 256 << 20

// The engine starts with 18 MiB and cannot address more than 2 GiB.
const (
	minMemoryLimit = 32 << 20
	maxMemoryLimit = 2 << 30
)

// The ways in which a document can fail. Test with errors.Is; the text around
// them names the page and the limit.
var (
	// ErrPassword: the document is encrypted and the password does not open it,
	// or its kind of encryption is unknown (contracts#reasons: encrypted).
	ErrPassword = errors.New("document is encrypted")
	// ErrFormat: not a PDF, or damaged beyond repair (contracts#reasons: malformed).
	ErrFormat = errors.New("not a readable PDF")
	// ErrLimit: the document needs more memory, or a page holds more characters,
	// than is allowed (contracts#reasons: limit_exceeded).
	ErrLimit = errors.New("limit exceeded")
	// ErrEngine: the engine failed inside (contracts#reasons: parser_crashed). The
	// document is unusable from then on.
	ErrEngine = errors.New("PDF engine failed")
)

// Config says how the engine is run.
type Config struct {
	// CacheDir keeps the compiled engine between processes: 0.1 s instead of
	// 1.4 s at the start. It is made when missing. Empty: no cache.
	CacheDir string
	// MemoryLimitBytes (whole MiB) is what one document may use, 32 MiB to 2 GiB.
	// 0: defaultMemoryLimit. The raw bytes of the document do not count.
	MemoryLimitBytes int64
}

// Runtime is the compiled engine. It may be used by several goroutines.
type Runtime struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cache    wazero.CompilationCache
	limit    uint64
}

// Open compiles the engine, or takes it from the cache.
func Open(ctx context.Context, config Config) (*Runtime, error) {
	limit := config.MemoryLimitBytes
	if limit == 0 {
		limit = defaultMemoryLimit
	}
	if limit < minMemoryLimit || limit > maxMemoryLimit {
		return nil, fmt.Errorf("PDF engine: memory limit of %d bytes is outside %d to %d", limit, minMemoryLimit, maxMemoryLimit)
	}
	r := &Runtime{limit: uint64(limit) &^ (1<<20 - 1)}
	settings := wazero.NewRuntimeConfig()
	if config.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(config.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("PDF engine: compilation cache: %w", err)
		}
		r.cache = cache
		settings = settings.WithCompilationCache(cache)
	}
	r.runtime = wazero.NewRuntimeWithConfig(ctx, settings)
	if err := r.compile(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("PDF engine: %w", err), r.Close(ctx))
	}
	return r, nil
}

func (r *Runtime) compile(ctx context.Context) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r.runtime); err != nil {
		return fmt.Errorf("wasi: %w", err)
	}
	compiled, err := r.runtime.CompileModule(ctx, pdfiumWasm)
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	r.compiled = compiled
	exporter, err := emscripten.NewFunctionExporterForModule(compiled)
	if err != nil {
		return fmt.Errorf("emscripten: %w", err)
	}
	host := r.runtime.NewHostModuleBuilder("env")
	exporter.ExportFunctions(host)
	imports.NewFunctionExporter().ExportFunctions(host)
	// In place of the one in imports, which finds its reader in a global table.
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(readSource),
		[]api.ValueType{api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32},
		[]api.ValueType{api.ValueTypeI32}).Export("FPDF_FILEACCESS_CB")
	if _, err := host.Instantiate(ctx); err != nil {
		return fmt.Errorf("host functions: %w", err)
	}
	return nil
}

// Close ends the engine and all documents that are still open.
func (r *Runtime) Close(ctx context.Context) error {
	err := r.runtime.Close(ctx)
	if r.cache != nil {
		err = errors.Join(err, r.cache.Close(ctx))
	}
	if err != nil {
		return fmt.Errorf("PDF engine: close: %w", err)
	}
	return nil
}

// Load opens a document from memory. The bytes must not change until Close.
func (r *Runtime) Load(raw []byte, password string) (*Document, error) {
	return r.LoadReader(bytes.NewReader(raw), int64(len(raw)), password)
}

// LoadReader opens a document that the engine reads piece by piece, so that a
// large file need not be in memory. Bytes before the header are left out
// (Document.junk). It fails with ErrPassword, ErrFormat or ErrLimit, or
// with the error of a read that failed.
func (r *Runtime) LoadReader(source io.ReaderAt, size int64, password string) (*Document, error) {
	junk, err := findHeader(source, size)
	if err != nil {
		return nil, err
	}
	if size-junk > maxFileSize {
		return nil, fmt.Errorf("%w: file of %d bytes, limit %d", ErrLimit, size, int64(maxFileSize))
	}
	e, err := r.start(io.NewSectionReader(source, junk, size-junk))
	if err != nil {
		return nil, err
	}
	d, err := open(e, size-junk, password)
	if err != nil {
		e.close()
		return nil, err
	}
	d.junk = junk
	return d, nil
}

// maxFileSize keeps offsets within the engine's signed 32-bit integers.
const maxFileSize = 1<<31 - 1

// headerWindow is how far into a file the header may begin (ISO 32000-1, annex
// H.3, note 13).
const headerWindow = 1024

func findHeader(source io.ReaderAt, size int64) (int64, error) {
	head := make([]byte, min(size, headerWindow+5))
	if _, err := source.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("read PDF header: %w", err)
	}
	at := bytes.Index(head, []byte("%PDF-"))
	if at < 0 {
		return 0, fmt.Errorf("%w: no PDF header in the first %d bytes", ErrFormat, headerWindow)
	}
	return int64(at), nil
}

// start makes a fresh instance that reads its document when it needs it.
func (r *Runtime) start(document *io.SectionReader) (*engine, error) {
	arena, err := newArena(r.limit)
	if err != nil {
		return nil, err
	}
	s := &source{SectionReader: document}
	e := &engine{
		ctx:       context.WithValue(context.Background(), sourceKey{}, s),
		source:    s,
		arena:     arena,
		functions: map[string]api.Function{},
	}
	module, err := r.runtime.InstantiateModule(
		experimental.WithMemoryAllocator(e.ctx, e.arena), r.compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		arena.Free()
		return nil, fmt.Errorf("%w: start: %w", ErrEngine, err)
	}
	e.module, e.memory = module, module.Memory()
	e.call("FPDF_InitLibrary")
	e.reserve(scratchSize)
	if e.err != nil {
		e.close()
		return nil, fmt.Errorf("start: %w", e.err)
	}
	return e, nil
}
