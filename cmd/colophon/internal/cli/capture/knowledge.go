package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/statement/note"
)

// addOptions are the flags of knowledge add.
type addOptions struct {
	source, layer  string
	typ, status    string
	date, language string
	evidence       string
	page           int
	quote          string
	replaces       []string
	sumsUp         []string
	timeout        time.Duration
}

func (c commands) knowledgeCommand() *cobra.Command {
	group := cli.Group("knowledge", "Add what is known beside the documents")
	group.AddCommand(c.addCommand())
	return group
}

func (c commands) addCommand() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use: "add STATEMENT", Short: "Add a fact or a judgment, with a pointer to its evidence",
		Long: "Captures STATEMENT as a small document of the source knowledge, and waits until it is a chunk like any\n" +
			"other. It says of itself what it is, since when, and where its evidence is: the words of --quote on --page of the\n" +
			"chunk --evidence, which must have them. With --replaces it says what is known of another chunk\n" +
			"since then: that one stays as it is, and is shown with this one. With --sums-up it names the chunks that it\n" +
			"sums up; --layer summary adds it to the source knowledge-summary, whose chunks are in that layer.",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		Example: "  colophon source add knowledge --name 'The editors' --language fr\n  colophon knowledge add 'Aucune irrégularité n’est établie.' --date 2026-02-19 --evidence REF --page 1 --quote 'aucune irrégularité' --replaces OTHER",
		RunE: func(cmd *cobra.Command, given []string) error {
			return c.addNote(cmd.Context(), strings.Join(given, " "), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.source, "source", "", "the source that adds it, knowledge or one whose id begins with knowledge-; default knowledge, with --layer summary knowledge-summary")
	f.StringVar(&o.layer, "layer", "", "summary: it sums others up, of a source with that layer")
	f.StringVar(&o.typ, "type", string(model.ChunkFact), "fact, allegation or opinion")
	f.StringVar(&o.status, "status", string(model.StatusConfirmed), "under_review, confirmed, refuted or obsolete")
	f.StringVar(&o.date, "date", "", "since when it is so, YYYY-MM-DD; default today")
	f.StringVar(&o.language, "language", "", "language of the statement, ISO 639-1, where its words do not show it")
	f.StringVar(&o.evidence, "evidence", "", "chunk_ref of the evidence")
	f.IntVar(&o.page, "page", 1, "page of its document")
	f.StringVar(&o.quote, "quote", "", "the words that stand there, 12 letters at least")
	f.StringSliceVar(&o.replaces, "replaces", nil, "chunk_ref of what this is known of since; may be repeated")
	f.StringSliceVar(&o.sumsUp, "sums-up", nil, "chunk_ref of what it sums up; may be repeated")
	f.DurationVar(&o.timeout, "timeout", 0, "give up waiting after this long; 0 is never")
	return cmd
}

// note is what the flags say.
func (o addOptions) note(text string, now time.Time) (note.Note, error) {
	n := note.Note{
		Text: text, Type: model.ChunkType(o.typ), Status: model.ChunkStatus(o.status), Date: o.date,
		Replaces: o.replaces, SumsUp: o.sumsUp,
	}
	if n.Date == "" {
		n.Date = now.UTC().Format(time.DateOnly)
	}
	switch {
	case o.layer != "" && o.layer != string(model.LayerSummary):
		return n, cli.Usagef("--layer %q: summary, or none", o.layer)
	case o.layer != "" && len(o.sumsUp) == 0:
		return n, cli.Usagef("--layer summary needs --sums-up")
	case (o.evidence == "") != (o.quote == ""):
		return n, cli.Usagef("--evidence and --quote go together")
	case o.evidence != "":
		n.Evidence = []model.Evidenced{{ChunkRef: o.evidence, Page: o.page, Quote: strings.Join(strings.Fields(o.quote), " ")}}
	}
	if err := n.Validate(); err != nil {
		return n, cli.Usage(err)
	}
	return n, nil
}

func (o addOptions) sourceID() string {
	switch {
	case o.source != "":
		return o.source
	case o.layer == string(model.LayerSummary):
		return note.Source + "-summary"
	}
	return note.Source
}

func (c commands) addNote(ctx context.Context, text string, o addOptions) error {
	n, err := o.note(text, time.Now())
	if err != nil {
		return err
	}
	if o.language != "" {
		if err := cli.CheckLanguage(o.language); err != nil {
			return err
		}
	}
	if err := cli.CheckTimeout(o.timeout); err != nil {
		return err
	}
	db, s, err := c.Catalog(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := errors.Join(checkSource(ctx, db, o), checkChunks(ctx, db, n)); err != nil {
		return err
	}
	conn, err := c.Stream(ctx, s)
	if err != nil {
		return err
	}
	defer conn.Close()
	blobs, err := blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
	if err != nil {
		return err
	}
	sender := &Sender{DB: db, Conn: conn, Blobs: blobs, full: c.waitsForRoom()}
	requests := []Handover{{CaptureRequested: requestOf(n, o)}}
	if err := sender.Send(ctx, requests); err != nil {
		return err
	}
	results, err := Follow(ctx, c.Tool, sender, requests, o.timeout)
	if err != nil {
		return err
	}
	return c.reportNote(ctx, db, results)
}

// requestOf hands the note over. The same note has the same ids: said twice it is there once.
func requestOf(n note.Note, o addOptions) event.CaptureRequested {
	content := n.Render()
	id := "k-" + digest.Base32(digest.HashParts(content))
	at, _ := time.Parse(time.DateOnly, n.Date) // it was validated
	return event.CaptureRequested{
		RequestID: id, SourceID: o.sourceID(), SourceRecordID: "note:" + id, Filename: "note.txt",
		ContentType: "text/plain; charset=utf-8", Language: o.language, LastModified: &at, LastModifiedOrigin: "operator",
		Inline: &event.Inline{ContentBase64: []byte(content)},
	}
}

// checkSource refuses a source that is not there, is no operators' one, or is in another layer.
func checkSource(ctx context.Context, db *catalog.DB, o addOptions) error {
	id := o.sourceID()
	if !note.FromSource(id) {
		return cli.Usagef("--source %q: %s, or an id that begins with %s-", id, note.Source, note.Source)
	}
	layer := model.LayerHot
	if o.layer != "" {
		layer = model.LayerSummary
	}
	s, err := db.Source(ctx, id)
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return cli.Usagef("there is no source %s: make it with `colophon source add %s --name NAME --layer %s`", id, id, layer)
	case err != nil:
		return err
	case o.layer != "" && s.Layer != model.LayerSummary:
		return cli.Usagef("the source %s is in the layer %s, not summary", id, s.Layer)
	case s.State != model.SourceEnabled:
		return cli.Usagef("the source %s is disabled", id)
	}
	return nil
}

// checkChunks refuses chunks that are not there, and a quotation that its page of the evidence does not have.
func checkChunks(ctx context.Context, db *catalog.DB, n note.Note) error {
	var refs []string
	for _, e := range n.Evidence {
		refs = append(refs, e.ChunkRef)
	}
	refs = append(append(refs, n.Replaces...), n.SumsUp...)
	chunks, err := db.ChunksWithStates(ctx, refs)
	if err != nil {
		return err
	}
	byRef := make(map[string]model.Chunk, len(chunks))
	for _, f := range chunks {
		byRef[f.Chunk.ChunkRef] = f.Chunk
	}
	for _, ref := range refs {
		if _, ok := byRef[ref]; !ok {
			return cli.Usagef("there is no chunk %s", ref)
		}
	}
	for _, e := range n.Evidence {
		if !proof.HasWords(byRef[e.ChunkRef], e) {
			return cli.Usagef("the evidence %s does not have the words %q on page %d", e.ChunkRef, e.Quote, e.Page)
		}
	}
	return nil
}

// reportNote prints the chunks that the note has become.
func (c commands) reportNote(ctx context.Context, db *catalog.DB, results []catalog.Result) error {
	for _, r := range results {
		if r.InError() || r.DocumentID == "" {
			return Report(c.Tool, results, false)
		}
		document, err := db.Document(ctx, r.DocumentID)
		if err != nil {
			return err
		}
		for i := range r.Chunks {
			ref := digest.ChunkRef(document.CurrentDocHash, digest.ChunkID(i, document.CurrentGeneration))
			if err := c.Print(map[string]string{"chunk_ref": ref}, func(w io.Writer) { fmt.Fprintln(w, ref) }); err != nil {
				return err
			}
		}
	}
	return nil
}
