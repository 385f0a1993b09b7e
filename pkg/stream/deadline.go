package stream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// deadline bounds a handling. Work that fails after its deadline has failed
// because of it, whatever its error says: it is transient, and ends as
// `timeout`. Zero means no deadline.
func deadline(limit time.Duration, next work) work {
	if limit <= 0 {
		return next
	}
	return func(ctx context.Context, ds []*delivery) ([]error, error) {
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		results, whole := next(bounded, ds)
		if bounded.Err() == nil || ctx.Err() != nil {
			return results, whole
		}
		for _, err := range slices.Concat(results, []error{whole}) {
			if err != nil && fault.KindOf(err) != fault.KindPermanent {
				return nil, fault.TransientFor(fault.Timeout, 0, fmt.Errorf("not done within %s: %w", limit, err))
			}
		}
		return results, whole
	}
}
