package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/extract/render"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pictures"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// exporter writes what was made of documents for people and other tools.
type exporter struct {
	cli      *cli.Tool
	db       *catalog.DB
	blobs    *blobstore.Store
	drawer   *child.Drawer
	pictures pictures.Pictures
	out      string // folder of pages; file of the others, empty: standard output
	source   string
	snapshot string
	archive  bool
	evidence bool            // whether pages say where blocks stand and entities were found
	count    int             // of documents, of chunks in their export
	disabled map[string]bool // sources that are left out, by source_id
	left     int             // how many documents or chunks of them
}

func (c commands) exportCommand() *cobra.Command {
	cmd := cli.Group("export", "Files for people and other tools")
	cmd.AddCommand(
		c.exportKind("pages", "Pages as DOCXT HTML, their tables as CSV, their figures as PNG",
			"Writes below the folder: pages/SLUG/page-N.html, pages/SLUG/tables/ID.csv and\npages/SLUG/figures/SHA256.png, of the newest snapshot of each document.",
			"  colophon export pages -o out --source valdoro", (*exporter).pages),
		c.exportKind("chunks", "Chunks with their provenance and state as JSON lines",
			"Writes one line for each chunk of the current version of each document, with\n--archive also those of earlier versions and of earlier runs over the same bytes.",
			"  colophon export chunks -o chunks.jsonl", (*exporter).chunks),
		c.exportKind("ir", "Pages and their units, with all evidence, as JSON lines",
			"Writes for each page its record and then its units, one a line, of the newest\nsnapshot of each document.",
			"  colophon export ir --snapshot snap_2c… > units.jsonl", (*exporter).ir),
		c.exportEntities(),
		c.exportKind("ocr", "What OCR read, as hOCR and ALTO XML",
			"Writes below the folder: ocr/SLUG.hocr.html and ocr/SLUG.alto.xml, of the newest\nsnapshot of each document of which OCR read a page.",
			"  colophon export ocr -o out --source valdoro", (*exporter).ocr),
		c.exportKind("warc", "Captured bytes as a web archive (WARC 1.1)",
			"Writes a record with the bytes of the newest snapshot of each document, compressed,\nand one with what is known about it. Header fields are those that redaction kept.",
			"  colophon export warc -o valdoro.warc.gz --source valdoro", (*exporter).warc),
	)
	return cmd
}

func (c commands) exportKind(name, short, long, example string, do func(*exporter, context.Context) error) *cobra.Command {
	e := &exporter{cli: c.Tool}
	folder := name == "pages" || name == "ocr"
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long, Example: example, Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if folder && e.out == "" {
				return cli.Usagef("name the folder with -o")
			}
			if e.snapshot != "" && e.source != "" {
				return cli.Usagef("name --snapshot or --source")
			}
			ctx := cmd.Context()
			db, set, err := c.Catalog(ctx)
			if err != nil {
				return err
			}
			defer db.Close()
			e.db = db
			if e.blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(set.S3)); err != nil {
				return err
			}
			drawer, err := child.NewDrawer(child.ConfigOf(set.Extraction, set.S3.TempDir).Of(c.Tables.Kinds), e.blobs.FetchRaw)
			if err != nil {
				return err
			}
			defer drawer.Close()
			e.drawer, e.pictures = drawer, pictures.Pictures{Drawer: drawer, Objects: e.blobs}
			if e.source != "" {
				if _, err := db.Source(ctx, e.source); err != nil {
					return err
				}
			}
			if e.snapshot != "" { // before a file of an earlier export is written over
				if _, err := db.Snapshot(ctx, e.snapshot); err != nil {
					return err
				}
			}
			if e.source == "" && e.snapshot == "" {
				if e.disabled, err = disabledSources(ctx, db); err != nil {
					return err
				}
			}
			if err := do(e, ctx); err != nil {
				return err
			}
			e.tell(name)
			return nil
		},
	}
	f := cmd.Flags()
	if folder {
		f.StringVarP(&e.out, "out", "o", "", "folder to write into")
	} else {
		f.StringVarP(&e.out, "out", "o", "", "file to write; default standard output")
	}
	if name == "chunks" {
		f.BoolVar(&e.archive, "archive", false, "also chunks of earlier versions and runs")
	} else {
		f.StringVar(&e.snapshot, "snapshot", "", "only this snapshot")
	}
	if name == "pages" {
		f.BoolVar(&e.evidence, "evidence", false, "where blocks stand, and spans around what entities were found in")
	}
	f.StringVar(&e.source, "source", "", "only documents of this source; without it all but those of disabled sources")
	return cmd
}

// disabledSources returns the sources that an export of all leaves out: they are no part of
// what is handed on, unless they are named (seeds#capture).
func disabledSources(ctx context.Context, db *catalog.DB) (map[string]bool, error) {
	all, err := db.Sources(ctx)
	if err != nil {
		return nil, err
	}
	disabled := make(map[string]bool)
	for _, s := range all {
		disabled[s.SourceID] = s.State == model.SourceDisabled
	}
	return disabled, nil
}

// leavesOut reports whether a source is left out, and counts what is.
func (e *exporter) leavesOut(sourceID string) bool {
	if e.disabled[sourceID] {
		e.left++
	}
	return e.disabled[sourceID]
}

// tell says how much was written, beside what may go to standard output.
func (e *exporter) tell(name string) {
	what := "document"
	if name == "chunks" {
		what = "chunk"
	}
	to := ""
	if e.out != "" {
		to = " to " + e.out
	}
	if e.left > 0 {
		fmt.Fprintf(e.cli.Err, "%s of disabled sources left out: --source writes them\n", cli.Many(e.left, what))
	}
	switch {
	case e.count > 0 && name == "pages": // which says more
	case e.count > 0:
		fmt.Fprintf(e.cli.Err, "%s written%s\n", cli.Many(e.count, what), to)
	case name == "ocr":
		fmt.Fprintln(e.cli.Err, "nothing to export: OCR read no page of what was named")
	case e.source != "":
		fmt.Fprintf(e.cli.Err, "nothing to export: source %s has no %s that was processed\n", e.source, what)
	default:
		fmt.Fprintf(e.cli.Err, "nothing to export: no %s was processed\n", what)
	}
}

// snapshots calls each for the snapshot that was named, or the newest ones.
func (e *exporter) snapshots(ctx context.Context, each func(model.Snapshot) error) error {
	if e.snapshot != "" {
		s, err := e.db.Snapshot(ctx, e.snapshot)
		if err != nil {
			return err
		}
		e.count++
		return each(s)
	}
	for s, err := range e.db.NewestSnapshots(ctx, e.source) {
		if err != nil {
			return err
		}
		if e.leavesOut(s.SourceID) {
			continue
		}
		if err := each(s); err != nil {
			return err
		}
		e.count++
	}
	return nil
}

// lines hands each an encoder of JSON lines to the file that was named, or to
// standard output.
func (e *exporter) lines(each func(*json.Encoder) error) error {
	return e.write(func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return each(enc)
	})
}

// write hands the file that was named, or standard output, to do.
func (e *exporter) write(do func(io.Writer) error) error {
	write := func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 1<<20)
		if err := do(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	}
	if e.out == "" {
		return write(e.cli.Out)
	}
	return cli.WriteWhole(e.out, write)
}

func (e *exporter) ir(ctx context.Context) error {
	return e.lines(func(enc *json.Encoder) error {
		return e.snapshots(ctx, func(s model.Snapshot) error {
			shown := present.NewReader(s)
			return LastFrames(ctx, e.db, e.blobs, s.SnapshotID, func(f segment.Frame) error { return WriteIR(enc, f, shown) })
		})
	})
}

func (e *exporter) chunks(ctx context.Context) error {
	groups := e.db.CurrentChunks(ctx, e.source)
	if e.archive {
		groups = e.db.ChunkGroups(ctx, nil, "")
	}
	places := chunkPlaces{exporter: e}
	return e.lines(func(enc *json.Encoder) error {
		for chunks, err := range groups {
			if err != nil {
				return err
			}
			for _, c := range chunks {
				if e.source != "" && c.Chunk.SourceID != e.source || e.leavesOut(c.Chunk.SourceID) {
					continue
				}
				ref, err := places.of(ctx, &c.Chunk)
				if err != nil {
					return err
				}
				if err := enc.Encode(Chunk{Chunk: c.Chunk, State: c.State, SourceRef: ref}); err != nil {
					return err
				}
				e.count++
			}
		}
		return nil
	})
}

func (e *exporter) pages(ctx context.Context) error {
	c := e.cli
	documents, files := 0, 0
	show := cli.NewProgressLine(c)
	err := e.snapshots(ctx, func(s model.Snapshot) error {
		documents++
		var pages render.Pages
		return LastFrames(ctx, e.db, e.blobs, s.SnapshotID, func(f segment.Frame) error {
			html, err := e.html(ctx, &pages, f, s.Slug)
			if err != nil {
				return err
			}
			n, err := e.page(ctx, s, f, html)
			files += n
			show.Show(fmt.Sprintf("exported %d documents  %d files", documents, files), false)
			return err
		})
	})
	show.End()
	if err != nil {
		return err
	}
	return c.Print(map[string]int{"documents": documents, "files": files}, func(w io.Writer) {
		fmt.Fprintf(w, "%d documents, %d files below %s\n", documents, files, filepath.Join(e.out, "pages"))
	})
}

// html returns the next page of a document, with its evidence where that is asked for.
func (e *exporter) html(ctx context.Context, pages *render.Pages, f segment.Frame, slug string) (string, error) {
	if !e.evidence {
		return pages.HTML(f, slug), nil
	}
	found, err := e.db.EntitiesOfPage(ctx, f.Page.SnapshotID, f.Page.PageNo)
	if err != nil {
		return "", err
	}
	marks, err := entity.Marks(found)
	return pages.Annotated(f, slug, marks), err
}
