package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// census counts the children of a pool. The pools of one role in one process tell
// their sum.
type census struct {
	role   attribute.KeyValue
	starts metric.Int64Counter
	ends   metric.Int64Counter

	mu      sync.Mutex
	running map[int]bool // by process id
}

func newCensus(m metric.Meter, role string) *census {
	c := &census{
		role:   attribute.String("role", instrument.Role(role)),
		starts: instrument.Counter(m, instrument.ChildStarts), ends: instrument.Counter(m, instrument.ChildEnds),
		running: make(map[int]bool),
	}
	instrument.BeginAtZero(c.ends, "cause", instrument.Values(instrument.ChildEnds, "cause"), c.role)
	instrument.BeginAtZero(c.starts, "role", []string{c.role.Value.AsString()})
	return c
}

// tell exports how many children run, and their memory.
func (c *census) tell(m metric.Meter) error {
	if m == nil {
		return nil
	}
	labels := []attribute.KeyValue{c.role}
	return errors.Join(
		instrument.Read(m, instrument.Children, func() []instrument.Reading {
			return []instrument.Reading{{Value: float64(len(c.ids())), Labels: labels}}
		}),
		instrument.Read(m, instrument.ChildMemory, func() []instrument.Reading {
			var bytes int64
			for _, id := range c.ids() {
				bytes += residentBytes(id)
			}
			return []instrument.Reading{{Value: float64(bytes), Labels: labels}}
		}))
}

func (c *census) started(ctx context.Context, id int) {
	c.starts.Add(ctx, 1, metric.WithAttributes(c.role))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[id] = true
}

func (c *census) ended(id int, cause string) {
	c.ends.Add(context.Background(), 1, metric.WithAttributes(c.role, attribute.String("cause", cause)))
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, id)
}

func (c *census) ids() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]int, 0, len(c.running))
	for id := range c.running {
		ids = append(ids, id)
	}
	return ids
}

// residentBytes returns the resident memory of a process, 0 when it is gone: the second
// number of its statm, which counts pages.
func residentBytes(id int) int64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", id))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// causeOf is why a child was ended after a call with this error.
func causeOf(err error) string {
	switch {
	case errors.Is(err, ErrKilled):
		return instrument.ChildKilled
	case errors.Is(err, ErrLimit):
		return instrument.ChildLimit
	case errors.Is(err, ErrDeadline):
		return instrument.ChildDeadline
	case errors.Is(err, ErrCrashed):
		return instrument.ChildCrashed
	}
	return instrument.ChildCancelled
}
