package capture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// Options are the flags of capture.
type Options struct {
	Source   string
	wait     bool
	strict   bool
	force    bool
	At       string
	Language string
	timeout  time.Duration
	Stdin    io.Reader // the list that - names
}

func (c commands) captureCommand() *cobra.Command {
	o := Options{Stdin: os.Stdin}
	cmd := &cobra.Command{
		Use: "capture URL|FILE|DIR|WARC|-…", Short: "Hand documents over, and follow them to the end with --wait",
		Long:    "Publishes one capture request a document: URLs, files, all files of a folder but\nhidden ones, web archives (.warc, .warc.gz), or with - what a list on standard input\nnames, one a line. A file is known by file:/// and a path: its own name, below a folder\nits path in it, in a list its path as it stands there; so the same folder gives the\nsame ids anywhere. Symbolic links in folders are passed over. A file that has changed is\na new version, also when it changes back; one that was only touched is recorded, and not\nprocessed again. With --wait it follows each\nuntil it is terminal, prints what became of it and of what it contains, and exits 3\nwhen one ends in error. A record of a web archive that holds its server's error (status\n400 and above) is printed as failed and counted apart: it is no document, and an error\nof this command only with --strict.",
		Example: "  colophon capture --wait --source valdoro test/documents\n  colophon capture --source town --wait report.pdf https://www.example.org/minutes.html site.warc.gz\n  find . -name '*.pdf' | colophon capture --source town --wait -",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := o.Check(); err != nil {
				return err
			}
			db, s, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			conn, err := c.Stream(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer conn.Close()
			blobs, err := blobstore.Open(cmd.Context(), blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			return c.capture(cmd.Context(), &Sender{DB: db, Conn: conn, Blobs: blobs, full: c.waitsForRoom()}, given, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Source, "source", "local", "the source that the documents belong to")
	f.BoolVar(&o.wait, "wait", false, "follow each document until it is terminal")
	f.BoolVar(&o.strict, "strict", false, "with --wait: any failed page is an error, and any error that a web archive holds")
	f.BoolVar(&o.force, "force", false, "process again what has not changed")
	f.StringVar(&o.At, "at", "", "time of retrieval of files, RFC 3339; default each file's own time")
	f.StringVar(&o.Language, "language", "", "language of the documents, ISO 639-1, when you know it")
	f.DurationVar(&o.timeout, "timeout", 0, "with --wait: give up after this long; 0 is never")
	return cmd
}

// Check refuses flags that cannot be meant, before anything is sent.
func (o Options) Check() error {
	if !o.wait && (o.strict || o.timeout != 0) {
		return cli.Usagef("--strict and --timeout are for --wait")
	}
	if err := cli.CheckTimeout(o.timeout); err != nil {
		return err
	}
	if o.At != "" {
		if _, err := time.Parse(time.RFC3339, o.At); err != nil {
			return cli.Usagef("--at %q: must be RFC 3339, like 2026-03-12T09:00:00Z", o.At)
		}
	}
	if o.Language != "" {
		return cli.CheckLanguage(o.Language)
	}
	return nil
}

// waitsForRoom says once that the queue is full.
func (c commands) waitsForRoom() func() {
	return sync.OnceFunc(func() {
		fmt.Fprintln(c.Err, "the queue of requests is full: waiting until there is room")
	})
}

func (c commands) capture(ctx context.Context, s *Sender, given []string, o Options) error {
	requests, err := Prepare(ctx, s.Blobs, given, o)
	if err == nil {
		err = CheckNames(requests)
	}
	if err != nil {
		return err
	}
	if len(requests) == 0 {
		fmt.Fprintln(c.Err, "nothing to capture: no file but hidden ones, and no line of a list")
		return nil
	}
	requests, conflicts, err := s.settle(ctx, requests, o, c.Err)
	if err != nil {
		return err
	}
	if err := s.Send(ctx, requests); err != nil {
		if fault.KindOf(err) == fault.KindUnavailable {
			err = fmt.Errorf("%w\nwhat was sent before stands; the same command sends the rest", err)
		}
		return err
	}
	if !o.wait {
		for _, r := range requests {
			if err := c.Print(map[string]string{"request_id": r.RequestID, "source_id": r.SourceID, "url": r.URL}, func(w io.Writer) {
				fmt.Fprintf(w, "%s  %s\n", r.RequestID, r.URL)
			}); err != nil {
				return err
			}
		}
		return Report(c.Tool, conflicts, false)
	}
	results, err := Follow(ctx, c.Tool, s, requests, o.timeout)
	if err != nil {
		return err
	}
	return Report(c.Tool, append(results, conflicts...), o.strict)
}

// Report prints what became of the requests. It returns errFailed when one
// ended in error.
func Report(c *cli.Tool, results []catalog.Result, strict bool) error {
	failed, archived := 0, 0
	for _, r := range results {
		switch {
		case !strict && archivedError(r):
			archived++
		case r.InError() || strict && r.Failed > 0:
			failed++
		}
		if err := c.Print(r, func(w io.Writer) {
			state := r.State
			if state == "" {
				state = r.Outcome
			}
			line := fmt.Sprintf("%-9s %-48s %4d %-5s %5d %-6s%s", state, r.URL, r.Pages, cli.Plural(r.Pages, "page"), r.Chunks,
				cli.Plural(r.Chunks, "chunk"), cli.Because(r))
			fmt.Fprintln(w, strings.TrimRight(line, " "))
		}); err != nil {
			return err
		}
	}
	if archived > 0 && !c.JSON {
		fmt.Fprintf(c.Err, "%s of web archives: an error of the server, no document\n", cli.Many(archived, "record"))
	}
	if failed > 0 {
		if !c.JSON {
			fmt.Fprintf(c.Err, "%d of %s failed\n", failed, cli.Many(len(results)-archived, "document"))
		}
		return cli.ErrFailed
	}
	return nil
}

// archivedError reports whether a result is that of a record in a web archive for
// which its server had an error (contracts#reason-list: fetch_failed). The archive was read
// as it is: nothing of what was handed over has failed.
func archivedError(r catalog.Result) bool {
	return r.Container != "" && r.Outcome == string(event.OutcomeFailed) && r.Reason == string(fault.FetchFailed)
}

// Handover is a request that is sent, without the bytes of a file that travels
// inside it: they are read when they are needed.
type Handover struct {
	event.CaptureRequested
	path string // of that file; empty when there is none
	file file   // that was named; of a URL none
	hash string // the file's content_hash
}

// Prepare makes one request for each URL, file, web archive and line of the list
// on standard input, in order. Files that do not fit into a request go to the
// inbox.
func Prepare(ctx context.Context, blobs *blobstore.Store, given []string, o Options) ([]Handover, error) {
	var requests []Handover
	for _, arg := range given {
		if arg != "-" {
			more, err := prepareOne(ctx, blobs, arg, "", o)
			if err != nil {
				return nil, err
			}
			requests = append(requests, more...)
			continue
		}
		list := bufio.NewScanner(o.Stdin)
		for list.Scan() {
			line := strings.TrimSpace(list.Text())
			if line == "" {
				continue
			}
			more, err := prepareOne(ctx, blobs, line, Listed(line), o)
			if err != nil {
				return nil, err
			}
			requests = append(requests, more...)
		}
		switch err := list.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return nil, cli.Usagef("the list on standard input: a line has more than %d bytes", bufio.MaxScanTokenSize)
		case err != nil:
			return nil, fmt.Errorf("the list on standard input: %w", err)
		}
	}
	return requests, nil
}

// prepareOne makes the requests for one argument. as is the path that it is known
// by; empty: a file by its name, the files of a folder by their paths in it.
func prepareOne(ctx context.Context, blobs *blobstore.Store, arg, as string, o Options) ([]Handover, error) {
	if scheme, _, _ := strings.Cut(strings.ToLower(arg), "://"); scheme == "http" || scheme == "https" {
		return []Handover{{CaptureRequested: event.CaptureRequested{
			RequestID: "u-" + digest.Base32(digest.HashParts(arg, nonce())), SourceID: o.Source, URL: arg, Force: o.force,
			Language: o.Language,
		}}}, nil
	}
	files, err := filesOf(arg, as)
	if err != nil {
		return nil, err
	}
	requests := make([]Handover, len(files))
	for i, f := range files {
		if requests[i], err = fileRequest(ctx, blobs, f, o); err != nil {
			return nil, err
		}
	}
	return requests, nil
}

// Sender publishes requests.
type Sender struct {
	DB    *catalog.DB
	Conn  *stream.Conn
	Blobs *blobstore.Store
	full  func() // told when the queue is full and sending waits; may be nil

	waitUntil time.Time // for rows of requests that the bus has; zero as long as none was waited for
}

// Send publishes requests, in order. One that was refused before is open again. A file of
// which the bus has an earlier state gets the request_id of its time.
func (s *Sender) Send(ctx context.Context, requests []Handover) error {
	for source, ids := range bySource(requests) {
		if err := s.DB.ReopenRefused(ctx, source, ids); err != nil {
			return err
		}
	}
	for i := range requests {
		if err := s.publish(ctx, &requests[i], false); err != nil {
			return fmt.Errorf("%s: %w", requests[i].URL, err)
		}
	}
	return nil
}

// bySource returns the ids of requests by their sources.
func bySource(requests []Handover) map[string][]string {
	ids := make(map[string][]string)
	for _, r := range requests {
		ids[r.SourceID] = append(ids[r.SourceID], r.RequestID)
	}
	return ids
}

// publish sends one request, under a message id of its own when it was sent
// before: by this command or by another, within the time for which the bus
// remembers it. The request_id makes that harmless. While the queue is full it
// waits: what was sent is safe, and what waits is not sent yet.
func (s *Sender) publish(ctx context.Context, h *Handover, again bool) error {
	e, err := h.event()
	if err != nil {
		return err
	}
	publisher := s.Conn.Publisher("cli")
	for {
		attempt := e
		if again {
			attempt = e.Redrive(time.Now().UnixNano())
		}
		duplicate, err := publisher.Offer(ctx, attempt)
		switch {
		case err == nil && !duplicate:
			return nil
		case err == nil:
			if again, err = s.isItsOwn(ctx, h); err != nil {
				return err
			}
			if e, err = h.event(); err != nil {
				return err
			}
			continue
		case !errors.Is(err, stream.ErrFull):
			return err
		}
		if s.full != nil {
			s.full()
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// event is the message that hands the document over, with its bytes.
func (h *Handover) event() (event.Event, error) {
	r := h.CaptureRequested
	if h.path != "" {
		data, err := os.ReadFile(h.path)
		if err != nil {
			return event.Event{}, err
		}
		r.Inline = &event.Inline{ContentBase64: data}
	}
	if err := errors.Join(r.Validate(), r.CheckBounds()); err != nil {
		return event.Event{}, cli.Usage(err)
	}
	return event.New("cli", r, time.Now())
}
