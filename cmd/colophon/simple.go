package main

import (
	"bufio"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/stream"
	extractor "github.com/colophon-dev/colophon/services/extractor/app"
)

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the versions of program and rules", Example: "  colophon version --json",
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				Parser  string `json:"parser_version"`
				Header  string `json:"header_version"`
			}{Version: "devel", Parser: extract.ParserVersion, Header: header.Version}
			if info, ok := debug.ReadBuildInfo(); ok {
				v.Go = info.GoVersion
				if info.Main.Version != "" && info.Main.Version != "(devel)" {
					v.Version = info.Main.Version
				}
			}
			return c.print(v, func(w io.Writer) {
				fmt.Fprintf(w, "colophon %s (%s), parser %s, header %s\n", v.Version, v.Go, v.Parser, v.Header)
			})
		},
	}
}

func (c *cli) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the catalog's schema up to date", Example: "  colophon migrate",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, _, err := c.catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			return db.Migrate(cmd.Context())
		},
	}
}

func (c *cli) provisionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "provision", Short: "Make or verify streams, consumers and buckets",
		Long: "Makes streams, consumers and buckets where they are missing, and says what differs\n" +
			"where they are not as they must be. Says too what this program reads scans with.",
		Example: "  colophon provision",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			s, err := c.settings()
			if err != nil {
				return err
			}
			conn, err := c.stream(ctx, s)
			if err != nil {
				return err
			}
			defer conn.Close()
			if err := stream.Provision(ctx, conn, stream.ProvisionOptions{Replicas: s.Streams.Replicas, RequestBytes: s.Streams.RequestBytes}); err != nil {
				return err
			}
			blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			if err := blobs.EnsureBuckets(ctx); err != nil {
				return err
			}
			if err := stream.Verify(ctx, conn); err != nil {
				return err
			}
			engine, err := extractor.Engine(ctx, s.OCR)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.err, "OCR on this machine: %s\n", engine)
			return nil
		},
	}
}

func (c *cli) dumpCommand() *cobra.Command {
	var current bool
	cmd := &cobra.Command{
		Use: "dump", Short: "Print every fact of the catalog as sorted JSON lines",
		Long:    "Prints every fact of the catalog as sorted JSON lines, without times, attempts and\nsequence numbers: two runs over the same input are equal, byte for byte.",
		Example: "  colophon dump > before.jsonl", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, _, err := c.catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			w := bufio.NewWriterSize(c.out, 1<<20)
			if err := db.Dump(cmd.Context(), w, current); err != nil {
				return err
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&current, "current", false, "leave out archive, generations and redos")
	return cmd
}

func (c *cli) rawCommand() *cobra.Command {
	return &cobra.Command{
		Use: "raw SNAPSHOT", Short: "Write the captured bytes of a snapshot to standard output",
		Example: "  colophon raw snap_2c… > page.html", Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			db, s, err := c.catalog(ctx)
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
			_, err = io.Copy(c.out, f)
			return err
		},
	}
}
