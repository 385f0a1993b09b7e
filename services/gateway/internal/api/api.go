// Package api is the gateway's HTTP API: it only reads, in JSON, described by the
// OpenAPI document in openapi.json. It knows no user and asks for no
// credentials: whoever reaches the address may read everything. It listens on
// loopback unless it is told otherwise.
package api

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/redact"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/refer"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

//go:embed openapi.json
var document []byte

// How long an answer may take. A proof makes pages again, an outline opens the document.
const (
	answerTime = 30 * time.Second
	proofTime  = 5 * time.Minute
	rawTime    = 15 * time.Minute
	askTime    = 2 * time.Minute  // a search, and the model's answer
	sendTime   = 15 * time.Minute // for the bytes of an answer, once it is made
)

// How much is worked on at once, and how long a request waits for its turn. Searches
// have turns of their own, so that no large answer keeps them waiting, and soon know
// that they get none: whoever searches has a person before it. More of them at once
// would only wait for each other in the stores.
const (
	maxWorking   = 32
	maxSearching = 16
	maxAsking    = 16 // questions until their answers begin: who asks the model says how many it takes
	maxProofs    = 2  // each holds some pages; outlines, which keep a child busy, are among them
	turnTime     = 10 * time.Second
	searchTurn   = 500 * time.Millisecond
)

// How many seconds a caller should wait who is told that too much is asked at once,
// or that a part does not answer.
const (
	retryFull = "1"
	retryAway = "5"
)

const noAddress = "there is no such address; /openapi.json lists all"

// Searcher answers questions.
type Searcher interface {
	Search(ctx context.Context, r search.Request) (search.Answer, error)
}

// Prover proves chunks of one generation of a doc_hash (package proof).
type Prover interface {
	Prove(ctx context.Context, items []proof.Item) ([]proof.Proof, error)
}

// Catalog is the record, in six parts.
type Catalog interface {
	ChunkCatalog
	PlaceCatalog
	DocumentCatalog
	RunCatalog
	WorkCatalog
	EntityCatalog
}

// ChunkCatalog says what chunks there are, and how they changed.
type ChunkCatalog interface {
	ChunkGroups(ctx context.Context, refs []string, documentID string) iter.Seq2[[]catalog.ChunkWithState, error]
	Chunks(ctx context.Context, refs []string) ([]model.Chunk, error)
	ChunkStates(ctx context.Context, refs []string) ([]model.ChunkState, error)
	Changes(ctx context.Context, after int64, limit int) (epoch string, entries []model.LogEntry, err error)
}

// PlaceCatalog says what stands beside a chunk, and what came after it.
type PlaceCatalog interface {
	LastChange(ctx context.Context, ref string, causes ...string) (catalog.LastChange, error)
	ChunksInOrder(ctx context.Context, set model.ChunkSet, limit int) ([]catalog.ChunkInOrder, error)
	ChunkSpan(ctx context.Context, set model.ChunkSet, from, to int) ([]catalog.ChunkWithState, error)
	BlockHolders(ctx context.Context, refs []string, limit int) (map[string]catalog.BlockHolders, error)
}

// DocumentCatalog says what was captured.
type DocumentCatalog interface {
	Document(ctx context.Context, documentID string) (model.Document, error)
	DocumentSnapshots(ctx context.Context, documentID string, limit int) ([]catalog.RecordedSnapshot, error)
	DocumentManifests(ctx context.Context, documentID string) ([]model.Manifest, error)
	Manifest(ctx context.Context, docHash string, generation int) (model.Manifest, error)
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
}

// RunCatalog says what was read in it.
type RunCatalog interface {
	RunsProgress(ctx context.Context, snapshotIDs []string) ([]catalog.RunProgress, error)
	Pages(ctx context.Context, snapshotID, extractionID string) ([]model.Page, error)
	OpenSections(ctx context.Context, snapshotID, extractionID string, before int) ([][]model.Section, error)
}

// WorkCatalog says who sends, and how far everything has come.
type WorkCatalog interface {
	Requested(ctx context.Context, sourceID, requestID string) (catalog.Requested, error)
	Sources(ctx context.Context) ([]model.Source, error)
	Counts(ctx context.Context) ([]catalog.Count, error)
	Progress(ctx context.Context, sourceID string, requests []string) (catalog.Progress, error)
	Oldest(ctx context.Context) (at time.Time, ok bool, err error)
}

// Objects reads captured bytes, verified.
type Objects interface {
	GetFile(ctx context.Context, b blobstore.Bucket, key, want string, limit int64) (*blobstore.File, error)
}

// Pictures draws pages and figures, or takes them from the store.
type Pictures interface {
	Page(ctx context.Context, s model.Snapshot, page model.Page, width int) ([]byte, error)
	Figure(ctx context.Context, s model.Snapshot, page model.Page, u model.Unit) ([]byte, error)
	FigureAddresses(s model.Snapshot, pageNo int, units []model.Unit, folder string) map[string]string
}

// Queues asks the bus what waits.
type Queues interface {
	Queues(ctx context.Context) ([]stream.Queue, error)
}

// API holds what the answers are made of.
type API struct {
	Catalog    Catalog
	Searcher   Searcher
	Quotes     QuoteChecker
	Asker      Asker
	References References
	Prover     Prover
	Prober     Prober
	Objects    Objects
	Pages      pages.Reader // its Memory is that of all large answers
	TempDir    string       // folder of answers that are not sent yet; the system's when empty
	Disk       *room.Room   // bytes of captured documents that lie in TempDir until they are sent
	Pictures   Pictures
	Queues     Queues
	Ready      func(ctx context.Context) error // its error is NotReady, or that it was not asked in time
	Loopback   bool                            // whether it is served on loopback only: then requests for other hosts are refused
	Log        *slog.Logger
	Tracer     trace.Tracer
	Traces     propagation.TextMapPropagator
	Meter      metric.Meter // nil: nothing is measured
}

// References leads from a chunk to others.
type References interface {
	Links(ctx context.Context, c model.Chunk) (refer.Links, error)
}

// route is one path with what answers GET on it, or another method.
type route struct {
	path    string
	method  string        // GET and HEAD when it is empty
	pattern string        // of the mux, when it is another than path: what is last may hold slashes
	limit   time.Duration // of the answer; 0 is answerTime
	turns   turns         // those that it shares
	asks    bool          // whether its handler reads the parameters; else there are none
	handle  func(w http.ResponseWriter, r *http.Request) error
}

// turns are what a route shares with others: how many are worked on at once.
type turns int

const (
	anyTurn turns = iota
	searchTurns
	proofTurns
	askTurns
	noTurn // so little work that it waits for none
)

func (a *API) routes() []route {
	return []route{
		{path: "/v1/search", handle: a.search, asks: true, turns: searchTurns},
		{path: "/v1/answer-context", handle: a.answerContext, asks: true, turns: searchTurns},
		{path: "/v1/ask", method: http.MethodPost, handle: a.ask, limit: askTime, turns: askTurns},
		{path: "/v1/check-quote", method: http.MethodPost, handle: a.checkQuote, turns: searchTurns},
		{path: "/v1/chunks/{ref}", handle: a.chunk},
		{path: "/v1/chunks/{ref}/proof", handle: a.proof, limit: proofTime, turns: proofTurns},
		{path: "/v1/documents/{id}", handle: a.document},
		{path: "/v1/documents/{id}/entities", handle: a.documentEntities},
		{path: "/v1/entities", handle: a.entities, asks: true},
		{path: "/v1/snapshots/{id}", handle: a.snapshot},
		{path: "/v1/snapshots/{id}/outline", handle: a.outline, limit: proofTime, turns: proofTurns},
		{path: "/v1/snapshots/{id}/raw", handle: a.raw, limit: rawTime},
		{path: "/v1/snapshots/{id}/pages/{n}", handle: a.page, asks: true}, // also {n}.html and {n}.png
		{path: "/v1/snapshots/{id}/pages/{n}/figures/{figure}", handle: a.figure},
		{path: "/v1/snapshots/{id}/pages/{n}/tables/{table}", handle: a.table},
		{path: "/v1/changes", handle: a.changes, asks: true},
		{path: "/v1/requests/{source}/{id}", pattern: "/v1/requests/{source}/{id...}", handle: a.request},
		{path: "/v1/sources", handle: a.sources},
		{path: "/v1/status", handle: a.status},
		{path: "/healthz", handle: a.healthz, turns: noTurn},
		{path: "/readyz", handle: a.readyz, turns: noTurn},
		{path: "/openapi.json", handle: a.openapi},
	}
}

// Handler returns the API.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	rooms := map[turns]*room.Room{
		anyTurn: room.New(maxWorking, turnTime), searchTurns: room.New(maxSearching, searchTurn), proofTurns: room.New(maxProofs, turnTime),
		askTurns: room.New(maxAsking, searchTurn),
	}
	measure := newMeters(a.Meter)
	for _, r := range a.routes() {
		if r.limit == 0 {
			r.limit = answerTime
		}
		pattern := cmp.Or(r.pattern, r.path)
		method, allowed := cmp.Or(r.method, http.MethodGet), cmp.Or(r.method, "GET, HEAD")
		mux.Handle(method+" "+pattern, a.serve(r, rooms[r.turns], measure))
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", allowed)
			a.problem(w, http.StatusMethodNotAllowed, "only "+strings.ReplaceAll(allowed, ",", " and")+" are answered here")
		})
	}
	none := func(w http.ResponseWriter, _ *http.Request) { a.problem(w, http.StatusNotFound, noAddress) }
	mux.HandleFunc("/", none)
	mux.HandleFunc("/v1/requests/{source}", none) // the mux would redirect
	return a.guard(mux)
}

// guard sets the headers of every answer, and keeps other sites from reading a
// loopback address through a name of theirs.
func (a *API) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if a.Loopback && !localHost(r.Host) {
			a.problem(w, http.StatusMisdirectedRequest, "this address answers for localhost only")
			return
		}
		// As it was written: an id may hold slashes and dots, percent-encoded.
		if p := r.URL.EscapedPath(); p != "/" && path.Clean("/"+p) != strings.TrimSuffix(p, "/") {
			a.problem(w, http.StatusNotFound, noAddress) // the mux would redirect, in HTML
			return
		}
		next.ServeHTTP(w, r)
	})
}

func localHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// serve runs a route's handler under its deadline and in a span, when there is room
// to work on it, and turns its error into a problem. working is nil for a route that
// waits for no turn.
func (a *API) serve(r route, working *room.Room, measure meters) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, req *http.Request) {
		w, start := &statusWriter{ResponseWriter: plain}, time.Now()
		ctx := a.Traces.Extract(req.Context(), propagation.HeaderCarrier(req.Header))
		ctx, cancel := context.WithTimeout(ctx, r.limit)
		defer cancel()
		ctx, span := a.Tracer.Start(ctx, cmp.Or(r.method, http.MethodGet)+" "+r.path, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.route", r.path), attribute.String("http.request.method", req.Method)))
		defer span.End()
		out := &sender{ResponseWriter: w, worked: func() {}, until: time.Now().Add(r.limit + sendTime)}
		err := a.work(out, req.WithContext(ctx), r, working)
		defer func() { measure.answered(ctx, r.path, w.seen(), start, err) }()
		if err == nil || req.Context().Err() != nil { // a caller who has gone needs no answer
			return
		}
		span.RecordError(errors.New(redact.Text(err.Error(), redact.Log)))
		status, detail := statusOf(ctx, err)
		if status >= http.StatusInternalServerError && !errors.Is(err, room.ErrFull) { // which is nobody's failure, and may be many
			span.SetStatus(codes.Error, "")
			a.Log.ErrorContext(ctx, "a request failed", slog.String("route", r.path), slog.Any("error", err))
		}
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", retryAway)
			if errors.Is(err, room.ErrFull) {
				w.Header().Set("Retry-After", retryFull)
			}
		}
		a.problem(out, status, detail)
	})
}

// work runs a route's handler in its turn, which is over when the answer is sent.
func (a *API) work(out *sender, req *http.Request, r route, working *room.Room) error {
	if !r.asks && working != nil { // what probes add is nothing to them
		if _, err := query(req); err != nil {
			return err
		}
	}
	if working != nil {
		give, err := working.Take(req.Context(), 1)
		if err != nil {
			return err
		}
		defer give()
		out.worked = give
	}
	return r.handle(out, req)
}

// answer writes v as JSON.
func (a *API) answer(w http.ResponseWriter, v any) error {
	return a.compose(w, func(b io.Writer) error { return encode(w, b, v) })
}

// encode writes v into an answer as JSON.
func encode(w http.ResponseWriter, b io.Writer, v any) error {
	headJSON(w)
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	return nil
}

func headJSON(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
}

func (a *API) openapi(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document)
	return nil
}

func (a *API) healthz(w http.ResponseWriter, _ *http.Request) error {
	return a.answer(w, HealthAnswer{Status: "ok"})
}

// HealthAnswer is the answer of /healthz and /readyz.
type HealthAnswer struct {
	Status string `json:"status"` // ok
}

func (a *API) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := a.Ready(r.Context()); err != nil {
		var known NotReady
		if !errors.As(err, &known) { // nobody has asked: there was no time
			err = NotReady{Missing: []string{"the stores are still being asked"}, Err: err}
		}
		return err
	}
	return a.answer(w, HealthAnswer{Status: "ok"})
}
