// Package sink keeps other stores equal to what Colophon knows of chunks: each target is
// a room below this one, and this package follows the chunks, brings changes together
// in batches, and goes on where the target says that it is. The position is written
// with the batch, in the target, so that whatever dies where, a batch is in it whole,
// once, or comes again.
package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// Target is a store that a sink keeps. It is used by one goroutine. Errors are those of a
// store that is away, unless they are ErrOther or ErrUnfit.
type Target interface {
	io.Closer
	// Position returns how far the target has come; the zero one where it holds nothing.
	Position(ctx context.Context) (sdk.Position, error)
	// Texts returns which of these chunks the target has the text of.
	Texts(ctx context.Context, refs []string) (map[string]bool, error)
	// Apply writes changes, of each chunk at most one, and the position behind them: of each
	// chunk the highest Rev stays, of each document the highest Current. It is done again
	// when it was broken off. The first time it is given no changes, and a position that only
	// names the epoch: a target that is not written at once must know of what it holds a part.
	Apply(ctx context.Context, changes []sdk.Change, behind sdk.Position) error
	// Current yields the chunks that are current, in any order, with their text.
	Current(ctx context.Context) iter.Seq2[sdk.Change, error]
	// Forget empties the target, position and all: the catalog was restored, and all of it
	// is told again. It is done again when it was broken off.
	Forget(ctx context.Context, restored *sdk.Restored) error
}

// Flusher is a Target that shows what it holds now and then only.
type Flusher interface {
	// Flush shows all that was applied.
	Flush(ctx context.Context) error
}

// Orderly is a Target that must be given each change, in the order of its document, and not
// the newest of each chunk alone.
type Orderly interface{ WantsEach() }

var (
	// ErrOther says that another process writes to the target.
	ErrOther = errors.New("another sink writes to this target")
	// ErrUnfit says that the target holds something else than it should, or cannot be used.
	ErrUnfit = errors.New("this target cannot be used")
	// errNoDump says that a target cannot be read back.
	errNoDump = errors.New("what was sent cannot be read back")
)

const (
	// batchChanges is how many changes are written at once; their texts are held in memory.
	batchChanges = 200
	// batchWait is how long a batch waits to be full.
	batchWait = 200 * time.Millisecond
	// longestPause is between attempts on a target that is away.
	longestPause = 30 * time.Second
	firstPause   = 100 * time.Millisecond
)

// Options say what is delivered.
type Options struct {
	Source string        // only this source; empty: all
	Once   bool          // end when all that the gateway's log holds is in the target
	Every  time.Duration // least time between two writings of a Flusher
	Logger *slog.Logger

	Progress *Progress // is told how it comes on; may be nil
}

// Run keeps the target that open opens equal to the chunks until ctx ends, which is no
// error, or with Once until it is. A target or a gateway that is away later on is waited
// for; at the beginning it is an error, and so are ErrOther and ErrUnfit at any time.
func Run(ctx context.Context, client *sdk.Client, open func(context.Context) (Target, error), o Options) error {
	target, err := open(ctx)
	if err != nil {
		return err
	}
	for pause := firstPause; ; {
		began := time.Now()
		err := keepAll(ctx, client, target, o)
		_ = target.Close()
		if ctx.Err() != nil {
			return nil
		}
		if err == nil || errors.Is(err, ErrOther) || errors.Is(err, ErrUnfit) {
			return err
		}
		o.Progress.failed(err)
		if time.Since(began) > longestPause {
			pause = firstPause
		}
		o.Logger.WarnContext(ctx, "the sink goes on in a moment", slog.Any("error", err), slog.Duration("pause", pause))
		for {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil
			}
			pause = min(2*pause, longestPause)
			if target, err = open(ctx); err == nil {
				break
			}
			if errors.Is(err, ErrUnfit) || errors.Is(err, ErrOther) {
				return err
			}
			o.Progress.failed(err)
		}
	}
}

// keepAll is keep over restored catalogs: of each the target begins anew.
func keepAll(ctx context.Context, client *sdk.Client, target Target, o Options) error {
	for {
		err := keep(ctx, client, target, o)
		var restored *sdk.Restored
		if !errors.As(err, &restored) || ctx.Err() != nil {
			return err
		}
		o.Logger.WarnContext(ctx, "the sink begins anew", slog.Any("error", err))
		o.Progress.failed(err)
		if err := target.Forget(ctx, restored); err != nil {
			return fmt.Errorf("emptying the target: %w", err)
		}
	}
}

// keep follows the chunks from where the target is, until something fails.
func keep(ctx context.Context, client *sdk.Client, target Target, o Options) error {
	position, err := target.Position(ctx)
	if err != nil {
		return err
	}
	o.Logger.InfoContext(ctx, "the sink goes on from here", slog.Uint64("stream", position.Stream), slog.Int64("log", position.Log))
	o.Progress.follows()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from := sdk.From{Position: position, Source: o.Source}
	changes := client.Chunks
	if o.Once {
		changes = client.Log
	}
	told := make(chan said, batchChanges)
	go func() {
		defer close(told)
		for ch, err := range changes(ctx, from) {
			select {
			case told <- said{ch, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	// What has begun shows even that there is nothing, and what died before it has shown all.
	w := &writer{client: client, target: target, options: o, flushed: time.Now(), dirty: true, begins: position == sdk.Position{}}
	return w.write(ctx, told)
}

// said is a change, or why there are no more.
type said struct {
	change sdk.Change
	err    error
}

// writer brings what is told into a target.
type writer struct {
	client  *sdk.Client
	target  Target
	options Options
	batch   []sdk.Change
	dirty   bool // something was applied that may not be shown yet
	begins  bool // the target has no position yet
	flushed time.Time
}

// write applies what is told until told ends, in batches that are full or have waited.
func (w *writer) write(ctx context.Context, told <-chan said) error {
	tick := time.NewTicker(batchWait)
	defer tick.Stop()
	for {
		select {
		case s, ok := <-told:
			switch {
			case !ok:
				return errors.Join(w.apply(ctx), w.flush(ctx, true))
			case s.err != nil:
				return errors.Join(w.apply(ctx), sourceError{s.err})
			}
			w.options.Progress.told(s.change)
			if w.batch = append(w.batch, s.change); len(w.batch) < batchChanges {
				continue
			}
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), w.flush(context.WithoutCancel(ctx), w.dirty))
		}
		if err := w.apply(ctx); err != nil {
			return err
		}
		if err := w.flush(ctx, false); err != nil {
			return err
		}
	}
}

// apply writes the batch, each chunk with its text.
func (w *writer) apply(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	behind := w.batch[len(w.batch)-1].Position
	changes := w.batch
	if _, each := w.target.(Orderly); !each {
		changes = newest(changes)
		if err := w.complete(ctx, changes); err != nil {
			return err
		}
	}
	if epoch := changes[0].Epoch; w.begins && epoch != "" { // before anything of it: a batch may be broken off, and the catalog restored then
		if err := w.target.Apply(ctx, nil, sdk.Position{Epoch: epoch}); err != nil {
			return err
		}
	}
	w.begins = false
	if err := w.target.Apply(ctx, changes, behind); err != nil {
		return err
	}
	w.options.Progress.applied(len(changes))
	w.batch, w.dirty = w.batch[:0], true
	return nil
}

// newest returns the newest state of each chunk, in the order in which they were told
// first.
func newest(changes []sdk.Change) []sdk.Change {
	at := make(map[string]int, len(changes))
	var out []sdk.Change
	for _, ch := range changes {
		i, known := at[ch.ChunkRef]
		if !known {
			at[ch.ChunkRef] = len(out)
			out = append(out, ch.After(sdk.Change{}))
			continue
		}
		out[i] = ch.After(out[i])
	}
	return out
}

// complete asks the gateway for texts that neither the batch nor the target has: who
// begins in the middle is told of chunks that were made before.
func (w *writer) complete(ctx context.Context, changes []sdk.Change) error {
	var bare []string
	for _, ch := range changes {
		if ch.Chunk == nil && ch.Type != event.TypeChunkRemoved {
			bare = append(bare, ch.ChunkRef)
		}
	}
	if len(bare) == 0 {
		return nil
	}
	has, err := w.target.Texts(ctx, bare)
	if err != nil {
		return err
	}
	for i, ch := range changes {
		if !slices.Contains(bare, ch.ChunkRef) || has[ch.ChunkRef] {
			continue
		}
		now, err := w.client.Chunk(ctx, ch.ChunkRef)
		if err != nil {
			return sourceError{err}
		}
		now.Position, now.Epoch = ch.Position, ch.Epoch
		now.Rev = max(now.Rev, ch.Rev)
		changes[i] = now.After(ch)
		if now.Type == event.TypeChunkRemoved {
			changes[i] = now
		}
	}
	return nil
}

// flush shows what was applied, when it is time.
func (w *writer) flush(ctx context.Context, now bool) error {
	f, ok := w.target.(Flusher)
	if !ok || !w.dirty && !now || !now && time.Since(w.flushed) < w.options.Every {
		return nil
	}
	if err := f.Flush(ctx); err != nil {
		return err
	}
	w.dirty, w.flushed = false, time.Now()
	return nil
}

// Dump writes the chunks that are current in a target as the chunk lines of
// `colophon dump --current`, which they are equal to byte for byte when the target has
// come to the end of the log (contracts#dump). It holds the lines in memory.
func Dump(ctx context.Context, target Target, w io.Writer) error {
	var lines [][]byte
	for ch, err := range target.Current(ctx) {
		if err != nil {
			return err
		}
		line, err := ch.Line()
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	slices.SortFunc(lines, bytes.Compare)
	for _, line := range lines {
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// NotKept is the Current of a target that cannot be read back.
func NotKept(what string) iter.Seq2[sdk.Change, error] {
	return func(yield func(sdk.Change, error) bool) {
		yield(sdk.Change{}, fmt.Errorf("%s: %w", what, errNoDump))
	}
}
