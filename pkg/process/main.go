package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// Closer is a Service that gives back what it holds after Run has returned.
type Closer interface {
	Service
	io.Closer
}

// Build makes a service of its settings. The quarantine slot is the process's.
type Build[C any, S Closer] func(ctx context.Context, settings C, tel *telemetry.Telemetry, q *stream.Quarantine) (S, error)

// Main is the main of a service: settings, telemetry, the service, until it is
// told to stop. It exits with status 1 when that fails, with the reason on
// standard error.
func Main[C any, S Closer](name string, build Build[C, S], blocks func(C) (config.Telemetry, config.Health)) {
	if len(os.Args) > 1 {
		fmt.Fprintf(os.Stderr, "%s takes no arguments: its settings are COLOPHON_ variables of the environment, see docs/environment.md\n", name)
		os.Exit(2)
	}
	if err := serve(context.Background(), name, build, blocks); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func serve[C any, S Closer](ctx context.Context, name string, build Build[C, S], blocks func(C) (config.Telemetry, config.Health)) error {
	settings, err := config.Load[C]()
	if err != nil {
		return err
	}
	telemetrySettings, health := blocks(settings)
	if health.Addr, err = healthAddress(health.Addr, name); err != nil {
		return err
	}
	tel, err := telemetry.Start(ctx, name, telemetrySettings)
	if err != nil {
		return err
	}
	service, err := build(ctx, settings, tel, stream.NewQuarantine())
	if err != nil {
		return errors.Join(err, tel.Shutdown(ctx))
	}
	stopTelling, err := tel.TellReady(service.Ready)
	if err != nil {
		return errors.Join(err, service.Close(), tel.Shutdown(ctx))
	}
	err = Run(ctx, Options{Health: health, Logger: tel.Logger, Metrics: telemetry.MetricsHandler(tel)}, service)
	stopTelling()
	return errors.Join(err, closeWithin(closeTime, service), tel.Shutdown(ctx))
}

// closeTime is how long a service may take to give back what it holds. Nothing that is
// worth waiting for longer is left after Run: connections that a stuck handler has taken
// end with the process.
const closeTime = 5 * time.Second

// closeWithin closes a service, and goes on without it when that takes too long, so that
// a process that was told to stop ends.
func closeWithin(limit time.Duration, service Closer) error {
	closed := make(chan error, 1)
	go func() { closed <- service.Close() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-closed:
		return err
	case <-timer.C:
		return fmt.Errorf("%s has not given back what it holds within %s", service.Name(), limit)
	}
}
