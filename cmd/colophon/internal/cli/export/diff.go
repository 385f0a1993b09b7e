package export

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/extract/changes"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// Compared is the result of a comparison of two runs of a snapshot.
type Compared struct {
	SnapshotID string               `json:"snapshot_id"`
	From       side                 `json:"from"`
	To         side                 `json:"to"`
	Counts     map[changes.Kind]int `json:"counts"`
	Changes    []changes.Change     `json:"changes"`
}

// side names one of the two runs.
type side struct {
	ExtractionID  string `json:"extraction_id"`
	ParserVersion string `json:"parser_version"`
	Units         int    `json:"units"`
}

func (c commands) diffCommand() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use: "diff SNAPSHOT", Short: "What changed, unit by unit, between two extractions of a snapshot",
		Long: "Compares what two runs made of the same bytes: another parser version, or other\n" +
			"rules of the source. Units were added, removed, have another text or type, stand\n" +
			"elsewhere in the reading order, or differ in other fields. --from and --to are a\n" +
			"parser version (its newest run) or an extraction_id; by default the last run and\n" +
			"the one before it.",
		Example: "  colophon diff snap_2c…\n  colophon diff snap_2c… --from 1 --to 2 --json", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			db, s, err := c.Catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			result, err := compareRuns(ctx, db, blobs, given[0], from, to)
			if err != nil {
				return err
			}
			return c.Print(result, func(w io.Writer) { writeCompared(w, result) })
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "parser version or extraction_id of the older side; default the run before --to")
	cmd.Flags().StringVar(&to, "to", "", "parser version or extraction_id of the newer side; default the last run")
	return cmd
}

func compareRuns(ctx context.Context, db *catalog.DB, blobs *blobstore.Store, snapshotID, from, to string) (Compared, error) {
	result := Compared{SnapshotID: snapshotID, Changes: []changes.Change{}}
	runs, err := db.Runs(ctx, snapshotID)
	if err == nil && len(runs) == 0 {
		_, err = db.Snapshot(ctx, snapshotID) // is it there at all?
	}
	if err != nil {
		return result, err
	}
	older, newer, err := chooseRuns(runs, snapshotID, from, to)
	if err != nil {
		return result, err
	}
	result.From = side{ExtractionID: older.ExtractionID, ParserVersion: older.ParserVersion}
	result.To = side{ExtractionID: newer.ExtractionID, ParserVersion: newer.ParserVersion}
	// The older side is held in memory, the newer one goes by.
	before := make(map[int]segment.Frame)
	if err := framesOf(ctx, db, blobs, older, func(f segment.Frame) error {
		before[f.Page.PageNo] = f
		result.From.Units += len(f.Units)
		return nil
	}); err != nil {
		return result, err
	}
	err = framesOf(ctx, db, blobs, newer, func(f segment.Frame) error {
		var was *segment.Frame
		if frame, there := before[f.Page.PageNo]; there {
			was = &frame
			delete(before, f.Page.PageNo)
		}
		result.To.Units += len(f.Units)
		result.Changes = append(result.Changes, changes.Pages(was, &f)...)
		return nil
	})
	for _, f := range before {
		result.Changes = append(result.Changes, changes.Pages(&f, nil)...)
	}
	changes.Sort(result.Changes)
	result.Counts = changes.Count(result.Changes)
	return result, err
}

// chooseRuns finds the two runs: the newest that each name fits, those without a
// name by their order.
func chooseRuns(runs []model.Run, snapshotID, from, to string) (older, newer model.Run, err error) {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r model.Run) bool { return r.State == model.RunRemoved })
	find := func(before int, name string) (int, error) {
		for i := before - 1; i >= 0; i-- {
			if name == "" || runs[i].ParserVersion == name || runs[i].ExtractionID == name {
				return i, nil
			}
		}
		if name == "" {
			return 0, cli.Failedf("snapshot %s has %s: there is nothing to compare. `colophon reparse` makes another with a newer parser, or after the source's rules have changed; `colophon reparse --ocr` always, of a scan", snapshotID, cli.Many(len(runs), "run"))
		}
		return 0, fmt.Errorf("run %q of snapshot %s: %w", name, snapshotID, catalog.ErrNotFound)
	}
	n, err := find(len(runs), to)
	if err != nil {
		return older, newer, err
	}
	before := n
	if from != "" {
		before = len(runs)
	}
	o, err := find(before, from)
	if err != nil {
		return older, newer, err
	}
	if o == n {
		return older, newer, cli.Usagef("--from and --to name the same run, %s", runs[n].ExtractionID)
	}
	return runs[o], runs[n], nil
}

func writeCompared(w io.Writer, d Compared) {
	fmt.Fprintf(w, "from %s (parser %s, %d units) to %s (parser %s, %d units)\n", d.From.ExtractionID, d.From.ParserVersion, d.From.Units,
		d.To.ExtractionID, d.To.ParserVersion, d.To.Units)
	page := 0
	for _, c := range d.Changes {
		if c.PageNo != page {
			page = c.PageNo
			fmt.Fprintf(w, "page %d\n", page)
		}
		what := c.ToType
		switch {
		case c.Kind == changes.Page:
			what = c.From + " → " + c.To
		case c.ToType == "":
			what = c.FromType
		case c.FromType != "" && c.FromType != c.ToType:
			what = c.FromType + " → " + c.ToType
		}
		text := c.Text
		if len(c.Fields) > 0 {
			text = strings.Join(c.Fields, ", ") + ": " + text
		}
		fmt.Fprintf(w, "  %-8s %-24s %s\n", c.Kind, what, text)
	}
	var counts []string
	for _, k := range changes.Kinds() {
		if n := d.Counts[k]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, k))
		}
	}
	if len(counts) == 0 {
		counts = append(counts, "no difference")
	}
	fmt.Fprintln(w, strings.Join(counts, ", "))
}
