package stream

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// work handles deliveries: one for a Handler, one or more for a BatchHandler.
// The i-th result is that of the i-th delivery; when whole is set there are no
// results, because the work as a whole has failed. The decorators of this
// package wrap it.
type work func(ctx context.Context, ds []*delivery) (results []error, whole error)

// recovered turns a panic into a transient error that ends as `internal` when
// the attempts are used up. The stack goes to the log, never into a record.
func recovered(logger *slog.Logger, next work) work {
	return func(ctx context.Context, ds []*delivery) (results []error, whole error) {
		defer func() {
			if p := recover(); p != nil {
				logger.ErrorContext(ctx, "a stage panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				results, whole = nil, fault.TransientFor(fault.Internal, 0, fmt.Errorf("the stage panicked: %v", p))
			}
		}()
		return next(ctx, ds)
	}
}
