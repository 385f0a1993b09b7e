package operate

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// retry asks for the next redo of a run.
func retry(ctx context.Context, conn *stream.Conn, run model.Run, page int) error {
	req := event.RunRequested{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, Why: "retry", Redo: run.Redo + 1,
	}
	var err error
	if req.Pages, err = choosePages(run, page); err != nil {
		return err
	}
	return conn.Publisher("cli").Emit(ctx, req)
}

// choosePages returns the page of --page, or nil for all when it is 0.
func choosePages(run model.Run, page int) ([]int, error) {
	switch {
	case page == 0:
		return nil, nil
	case page > run.PageCount:
		return nil, cli.Usagef("--page %d: the snapshot has %s", page, cli.Many(run.PageCount, "page"))
	}
	return []int{page}, nil
}

// lastRun returns the last run of a snapshot, which has ended.
func lastRun(ctx context.Context, db *catalog.DB, snapshot string) (model.Run, error) {
	runs, err := db.Runs(ctx, snapshot)
	if err != nil {
		return model.Run{}, err
	}
	if len(runs) == 0 {
		return model.Run{}, fmt.Errorf("snapshot %s has no run: %w", snapshot, catalog.ErrNotFound)
	}
	run := runs[len(runs)-1]
	if !run.State.Terminal() {
		return run, cli.Failedf("the run is %s: wait for it to end", run.State)
	}
	return run, nil
}

// asked is what retry prints.
type asked struct {
	SnapshotID   string `json:"snapshot_id"`
	ExtractionID string `json:"extraction_id"`
	Redo         int    `json:"redo"`
	Page         int    `json:"page,omitempty"`
}

func (c commands) retryCommand() *cobra.Command {
	var page int
	cmd := &cobra.Command{
		Use: "retry SNAPSHOT", Short: "Extract the failed pages of a snapshot again",
		Long:    "Starts a redo of the ranges that hold failed pages (or --page N); when no page\nfailed, of all. Unchanged pages come out identical.",
		Example: "  colophon retry snap_2c…\n  colophon retry snap_2c… --page 12", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			if page < 0 || (page == 0 && cmd.Flags().Changed("page")) {
				return cli.Usagef("--page %d: pages count from 1", page)
			}
			db, s, err := c.Catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			run, err := lastRun(ctx, db, given[0])
			if err != nil {
				return err
			}
			if _, err := enabledSource(ctx, db, run.SourceID); err != nil {
				return err
			}
			conn, err := c.Stream(ctx, s)
			if err != nil {
				return err
			}
			defer conn.Close()
			if err := c.Traced(ctx, s, "retry", func(ctx context.Context) error { return retry(ctx, conn, run, page) }); err != nil {
				return err
			}
			return c.Print(asked{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, Redo: run.Redo + 1, Page: page}, func(w io.Writer) {
				fmt.Fprintf(w, "redo %d of %s is asked for; `colophon status %s` shows what becomes of it\n", run.Redo+1, run.SnapshotID, run.DocumentID)
			})
		},
	}
	cmd.Flags().IntVar(&page, "page", 0, "only the range that holds this page, from 1")
	return cmd
}
