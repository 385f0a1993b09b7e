package operate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// Reannotated is what reannotate prints.
type reannotated struct {
	SnapshotID   string `json:"snapshot_id"`
	ExtractionID string `json:"extraction_id"`
	Page         int    `json:"page,omitempty"`
	Pages        int    `json:"pages"` // that were read before, and are queued again
}

func (c commands) reannotateCommand() *cobra.Command {
	var page int
	cmd := &cobra.Command{
		Use: "reannotate DOCUMENT|SNAPSHOT", Short: "Read the entities of a document again",
		Long: "Has the entities of all pages of a snapshot, or of the current one of a document, read\n" +
			"again, or of one page (--page N). What a page yields again keeps the time at which it\n" +
			"was found first; what it does not yield any more is marked.",
		Example: "  colophon reannotate doc_2c…\n  colophon reannotate snap_2c… --page 12", Args: cli.Args(cobra.ExactArgs(1)),
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
			run, err := runToRead(ctx, db, given[0])
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
			r := reannotated{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, Page: page}
			if err := c.Traced(ctx, s, "reannotate", func(ctx context.Context) (err error) {
				r.Pages, err = reannotate(ctx, db, conn, run, page)
				return err
			}); err != nil {
				return err
			}
			return c.Print(r, func(w io.Writer) {
				fmt.Fprintf(w, "the entities of %s are read again; `colophon show entities %s` shows what becomes of them\n", r.SnapshotID, run.DocumentID)
			})
		},
	}
	cmd.Flags().IntVar(&page, "page", 0, "only this page, from 1")
	return cmd
}

// runToRead returns the last run of a snapshot, or of the current snapshot of a document.
func runToRead(ctx context.Context, db *catalog.DB, id string) (model.Run, error) {
	snapshot := id
	if strings.HasPrefix(id, "doc_") {
		d, err := db.Document(ctx, id)
		if err != nil {
			return model.Run{}, err
		}
		if snapshot = d.CurrentSnapshotID; snapshot == "" {
			return model.Run{}, cli.Failedf("document %s has no version yet", id)
		}
	}
	return lastRun(ctx, db, snapshot)
}

// reannotate queues pages of a run again, and lets the annotator look at it.
func reannotate(ctx context.Context, db *catalog.DB, conn *stream.Conn, run model.Run, page int) (int, error) {
	pages, err := choosePages(run, page)
	if err != nil {
		return 0, err
	}
	_, segments, _, err := db.RunParts(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil {
		return 0, err
	}
	e, err := event.New("cli", event.OfRun(run, segments), time.Now())
	if err != nil {
		return 0, err
	}
	n, err := db.RequeueEntities(ctx, run, pages)
	if err != nil {
		return 0, err
	}
	// The bus may have had this event within the time for which it remembers it.
	return n, conn.Publisher("cli").Publish(ctx, e.Redrive(time.Now().UnixNano()))
}
