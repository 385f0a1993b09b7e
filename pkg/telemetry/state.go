package telemetry

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

const (
	// readyAge is how old an answer about readiness may be before it is asked for again.
	readyAge = 5 * time.Second
	// readyTime is how long one may take: what says nothing for so long is not ready.
	readyTime = 10 * time.Second
)

// TellReady exports whether a service is ready. It asks when metrics are asked for, in
// the background, so that a store that says nothing holds up no metrics: what is told is
// the answer to the question before. After stop has returned nothing is asked any more,
// so that the service can be closed.
func (t *Telemetry) TellReady(ask func(ctx context.Context) error) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &readiness{ask: ask, ctx: ctx}
	stop = func() {
		r.mu.Lock()
		r.stopped = true
		r.mu.Unlock()
		cancel()
		r.questions.Wait()
	}
	return stop, instrument.Read(t.Meter, instrument.Ready, r.tell)
}

// readiness asks whether a service is ready, one question at a time.
type readiness struct {
	ask       func(ctx context.Context) error
	ctx       context.Context // of all questions
	questions sync.WaitGroup

	mu       sync.Mutex
	stopped  bool
	asking   bool
	began    time.Time // of the last question
	answered bool
	ready    bool
}

func (r *readiness) tell() []instrument.Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil
	}
	if !r.asking && time.Since(r.began) >= readyAge {
		r.asking, r.began = true, time.Now()
		r.questions.Go(r.question)
	}
	switch {
	case r.asking && time.Since(r.began) > readyTime:
		return instrument.One(0)
	case !r.answered:
		return nil
	}
	return instrument.One(instrument.Truth(r.ready))
}

func (r *readiness) question() {
	ctx, cancel := context.WithTimeout(r.ctx, readyTime)
	defer cancel()
	err := r.ask(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking, r.answered, r.ready = false, true, err == nil
}

// TellDisk exports how large the disk is that a folder is on, the system's for temporary
// files when dir is empty, and how much of it is free.
func (t *Telemetry) TellDisk(dir string) error {
	dir = cmp.Or(dir, os.TempDir())
	read := func(value func(syscall.Statfs_t) uint64) func() []instrument.Reading {
		return func() []instrument.Reading {
			var s syscall.Statfs_t
			if syscall.Statfs(dir, &s) != nil {
				return nil
			}
			return instrument.One(float64(value(s)) * float64(s.Bsize))
		}
	}
	return errors.Join(
		instrument.Read(t.Meter, instrument.DiskFree, read(func(s syscall.Statfs_t) uint64 { return s.Bavail })),
		instrument.Read(t.Meter, instrument.DiskSize, read(func(s syscall.Statfs_t) uint64 { return s.Blocks })))
}
