// Package sdk is what a crawler or a consumer of chunks imports, and nothing
// else: it hands captures over and tells what became of each, and it follows
// chunks. It needs a connection to NATS; a crawler of documents above 512 KiB
// also needs an [Inbox], of which package sdk/inbox has one for S3.
//
// A request that Capture took is safe: it is in the bus, and until its outcome
// is heard it is sent again, whatever is lost on the way. The request_id makes
// that harmless: one id is one capture. With Config.Gateway it is first asked what
// became of it.
package sdk

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// The records that are exchanged, as docs/schema describes them.
type (
	// Request asks for one capture: exactly one of URL alone, Inline, Object and
	// WARC says where the bytes are; the rest are facts about them.
	Request = event.CaptureRequested
	// Outcome is what became of a request, or of a member of a container.
	Outcome = event.CaptureCompleted
	// SourceChanged says that the registry says something else of a source.
	SourceChanged = event.SourceChanged
	// Inline is a document inside its request, at most MaxInline bytes.
	Inline = event.Inline
	// Object is a document in the inbox.
	Object = event.Object
	// Chunk is a piece of a document with its provenance.
	Chunk = model.Chunk
	// Current says which chunks of a document are those of its current version.
	Current = model.DocumentCurrent
)

// The outcomes (contracts#outcomes).
const (
	Stored    = event.OutcomeStored
	Unchanged = event.OutcomeUnchanged
	Duplicate = event.OutcomeDuplicate
	Rejected  = event.OutcomeRejected
	Failed    = event.OutcomeFailed
)

// MaxInline is the largest document that travels inside its request, in bytes
// (contracts#request).
const MaxInline = event.MaxInline

var (
	// ErrFull says that the queue of requests is full and that the patience of
	// Config is over: the request was not accepted, and can be sent again later.
	// Requests that were accepted are not concerned.
	ErrFull = stream.ErrFull
	// ErrBehind says that the chunk stream does not reach back to a Position, and
	// no gateway is configured whose log does.
	ErrBehind = stream.ErrBehind
	// ErrClosed says that the client was closed.
	ErrClosed = errors.New("the client is closed")
	// ErrConflict says that a request with the same id and other content waits
	// for its outcome.
	ErrConflict = errors.New("the request_id is in use for another request")
	// ErrNoOutcome says that there was no sign of a request for Config.GiveUpAfter. It
	// may still be captured: it can be sent again with the same request_id, and its
	// outcome asked for with GET /v1/requests/{source}/{id} of the gateway.
	ErrNoOutcome = errors.New("no outcome was heard")
	// ErrRequest says that a request cannot be right, whatever it is sent to: a name
	// that is no source_id, a request_id that is too long (event.MaxRequestID), an
	// address that is none.
	ErrRequest = errors.New("it cannot be captured")
	// ErrNoGateway says that only the gateway knows what was asked for, and that
	// Config.Gateway is empty.
	ErrNoGateway = errors.New("only the gateway knows this, and none is configured")
	// ErrNoInbox says that a file is above MaxInline, or a WARC, and the client
	// has no Inbox.
	ErrNoInbox = errors.New("a document of this size is handed over through the inbox, and none is configured")
)

// Config says where the bus is. A zero value means the default.
type Config struct {
	URL          string // nats:// or tls://, several separated by commas
	CredsFile    string // path of a NATS credentials file; empty: none
	NkeyFile     string // path of a file with the seed of a user's nkey; empty: none
	CAFile       string // authorities of the servers' certificates, PEM; empty: those of the system
	CertFile     string // the program's own certificate, PEM; empty: none
	KeyFile      string // its key, PEM
	Name         string // of the program, in ce-source; default "crawler"
	Identity     string // as the bus knows this program, crawler-SOURCE or consumer-NAME (docs/access.md); default crawler-{Source}, or crawler
	Prefix       string // first part of every subject, default "colophon"
	StreamPrefix string // before every stream's name, default none

	Source  string // source_id of requests that name none
	Inbox   Inbox  // for documents above MaxInline and for WARC; may be nil
	Gateway string // http://host:port; it is asked for outcomes that were missed, and for what the chunk stream does not reach back to; empty: none

	GatewayClient *http.Client // that asks it; nil: http.DefaultClient

	MaxPending  int           // requests without outcome, above which Capture waits; default 256
	Patience    time.Duration // how long Capture tries again while the queue is full, default 1 min
	ResendAfter time.Duration // until a request without outcome is sent again, each time twice as long, up to 16 times; default 15 s
	GiveUpAfter time.Duration // how long Wait waits for an outcome without a sign that the request is worked on, default 1 h; negative: without end
	PublishWait time.Duration // for one acknowledgement of the bus, default 2 s
	PublishFor  time.Duration // how long a bus that is away is waited for, default 10 s

	Logger *slog.Logger // of the connection's own errors; nil: quiet
}

// Client is a connection. It is safe for concurrent use, and goes on by itself
// after the bus was away.
type Client struct {
	cfg   Config
	conn  *stream.Conn
	slots chan struct{} // one for each request without outcome

	ctx     context.Context // until Close
	cancel  context.CancelFunc
	working sync.WaitGroup

	lookAfter time.Duration // lookAfter, but in tests

	listening sync.Mutex // held while a source begins to be heard

	mu      sync.Mutex
	pending map[requestKey]*Pending
	heard   map[string]bool // sources whose outcomes are followed
	renamed []*Pending      // to be offered
	wake    chan struct{}   // there is one of renamed
}

type requestKey struct{ source, request string }

// Connect makes a client. A bus that is away is no error: what needs it waits.
// The errors are settings that cannot work.
func Connect(ctx context.Context, cfg Config) (*Client, error) {
	cfg.Name = cmp.Or(cfg.Name, "crawler")
	if cfg.Identity == "" {
		cfg.Identity = strings.TrimSuffix("crawler-"+cfg.Source, "-")
	}
	cfg.GatewayClient = cmp.Or(cfg.GatewayClient, http.DefaultClient)
	cfg.MaxPending = cmp.Or(cfg.MaxPending, 256)
	cfg.Patience = cmp.Or(cfg.Patience, time.Minute)
	cfg.ResendAfter = cmp.Or(cfg.ResendAfter, 15*time.Second)
	cfg.GiveUpAfter = cmp.Or(cfg.GiveUpAfter, time.Hour)
	conn, err := stream.Connect(ctx, stream.Config{
		URL: cfg.URL, Name: cfg.Name, Role: cfg.Identity, CredsFile: cfg.CredsFile, NkeyFile: cfg.NkeyFile,
		CAFile: cfg.CAFile, CertFile: cfg.CertFile, KeyFile: cfg.KeyFile, Prefix: cfg.Prefix, StreamPrefix: cfg.StreamPrefix,
		PublishWait: cfg.PublishWait, PublishFor: cfg.PublishFor, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	c := &Client{
		cfg: cfg, conn: conn, slots: make(chan struct{}, cfg.MaxPending),
		pending: make(map[requestKey]*Pending), heard: make(map[string]bool), wake: make(chan struct{}, 1), lookAfter: lookAfter,
	}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.working.Go(c.resend)
	return c, nil
}

// Close ends the client: whoever waits for an outcome gets ErrClosed. Requests
// that were accepted are handled all the same; a later client hears of them by
// sending them again with the same request_id.
func (c *Client) Close() {
	c.mu.Lock()
	c.cancel() // from now on nothing begins
	c.mu.Unlock()
	c.working.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, p := range c.pending {
		p.err = ErrClosed
		c.settle(key, p)
	}
	c.conn.Close()
}
