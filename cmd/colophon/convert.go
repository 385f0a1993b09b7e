package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract/render"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// formats are what convert writes, with the ending of its files.
func formats() map[string]string {
	return map[string]string{
		"chunks": ".jsonl", "ir": ".ir.jsonl", "html": ".html", "markdown": ".md", "text": ".txt", "csv": ".csv",
	}
}

func (c *cli) convertCommand() *cobra.Command {
	var (
		w writing
		o = captureOptions{source: "convert"}
	)
	cmd := &cobra.Command{
		Use: "convert FILE…", Short: "Run files through the whole chain, and leave nothing behind",
		Long: "Starts a system in a temporary folder, runs the files through it and writes the\n" +
			"result to standard output, or to one file a document with -o. With --overlay each\n" +
			"page of a PDF is also written as a picture with the boxes and types of its units.\n" +
			"Exits 3 when a file fails.",
		Example: "  colophon convert report.pdf --to chunks\n  colophon convert *.html --to markdown -o out/\n  colophon convert report.pdf --to text --overlay pictures/",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if _, known := formats()[w.to]; !known {
				return usagef("--to %q: chunks, ir, html, markdown, text or csv", w.to)
			}
			if err := o.check(); err != nil {
				return err
			}
			return c.convert(cmd.Context(), given, w, o)
		},
	}
	cmd.Flags().StringVar(&w.to, "to", "chunks", "chunks, ir, html, markdown, text or csv")
	cmd.Flags().StringVarP(&w.out, "out", "o", "", "folder to write one file a document into")
	cmd.Flags().StringVar(&w.overlay, "overlay", "", "folder to write a picture of each page of a PDF into, with the boxes of its units")
	cmd.Flags().StringVar(&o.at, "at", "", "time of retrieval, RFC 3339; default each file's own time")
	cmd.Flags().StringVar(&o.language, "language", "", "language of the documents, ISO 639-1, when you know it")
	return cmd
}

// writing is where convert writes what.
type writing struct {
	to      string // a key of formats
	out     string // folder; empty: standard output
	overlay string // folder; empty: no pictures
}

func (c *cli) convert(ctx context.Context, given []string, w writing, o captureOptions) (err error) {
	for _, dir := range []string{w.out, w.overlay} {
		if dir == "" {
			continue
		}
		if err := makeFolder(dir); err != nil {
			return err
		}
	}
	for _, arg := range given {
		if _, err := os.Stat(arg); err != nil {
			return usagef("%s: %v", arg, errors.Unwrap(err))
		}
	}
	dir, err := os.MkdirTemp("", "colophon-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeLocal(dir)) }()
	sys, err := startTemporary(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sys.stop()) }()
	requests, err := prepare(ctx, sys.blobs, given, o)
	if err != nil {
		return err
	}
	distinguish(requests, given)
	if err := checkNames(requests); err != nil {
		return err
	}
	if err := sys.send(ctx, requests); err != nil {
		return err
	}
	results, err := c.follow(ctx, sys.sender, requests, 0)
	if err != nil {
		return err
	}
	err = c.writeConverted(ctx, sys, results, w)
	if w.overlay != "" && (err == nil || errors.Is(err, errFailed)) {
		err = errors.Join(err, c.overlay(ctx, sys, results, w.overlay))
	}
	return err
}

// distinguish gives files of equal names in different folders their folders'
// names: they are not versions of one document.
func distinguish(requests []handover, given []string) {
	if len(requests) != len(given) {
		return // folders are among them, which name their files
	}
	count := make(map[string]int)
	for _, r := range requests {
		count[r.URL]++
	}
	for i := range requests {
		if count[requests[i].URL] > 1 {
			requests[i].URL = sdk.FileURL(listed(given[i]))
			requests[i].RequestID = requests[i].RequestID + fmt.Sprintf("-%d", i)
		}
	}
}

func (c *cli) writeConverted(ctx context.Context, sys *temporary, results []catalog.Result, w writing) error {
	failed, written := false, false
	names := fileNames(results)
	for i, r := range results {
		if r.InError() {
			failed = true
			fmt.Fprintf(forPeople{c.err}, "%s: %s: %s\n", r.URL, r.Reason, r.Message)
			continue
		}
		if r.State == "" {
			continue // a container, whose members follow
		}
		var buf bytes.Buffer
		if err := sys.write(ctx, &buf, r, w.to); err != nil {
			return err
		}
		if w.out == "" {
			if buf.Len() == 0 {
				continue
			}
			if written && w.to != "chunks" && w.to != "ir" {
				fmt.Fprintln(c.out) // an empty line between documents
			}
			written = true
			if _, err := c.out.Write(buf.Bytes()); err != nil {
				return err
			}
			continue
		}
		if err := writeFile(filepath.Join(w.out, names[i]+formats()[w.to]), buf.Bytes()); err != nil {
			return err
		}
	}
	if failed {
		return errFailed
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

// temporary is a local system that runs inside this command.
type temporary struct {
	*sender
	local  *local
	cancel context.CancelFunc
	done   chan error
}

// startTemporary starts all servers and services below dir.
func startTemporary(ctx context.Context, dir string) (*temporary, error) {
	l, err := startLocal(ctx, localOptions{dir: dir, noSync: true, quiet: true, services: true, http: "127.0.0.1:0", place: "TMPDIR"})
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &temporary{local: l, cancel: cancel, done: make(chan error, 1), sender: &sender{}}
	go func() {
		t.done <- process.Run(running, process.Options{Health: config.Health{Addr: "off"}}, l.parts(l.services...)...)
	}()
	s, err := config.LoadFrom[settings](l.values)
	if err == nil {
		t.db, err = catalog.Open(ctx, catalog.ConfigOf(s.Postgres))
	}
	if err == nil {
		t.conn, err = stream.Connect(ctx, stream.ConfigOf("colophon", s.NATS, s.Runner))
	}
	if err == nil {
		t.blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
	}
	if err != nil {
		return nil, errors.Join(err, t.stop())
	}
	return t, nil
}

func (t *temporary) stop() error {
	if t.conn != nil {
		t.conn.Close()
	}
	if t.db != nil {
		t.db.Close()
	}
	t.cancel()
	return errors.Join(<-t.done, t.local.close())
}

// write writes one document in a format.
func (t *temporary) write(ctx context.Context, w io.Writer, r catalog.Result, to string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if to == "chunks" {
		for group, err := range t.db.ChunkGroups(ctx, nil, r.DocumentID) {
			if err != nil {
				return err
			}
			for _, g := range group {
				if err := enc.Encode(g.Chunk); err != nil {
					return err
				}
			}
		}
		return nil
	}
	snap, err := t.db.Snapshot(ctx, r.SnapshotID)
	if err != nil {
		return err
	}
	between := "" // an empty line between what stands on two pages
	var pages render.Pages
	return lastFrames(ctx, t.db, t.blobs, r.SnapshotID, func(f segment.Frame) error {
		text, gap := "", "\n"
		switch to {
		case "html":
			text, gap = render.HTML(f, snap.Slug), ""
		case "markdown":
			text = render.Markdown(f)
		case "text":
			text = pages.Text(f)
		case "csv":
			text, gap = render.CSV(f), "\r\n"
		default:
			return writeIR(enc, f)
		}
		if text == "" {
			return nil
		}
		_, err := io.WriteString(w, between+text)
		between = gap
		return err
	})
}
