package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/sdk/inbox"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// captureOptions are the flags of capture.
type captureOptions struct {
	source   string
	wait     bool
	strict   bool
	force    bool
	at       string
	language string
	timeout  time.Duration
	stdin    io.Reader // the list that - names
}

func (c *cli) captureCommand() *cobra.Command {
	o := captureOptions{stdin: os.Stdin}
	cmd := &cobra.Command{
		Use: "capture URL|FILE|DIR|WARC|-…", Short: "Hand documents over, and follow them to the end with --wait",
		Long:    "Publishes one capture request a document: URLs, files, all files of a folder but\nhidden ones, web archives (.warc, .warc.gz), or with - what a list on standard input\nnames, one a line. Files are named file:/// and their path relative to the argument,\nso that the same folder gives the same ids anywhere. With --wait it follows each\nuntil it is terminal, prints what became of it and of what it contains, and exits 3\nwhen one ends in error.",
		Example: "  colophon capture --wait --source valdoro test/documents\n  colophon capture --source town --wait report.pdf https://www.example.org/minutes.html site.warc.gz\n  find . -name '*.pdf' | colophon capture --source town --wait --json -",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			db, s, err := c.catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			conn, err := c.stream(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer conn.Close()
			blobs, err := blobstore.Open(cmd.Context(), blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			return c.capture(cmd.Context(), &sender{db: db, conn: conn, blobs: blobs, full: c.waitsForRoom()}, given, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.source, "source", "local", "the source that the documents belong to")
	f.BoolVar(&o.wait, "wait", false, "follow each document until it is terminal")
	f.BoolVar(&o.strict, "strict", false, "with --wait: any failed page is an error")
	f.BoolVar(&o.force, "force", false, "process again what has not changed")
	f.StringVar(&o.at, "at", "", "time of retrieval of files, RFC 3339; default each file's own time")
	f.StringVar(&o.language, "language", "", "language of the documents, when you know it")
	f.DurationVar(&o.timeout, "timeout", 0, "with --wait: give up after this long; 0 is never")
	return cmd
}

// waitsForRoom says once that the queue is full.
func (c *cli) waitsForRoom() func() {
	return sync.OnceFunc(func() {
		fmt.Fprintln(c.err, "the queue of requests is full: waiting until there is room")
	})
}

func (c *cli) capture(ctx context.Context, s *sender, given []string, o captureOptions) error {
	requests, err := prepare(ctx, s.blobs, given, o)
	if err != nil {
		return err
	}
	if err := s.send(ctx, requests); err != nil {
		return err
	}
	if !o.wait {
		for _, r := range requests {
			if err := c.print(map[string]string{"request_id": r.RequestID, "source_id": r.SourceID, "url": r.URL}, func(w io.Writer) {
				fmt.Fprintf(w, "%s  %s\n", r.RequestID, r.URL)
			}); err != nil {
				return err
			}
		}
		return nil
	}
	results, err := c.follow(ctx, s, requests, o.timeout)
	if err != nil {
		return err
	}
	return c.report(results, o.strict)
}

// report prints what became of the requests. It returns errFailed when one
// ended in error.
func (c *cli) report(results []catalog.Result, strict bool) error {
	failed := 0
	for _, r := range results {
		bad := r.InError() || (strict && r.Failed > 0)
		if bad {
			failed++
		}
		if err := c.print(r, func(w io.Writer) {
			state := r.State
			if state == "" {
				state = r.Outcome
			}
			fmt.Fprintf(w, "%-9s %-48s %4d pages %5d chunks%s\n", state, r.URL, r.Pages, r.Chunks, because(r))
		}); err != nil {
			return err
		}
	}
	if failed > 0 {
		if !c.json {
			fmt.Fprintf(c.err, "%d of %d documents failed\n", failed, len(results))
		}
		return errFailed
	}
	return nil
}

// handover is a request that is sent, without the bytes of a file that travels
// inside it: they are read when they are needed.
type handover struct {
	event.CaptureRequested
	path string // of that file; empty when there is none
}

// prepare makes one request for each URL, file, web archive and line of the list
// on standard input, in order. Files that do not fit into a request go to the
// inbox.
func prepare(ctx context.Context, blobs *blobstore.Store, given []string, o captureOptions) ([]handover, error) {
	var requests []handover
	for _, arg := range given {
		if arg != "-" {
			more, err := prepareOne(ctx, blobs, arg, o)
			if err != nil {
				return nil, err
			}
			requests = append(requests, more...)
			continue
		}
		list := bufio.NewScanner(o.stdin)
		for list.Scan() {
			line := strings.TrimSpace(list.Text())
			if line == "" {
				continue
			}
			more, err := prepareOne(ctx, blobs, line, o)
			if err != nil {
				return nil, err
			}
			requests = append(requests, more...)
		}
		if err := list.Err(); err != nil {
			return nil, fmt.Errorf("the list on standard input: %w", err)
		}
	}
	return requests, nil
}

func prepareOne(ctx context.Context, blobs *blobstore.Store, arg string, o captureOptions) ([]handover, error) {
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		return []handover{{CaptureRequested: event.CaptureRequested{
			RequestID: "u-" + digest.Base32(digest.HashParts(arg, nonce())), SourceID: o.source, URL: arg, Force: o.force,
			Language: o.language,
		}}}, nil
	}
	files, err := filesOf(arg)
	if err != nil {
		return nil, err
	}
	requests := make([]handover, len(files))
	for i, f := range files {
		if requests[i], err = fileRequest(ctx, blobs, f, o); err != nil {
			return nil, err
		}
	}
	return requests, nil
}

// file is a file to capture: where it is, and its path relative to the argument
// that named it.
type file struct{ path, name string }

// filesOf returns the file that is named, or all files of a folder and those in
// it, but hidden ones.
func filesOf(arg string) ([]file, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, usagef("%s: %v", arg, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return []file{{path: arg, name: filepath.Base(arg)}}, nil
	}
	var files []file
	err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
		hidden := path != arg && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden || !d.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(arg, path)
		files = append(files, file{path: path, name: filepath.ToSlash(name)})
		return err
	})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, err
}

func fileRequest(ctx context.Context, blobs *blobstore.Store, f file, o captureOptions) (handover, error) {
	facts := event.CaptureRequested{
		SourceID: o.source, URL: sdk.FileURL(f.name), Filename: filepath.Base(f.name), Force: o.force, Language: o.language,
		FetchToolVersion: "colophon-cli",
	}
	if o.at != "" {
		at, err := time.Parse(time.RFC3339, o.at)
		if err != nil {
			return handover{}, usagef("--at %q: must be RFC 3339, like 2026-03-12T09:00:00Z", o.at)
		}
		at = at.UTC().Truncate(time.Second)
		facts.RetrievedAt, facts.LastModified = &at, &at
	}
	request := sdk.FileRequest
	if lower := strings.ToLower(f.name); strings.HasSuffix(lower, ".warc") || strings.HasSuffix(lower, ".warc.gz") {
		request = sdk.WARCRequest
	}
	r, err := request(ctx, inbox.Of(blobs), f.path, facts)
	if err != nil {
		return handover{}, err
	}
	h := handover{CaptureRequested: r}
	hash := ""
	switch {
	case r.Inline != nil:
		h.path, h.Inline, hash = f.path, nil, digest.Content(r.Inline.ContentBase64)
	case r.Object != nil:
		hash = "sha256:" + path.Base(r.Object.Key)
	default:
		hash = "sha256:" + path.Base(r.WARC.Key)
	}
	if o.force {
		h.RequestID = digest.CaptureFileRequestID(f.name, hash, nonce())
	}
	return h, nil
}

func nonce() string {
	raw := make([]byte, 12)
	_, _ = rand.Read(raw) // never fails (crypto/rand)
	return hex.EncodeToString(raw)
}

// sender publishes requests.
type sender struct {
	db    *catalog.DB
	conn  *stream.Conn
	blobs *blobstore.Store
	full  func() // told when the queue is full and sending waits; may be nil
}

func (s *sender) send(ctx context.Context, requests []handover) error {
	for _, r := range requests {
		if err := s.publish(ctx, r, 0); err != nil {
			return fmt.Errorf("%s: %w", r.URL, err)
		}
	}
	return nil
}

// publish sends one request. While the queue is full it waits: what was sent is
// safe, and what waits is not sent yet.
func (s *sender) publish(ctx context.Context, h handover, again int64) error {
	r := h.CaptureRequested
	if h.path != "" {
		data, err := os.ReadFile(h.path)
		if err != nil {
			return err
		}
		r.Inline = &event.Inline{ContentBase64: data}
	}
	if err := r.Validate(); err != nil {
		return usageError{err}
	}
	e, err := event.New("cli", r, time.Now())
	if err != nil {
		return err
	}
	if again > 0 {
		e = e.Redrive(again)
	}
	for {
		err := s.conn.Publisher("cli").Publish(ctx, e)
		if !errors.Is(err, stream.ErrFull) || ctx.Err() != nil {
			return err
		}
		if s.full != nil {
			s.full()
		}
	}
}
