package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/capture"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/local"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sourcefile"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// formats are what convert writes, with the ending of its files.
func formats() map[string]string {
	return map[string]string{
		"chunks": ".jsonl", "ir": ".ir.jsonl", "html": ".html", "markdown": ".md", "text": ".txt", "csv": ".csv",
		"entities": ".entities.json",
	}
}

func (c commands) convertCommand() *cobra.Command {
	var (
		w      writing
		schema string
		o      = capture.Options{Source: "convert"}
	)
	cmd := &cobra.Command{
		Use: "convert FILE…", Short: "Run files through the whole chain, and leave nothing behind",
		Long: "Starts a system in a temporary folder, runs the files through it and writes the\n" +
			"result to standard output, or to one file a document with -o. With --overlay each\n" +
			"page of a PDF is also written as a picture with the boxes and types of its units.\n" +
			"Entities (goals, practices, activities, measurements, outreach, areas) are found by\n" +
			"rules, without a model or a network; each value has its evidence, page and box.\n" +
			"With --schema they are entities of your own, as a JSON Schema describes them.\n" +
			"Exits 3 when a file fails.",
		Example: "  colophon convert report.pdf --to chunks\n  colophon convert *.html --to markdown -o out/\n  colophon convert report.pdf --to text --overlay pictures/\n  colophon convert plan.pdf --to entities\n  colophon convert minutes.pdf --to entities --schema docs/council-decisions.yaml",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if _, known := formats()[w.to]; !known {
				return cli.Usagef("--to %q: chunks, ir, html, markdown, text, csv or entities", w.to)
			}
			if err := w.readSchema(schema); err != nil {
				return err
			}
			if err := o.Check(); err != nil {
				return err
			}
			return c.convert(cmd.Context(), given, w, o)
		},
	}
	cmd.Flags().StringVar(&w.to, "to", "chunks", "chunks, ir, html, markdown, text, csv or entities")
	cmd.Flags().StringVar(&schema, "schema", "", "with --to entities: file with a schema of entities of your own (docs/entities.md)")
	cmd.Flags().StringVarP(&w.out, "out", "o", "", "folder to write one file a document into")
	cmd.Flags().StringVar(&w.overlay, "overlay", "", "folder to write a picture of each page of a PDF into, with the boxes of its units")
	cmd.Flags().StringVar(&o.At, "at", "", "time of retrieval, RFC 3339; default each file's own time")
	cmd.Flags().StringVar(&o.Language, "language", "", "language of the documents, ISO 639-1, when you know it")
	return cmd
}

// writing is where convert writes what.
type writing struct {
	to      string // a key of formats
	out     string // folder; empty: standard output
	overlay string // folder; empty: no pictures
	own     *custom.Schema
}

// readSchema reads the schema of entities of one's own that a file has; no file is none.
func (w *writing) readSchema(path string) error {
	if path == "" {
		return nil
	}
	if w.to != "entities" {
		return cli.Usagef("--schema goes with --to entities")
	}
	f, err := os.Open(path)
	if err != nil {
		return cli.Usagef("--schema: %v", err)
	}
	defer func() { _ = f.Close() }()
	described, err := sourcefile.ParseSchema(f)
	if err != nil {
		return cli.Usagef("--schema %s: %v", path, err)
	}
	own, err := custom.Compile(described)
	if err != nil {
		return cli.Usagef("--schema %s: %v", path, err)
	}
	w.own = &own
	return nil
}

func (c commands) convert(ctx context.Context, given []string, w writing, o capture.Options) (err error) {
	for _, dir := range []string{w.out, w.overlay} {
		if dir == "" {
			continue
		}
		if err := cli.MakeFolder(dir); err != nil {
			return err
		}
	}
	for _, arg := range given {
		if _, err := os.Stat(arg); err != nil {
			return cli.Usagef("%s: %v", arg, errors.Unwrap(err))
		}
	}
	dir, err := os.MkdirTemp("", "colophon-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, local.Remove(dir)) }()
	sys, err := StartTemporary(ctx, dir, c.Tables)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sys.Stop()) }()
	requests, err := capture.Prepare(ctx, sys.Blobs, given, o)
	if err != nil {
		return err
	}
	distinguish(requests, given)
	if err := capture.CheckNames(requests); err != nil {
		return err
	}
	if err := sys.Send(ctx, requests); err != nil {
		return err
	}
	results, err := capture.Follow(ctx, c.Tool, sys.Sender, requests, 0)
	if err != nil {
		return err
	}
	err = c.writeConverted(ctx, sys, results, w)
	if w.overlay != "" && (err == nil || errors.Is(err, cli.ErrFailed)) {
		err = errors.Join(err, c.overlay(ctx, sys, results, w.overlay))
	}
	return err
}

// distinguish gives files of equal names in different folders their folders'
// names: they are not versions of one document.
func distinguish(requests []capture.Handover, given []string) {
	if len(requests) != len(given) {
		return // folders are among them, which name their files
	}
	count := make(map[string]int)
	for _, r := range requests {
		count[r.URL]++
	}
	for i := range requests {
		if count[requests[i].URL] > 1 {
			requests[i].URL = sdk.FileURL(capture.Listed(given[i]))
			requests[i].RequestID = requests[i].RequestID + fmt.Sprintf("-%d", i)
		}
	}
}

func (c commands) writeConverted(ctx context.Context, sys *Temporary, results []catalog.Result, w writing) error {
	failed, written := false, false
	names := fileNames(results)
	for i, r := range results {
		if r.InError() {
			failed = true
			fmt.Fprintf(cli.ForPeople(c.Err), "%s: %s: %s\n", r.URL, r.Reason, r.Message)
			continue
		}
		if r.State == "" {
			continue // a container, whose members follow
		}
		var buf bytes.Buffer
		if err := sys.write(ctx, &buf, r, w.to, w.own); err != nil {
			return err
		}
		if w.out == "" {
			if buf.Len() == 0 {
				continue
			}
			if written && w.to != "chunks" && w.to != "ir" && w.to != "entities" {
				fmt.Fprintln(c.Out) // an empty line between documents
			}
			written = true
			if _, err := c.Out.Write(buf.Bytes()); err != nil {
				return err
			}
			continue
		}
		if err := cli.WriteFile(filepath.Join(w.out, names[i]+formats()[w.to]), buf.Bytes()); err != nil {
			return err
		}
	}
	if failed {
		return cli.ErrFailed
	}
	return nil
}

// maxFileName bounds the name of a file that is written, in bytes, without what is
// put behind it: file systems take 255.
const maxFileName = 200

// fileNames names the files that are written of documents: by their paths, with "_"
// for what is no part of a name, each by a name of its own.
func fileNames(results []catalog.Result) []string {
	names, taken := make([]string, len(results)), make(map[string]bool)
	for i, r := range results {
		path := strings.TrimPrefix(r.URL, "file:///")
		if plain, err := url.PathUnescape(path); err == nil {
			path = plain
		}
		name := strings.Map(func(c rune) rune {
			if c == '/' || unicode.IsControl(c) {
				return '_'
			}
			return c
		}, strings.ToValidUTF8(path, "_"))
		if len(name) > maxFileName {
			name = strings.ToValidUTF8(name[:maxFileName], "")
		}
		names[i] = name
		for n := 2; taken[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s~%d", name, n)
		}
		taken[names[i]] = true
	}
	return names
}
