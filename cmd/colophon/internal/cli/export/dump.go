package export

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
)

func (c commands) dumpCommand() *cobra.Command {
	var current bool
	cmd := &cobra.Command{
		Use: "dump", Short: "Print every fact of the catalog as sorted JSON lines",
		Long:    "Prints every fact of the catalog as sorted JSON lines, without times, attempts and\nsequence numbers, and without which of equal chunks stands for the others: two runs over\nthe same input are equal, byte for byte.",
		Example: "  colophon dump > before.jsonl", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, _, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			w := bufio.NewWriterSize(c.Out, 1<<20)
			if err := db.Dump(cmd.Context(), w, current); err != nil {
				return err
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&current, "current", false, "leave out archive, generations and redos")
	return cmd
}

func (c commands) rawCommand() *cobra.Command {
	return &cobra.Command{
		Use: "raw SNAPSHOT", Short: "Write the captured bytes of a snapshot to standard output",
		Example: "  colophon raw snap_2c… > page.html", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			db, s, err := c.Catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			snap, err := db.Snapshot(ctx, given[0])
			if err != nil {
				return err
			}
			blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			key, err := blobstore.RawKey(snap.SourceID, snap.ContentHash)
			if err != nil {
				return err
			}
			f, err := blobs.GetFile(ctx, blobstore.Raw, key, snap.ContentHash, 0)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			_, err = io.Copy(c.Out, f)
			return err
		},
	}
}
