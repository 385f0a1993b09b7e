package deliver

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// service is what a sink is called in logs, metrics and answers.
const service = "sink"

// follow is what a sink does until ctx ends, which is no error, and tells how it comes on.
type follow func(ctx context.Context, progress *sink.Progress) error

// run has a sink follow the chunks, measured, and beside it answers for its health where
// that is asked for.
func (f sinkFlags) run(ctx context.Context, settings config.Telemetry, do follow) error {
	tel, err := telemetry.Start(ctx, service, settings)
	if err != nil {
		return err
	}
	progress, err := sink.NewProgress(tel.Meter)
	if err != nil {
		return errors.Join(err, tel.Shutdown(ctx))
	}
	if f.health == noHealth {
		return errors.Join(do(ctx, progress), tel.Shutdown(ctx))
	}
	stopTelling, err := tel.TellReady(progress.Ready)
	if err != nil {
		return errors.Join(err, tel.Shutdown(ctx))
	}
	p := &part{do: do, progress: progress}
	err = process.Run(ctx, process.Options{Health: config.Health{Addr: f.health}, Logger: tel.Logger, Metrics: telemetry.MetricsHandler(tel)}, p)
	stopTelling()
	if p.ended {
		err = p.err // of its own accord, which is no fault of a process that does one thing
	}
	return errors.Join(err, tel.Shutdown(ctx))
}

// part is a sink as a part of a process.
type part struct {
	do       follow
	progress *sink.Progress
	ended    bool // before it was told to stop
	err      error
}

func (p *part) Name() string { return service }

func (p *part) Run(ctx context.Context) error {
	p.err = p.do(ctx, p.progress)
	p.ended = ctx.Err() == nil
	return p.err
}

func (p *part) Ready(ctx context.Context) error { return p.progress.Ready(ctx) }
