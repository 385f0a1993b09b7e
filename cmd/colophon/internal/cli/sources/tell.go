package sources

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
)

const (
	// tellWait is how long a command tries to tell what it has changed. The change is
	// made by then, and reconcile tells it otherwise.
	tellWait = 8 * time.Second
	// tellTogether is how many changes are read at once.
	tellTogether = 100
)

// telling makes of a command that changes sources one that also tells what was changed,
// after the commit, and whether it ended well or not: of several the first may be done.
func (c commands) telling(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		err := run(cmd, given)
		if err != nil && cli.ExitCode(err) != cli.ExitFailed && cli.ExitCode(err) != cli.ExitInternal {
			return err // nothing was written
		}
		if untold := c.tell(cmd.Context()); untold != nil && err == nil {
			fmt.Fprintf(c.Err, "the change is made, and not told to those who follow the registry: reconcile will do that (%v)\n", untold)
		}
		return err
	}
}

// tell publishes source.changed for each change of a source that was not told yet.
func (c commands) tell(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tellWait)
	defer cancel()
	db, s, err := c.Catalog(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	next := func() ([]event.SourceChanged, error) {
		ever := time.Now().AddDate(1, 0, 0) // whatever the catalog's clock says
		return db.UntoldSourceChanges(ctx, ever, catalog.Page{Limit: tellTogether})
	}
	changes, err := next()
	if err != nil || len(changes) == 0 {
		return err
	}
	conn, err := c.Stream(ctx, s)
	if err != nil {
		return err
	}
	defer conn.Close()
	return c.Traced(ctx, s, "source", func(ctx context.Context) error {
		publisher := conn.Publisher("cli")
		for err == nil && len(changes) > 0 {
			for _, change := range changes {
				if err := publisher.Emit(ctx, change); err != nil {
					return err
				}
				if err := db.MarkSourceChangesTold(ctx, change.Seq); err != nil {
					return err
				}
			}
			changes, err = next()
		}
		return err
	})
}
