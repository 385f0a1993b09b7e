package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// retry asks for the next redo of a run.
func retry(ctx context.Context, conn *stream.Conn, run model.Run, page int) error {
	req := event.RunRequested{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, Why: "retry", Redo: run.Redo + 1,
	}
	if page > 0 {
		if page > run.PageCount {
			return usagef("--page %d: the snapshot has %s", page, many(run.PageCount, "page"))
		}
		req.Pages = []int{page}
	}
	return conn.Publisher("cli").Emit(ctx, req)
}

func (c *cli) reconcileCommand() *cobra.Command {
	var dry bool
	o := reconcile.Options{}
	cmd := &cobra.Command{
		Use: "reconcile", Short: "Publish again what would move work that stands still",
		Long:    "Looks for work that has made no progress and does not wait in its stream, and\npublishes the one event that would move it. The janitor does the same every ten\nminutes. Where streams, consumers or the collection are missing it says so, and\nends with 3.",
		Example: "  colophon reconcile --dry-run\n  colophon reconcile --age 0s", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if o.Age < 0 {
				return usagef("--age %s: must not be negative", o.Age)
			}
			db, s, err := c.catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			conn, err := c.streamAs(ctx, s, access.Janitor)
			if err != nil {
				return err
			}
			defer conn.Close()
			blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			o.DryRun = dry
			vectors := vectorstore.NewLazy(vectorstore.ConfigOf(s.Qdrant)) // a pass goes on without it
			defer func() { _ = vectors.Close() }()                         // nothing of it is needed any more
			report, err := reconcile.New(db, conn, blobs, vectors.Client, s.Qdrant.Collection).Run(ctx, o)
			if err != nil {
				return err
			}
			if err := c.print(report, func(w io.Writer) { fmt.Fprint(w, report) }); err != nil {
				return err
			}
			if len(report.Missing) > 0 {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be done")
	cmd.Flags().DurationVar(&o.Age, "age", reconcile.DefaultAge, "look at what has made no progress for this long")
	return cmd
}
