package operate

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/stream"
	extractor "github.com/colophon-dev/colophon/services/extractor/app"
)

func (c commands) migrateCommand() *cobra.Command {
	var (
		roles    roleFlags
		bind     bool
		restored bool
	)
	cmd := &cobra.Command{
		Use: "migrate", Short: "Bring the catalog's schema up to date",
		Long: "Brings the catalog's schema to the version of this build, and binds the rows that\n" +
			"older services have written beside it: verify misses the digests of those until then.\n" +
			"With --roles it also makes one role of the database server for each service, and\n" +
			"makes the grants of each those of docs/access.md; with --grants it makes no role, and\n" +
			"grants to those that are there. It needs PostgreSQL alone, and may be repeated.\n" +
			"After the catalog was restored from a backup, --restored, once and before services are\n" +
			"started, names it anew: consumers and sinks are told that what they keep is void, and\n" +
			"every chunk is told, and every vector written, again.",
		Example: "  colophon migrate\n  colophon migrate --roles --passwords secrets/postgres\n  colophon migrate --grants --bind=false\n  colophon migrate --restored",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := roles.check(); err != nil {
				return err
			}
			s, _, err := cli.Load[migrateSettings](c.Tool)
			if err != nil {
				return err
			}
			db, err := cli.OpenCatalog(cmd.Context(), s.Postgres)
			if err != nil {
				return err
			}
			defer db.Close()
			views := db.Migrate(cmd.Context())
			if views != nil && !errors.Is(views, catalog.ErrSeedSchema) { // all else is done, and goes on
				return views
			}
			bound := 0
			if bind {
				if bound, err = db.BindRows(cmd.Context()); err != nil {
					return err
				}
			}
			answer := map[string]any{"migrated": true, "bound": bound}
			entries := 0
			if restored {
				if answer["epoch"], entries, err = db.BeginEpoch(cmd.Context()); err != nil {
					return err
				}
			}
			granted, missing, err := roles.grant(cmd.Context(), db, views == nil)
			if err != nil {
				return err
			}
			answer["roles"], answer["missing"] = granted, missing
			return errors.Join(views, c.Print(answer, func(w io.Writer) {
				fmt.Fprintln(w, "the catalog's schema is that of this build")
				if bound > 0 {
					fmt.Fprintf(w, "%s bound that had no digest\n", cli.Many(bound, "row"))
				}
				if restored {
					fmt.Fprintf(w, "the catalog begins the epoch %s: %s of chunks will be told again, by the janitor or colophon reconcile\n", answer["epoch"], cli.Many(entries, "change"))
				}
				if len(granted) > 0 {
					fmt.Fprintf(w, "roles that have their grants: %s\n", strings.Join(granted, " "))
				}
				if len(missing) > 0 {
					fmt.Fprintf(w, "roles that are not there, and have none: %s\n", strings.Join(missing, " "))
				}
			}))
		},
	}
	roles.add(cmd)
	cmd.Flags().BoolVar(&bind, "bind", true, "bind the rows that have no digest; --bind=false leaves them, for verify to find")
	cmd.Flags().BoolVar(&restored, "restored", false, "the catalog was restored from a backup: begin a new epoch")
	return cmd
}

func (c commands) provisionCommand() *cobra.Command {
	var identities identityFlags
	cmd := &cobra.Command{
		Use: "provision", Short: "Make or verify streams, consumers and buckets",
		Long: "Makes streams, consumers and buckets where they are missing, and says what differs\n" +
			"where they are not as they must be. Says too what this program reads scans with.\n" +
			"It needs NATS and the object store. With --print-accounts or --print-policies it asks\n" +
			"no server and only writes who may what there (docs/access.md), under this\n" +
			"installation's prefixes: COLOPHON_SUBJECT_PREFIX, _STREAM_PREFIX, _S3_BUCKET_PREFIX.",
		Example: "  colophon provision\n  colophon provision --print-accounts --seeds secrets/nats --crawler council > accounts.conf\n" +
			"  colophon provision --print-accounts --inside-accounts --account-disk 40G --seeds secrets/nats > colophon.conf\n" +
			"  colophon provision --print-policies policies",
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := identities.check(); err != nil {
				return err
			}
			if identities.wanted() {
				return c.printIdentities(&identities)
			}
			ctx := cmd.Context()
			s, _, err := cli.Load[provisionSettings](c.Tool)
			if err != nil {
				return err
			}
			conn, err := c.StreamAs(ctx, cli.Settings{NATS: s.NATS, Runner: s.Runner}, access.Provision)
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
			return c.Print(map[string]any{"provisioned": true, "ocr": engine}, func(w io.Writer) {
				fmt.Fprintf(w, "streams, consumers and buckets are as they must be\nOCR on this machine: %s\n", engine)
			})
		},
	}
	identities.add(cmd)
	return cmd
}
