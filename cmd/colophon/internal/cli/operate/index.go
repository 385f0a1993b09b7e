package operate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// lookEvery is between two looks at a collection that is filled, askEvery between two
// requests for what it does not hold.
const (
	lookEvery = time.Second
	askEvery  = time.Minute
)

// filling is how far a collection had come when its chunks were asked for last.
type filling struct {
	held   string
	behind int64 // the fewest since held is what it is
	idle   int   // how often they were asked for since without one more of them held
}

// stalls notes that chunks were asked for, while all up to held is there and behind of the next
// are not, and reports whether to ask again is no use.
func (f *filling) stalls(held string, behind int64) bool {
	if held == f.held && f.behind > 0 && behind >= f.behind { // more are behind when others have landed
		f.idle++
	} else {
		f.held, f.behind, f.idle = held, behind, 0
	}
	return f.idle >= catalog.MaxRedrives
}

func (c commands) indexCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "index", Short: "Collections of vectors: list, rebuild with another model, drop",
		Long: "A collection holds the vectors of one embedding model. One is active, and searched.\nIndexers that were started with another model make a second one beside it, and write both.",
	}
	cmd.AddCommand(c.indexListCommand(), c.indexRebuildCommand(), c.indexDropCommand())
	return cmd
}

func (c commands) indexListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The collections, and how far each is", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, s, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			all, err := db.Collections(cmd.Context(), s.Qdrant.Collection)
			if err != nil {
				return err
			}
			return c.Print(all, func(w io.Writer) {
				for _, k := range all {
					fmt.Fprintf(w, "%-8s  %s  %s, %d numbers  %d points, %d chunks behind\n", k.State, k.Name, k.Model, k.Dimensions, k.Points, k.Behind)
				}
			})
		},
	}
}

func (c commands) indexRebuildCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "rebuild", Short: "Search with another embedding model, without a gap",
		Long:    "Fills the collection of the model beside the one that is searched, waits until it\nholds all that this one holds, and lets searches go to it. Indexers and gateways must\nhave been started with the model (COLOPHON_EMBED_URL and COLOPHON_EMBED_MODEL). The\ncollection of before is retired; index drop removes it. May be stopped and started\nagain at any moment.",
		Example: "  colophon index rebuild --model text-embedding-3-small", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			db, s, err := c.Catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			target, err := collectionOf(ctx, db, s.Qdrant.Collection, name)
			if err != nil {
				return err
			}
			vectors := vectorstore.NewLazy(vectorstore.ConfigOf(s.Qdrant))
			defer func() { _ = vectors.Close() }() // nothing of it is needed any more
			if err := c.fill(ctx, db, s, vectors, target); err != nil {
				return err
			}
			// The indexers would do it as well, at their next look.
			client, err := vectors.Client(ctx)
			if err == nil {
				err = client.SetAlias(ctx, s.Qdrant.Collection, target)
			}
			if err != nil {
				return err
			}
			return c.Print(map[string]string{"collection": target}, func(w io.Writer) { fmt.Fprintf(w, "%s is searched now\n", target) })
		},
	}
	cmd.Flags().StringVar(&name, "model", "", "the model, as index list shows it; not needed when one collection is building")
	return cmd
}

// collectionOf returns the name of the collection of a model that can be searched or is
// filled; of the one that is filled when no model is named.
func collectionOf(ctx context.Context, db *catalog.DB, alias, name string) (string, error) {
	written, err := db.WrittenCollections(ctx, alias)
	if err != nil {
		return "", err
	}
	var found []string
	for _, k := range written {
		if k.Model == name || name == "" && k.State == model.CollectionBuilding {
			found = append(found, k.Name)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", cli.Usagef("several collections could be meant, name one by --model: %q", found)
	case name == "":
		return "", cli.Usagef("no collection is being filled: start indexers and gateways with the other model first")
	default:
		return "", cli.Usagef("no indexer has made a collection for the model %s: start indexers and gateways with it first (COLOPHON_EMBED_URL, COLOPHON_EMBED_MODEL); colophon index list shows what there is", name)
	}
}

// fill asks for the chunks that a collection does not hold, until it can be activated. What
// was asked for and does not come is asked for again.
func (c commands) fill(ctx context.Context, db *catalog.DB, s cli.Settings, vectors *vectorstore.Lazy, target string) error {
	conn, err := c.StreamAs(ctx, s, access.Janitor)
	if err != nil {
		return err
	}
	defer conn.Close()
	blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
	if err != nil {
		return err
	}
	line := cli.NewProgressLine(c.Tool)
	defer line.End()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var asked time.Time
	var far filling
	var age time.Duration // at first all that does not wait in a stream
	held := ""            // up to here all is there
	for {
		var behind int64
		if behind, held, err = db.BehindCollection(ctx, s.Qdrant.Collection, target, held); err != nil {
			return err
		}
		if behind == 0 { // all is looked at once more, while nobody else activates one
			if behind, err = db.ActivateCollection(ctx, s.Qdrant.Collection, target); err != nil || behind == 0 {
				return err
			}
			held = ""
		}
		line.Show(fmt.Sprintf("%s: at least %d chunks to come", target, behind), false)
		if time.Since(asked) >= askEvery {
			report, err := reconcile.New(db, conn, blobs, vectors.Client, s.Qdrant.Collection).Run(ctx, reconcile.Options{Age: age, SkipObjects: true, Fill: target})
			if err != nil {
				return err
			}
			if len(report.Missing) > 0 {
				return fmt.Errorf("%d chunks or more are not in %s yet, and cannot be asked for: %s", behind, target, strings.Join(report.Missing, "; "))
			}
			for _, count := range report.Counts {
				if count.What == "chunks" && count.Redriven > 0 && far.stalls(held, behind) {
					return fmt.Errorf("%d chunks or more were asked for %d times, and do not come to %s: is an indexer with its model at work? colophon dlq list says which ones it cannot make; mend the cause, and start again", behind, catalog.MaxRedrives, target)
				}
			}
			if !report.Busy { // another pass was under way
				asked, age = time.Now(), askEvery
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
	}
}

func (c commands) indexDropCommand() *cobra.Command {
	return &cobra.Command{
		Use: "drop COLLECTION", Short: "Remove a collection that is not searched, points and record",
		Long: "Removes a retired collection, or one that is building: start indexers without its model\nbefore, since one that has it makes the collection again.",
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			db, s, err := c.Catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			all, err := db.CollectionsOf(ctx, s.Qdrant.Collection)
			if err != nil {
				return err
			}
			for _, k := range all {
				if k.Name != args[0] {
					continue
				}
				if k.State == model.CollectionActive {
					return cli.Usagef("%s is searched: only another collection can be dropped", k.Name)
				}
				if err := db.RetireCollection(ctx, s.Qdrant.Collection, k.Name); err != nil {
					return err
				}
				client, err := vectorstore.Open(ctx, vectorstore.ConfigOf(s.Qdrant))
				if err != nil {
					return err
				}
				defer func() { _ = client.Close() }() // nothing of it is needed any more
				if err := client.Collection(k.Name).Drop(ctx); err != nil {
					return err
				}
				return db.ForgetCollection(ctx, s.Qdrant.Collection, k.Name)
			}
			return cli.Usagef("there is no collection %s: colophon index list shows what there is", args[0])
		},
	}
}
