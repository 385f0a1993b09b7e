// Package watch asks, every so often, how much waits in the whole system and how full
// its servers are, and exports the answers as gauges. The gateway does so since it always
// runs: a stage that has been scaled to nothing cannot say how old its queue is.
//
// What could not be asked has no value: a gauge that shows what was true before an outage
// would look well in the middle of it.
package watch

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/stream"
)

const (
	// askTime bounds one question to a store.
	askTime = 10 * time.Second
	// countTime bounds the counting of chunks whose vectors lag.
	countTime = 20 * time.Second
	// countEvery is how long it is, at least, from one counting to the next, and
	// countShare how many times as long as the last one took: counting takes at most one
	// part in so many of the catalog's time.
	countEvery = time.Minute
	countShare = 50
	// staleAfter is how many rounds an answer is told for that was not renewed.
	staleAfter = 3
)

// Bus is what is asked of NATS.
type Bus interface {
	Queues(ctx context.Context) ([]stream.Queue, error)
	Sizes(ctx context.Context) ([]stream.Size, error)
	Storage(ctx context.Context) (used uint64, limit int64, err error)
	CountDead(ctx context.Context) (map[string]uint64, error)
}

// Catalog is what is asked of PostgreSQL.
type Catalog interface {
	Size(ctx context.Context) (int64, error)
	OldestAge(ctx context.Context) (time.Duration, error)
	WaitingOCR(ctx context.Context) (int64, error)
	VectorBacklog(ctx context.Context, alias string) (int64, error)
}

// Watch asks and tells. Its fields are set before Run.
type Watch struct {
	Bus     Bus
	Catalog Catalog
	Alias   string                                     // of the collections whose chunks are counted
	Stores  map[string]func(ctx context.Context) error // whether each answers, by the names of the table of instruments
	Every   time.Duration                              // between two rounds
	Log     *slog.Logger

	mu      sync.Mutex
	told    map[instrument.Name]answer
	failing map[string]bool // questions whose failure was logged
	counted time.Time       // when chunks are counted again
}

// answer is what a gauge says, and since when.
type answer struct {
	at       time.Time
	readings []instrument.Reading
	keep     time.Duration
}

// Tell exports the gauges, which have no values before Run.
func (w *Watch) Tell(m metric.Meter) error {
	var problems []error
	for _, name := range []instrument.Name{
		instrument.ConsumerPending, instrument.ConsumerAckPending, instrument.ConsumerRedelivered, instrument.ConsumerOldest,
		instrument.StreamSize, instrument.StreamLimit, instrument.StreamMessages, instrument.BusStorage, instrument.BusStorageLimit,
		instrument.DeadWaiting, instrument.OCRWaiting, instrument.VectorBacklog, instrument.ProgressAge, instrument.CatalogSize, instrument.StoreUp,
	} {
		problems = append(problems, instrument.Read(m, name, func() []instrument.Reading { return w.current(name) }))
	}
	return errors.Join(problems...)
}

// Run asks until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	ticker := time.NewTicker(w.Every)
	defer ticker.Stop()
	for {
		w.Ask(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Ask makes one round. The stores are asked side by side, so that one that says nothing
// holds up no other.
func (w *Watch) Ask(ctx context.Context) {
	var all sync.WaitGroup
	for _, question := range []struct {
		name  string
		limit time.Duration
		ask   func(ctx context.Context) error
	}{
		{"queues", askTime, w.queues}, {"streams", askTime, w.streams}, {"dead letters", askTime, w.dead},
		{"the catalog's size", askTime, w.catalog}, {"progress", askTime, w.progress}, {"vectors", countTime, w.vectors}, {"stores", askTime, w.stores},
	} {
		all.Go(func() {
			limited, cancel := context.WithTimeout(ctx, question.limit)
			defer cancel()
			w.note(ctx, question.name, question.ask(limited))
		})
	}
	all.Wait()
}

// note logs the first failure of a question, and its end.
func (w *Watch) note(ctx context.Context, name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failing == nil {
		w.failing = make(map[string]bool)
	}
	was := w.failing[name]
	w.failing[name] = err != nil
	switch {
	case ctx.Err() != nil:
	case err != nil && !was:
		w.Log.WarnContext(ctx, "what waits cannot be asked", slog.String("what", name), slog.Any("error", err))
	case err == nil && was:
		w.Log.InfoContext(ctx, "what waits can be asked again", slog.String("what", name))
	}
}

// tell keeps readings until a later round does, or for as long as they are not too old.
func (w *Watch) tell(keep time.Duration, readings map[instrument.Name][]instrument.Reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.told = make(map[instrument.Name]answer)
	}
	at := time.Now()
	for name, r := range readings {
		w.told[name] = answer{at: at, readings: r, keep: keep}
	}
}

func (w *Watch) current(name instrument.Name) []instrument.Reading {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.told[name]
	if time.Since(a.at) > a.keep {
		return nil
	}
	return a.readings
}

// usual is how long an answer of a round is told.
func (w *Watch) usual() time.Duration { return staleAfter*w.Every + askTime }

func labelled(label, value string, v float64) instrument.Reading {
	return instrument.Reading{Value: v, Labels: []attribute.KeyValue{attribute.String(label, value)}}
}

func (w *Watch) queues(ctx context.Context) error {
	queues, err := w.Bus.Queues(ctx)
	if err != nil {
		return err
	}
	all := make(map[instrument.Name][]instrument.Reading)
	for _, q := range queues {
		for name, v := range map[instrument.Name]float64{
			instrument.ConsumerPending: float64(q.Pending), instrument.ConsumerAckPending: float64(q.AckPending),
			instrument.ConsumerRedelivered: float64(q.Redelivery), instrument.ConsumerOldest: max(0, q.Age.Seconds()),
		} {
			all[name] = append(all[name], labelled("consumer", q.Consumer, v))
		}
	}
	w.tell(w.usual(), all)
	return nil
}

func (w *Watch) streams(ctx context.Context) error {
	sizes, err := w.Bus.Sizes(ctx)
	if err != nil {
		return err
	}
	used, limit, err := w.Bus.Storage(ctx)
	if err != nil {
		return err
	}
	all := map[instrument.Name][]instrument.Reading{
		instrument.BusStorage: instrument.One(float64(used)), instrument.BusStorageLimit: nil, instrument.StreamLimit: nil,
	}
	if limit > 0 {
		all[instrument.BusStorageLimit] = instrument.One(float64(limit))
	}
	for _, s := range sizes {
		all[instrument.StreamSize] = append(all[instrument.StreamSize], labelled("stream", s.Stream, float64(s.Bytes)))
		all[instrument.StreamMessages] = append(all[instrument.StreamMessages], labelled("stream", s.Stream, float64(s.Messages)))
		if s.Limit > 0 {
			all[instrument.StreamLimit] = append(all[instrument.StreamLimit], labelled("stream", s.Stream, float64(s.Limit)))
		}
	}
	w.tell(w.usual(), all)
	return nil
}

func (w *Watch) dead(ctx context.Context) error {
	counts, err := w.Bus.CountDead(ctx)
	if err != nil {
		return err
	}
	readings := make([]instrument.Reading, 0, len(counts))
	for consumer, n := range maps.All(counts) {
		readings = append(readings, labelled("consumer", consumer, float64(n)))
	}
	w.tell(w.usual(), map[instrument.Name][]instrument.Reading{instrument.DeadWaiting: readings})
	return nil
}

func (w *Watch) catalog(ctx context.Context) error {
	size, err := w.Catalog.Size(ctx)
	if err != nil {
		return err
	}
	w.tell(w.usual(), map[instrument.Name][]instrument.Reading{instrument.CatalogSize: instrument.One(float64(size))})
	return nil
}

func (w *Watch) progress(ctx context.Context) error {
	age, err := w.Catalog.OldestAge(ctx)
	if err != nil {
		return err
	}
	pages, err := w.Catalog.WaitingOCR(ctx)
	if err != nil {
		return err
	}
	w.tell(w.usual(), map[instrument.Name][]instrument.Reading{
		instrument.ProgressAge: instrument.One(age.Seconds()), instrument.OCRWaiting: instrument.One(float64(pages)),
	})
	return nil
}

// vectors counts the chunks whose vectors lag, when it is time to.
func (w *Watch) vectors(ctx context.Context) error {
	w.mu.Lock()
	due := !time.Now().Before(w.counted)
	w.mu.Unlock()
	if !due {
		return nil
	}
	start := time.Now()
	n, err := w.Catalog.VectorBacklog(ctx, w.Alias)
	pause := max(countEvery, countShare*time.Since(start))
	w.mu.Lock()
	w.counted = time.Now().Add(pause)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	w.tell(pause+w.usual()+countTime, map[instrument.Name][]instrument.Reading{instrument.VectorBacklog: instrument.One(float64(n))})
	return nil
}

func (w *Watch) stores(ctx context.Context) error {
	var (
		group    sync.WaitGroup
		mu       sync.Mutex
		readings []instrument.Reading
	)
	for name, ask := range w.Stores {
		group.Go(func() {
			up := ask(ctx) == nil
			mu.Lock()
			defer mu.Unlock()
			readings = append(readings, labelled("store", name, instrument.Truth(up)))
		})
	}
	group.Wait()
	w.tell(w.usual(), map[instrument.Name][]instrument.Reading{instrument.StoreUp: readings})
	return nil
}
