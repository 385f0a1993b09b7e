// Package reconcile heals what stands still (contracts#reconcile): it asks
// the catalog what has made no progress and does not wait in its stream any
// more, and publishes the one event that would move it. After three times it
// gives the thing up, with a dead letter. So losing every stream, or the vector
// collection, loses nothing that was accepted. Where the streams themselves are
// missing it says so, since nothing can be moved through them.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

const (
	// DefaultAge is how long a thing must have made no progress.
	DefaultAge = 10 * time.Minute
	// DefaultObjectAge is how old an object without a row must be.
	DefaultObjectAge = 24 * time.Hour

	service  = "reconcile" // in ce-source and in the audit
	lockName = "reconcile"

	pageSize = 500
	// deletedTogether is how many objects are deleted while who finds one of them
	// waits.
	deletedTogether = 20
	chunkWindow     = 20_000          // chunks that one question looks at, so that none takes long
	lockWait        = 5 * time.Second // for a document that another holds
	queueSlop       = time.Minute     // between a row and its event
)

// Bus is the bus, as far as it is asked and told here.
type Bus interface {
	Verify(ctx context.Context) error
	Queues(ctx context.Context) ([]stream.Queue, error)
	ChunkStream
	Publisher(service string) *stream.Publisher
	Bury(ctx context.Context, consumer string, e event.Event, reason fault.Reason, sentence string) error
}

// ChunkStream is what was told of chunks.
type ChunkStream interface {
	SampleChunks(ctx context.Context) ([]event.Event, error)
	ChunkSources(ctx context.Context) ([]string, error)
	NewestChunks(ctx context.Context, source string) ([]event.Event, error)
}

// ObjectStore is the object store, as far as orphans are looked for in it.
type ObjectStore interface {
	List(ctx context.Context, b blobstore.Bucket, prefix string) iter.Seq2[blobstore.Object, error]
	Delete(ctx context.Context, b blobstore.Bucket, key string) error
}

// Vectors connects to the vector store, or says why that cannot be had now: a pass
// goes on without it.
type Vectors func(ctx context.Context) (*vectorstore.Client, error)

// Options of one pass.
type Options struct {
	Age         time.Duration // without progress; 0 looks at everything that does not move now
	ObjectAge   time.Duration // of objects without a row; 0 is DefaultObjectAge
	SkipObjects bool          // leave the objects alone, and what repeats chunks of other facets: to look at all takes long
	DryRun      bool          // only say what would be done
	Fill        string        // a collection that is building, whose chunks are asked for as well, and never given up for it
}

// Reconciler makes passes. It is safe for concurrent use, in any number of
// processes: one pass runs at a time.
type Reconciler struct {
	catalog Catalog
	bus     Bus
	objects ObjectStore
	vectors Vectors
	alias   string
	meters  *meters
	tracer  trace.Tracer // nil: no spans
}

// New returns a reconciler; alias is that of the collection that is searched.
func New(c Catalog, b Bus, o ObjectStore, v Vectors, alias string) *Reconciler {
	return &Reconciler{catalog: c, bus: b, objects: o, vectors: v, alias: alias, meters: newMeters(nil)}
}

// Run makes one pass and says what was found and done. The report of a pass
// that ended with an error holds what was done until then; the next pass goes
// on. When another pass runs, in any process, nothing is done and the report is
// Busy. When streams or consumers are missing nothing is done either, and the report
// names them.
func (r *Reconciler) Run(ctx context.Context, o Options) (Report, error) {
	p := &pass{Reconciler: r, options: o, publisher: r.bus.Publisher(service)}
	p.report.DryRun, p.report.Counts = o.DryRun, []*Count{}
	if r.tracer != nil {
		var span trace.Span
		ctx, span = r.tracer.Start(ctx, "reconcile")
		defer span.End()
	}
	start := time.Now()
	held, err := r.catalog.Exclusive(ctx, lockName, p.run)
	p.report.Busy = err == nil && !held
	if !o.DryRun {
		r.meters.passed(ctx, start, p.report, err)
	}
	if err != nil {
		return p.report, fmt.Errorf("reconcile: %w", err)
	}
	return p.report, nil
}

// pass is one pass under way.
type pass struct {
	*Reconciler
	options   Options
	publisher *stream.Publisher
	before    time.Time            // what made no progress since
	oldest    map[string]time.Time // of what waits, by consumer; before anything when it is not known
	redrive   int64                // number of this pass in message ids, 0 until one is needed
	report    Report
}

func (p *pass) run(ctx context.Context, now time.Time) error {
	p.before = now.Add(-p.options.Age)
	if err := p.bus.Verify(ctx); fault.KindOf(err) == fault.KindUnavailable || ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	} else if err != nil {
		p.report.Missing = append(strings.Split(err.Error(), "\n"), "nothing can be moved before: `colophon provision` makes streams and consumers")
		return nil
	}
	queues, err := p.bus.Queues(ctx)
	if err != nil {
		return err
	}
	p.oldest = make(map[string]time.Time, len(queues))
	for _, q := range queues {
		if q.Pending == 0 && q.AckPending == 0 {
			continue
		}
		p.oldest[q.Consumer] = time.Time{}
		if q.Oldest != nil {
			p.oldest[q.Consumer] = now.Add(-q.Age - queueSlop) // by the catalog's clock, like all that it is compared with
		}
	}
	for _, step := range []func(context.Context) error{
		p.epoch, p.lostSources, p.sources, p.captures, p.order, p.snapshots, p.ranges, p.runs, p.entities, p.enrichments, p.heldRuns, p.documents, p.collections, p.points, p.chunks, p.orphans,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// since returns what a thing must have made no progress since, so that neither
// its age nor the queues of these consumers say that it may still be on its
// way: what is older than all that waits, waits itself no more.
func (p *pass) since(consumers ...string) time.Time {
	before := p.before
	for _, name := range consumers {
		if at, waits := p.oldest[name]; waits && at.Before(before) {
			before = at
		}
	}
	return before
}

// stuck is a thing that stands still, and how to move it or give it up.
type stuck struct {
	redrives int
	consumer string
	event    event.Data
	payload  []byte // in place of the event's own encoding, when set
	moved    func(ctx context.Context) error
	giveUp   func(ctx context.Context, sentence string) error
}

// handle moves or gives up one thing. left says that it is as it was.
func (p *pass) handle(ctx context.Context, c *Count, s stuck) (left bool, err error) {
	c.Found++
	giveUp := s.redrives >= catalog.MaxRedrives
	if giveUp {
		c.GivenUp++
	} else {
		c.Redriven++
	}
	if p.options.DryRun {
		return true, nil
	}
	if !giveUp {
		if err := p.publish(ctx, c.What, s); err != nil {
			return false, err
		}
		faultpoint.Reach("reconcile.published")
		return false, s.moved(ctx)
	}
	sentence := fmt.Sprintf("no progress after it was published again %d times", catalog.MaxRedrives)
	e, err := p.eventOf(s)
	if err != nil {
		return false, err
	}
	if err := p.bus.Bury(ctx, s.consumer, e, fault.Internal, sentence); err != nil {
		return false, err
	}
	err = s.giveUp(ctx, sentence)
	if fault.KindOf(err) == fault.KindDeferred { // another works on it now
		c.GivenUp--
		return true, nil
	}
	return false, err
}

func (p *pass) eventOf(s stuck) (event.Event, error) {
	e, err := event.New(service, s.event, time.Now())
	if err != nil {
		return e, err
	}
	if s.payload != nil {
		e.Payload = s.payload
	}
	return e, nil
}

func (p *pass) publish(ctx context.Context, what string, s stuck) error {
	e, err := p.eventOf(s)
	if err != nil {
		return err
	}
	if p.redrive == 0 {
		if p.redrive, err = p.catalog.NextRedrive(ctx, service, what); err != nil {
			return err
		}
	}
	return p.publisher.Publish(ctx, e.Redrive(p.redrive))
}

// each goes through a list whose entries leave it when they are handled.
func each[T any](ctx context.Context, p *pass, c *Count, list func(catalog.Page) ([]T, error), one func(T) (stuck, error)) error {
	offset := 0
	for {
		page, err := list(catalog.Page{Limit: pageSize, Offset: offset})
		if err != nil {
			return err
		}
		for _, item := range page {
			s, err := one(item)
			if err != nil {
				return err
			}
			left, err := p.handle(ctx, c, s)
			if err != nil {
				return fmt.Errorf("%s: %w", c.What, err)
			}
			if left {
				offset++
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}
