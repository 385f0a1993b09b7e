package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// maxInline is the largest document that travels inside its request, in bytes
// (contracts 2).
const maxInline = 512 << 10

// captureOptions are the flags of capture.
type captureOptions struct {
	source   string
	wait     bool
	strict   bool
	force    bool
	at       string
	language string
	timeout  time.Duration
}

func (c *cli) captureCommand() *cobra.Command {
	var o captureOptions
	cmd := &cobra.Command{
		Use: "capture URL|FILE|DIR|-…", Short: "Hand documents over, and follow them to the end with --wait",
		Long:    "Publishes one capture request a document. Files are named file:/// and their path\nrelative to the argument, so that the same folder gives the same ids anywhere.\nWith --wait it follows each until it is terminal and exits 3 when one ends in error.",
		Example: "  colophon capture --wait --source valdoro test/documents\n  colophon capture https://www.example.org/minutes.html --source town",
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
			return c.capture(cmd.Context(), &sender{db: db, conn: conn, blobs: blobs}, given, o)
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
			fmt.Fprintf(w, "%-9s %-48s %4d pages %5d chunks", state, r.URL, r.Pages, r.Chunks)
			if r.Reason != "" {
				fmt.Fprintf(w, "  %s: %s", r.Reason, r.Message)
			}
			fmt.Fprintln(w)
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

// prepare makes one request for each URL and file, in order. Files that do not
// fit into a request go to the inbox.
func prepare(ctx context.Context, blobs *blobstore.Store, given []string, o captureOptions) ([]event.CaptureRequested, error) {
	var requests []event.CaptureRequested
	for _, arg := range given {
		if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
			requests = append(requests, event.CaptureRequested{
				RequestID: "u-" + digest.Base32(digest.HashParts(arg, nonce())), SourceID: o.source, URL: arg, Force: o.force,
				Language: o.language,
			})
			continue
		}
		files, err := filesOf(arg)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			r, err := fileRequest(ctx, blobs, f, o)
			if err != nil {
				return nil, err
			}
			requests = append(requests, r)
		}
	}
	return requests, nil
}

// file is a file to capture: where it is, and its path relative to the argument
// that named it.
type file struct{ path, name string }

func filesOf(arg string) ([]file, error) {
	if arg == "-" {
		return []file{{path: "-", name: "stdin"}}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, usagef("%s: %v", arg, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return []file{{path: arg, name: filepath.Base(arg)}}, nil
	}
	var files []file
	err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(arg, path)
		files = append(files, file{path: path, name: filepath.ToSlash(name)})
		return err
	})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, err
}

func fileRequest(ctx context.Context, blobs *blobstore.Store, f file, o captureOptions) (event.CaptureRequested, error) {
	data, modified, err := readFile(f.path)
	if err != nil {
		return event.CaptureRequested{}, err
	}
	if o.at != "" {
		if modified, err = time.Parse(time.RFC3339, o.at); err != nil {
			return event.CaptureRequested{}, usagef("--at %q: must be RFC 3339, like 2026-03-12T09:00:00Z", o.at)
		}
	}
	modified = modified.UTC().Truncate(time.Second)
	again := ""
	if o.force {
		again = nonce()
	}
	r := event.CaptureRequested{
		RequestID: digest.CaptureFileRequestID(f.name, digest.Content(data), again), SourceID: o.source,
		URL:         (&url.URL{Scheme: "file", Path: "/" + f.name}).String(),
		RetrievedAt: &modified, LastModified: &modified, Filename: filepath.Base(f.name), Force: o.force, Language: o.language,
		FetchToolVersion: "colophon-cli",
	}
	if len(data) <= maxInline {
		r.Inline = &event.Inline{ContentBase64: data}
		return r, nil
	}
	key := blobstore.InboxKey(o.source, digest.Hex(data))
	if _, err := blobs.PutOnce(ctx, blobstore.Inbox, key, data, "application/octet-stream"); err != nil {
		return r, err
	}
	r.Object = &event.Object{Bucket: string(blobstore.Inbox), Key: key}
	return r, nil
}

func readFile(path string) ([]byte, time.Time, error) {
	if path == "-" {
		data, err := io.ReadAll(os.Stdin)
		return data, time.Now(), err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	data, err := os.ReadFile(path)
	return data, info.ModTime(), err
}

func nonce() string {
	raw := make([]byte, 12)
	_, _ = rand.Read(raw) // never fails (crypto/rand)
	return hex.EncodeToString(raw)
}

// sender publishes requests and sends them again until they are accepted.
type sender struct {
	db    *catalog.DB
	conn  *stream.Conn
	blobs *blobstore.Store
}

func (s *sender) send(ctx context.Context, requests []event.CaptureRequested) error {
	for _, r := range requests {
		if err := s.publish(ctx, r, 0); err != nil {
			return fmt.Errorf("%s: %w", r.URL, err)
		}
	}
	return nil
}

func (s *sender) publish(ctx context.Context, r event.CaptureRequested, again int64) error {
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
	return s.conn.Publisher("cli").Publish(ctx, e)
}
