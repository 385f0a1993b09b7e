package sdk

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// Position is how far a consumer has come: keep that of the last change that was
// dealt with, and go on from there. The zero one is the beginning: of the
// gateway's log, or without a gateway of what the stream holds (30 days).
type Position struct {
	Stream uint64    `json:"stream"`      // number of the event in the chunk stream
	Log    int64     `json:"log"`         // number of the entry in the gateway's log, which is read when the stream does not reach back
	At     time.Time `json:"at,omitzero"` // when the event was stored: by that a stream is known that was lost and made again
}

// From says where a subscription begins.
type From struct {
	Position           // behind this one
	Since    time.Time // or: at this time, within what the stream holds
	New      bool      // or: now
	Source   string    // only this source; empty: all
}

// Change is one change of a chunk.
type Change struct {
	Type       string // event.TypeChunkCreated and so on: colophon.chunk.created.v1, …superseded.v1, …removed.v1
	ChunkRef   string
	Rev        int64
	Cause      string
	SourceID   string
	SnapshotID string
	Chunk      *Chunk // of created only
	Layer      string // of created and superseded: where the chunk is now, hot, summary or archive
	ReplacedBy string // of superseded: the chunk or the snapshot that stands in its place, if there is one
	Position   Position
}

// Chunks follows the changes of chunks. It yields a change only when its rev is
// above all that it has yielded of that chunk (contracts 2), so a consumer that
// writes each one down ends with the newest state, whatever the order of events.
// After a restart from a Position, changes of the same rev may come again. It
// goes on by itself while the bus is away, and ends with ctx, whose end is no
// error, or with an error after which it can be called again from the last
// Position. When the bus has lost its stream, or got an older copy of it back, the
// gateway's log is read from From.Log on; without a gateway that is ErrBehind. It holds
// 30 bytes of memory for each chunk that it has seen.
func (c *Client) Chunks(ctx context.Context, from From) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		f := &follower{client: c, from: from, seen: make(map[[16]byte]int64), log: from.Log}
		err := f.run(ctx, func(ch Change) bool { return yield(ch, nil) })
		if ctx.Err() == nil && !errors.Is(err, errEnough) {
			yield(Change{}, err)
		}
	}
}

// errEnough says that the consumer has broken off.
var errEnough = errors.New("the consumer has ended")

type follower struct {
	client *Client
	from   From
	seen   map[[16]byte]int64 // the highest rev, by chunk
	log    int64              // the newest entry of the gateway's log that was read
}

// run yields changes until it fails, and says why: its error is never nil.
func (f *follower) run(ctx context.Context, yield func(Change) bool) error {
	o := stream.FollowOptions{
		Nouns: []string{"chunk"}, SourceID: f.from.Source, After: f.from.Stream, AfterAt: f.from.At, Since: f.from.Since, New: f.from.New, Whole: true,
	}
	whole := o.After == 0 && o.Since.IsZero() && !o.New
	var sub *stream.Subscription
	err := stream.ErrBehind
	if !whole || f.client.cfg.Gateway == "" {
		sub, err = f.client.conn.Subscribe(ctx, o)
	}
	for {
		switch {
		case errors.Is(err, stream.ErrBehind) && f.client.cfg.Gateway != "":
			// First the stream, then the log: what comes in between is in both.
			o.After, o.Since, o.New = 0, time.Time{}, true
			if sub, err = f.client.conn.Subscribe(ctx, o); err != nil {
				return err
			}
			err = f.readLog(ctx, yield)
		case err != nil:
			return err
		}
		if err == nil {
			err = f.follow(ctx, sub, yield)
		}
		sub.Close()
	}
}

// follow yields what a subscription brings.
func (f *follower) follow(ctx context.Context, sub *stream.Subscription, yield func(Change) bool) error {
	for {
		r, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		ch, err := changeOf(r.Event.Type, r.Event.Payload)
		if err != nil {
			return fmt.Errorf("event %s: %w", r.Event.ID, err)
		}
		ch.Position = Position{Stream: r.Seq, Log: f.log, At: r.At}
		if f.news(ch) && !yield(ch) {
			return errEnough
		}
	}
}

// news reports whether a change is above all that were yielded of its chunk.
func (f *follower) news(ch Change) bool {
	if f.from.Source != "" && ch.SourceID != f.from.Source {
		return false
	}
	sum := sha256.Sum256([]byte(ch.ChunkRef))
	key := [16]byte(sum[:16])
	if ch.Rev <= f.seen[key] {
		return false
	}
	f.seen[key] = ch.Rev
	return true
}

// readLog yields the entries of the gateway's log until there are no more.
func (f *follower) readLog(ctx context.Context, yield func(Change) bool) error {
	for {
		var page struct {
			Changes []struct {
				Seq  int64           `json:"seq"`
				Type string          `json:"type"`
				Data json.RawMessage `json:"data"`
			} `json:"changes"`
			Next int64 `json:"next"`
		}
		if err := f.client.get(ctx, fmt.Sprintf("/v1/changes?after=%d", f.log), &page); err != nil {
			return err
		}
		if len(page.Changes) == 0 {
			return nil
		}
		for _, entry := range page.Changes {
			ch, err := changeOf(entry.Type, entry.Data)
			if err != nil {
				return fmt.Errorf("entry %d of the log: %w", entry.Seq, err)
			}
			f.log = entry.Seq
			ch.Position = Position{Stream: f.from.Stream, Log: entry.Seq, At: f.from.At}
			if f.news(ch) && !yield(ch) {
				return errEnough
			}
		}
		f.log = page.Next
	}
}

// get asks the gateway.
func (c *Client) get(ctx context.Context, path string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.cfg.Gateway, "/")+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking the gateway: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return fmt.Errorf("asking the gateway: %w", err)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("asking the gateway: %s: %.200s", resp.Status, body)
	}
	return json.Unmarshal(body, out)
}

// changeOf decodes the data of a chunk event.
func changeOf(kind string, data []byte) (Change, error) {
	switch kind {
	case event.TypeChunkCreated:
		var d event.ChunkCreated
		if err := json.Unmarshal(data, &d); err != nil {
			return Change{}, err
		}
		return Change{
			Type: kind, ChunkRef: d.Chunk.ChunkRef, Rev: d.Rev, Cause: d.Cause, SourceID: d.Chunk.SourceID,
			SnapshotID: d.Chunk.SnapshotID, Layer: string(d.Chunk.Layer), Chunk: &d.Chunk,
		}, nil
	case event.TypeChunkSuperseded, event.TypeChunkRemoved:
		var d event.ChunkChange
		if err := json.Unmarshal(data, &d); err != nil {
			return Change{}, err
		}
		return Change{
			Type: kind, ChunkRef: d.ChunkRef, Rev: d.Rev, Cause: d.Cause, SourceID: d.SourceID, SnapshotID: d.SnapshotID,
			Layer: string(d.Layer), ReplacedBy: d.ReplacedBy,
		}, nil
	default:
		return Change{}, fmt.Errorf("%q is no change of a chunk", kind)
	}
}

// Outcomes follows what becomes of all requests of a source, members of
// containers included, from a time on that the stream reaches back to (7 days),
// or from now on when it is zero. An outcome may come more than once. It ends
// with ctx, whose end is no error.
func (c *Client) Outcomes(ctx context.Context, source string, since time.Time) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		err := c.conn.Follow(ctx, stream.FollowOptions{
			Types: []string{event.TypeCaptureCompleted}, SourceID: source, Since: since, New: since.IsZero(),
		}, func(r stream.Received) error {
			o, err := event.As[Outcome](r.Event)
			if err != nil {
				return err
			}
			if !yield(o, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Outcome{}, err)
		}
	}
}
