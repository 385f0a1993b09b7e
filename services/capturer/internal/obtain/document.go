// Package obtain gets the bytes of documents: it fetches them, takes over what a crawler has
// handed over, undoes content codings, and stores what came.
package obtain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// Objects is where bytes come from and go to. An object that is not there is
// ErrNoObject, one above the limit spool.ErrTooLarge, a key outside of the
// source's own prefix of the inbox ErrForeignKey. Putting is idempotent.
type Objects interface {
	PutRaw(ctx context.Context, sourceID string, c *spool.Content) error
	Raw(ctx context.Context, sourceID, contentHash string, limit int64) (*spool.Content, error)
	Inbox(ctx context.Context, sourceID, key string, limit int64) (*spool.Content, error)
}

// Fetcher fetches a URL; its errors are those of fetch.Client.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Turns say when a host may be asked. A wait that is positive says that it is
// not the owner's turn, and when to ask for it again; a turn that was given is
// given back, with how long the host's server asked not to be asked.
type Turns interface {
	TakeTurn(ctx context.Context, host, owner string, polite model.Politeness) (wait time.Duration, err error)
	ReleaseTurn(ctx context.Context, host, owner string, closed time.Duration) error
}

// Clock tells the time, one for all capturers: what each of them fetches of one document
// is ordered by it.
type Clock interface {
	Now(ctx context.Context) (time.Time, error)
}

// Robots says what a host's robots.txt forbids: a *fetch.Refused for good, any
// other error but the context's for now.
type Robots interface {
	Allowed(ctx context.Context, target *url.URL) error
}

// The errors of Objects that are the request's fault.
var (
	ErrNoObject   = errors.New("there is no such object")
	ErrForeignKey = errors.New("the key is not below the source's own prefix of the inbox")
)

// Obtainer gets the bytes of documents.
type Obtainer struct {
	Objects     Objects
	Fetcher     Fetcher
	Robots      Robots
	Turns       Turns
	Clock       Clock
	Spool       spool.Spooler
	ToolVersion string        // recorded as fetch_tool_version of own fetches
	Wait        time.Duration // between two questions whether it is a URL's turn
	MaxRetry    time.Duration // the longest Retry-After that is waited for
	MaxFetch    time.Duration // the longest that a fetch takes
}

// The quality flags of how bytes are kept.
const (
	FlagCoding    = "content_encoding_kept" // in a content coding that is unknown
	FlagTruncated = "truncated_in_archive"  // a document's archive ends it early, and says so
)

// Content is the bytes of a document.
type Content struct {
	Body  *spool.Content // after content decoding
	Wire  *spool.Content // before it; nil when there was none to undo
	Flags []string       // quality flags
}

// Close removes temporary files.
func (c Content) Close() {
	_ = c.Body.Close()
	_ = c.Wire.Close()
}

// Document is a document's bytes and what its server or crawler said of them,
// redacted.
type Document struct {
	Content
	URL         string // "" when the document has none
	RawURL      string // URL as it came, from which its identity under older rules is made
	Canonical   string
	Chain       []string // of redirects
	Status      int      // of HTTP; 0 for none
	Header      http.Header
	Asked       http.Header // what our own fetch asked with; nil for what was handed over
	Tool        string
	FetchedAt   time.Time // when the answer of our own fetch came, by Clock; zero for what was handed over
	NotModified bool      // the server has said so, and there is no Content
}

// NewDocument returns a document of which all is known that a request says.
func NewDocument(req *request.Request, content Content) *Document {
	return &Document{
		Content: content, URL: req.URL, RawURL: req.FetchURL, Canonical: req.Canonical, Chain: req.RedirectChain, Status: req.HTTPStatus,
		Header: req.Headers, Tool: req.FetchToolVersion,
	}
}

// MaxArchive is how many times as large as a document of its source a web archive may be
// that is handed over as one: its records are what is limited.
const MaxArchive = 16

// HandedOver reads what the crawler has put somewhere, or sent along.
func (o *Obtainer) HandedOver(ctx context.Context, req *request.Request, source model.Source) (*Document, error) {
	body, err := o.bytesOf(ctx, req, source)
	if err != nil {
		return nil, err
	}
	content, err := o.Decode(body, req.Headers, false, source.MaxBytes)
	switch {
	case scratch.Failed(err):
		return nil, err
	case errors.Is(err, spool.ErrTooLarge):
		return nil, TooLarge(source.MaxBytes)
	case errors.Is(err, fetch.ErrBomb):
		return nil, fault.Permanent(fault.LimitExceeded, err)
	case errors.Is(err, fetch.ErrEncoding):
		return nil, fault.Permanent(fault.Malformed, err)
	case err != nil:
		return nil, err
	}
	return NewDocument(req, content), nil
}

// bytesOf reads the bytes of a request that we do not fetch.
func (o *Obtainer) bytesOf(ctx context.Context, req *request.Request, source model.Source) (*spool.Content, error) {
	if req.Bytes != nil {
		if limit := min(event.MaxInline, source.MaxBytes); int64(len(req.Bytes)) > limit {
			return nil, TooLarge(limit)
		}
		return spool.Bytes(req.Bytes), nil
	}
	var body *spool.Content
	var err error
	object, limit := req.Object, source.MaxBytes
	if req.WARC != nil {
		object, limit = req.WARC, MaxArchive*source.MaxBytes
	}
	if object.Bucket == request.BucketRaw {
		body, err = o.Objects.Raw(ctx, req.SourceID, "sha256:"+object.Key, limit)
	} else {
		body, err = o.Objects.Inbox(ctx, req.SourceID, object.Key, limit)
	}
	switch {
	case errors.Is(err, ErrForeignKey):
		return nil, fault.Permanent(fault.FetchRefused, fmt.Errorf("object %s: %w", object.Key, ErrForeignKey))
	case errors.Is(err, ErrNoObject):
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("object %s: %w", object.Key, ErrNoObject))
	case errors.Is(err, spool.ErrTooLarge):
		return nil, TooLarge(limit)
	}
	return body, err
}

// TooLarge returns the error of a document of more than limit bytes.
func TooLarge(limit int64) error {
	return fault.Permanent(fault.TooLarge, fmt.Errorf("the document has more than the limit of %d bytes", limit))
}

// Decode undoes the content coding that a header names, of at most limit bytes; of a body
// that its archive has truncated it may stand. The content owns the body; on an error
// nothing is left of it.
func (o *Obtainer) Decode(body *spool.Content, header http.Header, truncated bool, limit int64) (Content, error) {
	var c Content
	if truncated {
		c.Flags = append(c.Flags, FlagTruncated)
	}
	decoded, kept, err := fetch.Decode(o.Spool, body, strings.Join(header.Values("Content-Encoding"), ","), limit)
	switch {
	case errors.Is(err, fetch.ErrEncoding) && truncated: // its end is missing
		c.Body, kept = body, true
	case err != nil:
		_ = body.Close()
		return Content{}, err
	case decoded != nil:
		c.Body, c.Wire = decoded, body
	default:
		c.Body = body
	}
	if kept {
		c.Flags = append(c.Flags, FlagCoding)
	}
	return c, nil
}

// Stored reads captured bytes again.
func (o *Obtainer) Stored(ctx context.Context, snap model.Snapshot) (*spool.Content, error) {
	return o.Objects.Raw(ctx, snap.SourceID, snap.ContentHash, math.MaxInt64)
}

// Put stores the bytes of a document, but for those of storedHash, which are there already, and
// calls afterEach after each of its objects.
func (o *Obtainer) Put(ctx context.Context, c Content, sourceID, storedHash string, afterEach func()) error {
	for _, content := range []*spool.Content{c.Body, c.Wire} {
		if content == nil || content.Hash == storedHash {
			continue
		}
		if err := o.Objects.PutRaw(ctx, sourceID, content); err != nil {
			return err
		}
		afterEach()
	}
	return nil
}
