package operate

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

func (c commands) reconcileCommand() *cobra.Command {
	var dry bool
	o := reconcile.Options{}
	cmd := &cobra.Command{
		Use: "reconcile", Short: "Publish again what would move work that stands still",
		Long:    "Looks for work that has made no progress and does not wait in its stream, and\npublishes the one event that would move it. The janitor does the same every ten\nminutes. Where streams, consumers or the collection are missing it says so, and\nends with 3.",
		Example: "  colophon reconcile --dry-run\n  colophon reconcile --age 0s", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if o.Age < 0 {
				return cli.Usagef("--age %s: must not be negative", o.Age)
			}
			db, s, err := c.Catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			conn, err := c.StreamAs(ctx, s, access.Janitor)
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
			var report reconcile.Report
			err = c.Traced(ctx, s, "reconcile", func(ctx context.Context) (err error) {
				report, err = reconcile.New(db, conn, blobs, vectors.Client, s.Qdrant.Collection).Run(ctx, o)
				return err
			})
			if err != nil {
				return err
			}
			if err := c.Print(report, func(w io.Writer) { fmt.Fprint(w, report) }); err != nil {
				return err
			}
			if len(report.Missing) > 0 {
				return cli.ErrFailed
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be done")
	cmd.Flags().DurationVar(&o.Age, "age", reconcile.DefaultAge, "look at what has made no progress for this long")
	return cmd
}
