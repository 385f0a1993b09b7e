package operate

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/stream"
	extractor "github.com/colophon-dev/colophon/services/extractor/app"
)

// reparseOptions are the flags of reparse.
type reparseOptions struct {
	source   string
	snapshot string
	parser   string
	wait     bool
	timeout  time.Duration

	ocr       bool
	languages []string
	dpi       int
}

// settings are those of the OCR run that is asked for, nil for none. Each call
// asks for a run of its own.
func (o reparseOptions) settings(now time.Time) *model.OCRSettings {
	if !o.ocr {
		return nil
	}
	return &model.OCRSettings{Name: now.UTC().Format(time.RFC3339Nano), Languages: o.languages, DPI: o.dpi}
}

// Reparsed is what reparse prints.
type Reparsed struct {
	SourceID      string                  `json:"source_id"`
	SnapshotID    string                  `json:"snapshot_id,omitempty"`
	ExtractionID  string                  `json:"extraction_id"`
	ParserVersion string                  `json:"parser_version"`
	Requested     int                     `json:"requested"` // by this call
	Rechunked     int                     `json:"rechunked"` // runs whose chunks are asked to be made again
	Progress      catalog.ReparseProgress `json:"progress"`

	under catalog.Under
	ocr   bool // the runs are those of this call alone
}

func (c commands) reparseCommand() *cobra.Command {
	var o reparseOptions
	cmd := &cobra.Command{
		Use: "reparse", Short: "Extract captured documents again, with this parser and the source's rules of today",
		Long: "Asks for a new run of the newest snapshot of each document of a source, or of one\n" +
			"snapshot. Its units stand beside those of the runs before; `colophon diff` compares\n" +
			"them. Only what has no run under this parser and these rules is asked for, or has a\n" +
			"later one under others, so that a call that was broken off goes on where it was, and\n" +
			"rules that are changed back count again. Where only the chunker is a newer one, chunks\n" +
			"alone are made again, as the next generation. What was read by OCR is not read\n" +
			"again, but with --ocr, which makes units of its own beside the old ones at each\n" +
			"call: of what the same engine has read in the same way before, when nothing changed.\n" +
			"With --source it asks only for documents of which something is read by OCR.\n" +
			"Nothing of a disabled source is extracted again.\n" +
			"Exits 3 when, with --wait, a run fails that it asked for.",
		Example: "  colophon reparse --source valdoro --wait\n  colophon reparse --snapshot snap_2c… --json\n  colophon reparse --snapshot snap_2c… --ocr --language fr --dpi 300", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (o.source == "") == (o.snapshot == "") {
				return cli.Usagef("name --source or --snapshot")
			}
			if !o.wait && o.timeout != 0 {
				return cli.Usagef("--timeout is for --wait")
			}
			if err := cli.CheckTimeout(o.timeout); err != nil {
				return err
			}
			if !o.ocr && (len(o.languages) > 0 || o.dpi != 0) {
				return cli.Usagef("--language and --dpi are for --ocr")
			}
			if o.dpi != 0 && (o.dpi < 70 || o.dpi > 600) {
				return cli.Usagef("--dpi %d: 70 to 600", o.dpi)
			}
			for _, l := range o.languages {
				if err := cli.CheckLanguage(l); err != nil {
					return err
				}
			}
			if o.parser != "" && o.parser != extract.ParserVersion {
				return cli.Usagef("--parser %q: this build parses with version %s and no other", o.parser, extract.ParserVersion)
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
			if err := c.sayUntrained(cmd.Context(), s, o.languages); err != nil {
				return err
			}
			return c.Traced(cmd.Context(), s, "reparse", func(ctx context.Context) error { return c.reparse(ctx, db, conn, o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.source, "source", "", "the newest snapshot of each document of this source")
	f.StringVar(&o.snapshot, "snapshot", "", "this snapshot")
	f.StringVar(&o.parser, "parser", "", "the parser version that is wanted: refused when this build has another")
	f.BoolVar(&o.ocr, "ocr", false, "have scans and pictures read again")
	f.StringSliceVar(&o.languages, "language", nil, "with --ocr: their languages, ISO 639-1, the best first; default the source's")
	f.IntVar(&o.dpi, "dpi", 0, "with --ocr: the resolution to read at; default 200, and 300 where that reads badly")
	f.BoolVar(&o.wait, "wait", false, "follow the runs until they have ended")
	f.DurationVar(&o.timeout, "timeout", 0, "with --wait: give up after this long; 0 is never")
	return cmd
}

// sayUntrained warns of languages that the engine of this machine cannot read:
// the extractors that will may be others.
func (c commands) sayUntrained(ctx context.Context, s cli.Settings, languages []string) error {
	if len(languages) == 0 {
		return nil
	}
	missing, err := extractor.Untrained(ctx, s.OCR, languages)
	for _, name := range missing {
		fmt.Fprintf(c.Err, "no trained data for %s on this machine: on Debian install tesseract-ocr-%s; an extractor without it reads in another language, and says so in the page's record\n", name, name)
	}
	return err
}

func (c commands) reparse(ctx context.Context, db *catalog.DB, conn *stream.Conn, o reparseOptions) error {
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	var one model.Snapshot
	if o.snapshot != "" {
		var err error
		if one, err = db.Snapshot(ctx, o.snapshot); err != nil {
			return err
		}
		o.source = one.SourceID
	}
	source, err := enabledSource(ctx, db, o.source)
	if err != nil {
		return err
	}
	rules, err := digest.SourceRulesDigest(source.UnitRules())
	if err != nil {
		return err
	}
	settings, ocrRun := o.settings(time.Now()), ""
	if settings != nil {
		if ocrRun, err = digest.OCRRun(settings); err != nil {
			return err
		}
	}
	r := Reparsed{
		SourceID: o.source, SnapshotID: o.snapshot, ExtractionID: digest.ExtractionID(extract.ParserVersion, rules, ocrRun),
		ParserVersion: extract.ParserVersion, ocr: settings != nil,
		under: catalog.Under{ParserVersion: extract.ParserVersion, RulesDigest: rules, ChunkerVersion: model.ChunkerVersion, HeaderVersion: header.Version},
	}
	due := db.UnparsedSnapshots(ctx, o.source, o.snapshot, r.under)
	switch {
	case settings != nil && o.snapshot != "":
		due = these(func(yield func(model.Snapshot, error) bool) { yield(one, nil) })
	case settings != nil:
		due = these(db.ScannedSnapshots(ctx, o.source))
	}
	before, err := r.progress(ctx, db)
	if err != nil {
		return err
	}
	show := cli.NewProgressLine(c.Tool)
	for s, err := range due {
		if err != nil {
			return err
		}
		req, err := r.request(s, rules, settings)
		if err != nil {
			return err
		}
		if err := conn.Publisher("cli").Emit(ctx, req); err != nil {
			return fmt.Errorf("after %d requests: %w", r.Requested, err)
		}
		r.Requested++
		show.Show(fmt.Sprintf("requested %d", r.Requested), false)
	}
	if settings == nil {
		if r.Rechunked, err = rechunk(ctx, db, conn, r); err != nil {
			return err
		}
	}
	if r.Progress, err = c.followReparse(ctx, db, r, show, o.wait, o.timeout); err != nil {
		return err
	}
	if err := c.Print(r, func(w io.Writer) { writeReparsed(w, r) }); err != nil {
		return err
	}
	if o.wait && r.Requested > 0 && r.Progress.Failed > before.Failed {
		return cli.ErrFailed
	}
	return nil
}

// enabledSource returns a source of which something is to be made again. Of a disabled one
// nothing is (contracts#source): what it has stays as it is.
func enabledSource(ctx context.Context, db *catalog.DB, id string) (model.Source, error) {
	source, err := db.Source(ctx, id)
	if err == nil && source.State == model.SourceDisabled {
		err = cli.Failedf("source %s is disabled: nothing of it is made again before `colophon source enable %s`", id, id)
	}
	return source, err
}

// rechunk lets the chunker look again at runs whose chunks an older one has made.
func rechunk(ctx context.Context, db *catalog.DB, conn *stream.Conn, r Reparsed) (n int, err error) {
	for outdated, err := range db.OutdatedRuns(ctx, r.SourceID, r.SnapshotID, r.under) {
		if err != nil {
			return n, err
		}
		run, segments, _, err := db.RunParts(ctx, outdated.SnapshotID, outdated.ExtractionID)
		if err != nil {
			return n, err
		}
		e, err := event.New("cli", event.OfRun(run, segments), time.Now())
		if err != nil {
			return n, err
		}
		// The bus may have had this event within the time for which it remembers it.
		if err := conn.Publisher("cli").Publish(ctx, e.Redrive(time.Now().UnixNano())); err != nil {
			return n, fmt.Errorf("after %d runs whose chunks are made again: %w", n, err)
		}
		n++
	}
	return n, nil
}

// these are snapshots that are extracted again whatever runs they have.
func these(all iter.Seq2[model.Snapshot, error]) iter.Seq2[catalog.Unparsed, error] {
	return func(yield func(catalog.Unparsed, error) bool) {
		for s, err := range all {
			if !yield(catalog.Unparsed{Snapshot: s}, err) {
				return
			}
		}
	}
}

// request asks for the run of a snapshot. Where a run under today's rules is not
// the last one, it is a run of its own, named by the one that it follows: asked
// for twice it is one, and OCR is not done again for it.
func (r Reparsed) request(s catalog.Unparsed, rules string, settings *model.OCRSettings) (event.RunRequested, error) {
	id := r.ExtractionID
	if s.After != "" {
		settings = &model.OCRSettings{Name: "after " + s.After}
		run, err := digest.OCRRun(settings)
		if err != nil {
			return event.RunRequested{}, err
		}
		id = digest.ExtractionID(extract.ParserVersion, rules, run)
	}
	return event.RunRequested{SnapshotID: s.SnapshotID, SourceID: s.SourceID, ExtractionID: id, Why: "reparse", OCR: settings}, nil
}

// progress counts the runs that this call is about.
func (r Reparsed) progress(ctx context.Context, db *catalog.DB) (catalog.ReparseProgress, error) {
	if r.ocr {
		return db.ExtractionProgress(ctx, r.SourceID, r.SnapshotID, r.ExtractionID)
	}
	return db.ReparseProgress(ctx, r.SourceID, r.SnapshotID, r.under)
}

// followReparse asks how far the runs have come: once, or until they have ended.
func (c commands) followReparse(ctx context.Context, db *catalog.DB, r Reparsed, show *cli.ProgressLine, wait bool, timeout time.Duration) (catalog.ReparseProgress, error) {
	defer show.End()
	tick := time.NewTicker(cli.PollEvery)
	defer tick.Stop()
	for {
		p, err := r.progress(ctx, db)
		if r.ocr { // nobody else asks for runs of this extraction_id
			p.Documents, p.Snapshots, p.Waiting = r.Requested, r.Requested, r.Requested-p.Snapshots
		}
		switch {
		case err != nil && wait:
			return p, cli.Standing(ctx, err, timeout)
		case err != nil, !wait, p.Over():
			return p, err
		}
		show.Show(fmt.Sprintf("re-parsed %d/%d  %d failed", p.Snapshots-p.Waiting-p.Running-p.Outdated, p.Snapshots, p.Failed), false)
		select {
		case <-ctx.Done():
			return p, cli.GaveUp(ctx, timeout)
		case <-tick.C:
		}
	}
}

func writeReparsed(w io.Writer, r Reparsed) {
	p := r.Progress
	switch {
	case r.Rechunked > 0:
		fmt.Fprintf(w, "requested chunks of %s under chunker %s\n", cli.Many(r.Rechunked, "run"), model.ChunkerVersion)
	case r.Requested == 0:
		why := "all documents have had their run under it"
		if r.ocr {
			why = "no page needed OCR"
		}
		fmt.Fprintf(w, "nothing to do under parser %s (%s): %s\n", r.ParserVersion, r.ExtractionID, why)
	}
	if r.Requested > 0 {
		fmt.Fprintf(w, "requested %s under parser %s (%s)\n", cli.Many(r.Requested, "run"), r.ParserVersion, r.ExtractionID)
	}
	what := cli.Many(p.Documents, "document")
	if p.Snapshots != p.Documents { // of some the newest version and the current one
		what = cli.Many(p.Snapshots, "snapshot") + " of " + what
	}
	fmt.Fprintf(w, "%s: %d done, %d partial, %d failed, %d under way, %d waiting", what, p.Done, p.Partial, p.Failed, p.Running, p.Waiting)
	if p.Moved > 0 {
		fmt.Fprintf(w, ", %d superseded or removed", p.Moved)
	}
	if p.Outdated > 0 {
		fmt.Fprintf(w, "; the chunks of %d are still those of an older chunker", p.Outdated)
	}
	fmt.Fprintln(w)
}
