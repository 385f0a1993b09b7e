package main

import (
	"bufio"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/stream"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
	extractor "github.com/colophon-dev/colophon/services/extractor/app"
)

// versions are those of the program and of the rules that it works by.
type versions struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`   // that it was built from
	Modified bool   `json:"modified,omitempty"` // with changes that are in no commit
	Go       string `json:"go"`
	Parser   string `json:"parser_version"`
	Chunker  string `json:"chunker_version"`
	Header   string `json:"header_version"`
	Typing   string `json:"typing_version"`
}

func versionsOf(info *debug.BuildInfo) versions {
	v := versions{
		Version: "devel", Parser: extract.ParserVersion, Chunker: model.ChunkerVersion, Header: header.Version, Typing: capturer.TypingVersion,
	}
	if info == nil {
		return v
	}
	v.Go = info.GoVersion
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (v versions) String() string {
	from := ""
	if v.Commit != "" {
		from = " of commit " + v.Commit[:min(len(v.Commit), 12)]
	}
	if v.Modified {
		from += " with changes"
	}
	return fmt.Sprintf("colophon %s%s (%s), parser %s, chunker %s, header %s, typing %s",
		v.Version, from, v.Go, v.Parser, v.Chunker, v.Header, v.Typing)
}

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the versions of program and rules", Example: "  colophon version --json",
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			v := versionsOf(info)
			return c.print(v, func(w io.Writer) { fmt.Fprintln(w, v) })
		},
	}
}

func (c *cli) migrateCommand() *cobra.Command {
	var (
		roles roleFlags
		bind  bool
	)
	cmd := &cobra.Command{
		Use: "migrate", Short: "Bring the catalog's schema up to date",
		Long: "Brings the catalog's schema to the version of this build, and binds the rows that\n" +
			"older services have written beside it: verify misses the digests of those until then.\n" +
			"With --roles it also makes one role of the database server for each service, and\n" +
			"makes the grants of each those of docs/access.md; with --grants it makes no role, and\n" +
			"grants to those that are there. It needs PostgreSQL alone, and may be repeated.",
		Example: "  colophon migrate\n  colophon migrate --roles --passwords secrets/postgres\n  colophon migrate --grants --bind=false",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := roles.check(); err != nil {
				return err
			}
			s, _, err := load[migrateSettings](c)
			if err != nil {
				return err
			}
			db, err := openCatalog(cmd.Context(), s.Postgres)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.Migrate(cmd.Context()); err != nil {
				return err
			}
			bound := 0
			if bind {
				if bound, err = db.BindRows(cmd.Context()); err != nil {
					return err
				}
			}
			granted, missing, err := roles.grant(cmd.Context(), db)
			if err != nil {
				return err
			}
			return c.print(map[string]any{"migrated": true, "bound": bound, "roles": granted, "missing": missing}, func(w io.Writer) {
				fmt.Fprintln(w, "the catalog's schema is that of this build")
				if bound > 0 {
					fmt.Fprintf(w, "%s bound that had no digest\n", many(bound, "row"))
				}
				if len(granted) > 0 {
					fmt.Fprintf(w, "roles that have their grants: %s\n", strings.Join(granted, " "))
				}
				if len(missing) > 0 {
					fmt.Fprintf(w, "roles that are not there, and have none: %s\n", strings.Join(missing, " "))
				}
			})
		},
	}
	roles.add(cmd)
	cmd.Flags().BoolVar(&bind, "bind", true, "bind the rows that have no digest; --bind=false leaves them, for verify to find")
	return cmd
}

func (c *cli) provisionCommand() *cobra.Command {
	var identities identityFlags
	cmd := &cobra.Command{
		Use: "provision", Short: "Make or verify streams, consumers and buckets",
		Long: "Makes streams, consumers and buckets where they are missing, and says what differs\n" +
			"where they are not as they must be. Says too what this program reads scans with.\n" +
			"It needs NATS and the object store. With --print-accounts or --print-policies it asks\n" +
			"no server and only writes who may what there (docs/access.md), under this\n" +
			"installation's prefixes: COLOPHON_SUBJECT_PREFIX, _STREAM_PREFIX, _S3_BUCKET_PREFIX.",
		Example: "  colophon provision\n  colophon provision --print-accounts --seeds secrets/nats --crawler council > accounts.conf\n" +
			"  colophon provision --print-policies policies",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := identities.check(); err != nil {
				return err
			}
			if identities.wanted() {
				return c.printIdentities(&identities)
			}
			ctx := cmd.Context()
			s, _, err := load[provisionSettings](c)
			if err != nil {
				return err
			}
			conn, err := c.streamAs(ctx, settings{NATS: s.NATS, Runner: s.Runner}, access.Provision)
			if err != nil {
				return err
			}
			defer conn.Close()
			if err := stream.Provision(ctx, conn, stream.ProvisionOptionsOf(s.Streams)); err != nil {
				return err
			}
			blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			if err := blobs.EnsureBuckets(ctx); err != nil {
				return err
			}
			if err := conn.Verify(ctx); err != nil {
				return err
			}
			engine, err := extractor.Engine(ctx, s.OCR)
			if err != nil {
				return err
			}
			return c.print(map[string]any{"provisioned": true, "ocr": engine}, func(w io.Writer) {
				fmt.Fprintf(w, "streams, consumers and buckets are as they must be\nOCR on this machine: %s\n", engine)
			})
		},
	}
	identities.add(cmd)
	return cmd
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
