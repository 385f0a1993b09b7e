package watch

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/stream"
)

var errAway = errors.New("away")

// bus is a bus that answers, or does not.
type bus struct{ away bool }

func (b *bus) Queues(context.Context) ([]stream.Queue, error) {
	if b.away {
		return nil, errAway
	}
	return []stream.Queue{{Consumer: "split", Pending: 7, AckPending: 2, Age: 90 * time.Second}, {Consumer: "ocr"}}, nil
}

func (b *bus) Sizes(context.Context) ([]stream.Size, error) {
	return []stream.Size{{Stream: "REQUESTS", Bytes: 10, Messages: 1, Limit: 100}, {Stream: "CHUNKS", Bytes: 20, Messages: 2}}, nil
}
func (b *bus) Storage(context.Context) (uint64, int64, error) { return 30, 0, nil }
func (b *bus) CountDead(context.Context) (map[string]uint64, error) {
	return map[string]uint64{"split": 3}, nil
}

// record is a catalog that counts how often its chunks are.
type record struct{ counted int }

func (*record) Size(context.Context) (int64, error)              { return 0, errAway }
func (*record) OldestAge(context.Context) (time.Duration, error) { return time.Minute, nil }
func (*record) WaitingOCR(context.Context) (int64, error)        { return 4, nil }
func (r *record) VectorBacklog(context.Context, string) (int64, error) {
	r.counted++
	return 5, nil
}

// value returns what a gauge says, of the label's value; ok is false when it says nothing.
func value(w *Watch, name instrument.Name, label string) (v float64, ok bool) {
	for _, r := range w.current(name) {
		if label == "" || r.Labels[0].Value.AsString() == label {
			return r.Value, true
		}
	}
	return 0, false
}

// TestWhatIsAskedIsTold: each answer under its gauge, of a store that is away 0, and
// nothing of what could not be asked, or has no limit.
func TestWhatIsAskedIsTold(t *testing.T) {
	r := new(record)
	w := &Watch{Bus: &bus{}, Catalog: r, Every: time.Minute, Log: slog.New(slog.DiscardHandler), Stores: map[string]func(context.Context) error{
		"s3": func(context.Context) error { return errAway }, "nats": func(context.Context) error { return nil },
	}}
	w.Ask(t.Context())
	w.Ask(t.Context())
	for _, c := range []struct {
		name  instrument.Name
		label string
		want  float64
	}{
		{instrument.ConsumerPending, "split", 7}, {instrument.ConsumerAckPending, "split", 2}, {instrument.ConsumerOldest, "split", 90},
		{instrument.ConsumerOldest, "ocr", 0}, {instrument.StreamSize, "CHUNKS", 20}, {instrument.StreamLimit, "REQUESTS", 100},
		{instrument.StreamMessages, "CHUNKS", 2}, {instrument.BusStorage, "", 30}, {instrument.DeadWaiting, "split", 3},
		{instrument.ProgressAge, "", 60}, {instrument.OCRWaiting, "", 4}, {instrument.VectorBacklog, "", 5},
		{instrument.StoreUp, "s3", 0}, {instrument.StoreUp, "nats", 1},
	} {
		if got, ok := value(w, c.name, c.label); !ok || got != c.want {
			t.Errorf("%s of %q is %v (%t), want %v", c.name, c.label, got, ok, c.want)
		}
	}
	for name, label := range map[instrument.Name]string{instrument.CatalogSize: "", instrument.StreamLimit: "CHUNKS", instrument.BusStorageLimit: ""} {
		if got, ok := value(w, name, label); ok {
			t.Errorf("%s of %q is %v, and was not to be known", name, label, got)
		}
	}
	if r.counted != 1 {
		t.Errorf("chunks were counted %d times within a minute", r.counted)
	}
}

// TestAnOldAnswerIsNotTold: what was true before an outage has no value in it.
func TestAnOldAnswerIsNotTold(t *testing.T) {
	b := new(bus)
	w := &Watch{Bus: b, Catalog: new(record), Every: time.Minute, Log: slog.New(slog.DiscardHandler)}
	w.Ask(t.Context())
	b.away = true
	w.Ask(t.Context())
	if _, ok := value(w, instrument.ConsumerPending, "split"); !ok {
		t.Error("one answer that fails takes the value away")
	}
	w.mu.Lock()
	for name, a := range w.told {
		a.at = a.at.Add(-w.usual() - time.Second)
		w.told[name] = a
	}
	w.mu.Unlock()
	if got, ok := value(w, instrument.ConsumerPending, "split"); ok {
		t.Errorf("an answer of long ago is still told: %v", got)
	}
}
