package main

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// traced runs a command that publishes within a span: what it causes in the services is
// one trace with it. Whether that is recorded is decided as in a service.
func (c *cli) traced(ctx context.Context, s settings, name string, run func(ctx context.Context) error) error {
	tel, err := telemetry.Start(ctx, "colophon", s.Telemetry)
	if err != nil {
		return err
	}
	traced, span := tel.Tracer.Start(ctx, name)
	err = run(traced)
	span.End()
	return errors.Join(err, tel.Shutdown(ctx))
}
