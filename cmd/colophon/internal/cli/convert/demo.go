package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/capture"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/follow"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/local"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/operate"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// demoSource is the source of the demo's documents.
const demoSource = "demo"

func (c commands) demoCommand() *cobra.Command {
	var query string
	var failing []string
	cmd := &cobra.Command{
		Use: "demo DIR", Short: "Run a folder through a fresh system, search it, and prove the first hit",
		Long: "Starts a system in a temporary folder, runs the files of DIR through it, searches\n" +
			"and walks the proof of the first hit down to the captured bytes. Nothing is left\n" +
			"behind. Without --query it searches for the first words that it finds.",
		Example: "  colophon demo test/documents\n  colophon demo ~/Documents/minutes --query 'the bridge'", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return c.demo(cmd.Context(), given[0], query, failing)
		},
	}
	cmd.Flags().StringVar(&query, "query", "", "what is searched; default the first words of the first document")
	cmd.Flags().StringSliceVar(&failing, "failing", nil, "files that cannot be extracted: then any other failure, or none of these, is an error")
	return cmd
}

func (c commands) demo(ctx context.Context, dir, query string, failing []string) (err error) {
	tmp, err := os.MkdirTemp("", "colophon-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, local.Remove(tmp)) }()
	began := time.Now()
	fmt.Fprintln(c.Out, "starting NATS JetStream, an object store, PostgreSQL, a Qdrant-compatible store and eight services")
	sys, err := StartTemporary(ctx, tmp, c.Tables)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sys.Stop()) }()
	if err := sys.Local.Announce(); err != nil {
		return err
	}
	if err := sys.DB.PutSource(ctx, demoSourceRecord()); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "ready after %.1f s\n\n", time.Since(began).Seconds())
	c.Progress = true
	requests, err := capture.Prepare(ctx, sys.Blobs, []string{dir}, capture.Options{Source: demoSource})
	if err != nil {
		return err
	}
	if err := sys.Send(ctx, requests); err != nil {
		return err
	}
	results, err := capture.Follow(ctx, c.Tool, sys.Sender, requests, 5*time.Minute)
	if err != nil {
		return err
	}
	_ = capture.Report(c.Tool, results, false) // what must fail is looked at below
	if len(failing) > 0 {
		if err := expectFailing(results, failing); err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "\n%d documents, exactly the %d bad ones failed, as they must\n", len(results), len(failing))
	}
	if query == "" {
		if query, err = firstWords(ctx, sys.DB); err != nil {
			return err
		}
	}
	fmt.Fprintf(cli.ForPeople(c.Out), "\nsearch: %s\n", query)
	demo := commands{c.At(tmp)}
	if err := demo.searchAndProve(ctx, query); err != nil {
		return err
	}
	if err := writeEntitiesFound(ctx, cli.ForPeople(c.Out), sys.DB); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "\nto go on: `%[1]s dev` runs such a system until it is interrupted, with its HTTP API at\n"+
		"http://127.0.0.1:8080 (docs/api.md). In another terminal:\n"+
		"  %[1]s capture --wait --source demo %[2]s\n  %[1]s search %[3]s\n", os.Args[0], cli.Quoted(dir), cli.Quoted(cli.Shown(query)))
	return nil
}

// firstWords are some words of the first chunk, to search for.
func firstWords(ctx context.Context, db *catalog.DB) (string, error) {
	for group, err := range db.CurrentChunks(ctx, "") {
		if err != nil {
			return "", err
		}
		words := strings.Fields(group[0].Chunk.Content)
		return strings.Join(words[:min(len(words), 6)], " "), nil
	}
	return "", cli.Failedf("no document has text to search for")
}

func demoSourceRecord() model.Source {
	s := model.DefaultSource(demoSource)
	s.Name, s.Territory = "Colophon demo", "Valdoro"
	return s
}

func expectFailing(results []catalog.Result, failing []string) error {
	left := make(map[string]bool, len(failing))
	for _, f := range failing {
		left[f] = true
	}
	for _, r := range results {
		name := strings.TrimPrefix(r.URL, "file:///")
		if r.InError() != left[name] {
			return fmt.Errorf("%s: state %q, expected failure: %v (%s: %s)", name, r.State, left[name], r.Reason, r.Message)
		}
		delete(left, name)
	}
	if len(left) > 0 {
		return fmt.Errorf("%d of the documents that must fail were not there", len(left))
	}
	return nil
}

// searchAndProve prints the first hit and its proof, made here and not by the
// gateway.
func (c commands) searchAndProve(ctx context.Context, query string) error {
	var found follow.SearchAnswer
	if err := c.Get(ctx, "/v1/search", url.Values{"q": {query}, "limit": {"3"}}, &found); err != nil {
		return err
	}
	if len(found.Hits) == 0 {
		return errors.New("the search found nothing")
	}
	follow.WriteHits(cli.ForPeople(c.Out), found)
	sys, err := c.System(ctx)
	if err != nil {
		return err
	}
	defer sys.Close()
	for group, err := range sys.DB.ChunkGroups(ctx, []string{found.Hits[0].ChunkRef}, "") {
		if err != nil {
			return err
		}
		items := make([]proof.Item, len(group))
		for i, g := range group {
			items[i] = proof.Item{Chunk: g.Chunk, State: g.State}
		}
		proofs, err := proof.Verify(ctx, sys.Reader, items)
		if err != nil {
			return err
		}
		for _, p := range proofs {
			writeDemoProof(cli.ForPeople(c.Out), p, items[0].Chunk)
			if p.Verdict != proof.Verified {
				return cli.ErrFailed
			}
		}
	}
	return nil
}

func writeDemoProof(w io.Writer, p proof.Proof, chunk model.Chunk) {
	fmt.Fprintf(w, "\nthe proof of the first hit, from the chunk down to the captured bytes:\n")
	operate.WriteProof(w, p)
	fmt.Fprintf(w, "\n%s\n\n", chunk.Text)
	fmt.Fprintf(w, "hit      %s, page %d\nsource   %s (%s)\n%s: %d bytes proved, %d written by rule\n",
		chunk.ChunkRef, chunk.PageHint, chunk.URL, p.ContentHash, p.Verdict, p.Proved, p.Synthetic)
}
