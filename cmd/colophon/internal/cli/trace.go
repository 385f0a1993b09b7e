package cli

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// Traced runs a command that publishes within a span: what it causes in the services is
// one trace with it. Whether that is recorded is decided as in a service.
func (c *Tool) Traced(ctx context.Context, s Settings, name string, run func(ctx context.Context) error) error {
	tel, err := telemetry.Start(ctx, "colophon", s.Telemetry)
	if err != nil {
		return err
	}
	traced, span := tel.Tracer.Start(ctx, name)
	err = run(traced)
	span.End()
	return errors.Join(err, tel.Shutdown(ctx))
}
