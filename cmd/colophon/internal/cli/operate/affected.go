package operate

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// affected is what the command of that name prints: the snapshots of an origin, and sums over
// them.
type affected struct {
	Snapshots []catalog.Affected `json:"snapshots"`
	Total     affectedTotal      `json:"total"`
}

type affectedTotal struct {
	Snapshots int `json:"snapshots"`
	Documents int `json:"documents"`
	Runs      int `json:"runs"`
	Pages     int `json:"pages"`
	Segments  int `json:"ir_segments"`
	Read      int `json:"ocr_results"`
	Manifests int `json:"manifests"`
	Chunks    int `json:"chunks"`
	Points    int `json:"points"`
}

func (t *affectedTotal) add(a catalog.Affected) {
	t.Snapshots++
	t.Runs += a.Runs
	t.Pages += a.Pages
	t.Segments += a.Segments
	t.Read += a.Read
	t.Manifests += a.Manifests
	t.Chunks += a.Chunks
	t.Points += a.Points
}

func (c commands) affectedCommand() *cobra.Command {
	var o catalog.Origin
	cmd := &cobra.Command{
		Use: "affected --source ID | --snapshot ID | --url URL", Short: "What was derived from a source, a snapshot or a URL",
		Long: "Lists the snapshots of a source, of a URL (also one that redirected there), or one by its\n" +
			"id, with the members of containers among them, and counts what was made of each: runs,\n" +
			"pages, segments of IR, results of OCR, manifests, chunks and their points. It changes\n" +
			"nothing; `colophon source disable` keeps a source out of every search.",
		Example: "  colophon affected --source town\n  colophon affected --url https://town.example/plan.pdf --json", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listAffected(cmd, o) },
	}
	cmd.Flags().StringVar(&o.SourceID, "source", "", "all snapshots of this source")
	cmd.Flags().StringVar(&o.SnapshotID, "snapshot", "", "this snapshot")
	cmd.Flags().StringVar(&o.URL, "url", "", "all snapshots of this URL, in whatever source")
	return cmd
}

func (c commands) listAffected(cmd *cobra.Command, o catalog.Origin) error {
	given := 0
	for _, name := range []string{o.SourceID, o.SnapshotID, o.URL} {
		if name != "" {
			given++
		}
	}
	if given != 1 {
		return cli.Usagef("one of --source, --snapshot and --url must be given")
	}
	if o.URL != "" {
		o.URL = redact.URL(o.URL, redact.Stored) // as it is stored
		if canonical, err := digest.URLCanonV4(o.URL); err == nil {
			o.Canonical = canonical
		}
	}
	db, _, err := c.Catalog(cmd.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	found := affected{Snapshots: []catalog.Affected{}}
	documents := map[string]bool{}
	if err := db.AffectedBy(cmd.Context(), o, func(a catalog.Affected) error {
		found.Snapshots = append(found.Snapshots, a)
		found.Total.add(a)
		documents[a.DocumentID] = true
		return nil
	}); err != nil {
		return err
	}
	if len(found.Snapshots) == 0 {
		return fmt.Errorf("no snapshot is of %s%s%s: %w", o.SourceID, o.SnapshotID, o.URL, catalog.ErrNotFound)
	}
	found.Total.Documents = len(documents)
	return c.Print(found, func(w io.Writer) { writeAffected(w, found) })
}

func writeAffected(w io.Writer, found affected) {
	for _, a := range found.Snapshots {
		fmt.Fprintf(w, "%s %s\n  %s: %s\n", a.SnapshotID, a.ExternalID, a.SourceID,
			derived(affectedTotal{Runs: a.Runs, Pages: a.Pages, Segments: a.Segments, Read: a.Read, Manifests: a.Manifests, Chunks: a.Chunks, Points: a.Points}))
	}
	t := found.Total
	fmt.Fprintf(w, "%s of %s: %s\n", cli.Many(t.Snapshots, "snapshot"), cli.Many(t.Documents, "document"), derived(t))
}

// derived tells how much was made, in words.
func derived(t affectedTotal) string {
	return fmt.Sprintf("%s, %s, %s of IR, %s of OCR, %s, %s, %s", cli.Many(t.Runs, "run"), cli.Many(t.Pages, "page"), cli.Many(t.Segments, "segment"),
		cli.Many(t.Read, "result"), cli.Many(t.Manifests, "manifest"), cli.Many(t.Chunks, "chunk"), cli.Many(t.Points, "point"))
}
