// Package process runs the services of one process: it starts them in order,
// answers for their health, and stops them in reverse order within a grace
// period.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
)

// Service is a part of a process that runs until it is told to stop.
type Service interface {
	// Name is one word for logs and answers.
	Name() string
	// Run works until ctx ends, lets what is in hand end, and returns nil. To
	// return earlier stops the whole process.
	Run(ctx context.Context) error
	// Ready returns nil, or a sentence that says what is missing. It may be
	// called at any time, also before Run and by several at once.
	Ready(ctx context.Context) error
}

// Beater is a Service whose loop can stand still without ending. Beat is the
// last time that it went round; the zero time is never too old.
type Beater interface{ Beat() time.Time }

// Options of Run.
type Options struct {
	Health    config.Health     // zero values mean the defaults of the settings
	Logger    *slog.Logger      // nil: none
	Metrics   http.Handler      // of /metrics; nil: none
	Listening func(addr string) // told the health server's host:port; may be nil
}

// running is a service that was started.
type running struct {
	Service
	cancel context.CancelFunc
	done   chan struct{} // closed when Run has returned
	err    error         // what it returned; read after done
}

// Run starts the services and returns when all have stopped: after ctx ends, at
// SIGINT or SIGTERM, or when one of them returns. A second signal ends the
// process at once. The error is nil when all stopped because they were told to,
// and in time.
func Run(ctx context.Context, options Options, services ...Service) error {
	options = options.withDefaults()
	signalled, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer restore()

	health := &health{options: options, services: services}
	if err := health.start(); err != nil {
		return err
	}
	ended := make(chan *running, len(services))
	started := make([]*running, 0, len(services))
	for _, service := range services {
		// The contexts are apart from the signal's, so that the order is kept.
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		r := &running{Service: service, cancel: cancel, done: make(chan struct{})}
		started = append(started, r)
		go func() {
			r.err = r.Run(own)
			close(r.done)
			ended <- r
		}()
		options.Logger.InfoContext(ctx, "started", slog.String("part", service.Name()))
	}

	err := health.beatUntil(signalled, ended)
	restore()
	health.stopping.Store(true)
	options.Logger.InfoContext(ctx, "stopping", slog.Duration("grace", options.Health.StopGrace))
	return errors.Join(err, stop(ctx, options, started), health.stop())
}

func (o Options) withDefaults() Options {
	o.Health.Addr = cmp.Or(o.Health.Addr, "127.0.0.1:0")
	o.Health.Heartbeat = cmp.Or(o.Health.Heartbeat, time.Minute)
	o.Health.Probe = cmp.Or(o.Health.Probe, 3*time.Second)
	o.Health.StopGrace = cmp.Or(o.Health.StopGrace, 40*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// stop ends the services, the last one first, and waits for each until the
// grace period is over.
func stop(ctx context.Context, options Options, started []*running) error {
	limit := time.NewTimer(options.Health.StopGrace)
	defer limit.Stop()
	var problems []error
	for i := len(started) - 1; i >= 0; i-- {
		r := started[i]
		r.cancel()
		select {
		case <-r.done:
			if r.err != nil && !errors.Is(r.err, context.Canceled) {
				problems = append(problems, fmt.Errorf("%s: %w", r.Name(), r.err))
			}
			options.Logger.InfoContext(ctx, "stopped", slog.String("part", r.Name()))
		case <-limit.C:
			for _, left := range started[:i] {
				left.cancel()
			}
			return errors.Join(append(problems, fmt.Errorf("%s did not stop within %s", r.Name(), options.Health.StopGrace))...)
		}
	}
	return errors.Join(problems...)
}

// health answers for the process over HTTP.
type health struct {
	options  Options
	services []Service
	server   *http.Server
	beat     atomic.Int64 // of the process's own loop, Unix nanoseconds
	stopping atomic.Bool
}

// beatUntil is the process's own loop. It ends with ctx or with a service that
// ended by itself, which it returns as an error.
func (h *health) beatUntil(ctx context.Context, ended <-chan *running) error {
	ticker := time.NewTicker(max(h.options.Health.Heartbeat/4, time.Millisecond))
	defer ticker.Stop()
	for {
		h.beat.Store(time.Now().UnixNano())
		select {
		case <-ctx.Done():
			return nil
		case r := <-ended:
			if r.err == nil {
				return fmt.Errorf("%s ended by itself", r.Name())
			}
			return nil // its error is told when it is stopped
		case <-ticker.C:
		}
	}
}
