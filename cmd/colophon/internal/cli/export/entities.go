package export

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/files"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/model"
)

// entityExport writes what the pages of current versions yield.
type entityExport struct {
	cli                   *cli.Tool
	db                    *catalog.DB
	to, out               string
	source, document, typ string
	count, documents      int
}

func (c commands) exportEntities() *cobra.Command {
	e := &entityExport{cli: c.Tool}
	cmd := &cobra.Command{
		Use: "entities", Short: "Entities of current versions as JSON, CSV or Parquet",
		Long: "Writes what the pages of the current version of each document say, in the order of documents\n" +
			"and pages: as JSON one ExtractedDocument for each document, with evidence and grounds; as CSV\n" +
			"and Parquet a row for each entity, its values in columns. Without --source or --document,\n" +
			"sources that are disabled are left out.",
		Example: "  colophon export entities --to csv -o entities.csv --source valdoro\n  colophon export entities --to parquet --type goal -o goals.parquet\n" +
			"  colophon export entities --to csv --type permits.permit",
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.writeEntities(cmd.Context(), e) },
	}
	f := cmd.Flags()
	f.StringVar(&e.to, "to", "json", "json, csv or parquet")
	f.StringVarP(&e.out, "out", "o", "", "file to write; default standard output")
	f.StringVar(&e.source, "source", "", "only of this source")
	f.StringVar(&e.document, "document", "", "only of this document")
	f.StringVar(&e.typ, "type", "", "only of this type: goal, bmp, implementation, monitoring, outreach, geographicArea, or {schema}.{type} of a source's own")
	return cmd
}

func (c commands) writeEntities(ctx context.Context, e *entityExport) error {
	writers := map[string]func(context.Context, io.Writer) error{"json": e.json, "csv": e.csv, "parquet": e.parquet}
	write, known := writers[e.to]
	if !known {
		return cli.Usagef("--to %q: json, csv or parquet", e.to)
	}
	if _, known := entity.TypeOf(e.typ); !known && e.typ != "" && !entity.IsOwn(e.typ) {
		return cli.Usagef("--type %q: goal, bmp, implementation, monitoring, outreach, geographicArea, or {schema}.{type} of a source's own", e.typ)
	}
	db, _, err := c.Catalog(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	e.db = db
	if e.source != "" {
		if _, err := db.Source(ctx, e.source); err != nil {
			return err
		}
	}
	if e.document != "" { // before a file of an earlier export is written over
		if _, err := db.Document(ctx, e.document); err != nil {
			return err
		}
	}
	file := exporter{cli: c.Tool, out: e.out}
	if err := file.write(func(w io.Writer) error { return write(ctx, w) }); err != nil {
		return err
	}
	to := ""
	if e.out != "" {
		to = " to " + e.out
	}
	fmt.Fprintf(c.Err, "%s of %s written%s\n", entities(e.count), cli.Many(e.documents, "document"), to)
	return nil
}

// each calls do for each document that has entities of what was asked for, or, where no type is named, whose pages were read.
func (e *entityExport) each(ctx context.Context, do func(catalog.DocumentEntities) error) error {
	for d, err := range e.db.EntityDocuments(ctx, e.source, e.document) {
		if err != nil {
			return err
		}
		n := 0
		for _, row := range d.Rows {
			if e.typ == "" || e.typ == row.Type {
				n++
			}
		}
		if n == 0 && e.typ != "" {
			continue
		}
		e.count, e.documents = e.count+n, e.documents+1
		if err := do(d); err != nil {
			return err
		}
	}
	return nil
}

// json writes a list of documents, one a line.
func (e *entityExport) json(ctx context.Context, w io.Writer) error {
	before := "["
	err := e.each(ctx, func(d catalog.DocumentEntities) error {
		extracted, err := entity.Extracted(model.ExtractedDocument{UploadID: d.SnapshotID, Slug: d.Slug, DocumentID: d.DocumentID,
			SourceID: d.SourceID, URL: d.URL}, d.Pages, d.Rows, e.typ)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, before+"\n"); err != nil {
			return err
		}
		before = ","
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(extracted)
	})
	if err != nil {
		return err
	}
	if before == "[" {
		before = "[]"
	} else {
		before = "]"
	}
	_, err = io.WriteString(w, before+"\n")
	return err
}

// csv writes a row for each entity, below one of the columns' names (RFC 4180). Spreadsheets run none of its cells.
func (e *entityExport) csv(ctx context.Context, w io.Writer) error {
	columns, err := e.columns(ctx)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	if err := out.Write(names); err != nil {
		return err
	}
	write := func(cells []string) error {
		for i, cell := range cells {
			cells[i] = disarm(cell)
		}
		return out.Write(cells)
	}
	if err := e.cells(ctx, columns, write); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// disarm puts an apostrophe before a cell that a spreadsheet would take for a formula, as which whoever wrote the
// document could run it: one that begins with =, +, -, @, a tab or a line end, and is no number.
func disarm(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// parquet writes a row for each entity.
func (e *entityExport) parquet(ctx context.Context, w io.Writer) error {
	columns, err := e.columns(ctx)
	if err != nil {
		return err
	}
	table := make([]files.Column, len(columns))
	for i, c := range columns {
		table[i] = c.Column
	}
	return files.WriteTable(w, table, func(write func([]string) error) error { return e.cells(ctx, columns, write) })
}

// cells hands over the cells of each entity, which are written before the next.
func (e *entityExport) cells(ctx context.Context, columns []column, write func([]string) error) error {
	cells := make([]string, len(columns))
	return e.rows(ctx, func(d catalog.DocumentEntities, row model.EntityRow) error {
		values, err := flatten(d, row)
		if err != nil {
			return err
		}
		for i, c := range columns {
			cells[i] = c.of(values)
		}
		return write(cells)
	})
}

// rows calls do for each entity that was asked for.
func (e *entityExport) rows(ctx context.Context, do func(catalog.DocumentEntities, model.EntityRow) error) error {
	return e.each(ctx, func(d catalog.DocumentEntities) error {
		for _, row := range d.Rows {
			if e.typ != "" && e.typ != row.Type {
				continue
			}
			if err := do(d, row); err != nil {
				return err
			}
		}
		return nil
	})
}

func entities(n int) string {
	if n == 1 {
		return "1 entity"
	}
	return fmt.Sprintf("%d entities", n)
}
