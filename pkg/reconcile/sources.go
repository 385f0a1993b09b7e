package reconcile

import (
	"context"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
)

// sources tells the changes of the registry that nobody has told: the process died
// between its commit and the event, the bus was away, or a capturer has registered the
// source of a first request, which tells nothing itself. None is given up: to tell it is
// all that there is to do.
func (p *pass) sources(ctx context.Context) error {
	return each(ctx, p, p.report.count("source changes"),
		func(page catalog.Page) ([]event.SourceChanged, error) {
			return p.catalog.UntoldSourceChanges(ctx, p.before, page)
		},
		func(c event.SourceChanged) (stuck, error) {
			return stuck{event: c, moved: func(ctx context.Context) error { return p.catalog.MarkSourceChangesTold(ctx, c.Seq) }}, nil
		})
}
