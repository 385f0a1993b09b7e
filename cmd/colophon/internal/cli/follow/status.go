package follow

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// overview is what status prints without an id.
type overview struct {
	Quiet     bool             `json:"quiet"`
	Held      int              `json:"held"`    // versions that wait for what a model proposes; being quiet waits for them
	ToCome    int64            `json:"to_come"` // versions that have landed and are enriched when a model answers; nobody waits for them
	Counts    []catalog.Count  `json:"counts"`
	Queues    []stream.Queue   `json:"queues"`
	Oldest    *time.Time       `json:"oldest_open,omitempty"`
	Documents []catalog.Result `json:"documents"`
	Captures  int              `json:"captures"`               // how many documents would be listed without a limit
	Secrets   []catalog.Held   `json:"held_secrets,omitempty"` // rows of older versions that hold what would not be stored today
	Parted    []catalog.Parted `json:"parted,omitempty"`       // documents that older versions held for one with another, at most 20
	AllParted int              `json:"parted_count,omitempty"` // how many there are
}

// ListedCaptures is how many captures status prints when nothing else is said.
const ListedCaptures = 20

func (c commands) statusCommand() *cobra.Command {
	var (
		watch, all bool
		o          catalog.RecentOptions
	)
	cmd := &cobra.Command{
		Use: "status [ID]", Short: "Counts by stage and state, or the history of one document, snapshot or page",
		Long: "Prints counts by stage and state, queues, and what became of the latest captures:\n" +
			"at most 20, those that ended in error first. With an ID it prints the history of a\n" +
			"document (doc_…), or the record of a snapshot (snap_…), page (SNAPSHOT/NUMBER) or\n" +
			"chunk.",
		Example: "  colophon status\n  colophon status --watch\n  colophon status --source valdoro --failed --all\n  colophon status doc_x4…",
		Args:    cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 1 && kindOf(given[0]) == "" {
				return cli.Usagef("%q is no ID: doc_… (a document), snap_… (a snapshot), SNAPSHOT/NUMBER (a page) or DOC_HASH:NUMBER (a chunk)", given[0])
			}
			if o.Limit = ListedCaptures; all {
				o.Limit = 0
			}
			if len(given) == 1 && kindOf(given[0]) == "document" {
				return c.documentHistory(cmd, given[0])
			}
			if len(given) == 1 {
				return c.show(cmd, kindOf(given[0]), given[0])
			}
			for {
				err := c.overview(cmd, o)
				if watch && cmd.Context().Err() != nil {
					return nil // interrupted, as it is meant to be
				}
				if err != nil || !watch {
					return err
				}
				select {
				case <-cmd.Context().Done():
					return nil
				case <-time.After(time.Second):
				}
			}
		},
	}
	cmd.Flags().StringVar(&o.SourceID, "source", "", "list captures of this source only")
	cmd.Flags().BoolVar(&o.Failed, "failed", false, "list only captures that ended in error")
	cmd.Flags().BoolVar(&all, "all", false, "list all captures")
	cmd.Flags().BoolVar(&watch, "watch", false, "print again every second until interrupted")
	return cmd
}

func (c commands) overview(cmd *cobra.Command, listed catalog.RecentOptions) error {
	ctx := cmd.Context()
	db, s, err := c.Catalog(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := c.Stream(ctx, s)
	if err != nil {
		return err
	}
	defer conn.Close()
	var (
		o  overview
		at time.Time
		ok bool
	)
	progress, err := db.Progress(ctx, "", nil)
	if err != nil {
		return err
	}
	o.Quiet, o.Held = progress.Quiet(), progress.Held
	if o.Counts, err = db.Counts(ctx); err != nil {
		return err
	}
	for _, n := range o.Counts {
		if n.What == "enrichment" && n.State == "to come" {
			o.ToCome = n.N
		}
	}
	if o.Queues, err = conn.Queues(ctx); err != nil {
		return err
	}
	if at, ok, err = db.Oldest(ctx); err != nil {
		return err
	}
	if ok {
		o.Oldest = &at
	}
	if listed.SourceID != "" {
		if _, err := db.Source(ctx, listed.SourceID); err != nil {
			return err
		}
	}
	if o.Documents, o.Captures, err = db.Recent(ctx, listed); err != nil {
		return err
	}
	if o.Secrets, err = db.HeldSecrets(ctx); err != nil {
		return err
	}
	if o.Parted, o.AllParted, err = db.PartedDocuments(ctx); err != nil {
		return err
	}
	return c.Print(o, func(w io.Writer) { writeOverview(w, o) })
}

func writeOverview(w io.Writer, o overview) {
	for _, n := range o.Counts {
		if n.What == "vector" {
			n.What = "vectors of a manifest"
		}
		fmt.Fprintf(w, "%-22s %-14s %8d\n", n.What, n.State, n.N)
	}
	for _, q := range o.Queues {
		fmt.Fprintf(w, "queue                  %-14s %8d waiting, %d in hand\n", q.Consumer, q.Pending, q.AckPending)
	}
	for _, d := range o.Documents {
		state := d.State
		if state == "" {
			state = d.Outcome
		}
		fmt.Fprintf(w, "%-10s %s  %s%s\n", state, d.DocumentID, d.URL, cli.Because(d))
	}
	if len(o.Documents) < o.Captures {
		fmt.Fprintf(w, "%d of %d captures; --all lists them all, --failed those that ended in error, --source those of one source\n",
			len(o.Documents), o.Captures)
	}
	writeLegacy(w, o)
	if o.Oldest != nil {
		fmt.Fprintf(w, "oldest open work: %s\n", o.Oldest.Format(time.RFC3339))
	}
	if o.Held > 0 {
		fmt.Fprintf(w, "not quiet: %d versions land when a model has answered about their chunks, or when their wait is over\n", o.Held)
	}
	if o.Quiet && o.ToCome > 0 {
		fmt.Fprintf(w, "quiet: nothing is left to do but what is not waited for: a model is asked about the chunks of %d versions\n", o.ToCome)
	} else if o.Quiet {
		fmt.Fprintln(w, "quiet: nothing is left to do")
	}
}

// writeLegacy tells what older versions have left behind: secrets in rows, by id and
// never by value, and documents that were merged.
func writeLegacy(w io.Writer, o overview) {
	for _, held := range o.Secrets {
		if held.N > 0 {
			fmt.Fprintf(w, "%d of %d %ss hold what would not be stored today: %s\n", held.N, held.Read, held.What, strings.Join(held.IDs, ", "))
		}
		if held.More {
			fmt.Fprintf(w, "only the oldest %d %ss were looked at for secrets\n", held.Read, held.What)
		}
	}
	for _, p := range o.Parted {
		fmt.Fprintf(w, "%s was held for one document with %s until the rules changed\n", p.DocumentID, p.MergedWith)
	}
	if len(o.Parted) < o.AllParted {
		fmt.Fprintf(w, "%d of %d such documents\n", len(o.Parted), o.AllParted)
	}
}
