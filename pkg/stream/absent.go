package stream

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// comesBack is how old an event may be whose row is not there and may still come: its
// writer does its work again when the catalog's server has crashed before the row
// was on the disk (ADR 10). Reconcile has looked by then.
const comesBack = 15 * time.Minute

// Absent is the error of an event that names a row which is not there; err says
// which. The event is handed over again later while its row may come, and is
// malformed then.
func Absent(e event.Event, err error) error {
	if age := time.Since(e.Time); age.Abs() < comesBack {
		return fault.Defer(0, err)
	}
	return fault.Permanent(fault.Malformed, err)
}
